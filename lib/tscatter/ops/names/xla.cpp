// stablehlo and xla: scatter as StableHLO's text and its interpreter have it, and as XLA compiles
// it. Spec: docs/ops.md.
#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/form_lines.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

constexpr OperandInfo xla_data(std::string_view own, std::string_view alias) {
  return operand("data", 'd', OperandRole::data, data_help, own, alias);
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

constexpr std::array body_words{ReductionWord{Reduction::none, "set"},
                                ReductionWord{Reduction::sum, "add"},
                                ReductionWord{Reduction::prod, "mul"}};

constexpr std::array body_attributes{
    AttributeInfo{.name = "reduction",
                  .flag = 'r',
                  .default_value = Reduction::none,
                  .choices = reductions<Reduction::none, Reduction::sum, Reduction::sub,
                                        Reduction::prod, Reduction::min, Reduction::max,
                                        Reduction::bit_and, Reduction::bit_or, Reduction::bit_xor>,
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
  auto all = with(lines::of_windows, lines::updates_dtype, any_place, body_dtype, lines::data_rank);
  std::rotate(all.begin(), all.end() - 1, all.end());  // the rule on data is c1
  return all;
}();

constexpr std::array stablehlo_decisions{
    no_order, Decision{Knob::accumulation, "as StableHLO's interpreter"}};
constexpr std::array xla_decisions{
    no_order, Decision{Knob::accumulation, "as XLA on a CPU"},
    Decision{Knob::extremes, "as XLA on a CPU, and StableHLO's text"}};

constexpr Operation scatter_row(OutsideIndex outside, std::span<const OperandInfo> operands,
                                std::span<const Decision> decisions) {
  return {
      .form = Form::window,
      .policies = {.outside = outside, .extremes = Extremes::ieee},
      .operands = operands,
      .attributes = body_attributes,
      .decisions = decisions,
      .examples = words<"-d data.npy -i starts.npy -u windows.npy -r add --update-window-dims 1 "
                        "--scatter-dims-to-operand-dims 0 --index-vector-dim 1 -o out.npy",
                        "-d 5xf32=0 -i '[[4]]' -u '[[1, 2]]' -r add --update-window-dims 1 "
                        "--scatter-dims-to-operand-dims 0 --index-vector-dim 1">,
      .blocks = Blocks::mixed};
}

constexpr std::array block_operands{xla_data("operand", {}), block_update, block_starts};

constexpr std::array<Operation, 2> stablehlo_rows{{
    named<"stablehlo.dynamic_update_slice", lines::of_block>(
        "write a block where a number for each axis says, moved inside operand",
        {.form = Form::block,
         .policies = {.outside = OutsideIndex::clip_start},
         .operands = block_operands,
         .examples = words<"-d a.npy -u block.npy --start 3,0 -o out.npy",
                           "-d 5xf32=0 -u '[1, 2]' --start 4">}),
    named<"stablehlo.scatter", scatter_rules>(
        "update windows of data that indices name, by dimension numbers",
        scatter_row(OutsideIndex::drop_elements, scatter_operands_of<stablehlo_input>,
                    stablehlo_decisions)),
}};
constexpr std::array<Operation, 1> xla_rows{named<"xla.scatter", scatter_rules>(
    "update windows of data that indices name, by dimension numbers; only whole ones",
    scatter_row(OutsideIndex::drop_window, scatter_operands_of<xla_operand>, xla_decisions))};
static_assert(std::ranges::all_of(stablehlo_rows, forms::is_complete) &&
              std::ranges::all_of(xla_rows, forms::is_complete));

}  // namespace

const Namespace stablehlo{
    .name = "stablehlo", .versions = Versions::exact, .operations = stablehlo_rows};
const Namespace xla{.name = "xla", .versions = Versions::exact, .operations = xla_rows};

}  // namespace tscatter::names
