// numpy: assignment to an index, and ufunc.at. Spec: docs/ops.md.
#include "tscatter/ops/names/numpy.hpp"

#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/labelled.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

constexpr std::array operands{
    OperandInfo{"data",
                'd',
                OperandRole::data,
                Presence::required,
                "the tensor that is updated, of rank 1 or more",
                {"a"}},
    OperandInfo{"index", 'i', OperandRole::index, Presence::required,
                "an item of the index, as often as NumPy's has items: positions, a mask, an "
                "integer, a slice, ... or None"},
    OperandInfo{"updates",
                'u',
                OperandRole::updates,
                Presence::required,
                "broadcasts to the shape of data[index]",
                {"values"}},
};

constexpr std::array lines_of_index{
    lines::data_rank,
    RuleLine{Check::indices_rank,
             "the items of the index are for at most r axes, and at most one of them is ..."},
    RuleLine{Check::indices_dtype, "positions are of an integer dtype, a mask is of bool"},
    RuleLine{Check::indices_shape,
             "positions broadcast to one shape; a mask is as long as data along its axes"},
    RuleLine{Check::step_not_zero, "the step of a slice is not 0"},
    RuleLine{Check::index_range,
             "each index is in [-s, s), where s is the size of its axis; a negative one counts "
             "from the end"},
};

constexpr auto lines_of_move =
    with(with(lines_of_index,
              {Check::updates_shape,
               "updates broadcasts to the shape of data[index], also with more axes of length 1 in "
               "front"}),
         lines::updates_dtype);
constexpr auto lines_of_sum =
    with(lines_of_move, {Check::reduction_dtype, "data is of any dtype but opaque ones"});
constexpr auto lines_of_difference = with(lines_of_sum, {Check::data_dtype, "data is not of bool"});
constexpr auto lines_of_extreme = with(
    lines_of_move, {Check::reduction_dtype, "data is of any dtype but opaque and complex ones"});

constexpr auto lines_of_bits =
    with(lines_of_move, {Check::reduction_dtype, "data is of an integer dtype or of bool"});

constexpr std::array<std::string_view, 3> examples_of_setitem{
    "-d a.npy -i ids.npy -u rows.npy -o out.npy",
    "-d a.npy -i mask.npy -u 0 --in-place",
    "-d 3x2xf32=0 -i '[[0], [2]]' -i '[1, 0]' -u '[[1, 2], [3, 4]]'",
};
constexpr std::array<std::string_view, 2> examples_of_add{
    "-d a.npy -i ids.npy -u x.npy --in-place",
    "-d 3xf32=0 -i '[[0], [0]]' -u '[[1], [2]]'",
};
constexpr std::array<std::string_view, 1> examples_of_subtract{
    "-d 3xf32=9 -i '[0, 0, -1]' -u '[1, 2, 3]'"};
constexpr std::array<std::string_view, 1> examples_of_multiply{"-d 3xf32=2 -i 0:2 -u 3"};
constexpr std::array<std::string_view, 1> examples_of_minimum{
    "-d 3xf32=5 -i '[0, 0, -1]' -u '[7, 2, 3]'"};
constexpr std::array<std::string_view, 1> examples_of_maximum{
    "-d 3xf32=5 -i '[0, 0, -1]' -u '[7, 2, 3]'"};

constexpr std::array<std::string_view, 1> examples_of_bits{
    "-d '[5, 6, 7]' --dtype int32 -i '[0, 0, -1]' -u '[1, 2, 3]'"};

constexpr Decision exact_dtypes{Knob::updates_shape,
                                "NumPy's assignment; ufunc.at takes no more axes of length 1"};
constexpr Decision ties{Knob::extremes,
                        "our decision: NumPy leaves the update of equal values in float32 and "
                        "float64, data in float16"};
constexpr std::array move_decisions{exact_dtypes};
constexpr std::array extreme_decisions{exact_dtypes, ties};

constexpr Policies policies{.negative = NegativeIndex::from_the_end};
constexpr Policies extreme_policies{.negative = NegativeIndex::from_the_end,
                                    .extremes = Extremes::propagate};

constexpr std::array<Operation, 9> rows{{
    {.name = "numpy.add.at",
     .id = "numpy.add.at",
     .summary = "add values at an index: np.add.at(a, index, values)",
     .form = Form::index,
     .fixed = Reduction::sum,
     .policies = policies,
     .updates_shape = UpdatesShape::broadcast_ones,
     .operands = operands,
     .rules = labelled<"numpy.add.at", lines_of_sum>,
     .decisions = move_decisions,
     .examples = examples_of_add},
    {.name = "numpy.bitwise_and.at",
     .id = "numpy.bitwise_and.at",
     .summary = "bitwise and with values at an index: np.bitwise_and.at(a, index, values)",
     .form = Form::index,
     .fixed = Reduction::bit_and,
     .policies = policies,
     .updates_shape = UpdatesShape::broadcast_ones,
     .operands = operands,
     .rules = labelled<"numpy.bitwise_and.at", lines_of_bits>,
     .decisions = move_decisions,
     .examples = examples_of_bits},
    {.name = "numpy.bitwise_or.at",
     .id = "numpy.bitwise_or.at",
     .summary = "bitwise or with values at an index: np.bitwise_or.at(a, index, values)",
     .form = Form::index,
     .fixed = Reduction::bit_or,
     .policies = policies,
     .updates_shape = UpdatesShape::broadcast_ones,
     .operands = operands,
     .rules = labelled<"numpy.bitwise_or.at", lines_of_bits>,
     .decisions = move_decisions,
     .examples = examples_of_bits},
    {.name = "numpy.bitwise_xor.at",
     .id = "numpy.bitwise_xor.at",
     .summary = "bitwise xor with values at an index: np.bitwise_xor.at(a, index, values)",
     .form = Form::index,
     .fixed = Reduction::bit_xor,
     .policies = policies,
     .updates_shape = UpdatesShape::broadcast_ones,
     .operands = operands,
     .rules = labelled<"numpy.bitwise_xor.at", lines_of_bits>,
     .decisions = move_decisions,
     .examples = examples_of_bits},
    {.name = "numpy.maximum.at",
     .id = "numpy.maximum.at",
     .summary = "keep the greater of data and values at an index: np.maximum.at(a, index, values)",
     .form = Form::index,
     .fixed = Reduction::max,
     .policies = extreme_policies,
     .updates_shape = UpdatesShape::broadcast_ones,
     .operands = operands,
     .rules = labelled<"numpy.maximum.at", lines_of_extreme>,
     .decisions = extreme_decisions,
     .examples = examples_of_maximum},
    {.name = "numpy.minimum.at",
     .id = "numpy.minimum.at",
     .summary = "keep the lesser of data and values at an index: np.minimum.at(a, index, values)",
     .form = Form::index,
     .fixed = Reduction::min,
     .policies = extreme_policies,
     .updates_shape = UpdatesShape::broadcast_ones,
     .operands = operands,
     .rules = labelled<"numpy.minimum.at", lines_of_extreme>,
     .decisions = extreme_decisions,
     .examples = examples_of_minimum},
    {.name = "numpy.multiply.at",
     .id = "numpy.multiply.at",
     .summary = "multiply by values at an index: np.multiply.at(a, index, values)",
     .form = Form::index,
     .fixed = Reduction::prod,
     .policies = policies,
     .updates_shape = UpdatesShape::broadcast_ones,
     .operands = operands,
     .rules = labelled<"numpy.multiply.at", lines_of_sum>,
     .decisions = move_decisions,
     .examples = examples_of_multiply},
    {.name = "numpy.setitem",
     .id = "numpy.setitem",
     .summary = "write values at an index: a[index] = values",
     .form = Form::index,
     .policies = policies,
     .updates_shape = UpdatesShape::broadcast_ones,
     .operands = operands,
     .rules = labelled<"numpy.setitem", lines_of_move>,
     .decisions = move_decisions,
     .examples = examples_of_setitem},
    {.name = "numpy.subtract.at",
     .id = "numpy.subtract.at",
     .summary = "subtract values at an index: np.subtract.at(a, index, values)",
     .form = Form::index,
     .fixed = Reduction::sub,
     .policies = policies,
     .updates_shape = UpdatesShape::broadcast_ones,
     .data_dtypes = all_but_bool,
     .operands = operands,
     .rules = labelled<"numpy.subtract.at", lines_of_difference>,
     .decisions = move_decisions,
     .examples = examples_of_subtract},
}};
static_assert(std::ranges::all_of(rows, forms::has_all_rules));
static_assert(std::ranges::all_of(rows, forms::takes_integers));

}  // namespace

const Operation getitem{.name = "numpy.getitem",
                        .id = "numpy.getitem",
                        .summary = "read what an index names: a[index]",
                        .form = Form::index,
                        .policies = policies,
                        .operands = operands,
                        .rules = labelled<"numpy.getitem", lines_of_index>,
                        .examples = {}};

const Namespace numpy{
    .name = "numpy", .aliases = {"np"}, .versions = Versions::exact, .operations = rows};

}  // namespace tscatter::names
