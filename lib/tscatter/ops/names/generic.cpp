// generic.scatter: an operation without answers of its own. Each call gives the form and every
// policy. Spec: docs/ops.md.
#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/form_lines.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

constexpr std::array operands{
    data_operand(),
    indices_operand("as the form says"),
    updates_operand("as the form says"),
    optional(operand(
        "axis", 'a', OperandRole::integers,
        "of the forms rows and elements: an integer, or a tensor of rank 0 or shape [1], in "
        "[-r, r)")),
    update_window_dims,
    inserted_window_dims,
    input_batching_dims,
    scatter_indices_batching_dims,
    scatter_dims_to_operand_dims,
    index_vector_dim,
};

constexpr std::array attributes{
    required(reduction(reductions<Reduction::none, Reduction::sum, Reduction::sub, Reduction::prod,
                                  Reduction::min, Reduction::max, Reduction::mean,
                                  Reduction::bit_and, Reduction::bit_or, Reduction::bit_xor>))};

constexpr std::array lines_of_scatter{
    lines::data_rank,
    RuleLine{Check::indices_rank,
             "in the form nd indices has rank q >= 1, in the form elements the rank of data"},
    lines::index_depth,
    lines::axis_scalar,
    lines::axis_range,
    lines::integer_indices,
    lines::elements_shape,
    RuleLine{Check::updates_shape, "updates has the shape that the form requires"},
    lines::updates_dtype,
    RuleLine{Check::index_range,
             "with oob error each index is in range: in [0, s), or in [-s, s) if negative ones "
             "count from the end, where s is the size of its axis"},
    RuleLine{Check::reduction_dtype,
             "the reduction is defined for the dtype: opaque dtypes have none only, complex ones "
             "no min, max and mean, bool no mean; and, or and xor are of integers and bool"},
    RuleLine{Check::list_rank,
             "lists of dimension numbers have rank 1, and index_vector_dim is one number (window)"},
    RuleLine{Check::list_dtype, "dimension numbers are of an integer dtype (window)"},
    RuleLine{Check::dims_range,
             "each dimension number is an axis of its tensor: of updates, data or indices; "
             "index_vector_dim may be the rank of indices (window)"},
    RuleLine{Check::dims_distinct,
             "update_window_dims ascend, and no axis comes twice: of data in inserted_window_dims "
             "and input_batching_dims, and in scatter_dims_to_operand_dims and "
             "input_batching_dims, of indices in scatter_indices_batching_dims and "
             "index_vector_dim (window)"},
    RuleLine{Check::dims_count,
             "update_window_dims, inserted_window_dims and input_batching_dims are together as "
             "many as data has axes, scatter_dims_to_operand_dims as many as an entry has numbers, "
             "scatter_indices_batching_dims as many as input_batching_dims (window)"},
    RuleLine{Check::batching_sizes, "along batching axes indices is as long as data (window)"},
};

constexpr std::array decisions{Decision{Knob::updates_shape, "our decision"},
                               Decision{Knob::mean_of_integers, "our decision"}};

constexpr std::array<std::string_view, 3> examples{
    "--form nd --oob drop-window --negative outside --nan propagate --accumulate step --self keep "
    "--unique false -d data.npy -i indices.npy -u updates.npy -r sum -o out.npy",
    "--form elements --oob modulo --negative outside --nan ieee --accumulate f32 --self identity "
    "--unique false -d 4xf16=9 -i '[1, 6, 9]' -u '[2048, 1, 1]' -a 0 -r sum",
    "--form window --oob drop-elements --negative outside --nan ieee --accumulate step --self keep "
    "--unique false -d 5xf32=0 -i '[[4]]' -u '[[1, 2]]' --update-window-dims 1 "
    "--inserted-window-dims '[]' --input-batching-dims '[]' --scatter-indices-batching-dims '[]' "
    "--scatter-dims-to-operand-dims 0 --index-vector-dim 1 -r sum",
};

constexpr std::array<Operation, 1> rows{{
    named<"generic.scatter", lines_of_scatter>(
        "update the places that indices name, by the form and the policies of the call",
        {.form = Form::rows,
         .operands = operands,
         .attributes = attributes,
         .decisions = decisions,
         .examples = examples,
         .unanswered = PolicySet(Policy::form, Policy::outside, Policy::negative, Policy::extremes,
                                 Policy::accumulation, Policy::initial, Policy::duplicates)}),
}};
static_assert(std::ranges::all_of(rows, forms::is_complete));

constexpr bool has_rules_of(Form form) {
  return std::ranges::all_of(forms::info(form).checks,
                             [](Check check) { return !rows.front().label(check).empty(); });
}
static_assert(has_rules_of(Form::nd) && has_rules_of(Form::elements) && has_rules_of(Form::window));

}  // namespace

const Namespace generic{.name = "generic", .versions = Versions::exact, .operations = rows};

}  // namespace tscatter::names
