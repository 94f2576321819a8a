// numpy: assignment to an index, ufunc.at, put and its like, bincount. Spec: docs/ops.md.

#include <algorithm>
#include <array>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

constexpr std::array operands{
    operand("data", 'd', OperandRole::data, data_help, "", "a"),
    index_operand("an item of the index, as often as NumPy's has items: positions, a mask, an "
                  "integer, a slice, ... or None"),
    updates_operand("broadcasts to the shape of data[index]", "", "values"),
};

constexpr auto lines_of_index = with(lines::index_items, lines::positions_from_the_end);

constexpr auto lines_of_move = with(
    lines_of_index,
    RuleLine{Check::updates_shape,
             "updates broadcast to the shape of data[index], also with more axes of length 1 in "
             "front"},
    lines::updates_dtype);
constexpr auto lines_of_sum = with(lines_of_move, lines::sum_dtype);
constexpr auto lines_of_difference = with(lines_of_sum, lines::not_bool);
constexpr auto lines_of_extreme = with(lines_of_move, lines::extreme_dtype);
constexpr auto lines_of_bits =
    with(lines_of_move, RuleLine{Check::reduction_dtype, "data is of an integer dtype or of bool"});

constexpr Decision exact_dtypes{Knob::updates_shape,
                                "NumPy's assignment; ufunc.at takes no more axes of length 1"};
constexpr Decision ties{Knob::extremes,
                        "our decision: NumPy leaves the update of equal values in float32 and "
                        "float64, data in float16"};
constexpr std::array move_decisions{exact_dtypes};
constexpr std::array extreme_decisions{exact_dtypes, ties};

constexpr Policies policies{.negative = NegativeIndex::from_the_end};

// ---- put and put_along_axis

constexpr std::array put_operands{
    data_operand("a"),
    indices_operand("positions among all elements of a, in row-major order, of any shape", "ind"),
    updates_operand("one for each position; where there are fewer, they are repeated", "v",
                    "values")};
constexpr std::array along_operands{
    data_operand("arr"),
    indices_operand("positions along axis, of arr's rank; off axis as long as arr, or 1"),
    updates_operand("broadcasts to the shape of indices", "values")};

constexpr auto all_but_uint64 = std::span(integer_dtypes).first<integer_dtypes.size() - 1>();
static_assert(integer_dtypes.back() == DType::uint64);

constexpr std::array<IndexAnswer, 3> answers_of_put_modes{
    IndexAnswer{},
    {.outside = OutsideIndex::modulo, .negative = NegativeIndex::outside},
    {.outside = OutsideIndex::clip_index, .negative = NegativeIndex::outside}};
constexpr std::array put_attributes{
    word("mode", choices<"raise", "wrap", "clip">,
         "an index that is out of range is refused, means its remainder, or the nearest one in "
         "range; a negative one counts from the end with raise only",
         answers_of_put_modes)};
constexpr std::array along_attributes{
    required(axis("the axis along which indices count, in [-r, r)"))};

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
    lines::integer_indices,
    RuleLine{Check::indices_shape, "along every axis but axis, indices is 1 or as long as arr"},
    RuleLine{Check::updates_shape,
             "values broadcast to the shape of indices, with arr's sizes off axis, also with more "
             "axes of length 1 in front"},
    RuleLine{Check::updates_dtype, "values has the dtype of arr"},
    RuleLine{Check::index_range,
             "each index is in [-s, s), where s is the size of arr along axis; a negative one "
             "counts from the end"},
};

// ---- copyto, place and putmask

constexpr OperandInfo same_mask = mask_operand("bools, as many as data has elements, in any shape");

constexpr std::array copyto_operands{
    data_operand("dst"), updates_operand("broadcasts to dst", "src"),
    optional(mask_operand("bools that broadcast to dst; else all are true", "where"))};
constexpr std::array place_operands{
    data_operand("arr"), same_mask,
    updates_operand("one for each true of mask; where there are fewer, they are repeated", "vals")};
constexpr std::array putmask_operands{
    data_operand("a"), same_mask,
    updates_operand("one for each element of a; where there are fewer, they are repeated",
                    "values")};

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

constexpr std::array<std::string_view, 2> place_examples{
    "-d a.npy --mask mask.npy -u values.npy --in-place",
    "-d 2x3xf32=0 --mask '[[true, false, true], [true, false, false]]' -u '[1, 2]'",
};

// ---- bincount

constexpr std::array bincount_operands{
    indices_operand("numbers that are counted, of rank 1", "x"),
    optional(
        updates_operand("what is added for each of x, in float64; else 1, in int64", "weights"))};
constexpr std::array bincount_attributes{
    integer("minlength", 0, "how long the output is at least; else the greatest of x and one")};
constexpr std::array bincount_lines{
    RuleLine{Check::data_dtype, "weights are of any dtype but opaque and complex ones"},
    RuleLine{Check::base_shape,
             "minlength is 0 or more, and output has less than 2^63 elements and bytes"},
    RuleLine{Check::indices_rank, "x has rank 1"},
    RuleLine{Check::indices_dtype, "x is of an integer dtype"},
    RuleLine{Check::updates_shape, "weights has the shape of x"},
    RuleLine{Check::index_range, "no number of x is negative"},
};

constexpr Operation setitem_row{.form = Form::index,
                                .policies = policies,
                                .updates_shape = UpdatesShape::broadcast_ones,
                                .operands = operands,
                                .decisions = move_decisions};

constexpr Operation at_row(Reduction reduction, std::span<const std::string_view> examples) {
  Operation row = setitem_row;
  row.fixed = reduction;
  row.examples = examples;
  return row;
}

constexpr Operation difference_row(std::span<const std::string_view> examples) {
  Operation row = at_row(Reduction::sub, examples);
  row.data_dtypes = all_but<DType::boolean>;
  return row;
}

constexpr Operation extreme_row(Reduction reduction) {
  Operation row = at_row(reduction, words<"-d 3xf32=5 -i '[0, 0, -1]' -u '[7, 2, 3]'">);
  row.policies.extremes = Extremes::propagate;
  row.decisions = extreme_decisions;
  return row;
}

constexpr Operation bits_row(Reduction reduction) {
  return at_row(reduction, words<"-d '[5, 6, 7]' --dtype int32 -i '[0, 0, -1]' -u '[1, 2, 3]'">);
}

constexpr std::array<Operation, 15> rows{{
    named<"numpy.add.at", lines_of_sum>(
        "add values at an index: np.add.at(a, index, values)",
        at_row(Reduction::sum, words<"-d a.npy -i ids.npy -u x.npy --in-place",
                                     "-d 3xf32=0 -i '[[0], [0]]' -u '[[1], [2]]'">)),
    named<"numpy.bincount", bincount_lines>(
        "count numbers, or add their weights: np.bincount(x, weights, minlength)",
        {.form = Form::segment,
         .base = BaseFrom::counts,
         .fixed = Reduction::sum,
         .data_dtypes = all_but<DType::complex64, DType::complex128, DType::opaque>,
         .operands = bincount_operands,
         .attributes = bincount_attributes,
         .examples = words<"-i ids.npy", "-i x.csv:id -u x.csv:weight -o sums.npy",
                           "-i '[3, 1, 1]' --minlength 5">,
         .order = words<"x", "weights", "minlength">}),
    named<"numpy.bitwise_and.at", lines_of_bits>(
        "bitwise and with values at an index: np.bitwise_and.at(a, index, values)",
        bits_row(Reduction::bit_and)),
    named<"numpy.bitwise_or.at", lines_of_bits>(
        "bitwise or with values at an index: np.bitwise_or.at(a, index, values)",
        bits_row(Reduction::bit_or)),
    named<"numpy.bitwise_xor.at", lines_of_bits>(
        "bitwise xor with values at an index: np.bitwise_xor.at(a, index, values)",
        bits_row(Reduction::bit_xor)),
    named<"numpy.copyto", copyto_lines>(
        "write the values that stand where a mask is true: np.copyto(dst, src, where=where)",
        {.form = Form::mask,
         .updates_shape = UpdatesShape::broadcast_ones,
         .fits_updates_to_data = true,
         .operands = copyto_operands,
         .examples = words<"-d a.npy -u b.npy --where mask.npy --in-place",
                           "-d 2x3xf32=0 -u '[1, 2, 3]' --where '[[true], [false]]'">,
         .order = words<"dst", "src", "where">}),
    named<"numpy.maximum.at", lines_of_extreme>(
        "keep the greater of data and values at an index: np.maximum.at(a, index, values)",
        extreme_row(Reduction::max)),
    named<"numpy.minimum.at", lines_of_extreme>(
        "keep the lesser of data and values at an index: np.minimum.at(a, index, values)",
        extreme_row(Reduction::min)),
    named<"numpy.multiply.at", lines_of_sum>(
        "multiply by values at an index: np.multiply.at(a, index, values)",
        at_row(Reduction::prod, words<"-d 3xf32=2 -i 0:2 -u 3">)),
    named<"numpy.place", place_lines>(
        "write values, one after the other, where a mask is true: np.place(arr, mask, vals)",
        {.form = Form::mask,
         .updates_shape = UpdatesShape::repeat,
         .reshapes_mask = true,
         .operands = place_operands,
         .examples = place_examples}),
    named<"numpy.put", put_lines>(
        "write values at positions among all elements: np.put(a, ind, v, mode)",
        {.form = Form::flat,
         .policies = policies,
         .updates_shape = UpdatesShape::repeat,
         .index_dtypes = all_but_uint64,
         .operands = put_operands,
         .attributes = put_attributes,
         .examples = words<"-d a.npy -i places.npy -u values.npy --in-place",
                           "-d 4xf32=0 -i '[0, 5, -1]' -u '[1, 2]' --mode wrap">,
         .order = words<"a", "ind", "v", "mode">}),
    named<"numpy.put_along_axis", along_lines>(
        "write values at positions along one axis: np.put_along_axis(arr, indices, values, "
        "axis)",
        {.form = Form::elements,
         .policies = policies,
         .updates_shape = UpdatesShape::broadcast_ones,
         .broadcasts_indices = true,
         .operands = along_operands,
         .attributes = along_attributes,
         .examples = words<"-d a.npy -i top.npy -u best.npy --axis 1 -o out.npy",
                           "-d 2x3xf32=0 -i '[[1]]' -u '[[5], [6]]' --axis 1">,
         .order = words<"arr", "indices", "values", "axis">}),
    named<"numpy.putmask", putmask_lines>(
        "write the values that stand where a mask is true: np.putmask(a, mask, values)",
        {.form = Form::mask,
         .updates_shape = UpdatesShape::repeat,
         .reshapes_mask = true,
         .fits_updates_to_data = true,
         .operands = putmask_operands,
         .examples = place_examples}),
    named<"numpy.setitem", lines_of_move>(
        "write values at an index: a[index] = values",
        {.form = Form::index,
         .policies = policies,
         .updates_shape = UpdatesShape::broadcast_ones,
         .operands = operands,
         .decisions = move_decisions,
         .examples = words<"-d a.npy -i ids.npy -u rows.npy -o out.npy",
                           "-d a.npy -i mask.npy -u 0 --in-place",
                           "-d 3x2xf32=0 -i '[[0], [2]]' -i '[1, 0]' -u '[[1, 2], [3, 4]]'">}),
    named<"numpy.subtract.at", lines_of_difference>(
        "subtract values at an index: np.subtract.at(a, index, values)",
        difference_row(words<"-d 3xf32=9 -i '[0, 0, -1]' -u '[1, 2, 3]'">)),
}};
static_assert(std::ranges::all_of(rows, forms::is_complete));

}  // namespace

const Operation getitem = named<"numpy.getitem", lines_of_index>(
    "read what an index names: a[index]",
    {.form = Form::index, .policies = policies, .operands = operands});

const Namespace numpy{
    .name = "numpy", .aliases = {"np"}, .versions = Versions::exact, .operations = rows};

}  // namespace tscatter::names
