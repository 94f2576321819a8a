// generic.scatter: an operation without answers of its own. Each call gives the form and every
// policy. Spec: docs/ops.md.
#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/labelled.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

constexpr std::array operands{
    OperandInfo{"data", 'd', OperandRole::data, Presence::required,
                "the tensor that is updated, of rank 1 or more"},
    OperandInfo{"indices", 'i', OperandRole::integers, Presence::required, "as the form says"},
    OperandInfo{"updates", 'u', OperandRole::updates, Presence::required, "as the form says"},
    OperandInfo{
        "axis", 'a', OperandRole::integers, Presence::optional,
        "of the forms rows and elements: an integer, or a tensor of rank 0 or shape [1], in "
        "[-r, r)"},
};

constexpr std::array<AttributeValue, 7> reductions{Reduction::none, Reduction::sum, Reduction::sub,
                                                   Reduction::prod, Reduction::min, Reduction::max,
                                                   Reduction::mean};

constexpr std::array attributes{
    AttributeInfo{.name = "reduction",
                  .flag = 'r',
                  .default_value = Reduction::none,
                  .choices = reductions,
                  .help = "how an update combines with the element that is there",
                  .is_required = true},
};

constexpr std::array lines_of_scatter{
    lines::data_rank,
    RuleLine{Check::indices_rank,
             "in the form nd indices has rank q >= 1, in the form elements the rank of data"},
    lines::index_depth,
    RuleLine{Check::axis_scalar, "axis is of an integer dtype and has rank 0 or shape [1]"},
    lines::axis_range,
    RuleLine{Check::indices_dtype, "indices are of an integer dtype"},
    lines::elements_shape,
    RuleLine{Check::updates_shape, "updates has the shape that the form requires"},
    lines::updates_dtype,
    RuleLine{Check::index_range,
             "with oob error each index is in range: in [0, s), or in [-s, s) if negative ones "
             "count from the end, where s is the size of its axis"},
    RuleLine{Check::reduction_dtype,
             "the reduction is defined for the dtype: opaque dtypes have none only, complex ones "
             "no min, max and mean, bool no mean"},
};

constexpr std::array decisions{Decision{Knob::updates_shape, "our decision"},
                               Decision{Knob::mean_of_integers, "our decision"}};

constexpr std::array<std::string_view, 2> examples{
    "--form nd --oob drop-window --negative outside --nan propagate --accumulate step --self keep "
    "--unique false -d data.npy -i indices.npy -u updates.npy -r sum -o out.npy",
    "--form elements --oob modulo --negative outside --nan ieee --accumulate f32 --self identity "
    "--unique false -d 4xf16=9 -i '[1, 6, 9]' -u '[2048, 1, 1]' -a 0 -r sum",
};

constexpr std::array<Operation, 1> rows{{
    {.name = "generic.scatter",
     .id = "generic.scatter",
     .summary = "update the places that indices name, by the form and the policies of the call",
     .form = Form::rows,
     .operands = operands,
     .attributes = attributes,
     .rules = labelled<"generic.scatter", lines_of_scatter>,
     .decisions = decisions,
     .examples = examples,
     .unanswered = PolicySet(Policy::form, Policy::outside, Policy::negative, Policy::extremes,
                             Policy::accumulation, Policy::initial, Policy::duplicates)},
}};
static_assert(std::ranges::all_of(rows, forms::has_all_rules));
static_assert(std::ranges::all_of(rows, forms::takes_integers));

constexpr bool has_rules_of(Form form) {
  return std::ranges::all_of(forms::info(form).checks,
                             [](Check check) { return !rows.front().label(check).empty(); });
}
static_assert(has_rules_of(Form::nd) && has_rules_of(Form::elements));

}  // namespace

const Namespace generic{.name = "generic", .versions = Versions::exact, .operations = rows};

}  // namespace tscatter::names
