// numpy: assignment to an index, ufunc.at, put and its like, bincount. Spec: docs/ops.md.
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

constexpr auto lines_of_index = with(lines::index_items, lines::positions_from_the_end);

constexpr auto lines_of_move =
    with(with(lines_of_index,
              {Check::updates_shape,
               "updates broadcast to the shape of data[index], also with more axes of length 1 in "
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

// ---- put and put_along_axis

constexpr OperandInfo operand(std::string_view name, char flag, OperandRole role,
                              std::string_view own, std::string_view help,
                              std::string_view alias = {}) {
  return {.name = name,
          .flag = flag,
          .role = role,
          .presence = Presence::required,
          .help = help,
          .aliases = {alias},
          .own = own};
}

constexpr std::string_view data_help = "the tensor that is updated, of rank 1 or more";

constexpr std::array put_operands{
    operand("data", 'd', OperandRole::data, "a", data_help),
    operand("indices", 'i', OperandRole::integers, "ind",
            "positions among all elements of a, in row-major order, of any shape"),
    operand("updates", 'u', OperandRole::updates, "v",
            "one for each position; where there are fewer, they are repeated", "values")};
constexpr std::array along_operands{
    operand("data", 'd', OperandRole::data, "arr", data_help),
    operand("indices", 'i', OperandRole::integers, "",
            "positions along axis, of arr's rank; off axis as long as arr, or 1"),
    operand("updates", 'u', OperandRole::updates, "values", "broadcasts to the shape of indices")};

constexpr auto all_but_uint64 = std::span(integer_dtypes).first<integer_dtypes.size() - 1>();
static_assert(integer_dtypes.back() == DType::uint64);

constexpr std::array<AttributeValue, 3> put_modes{Word{"raise"}, Word{"wrap"}, Word{"clip"}};
constexpr std::array<IndexAnswer, 3> answers_of_put_modes{
    IndexAnswer{},
    {.outside = OutsideIndex::modulo, .negative = NegativeIndex::outside},
    {.outside = OutsideIndex::clip_index, .negative = NegativeIndex::outside}};
constexpr std::array put_attributes{AttributeInfo{
    .name = "mode",
    .flag = 0,
    .default_value = Word{"raise"},
    .choices = put_modes,
    .help = "an index that is out of range is refused, means its remainder, or the nearest one in "
            "range; a negative one counts from the end with raise only",
    .answers = answers_of_put_modes}};
constexpr std::array along_attributes{
    AttributeInfo{.name = "axis",
                  .flag = 'a',
                  .default_value = std::int64_t{0},
                  .choices = {},
                  .help = "the axis along which indices count, in [-r, r)",
                  .is_required = true}};

constexpr std::array<std::string_view, 4> put_order{"a", "ind", "v", "mode"};
constexpr std::array<std::string_view, 4> along_order{"arr", "indices", "values", "axis"};

constexpr std::array put_lines{
    RuleLine{Check::data_rank, "a has rank r >= 1"},
    RuleLine{Check::indices_dtype, "ind is of an integer dtype but uint64"},
    RuleLine{Check::updates_shape,
             "v has an element or more; or none, where a has elements or ind has none"},
    RuleLine{Check::updates_dtype, "v has the dtype of a"},
    RuleLine{Check::index_range,
             "with mode = raise, each index is in [-n, n), where n is the number of elements of a; "
             "with wrap and clip it may be any, unless n is 0"},
};
constexpr std::array along_lines{
    RuleLine{Check::data_rank, "arr has rank r >= 1"},
    RuleLine{Check::indices_rank, "indices has the rank of arr"},
    RuleLine{Check::axis_range, "axis is in [-r, r), where r is the rank of arr"},
    RuleLine{Check::indices_dtype, "indices are of an integer dtype"},
    RuleLine{Check::indices_shape, "along every axis but axis, indices is 1 or as long as arr"},
    RuleLine{Check::updates_shape,
             "values broadcast to the shape of indices, with arr's sizes off axis, also with more "
             "axes of length 1 in front"},
    RuleLine{Check::updates_dtype, "values has the dtype of arr"},
    RuleLine{Check::index_range,
             "each index is in [-s, s), where s is the size of arr along axis; a negative one "
             "counts from the end"},
};

constexpr std::array<std::string_view, 2> put_examples{
    "-d a.npy -i places.npy -u values.npy --in-place",
    "-d 4xf32=0 -i '[0, 5, -1]' -u '[1, 2]' --mode wrap",
};
constexpr std::array<std::string_view, 2> along_examples{
    "-d a.npy -i top.npy -u best.npy --axis 1 -o out.npy",
    "-d 2x3xf32=0 -i '[[1]]' -u '[[5], [6]]' --axis 1",
};

// ---- copyto, place and putmask

constexpr OperandInfo mask_operand(std::string_view own, Presence presence, std::string_view help) {
  OperandInfo made = operand("mask", 0, OperandRole::mask, own, help);
  made.presence = presence;
  return made;
}

constexpr OperandInfo same_mask =
    mask_operand("", Presence::required, "bools, as many as data has elements, in any shape");

constexpr std::array copyto_operands{
    operand("data", 'd', OperandRole::data, "dst", data_help),
    operand("updates", 'u', OperandRole::updates, "src", "broadcasts to dst"),
    mask_operand("where", Presence::optional, "bools that broadcast to dst; else all are true")};
constexpr std::array place_operands{
    operand("data", 'd', OperandRole::data, "arr", data_help), same_mask,
    operand("updates", 'u', OperandRole::updates, "vals",
            "one for each true of mask; where there are fewer, they are repeated")};
constexpr std::array putmask_operands{
    operand("data", 'd', OperandRole::data, "a", data_help), same_mask,
    operand("updates", 'u', OperandRole::updates, "values",
            "one for each element of a; where there are fewer, they are repeated")};

constexpr std::array<std::string_view, 3> copyto_order{"dst", "src", "where"};

constexpr std::array copyto_lines{
    RuleLine{Check::data_rank, "dst has rank r >= 1"},
    RuleLine{Check::indices_dtype, "where is of dtype bool"},
    RuleLine{Check::indices_shape, "where broadcasts to the shape of dst"},
    RuleLine{Check::updates_shape,
             "src broadcasts to the shape of dst, also with more axes of length 1 in front"},
    RuleLine{Check::updates_dtype, "src has the dtype of dst"},
};
constexpr std::array place_lines{
    RuleLine{Check::data_rank, "arr has rank r >= 1"},
    RuleLine{Check::indices_dtype, "mask is of dtype bool"},
    RuleLine{Check::indices_shape, "mask has as many elements as arr"},
    RuleLine{Check::updates_shape, "vals has an element or more, unless none of mask is true"},
    RuleLine{Check::updates_dtype, "vals has the dtype of arr"},
};
constexpr std::array putmask_lines{
    RuleLine{Check::data_rank, "a has rank r >= 1"},
    RuleLine{Check::indices_dtype, "mask is of dtype bool"},
    RuleLine{Check::indices_shape, "mask has as many elements as a"},
    RuleLine{Check::updates_shape, "values has an element or more, unless a has none"},
    RuleLine{Check::updates_dtype, "values has the dtype of a"},
};

constexpr std::array<std::string_view, 2> copyto_examples{
    "-d a.npy -u b.npy --where mask.npy --in-place",
    "-d 2x3xf32=0 -u '[1, 2, 3]' --where '[[true], [false]]'",
};
constexpr std::array<std::string_view, 2> place_examples{
    "-d a.npy --mask mask.npy -u values.npy --in-place",
    "-d 2x3xf32=0 --mask '[[true, false, true], [true, false, false]]' -u '[1, 2]'",
};

// ---- bincount

constexpr std::array bincount_operands{
    operand("indices", 'i', OperandRole::integers, "x", "numbers that are counted, of rank 1"),
    OperandInfo{.name = "updates",
                .flag = 'u',
                .role = OperandRole::updates,
                .presence = Presence::optional,
                .help = "what is added for each of x, in float64; else 1, in int64",
                .own = "weights"}};
constexpr std::array bincount_attributes{
    AttributeInfo{.name = "minlength",
                  .flag = 0,
                  .default_value = std::int64_t{0},
                  .choices = {},
                  .help = "how long the output is at least; else the greatest of x and one"}};
constexpr std::array<std::string_view, 3> bincount_order{"x", "weights", "minlength"};
// That weights may have.
constexpr auto real_dtypes = [] {
  constexpr auto is_taken = [](DType each) {
    return each != DType::opaque && info(each).kind != DTypeKind::complex;
  };
  std::array<DType, std::ranges::count_if(all_dtypes, is_taken)> dtypes{};
  std::ranges::copy_if(all_dtypes, dtypes.begin(), is_taken);
  return dtypes;
}();

constexpr std::array bincount_lines{
    RuleLine{Check::data_dtype, "weights are of any dtype but opaque and complex ones"},
    RuleLine{Check::base_shape,
             "minlength is 0 or more, and output has less than 2^63 elements and bytes"},
    RuleLine{Check::indices_rank, "x has rank 1"},
    RuleLine{Check::indices_dtype, "x is of an integer dtype"},
    RuleLine{Check::updates_shape, "weights has the shape of x"},
    RuleLine{Check::index_range, "no number of x is negative"},
};
constexpr std::array<std::string_view, 3> bincount_examples{
    "-i ids.npy",
    "-i x.csv:id -u x.csv:weight -o sums.npy",
    "-i '[3, 1, 1]' --minlength 5",
};

constexpr std::array<Operation, 15> rows{{
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
    {.name = "numpy.bincount",
     .id = "numpy.bincount",
     .summary = "count numbers, or add their weights: np.bincount(x, weights, minlength)",
     .form = Form::segment,
     .base = BaseFrom::counts,
     .fixed = Reduction::sum,
     .data_dtypes = real_dtypes,
     .operands = bincount_operands,
     .attributes = bincount_attributes,
     .rules = labelled<"numpy.bincount", bincount_lines>,
     .examples = bincount_examples,
     .order = bincount_order},
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
    {.name = "numpy.copyto",
     .id = "numpy.copyto",
     .summary =
         "write the values that stand where a mask is true: np.copyto(dst, src, where=where)",
     .form = Form::mask,
     .updates_shape = UpdatesShape::broadcast_ones,
     .fits_updates_to_data = true,
     .operands = copyto_operands,
     .rules = labelled<"numpy.copyto", copyto_lines>,
     .examples = copyto_examples,
     .order = copyto_order},
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
    {.name = "numpy.place",
     .id = "numpy.place",
     .summary =
         "write values, one after the other, where a mask is true: np.place(arr, mask, vals)",
     .form = Form::mask,
     .updates_shape = UpdatesShape::repeat,
     .reshapes_mask = true,
     .operands = place_operands,
     .rules = labelled<"numpy.place", place_lines>,
     .examples = place_examples},
    {.name = "numpy.put",
     .id = "numpy.put",
     .summary = "write values at positions among all elements: np.put(a, ind, v, mode)",
     .form = Form::flat,
     .policies = policies,
     .updates_shape = UpdatesShape::repeat,
     .index_dtypes = all_but_uint64,
     .operands = put_operands,
     .attributes = put_attributes,
     .rules = labelled<"numpy.put", put_lines>,
     .examples = put_examples,
     .order = put_order},
    {.name = "numpy.put_along_axis",
     .id = "numpy.put_along_axis",
     .summary = "write values at positions along one axis: np.put_along_axis(arr, indices, values, "
                "axis)",
     .form = Form::elements,
     .policies = policies,
     .updates_shape = UpdatesShape::broadcast_ones,
     .broadcasts_indices = true,
     .operands = along_operands,
     .attributes = along_attributes,
     .rules = labelled<"numpy.put_along_axis", along_lines>,
     .examples = along_examples,
     .order = along_order},
    {.name = "numpy.putmask",
     .id = "numpy.putmask",
     .summary = "write the values that stand where a mask is true: np.putmask(a, mask, values)",
     .form = Form::mask,
     .updates_shape = UpdatesShape::repeat,
     .reshapes_mask = true,
     .fits_updates_to_data = true,
     .operands = putmask_operands,
     .rules = labelled<"numpy.putmask", putmask_lines>,
     .examples = place_examples},
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
