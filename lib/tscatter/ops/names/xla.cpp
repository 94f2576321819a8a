// stablehlo and xla: scatter as StableHLO's text and its interpreter have it, and as XLA compiles
// it. Spec: docs/ops.md.
#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/labelled.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"
#include "tscatter/ops/names/window_lines.hpp"

namespace tscatter::names {
namespace {

constexpr OperandInfo xla_data(std::string_view own, std::string_view alias) {
  return {.name = "data",
          .flag = 'd',
          .role = OperandRole::data,
          .presence = Presence::required,
          .help = "the tensor that is updated, of rank 1 or more",
          .aliases = {alias},
          .own = own};
}

constexpr OperandInfo batching_dims = [] {
  OperandInfo made = input_batching_dims;
  made.aliases = {"operand_batching_dims"};
  return made;
}();

template <const OperandInfo& data>
inline constexpr std::array scatter_operands_of{data,
                                                dims_indices,
                                                dims_updates,
                                                update_window_dims,
                                                inserted_window_dims,
                                                batching_dims,
                                                scatter_indices_batching_dims,
                                                scatter_dims_to_operand_dims,
                                                index_vector_dim};
constexpr OperandInfo stablehlo_input = xla_data("input", "operand");
constexpr OperandInfo xla_operand = xla_data("operand", "input");

constexpr std::array<AttributeValue, 9> bodies{
    Reduction::none, Reduction::sum,     Reduction::sub,    Reduction::prod,   Reduction::min,
    Reduction::max,  Reduction::bit_and, Reduction::bit_or, Reduction::bit_xor};
constexpr std::array body_words{ReductionWord{Reduction::none, "set"},
                                ReductionWord{Reduction::sum, "add"},
                                ReductionWord{Reduction::prod, "mul"}};

constexpr std::array body_attributes{
    AttributeInfo{.name = "reduction",
                  .flag = 'r',
                  .default_value = Reduction::none,
                  .choices = bodies,
                  .help = "what the body does with the element that is there and the update",
                  .words = body_words,
                  .is_required = true,
                  .own = "update_computation"},
    indices_are_sorted, unique_indices};

constexpr RuleLine any_place{Check::index_range, "an index may be any: what is outside is dropped"};
constexpr RuleLine body_dtype{
    Check::reduction_dtype,
    "the body is defined for the dtype: opaque dtypes have set only, complex ones no min and max; "
    "and, or and xor are of integers and bool"};

constexpr auto scatter_rules = [] {
  std::array<RuleLine, lines::of_windows.size() + 4> all{};
  auto next = std::ranges::copy(lines::of_windows, all.begin() + 1).out;
  all.front() = lines::data_rank;
  *next++ = lines::updates_dtype;
  *next++ = any_place;
  *next++ = body_dtype;
  return all;
}();

constexpr std::array stablehlo_decisions{
    no_order, Decision{Knob::accumulation, "as StableHLO's interpreter"}};
constexpr std::array xla_decisions{
    no_order, Decision{Knob::accumulation, "as XLA on a CPU"},
    Decision{Knob::extremes, "as XLA on a CPU, and StableHLO's text"}};

constexpr std::array<std::string_view, 2> scatter_examples{
    "-d data.npy -i starts.npy -u windows.npy -r add --update-window-dims 1 "
    "--scatter-dims-to-operand-dims 0 --index-vector-dim 1 -o out.npy",
    "-d 5xf32=0 -i '[[4]]' -u '[[1, 2]]' -r add --update-window-dims 1 "
    "--scatter-dims-to-operand-dims 0 --index-vector-dim 1",
};

constexpr Policies stablehlo_policies{.outside = OutsideIndex::drop_elements,
                                      .extremes = Extremes::ieee};
constexpr Policies xla_policies{.outside = OutsideIndex::drop_window, .extremes = Extremes::ieee};

constexpr OperandInfo block_operand = xla_data("operand", {});
constexpr std::array block_operands{block_operand, block_update, block_starts};
constexpr std::array<std::string_view, 2> block_examples{
    "-d a.npy -u block.npy --start 3,0 -o out.npy", "-d 5xf32=0 -u '[1, 2]' --start 4"};

constexpr std::array<Operation, 2> stablehlo_rows{{
    {.name = "stablehlo.dynamic_update_slice",
     .id = "stablehlo.dynamic_update_slice",
     .summary = "write a block where a number for each axis says, moved inside operand",
     .form = Form::block,
     .policies = {.outside = OutsideIndex::clip_start},
     .operands = block_operands,
     .rules = labelled<"stablehlo.dynamic_update_slice", lines::of_block>,
     .examples = block_examples},
    {.name = "stablehlo.scatter",
     .id = "stablehlo.scatter",
     .summary = "update windows of data that indices name, by dimension numbers",
     .form = Form::window,
     .policies = stablehlo_policies,
     .operands = scatter_operands_of<stablehlo_input>,
     .attributes = body_attributes,
     .rules = labelled<"stablehlo.scatter", scatter_rules>,
     .decisions = stablehlo_decisions,
     .examples = scatter_examples,
     .blocks = Blocks::mixed},
}};
constexpr std::array<Operation, 1> xla_rows{{
    {.name = "xla.scatter",
     .id = "xla.scatter",
     .summary = "update windows of data that indices name, by dimension numbers; only whole ones",
     .form = Form::window,
     .policies = xla_policies,
     .operands = scatter_operands_of<xla_operand>,
     .attributes = body_attributes,
     .rules = labelled<"xla.scatter", scatter_rules>,
     .decisions = xla_decisions,
     .examples = scatter_examples,
     .blocks = Blocks::mixed},
}};
static_assert(std::ranges::all_of(stablehlo_rows, forms::has_all_rules) &&
              std::ranges::all_of(xla_rows, forms::has_all_rules));
static_assert(std::ranges::all_of(stablehlo_rows, forms::takes_integers) &&
              std::ranges::all_of(xla_rows, forms::takes_integers));

}  // namespace

const Namespace stablehlo{
    .name = "stablehlo", .versions = Versions::exact, .operations = stablehlo_rows};
const Namespace xla{.name = "xla", .versions = Versions::exact, .operations = xla_rows};

}  // namespace tscatter::names
