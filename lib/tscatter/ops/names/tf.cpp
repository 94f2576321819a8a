// The operations of TensorFlow, as its CPU kernels compute them. Spec: docs/ops.md.
#include <algorithm>
#include <array>
#include <span>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/form_lines.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

namespace tscatter::names {
namespace {

constexpr std::array operands{
    data_operand("tensor"), nd_indices,
    updates_operand("indices.shape[:-1] + tensor.shape[indices.shape[-1]:]")};

constexpr std::array<IndexAnswer, 3> answers_of_policies{
    IndexAnswer{}, {.outside = OutsideIndex::error}, {.outside = OutsideIndex::drop_window}};
constexpr std::array attributes{
    word("bad_indices_policy", choices<"DEFAULT", "ERROR", "IGNORE">,
         "what becomes of an index that is out of range: DEFAULT and ERROR refuse "
         "it, IGNORE drops its entry",
         answers_of_policies)};

// tf.tensor_scatter_nd_update itself has no policy, its raw operation has.
constexpr std::array<std::string_view, 4> order{"tensor", "indices", "updates",
                                                "bad_indices_policy"};
constexpr std::span update_order = std::span(order).first(3);

constexpr std::array update_lines{
    RuleLine{Check::data_rank, "tensor has rank r >= 1"},
    lines::indices_rank,
    RuleLine{Check::index_depth,
             "the index depth k = indices.shape[-1] is at most the rank of tensor"},
    RuleLine{Check::index_range,
             "coordinate j of each index entry is in [0, s), where s = tensor.shape[j]; with "
             "bad_indices_policy = IGNORE another one drops its entry"},
    lines::int32_or_int64,
    RuleLine{Check::updates_shape, "updates has shape indices.shape[:-1] + tensor.shape[k:]"},
    RuleLine{Check::updates_dtype, "updates has the dtype of tensor"},
};
constexpr auto lines_of_numbers =
    with(update_lines, RuleLine{Check::data_dtype, "tensor is not of bool"});
constexpr auto sum_lines = with(
    lines_of_numbers, RuleLine{Check::reduction_dtype, "tensor is of any dtype but opaque ones"});
constexpr auto extreme_lines =
    with(lines_of_numbers,
         RuleLine{Check::reduction_dtype, "tensor is of any dtype but opaque and complex ones"});

constexpr std::string_view on_cpu = "as TensorFlow on a CPU";
constexpr Decision sequence{Knob::duplicates, on_cpu};
constexpr Decision negatives{Knob::negative_index, on_cpu};
constexpr Decision outside{Knob::index_outside,
                           "as TensorFlow on a CPU; on a GPU DEFAULT drops its entry"};
constexpr std::array update_decisions{sequence, negatives, outside};
constexpr std::array sum_decisions{sequence, negatives, outside,
                                   Decision{Knob::accumulation, on_cpu}};
constexpr std::array extreme_decisions{sequence, negatives, outside,
                                       Decision{Knob::extremes, on_cpu}};

// ---- scatter_nd

constexpr std::array scatter_nd_operands{
    nd_indices, updates_operand("indices.shape[:-1] + shape[indices.shape[-1]:]"), shape_operand};
constexpr auto scatter_nd_lines =
    with(lines::base_of_shape, lines::indices_rank,
         RuleLine{Check::index_depth,
                  "the index depth k = indices.shape[-1] is at most the length of shape"},
         RuleLine{Check::index_range,
                  "coordinate j of each index entry is in [0, s), where s = shape[j]; with "
                  "bad_indices_policy = IGNORE another one drops its entry"},
         lines::int32_or_int64,
         RuleLine{Check::updates_shape, "updates has shape indices.shape[:-1] + shape[k:]"},
         RuleLine{Check::reduction_dtype, "updates is of any dtype but opaque ones"});

// ---- Segments

constexpr std::array unsorted_operands{
    segment_data("an update for each of segment_ids"),
    segment_ids("the segment of each update, of any rank; data.shape begins with its")};
constexpr std::array unsorted_attributes{
    required(integer("num_segments", 0, "how many rows the output has"))};

// A mean of integers is of float64 there, and they have no roots. Records have no mean.
constexpr auto floats_and_records =
    dtypes<DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::opaque>;
constexpr RuleLine floats_only{Check::data_dtype, "data is not of integers, bool or complex"};
constexpr RuleLine two_dtypes{Check::indices_dtype, "segment_ids are int32 or int64"};
constexpr RuleLine three_dtypes{Check::indices_dtype, "segment_ids are int16, int32 or int64"};

constexpr std::array unsorted_lines{
    RuleLine{Check::base_shape,
             "num_segments is 0 or more, and output, of shape [num_segments] + "
             "data.shape[segment_ids.rank:], has at most 64 axes, and less than 2^63 elements and "
             "bytes"},
    RuleLine{Check::updates_shape, "data.shape begins with segment_ids.shape"},
    RuleLine{Check::index_range,
             "each id is less than num_segments; a negative one drops its update"}};
constexpr auto unsorted_sum_lines =
    with(unsorted_lines, three_dtypes, lines::not_bool, lines::sum_dtype);
constexpr auto unsorted_prod_lines =
    with(unsorted_lines, two_dtypes, lines::not_bool, lines::sum_dtype);
constexpr auto unsorted_extreme_lines =
    with(unsorted_lines, two_dtypes, lines::not_bool, lines::extreme_dtype);
constexpr auto unsorted_mean_lines =
    with(unsorted_lines, three_dtypes, floats_only, lines::sum_dtype);

constexpr Decision lost_negatives{Knob::negative_index, on_cpu};
constexpr Decision refused_ids{Knob::index_outside,
                               "as TensorFlow on a CPU; on a GPU its update is dropped"};
constexpr std::array segment_sums{sequence, lost_negatives, refused_ids,
                                  Decision{Knob::accumulation, on_cpu}};
constexpr std::array segment_extremes{sequence, lost_negatives, refused_ids,
                                      Decision{Knob::extremes, on_cpu}};
constexpr std::array segment_means{sequence, lost_negatives, refused_ids,
                                   Decision{Knob::accumulation, on_cpu},
                                   Decision{Knob::mean_divisor, on_cpu}};
constexpr std::array sorted_extremes{
    sequence, lost_negatives, refused_ids,
    Decision{Knob::extremes,
             "as TensorFlow on a CPU for few rows; of more its vector lanes may "
             "leave another one"}};

using Examples = std::array<std::string_view, 2>;

constexpr Operation unsorted(Operation row, std::span<const DType> ids) {
  row.policies.negative = NegativeIndex::dropped;
  row.policies.extremes = Extremes::update;
  row.index_dtypes = ids;
  row.operands = unsorted_operands;
  row.attributes = unsorted_attributes;
  row.order = words<"data", "segment_ids", "num_segments">;
  row.examples = words<"-u x.csv:value -i x.csv:group --num-segments 10 -o out.npy",
                       "-u 3xf32=1,2,4 -i '[1, 1, 0]' --num-segments 3">;
  return row;
}

constexpr Operation unsorted_mean(Operation row) {
  row = unsorted(row, dtypes<DType::int16, DType::int32, DType::int64>);
  row.data_dtypes = floats_and_records;
  row.policies.initial = InitialValue::identity;
  row.policies.mean.divisor = MeanDivisor::stalling;
  return row;
}

constexpr InitialValue minus_zero{.kind = InitialValue::Kind::number, .number = -0.0};

constexpr std::array<Operation, 17> rows{{
    named<"tf.math.segment_max", lines::of_sorted_extremes>(
        "the greatest of the rows of each segment",
        beginning_with(sorted_segments(Reduction::max, sorted_extremes), InitialValue::infinite)),
    named<"tf.math.segment_mean", lines::of_sorted_extremes>(
        "the mean of the rows of each segment",
        beginning_with(sorted_segments(Reduction::mean, segment_means), minus_zero)),
    named<"tf.math.segment_min", lines::of_sorted_extremes>(
        "the least of the rows of each segment",
        beginning_with(sorted_segments(Reduction::min, sorted_extremes), InitialValue::infinite)),
    named<"tf.math.segment_prod", lines::of_sorted_sums>(
        "the product of the rows of each segment", sorted_segments(Reduction::prod, segment_sums)),
    named<"tf.math.segment_sum", lines::of_sorted_sums>(
        "the sum of the rows of each segment",
        beginning_with(sorted_segments(Reduction::sum, segment_sums), minus_zero)),
    named<"tf.math.unsorted_segment_max", unsorted_extreme_lines>(
        "the greatest of the updates of each segment",
        unsorted(sorted_segments(Reduction::max, segment_extremes),
                 dtypes<DType::int32, DType::int64>)),
    named<"tf.math.unsorted_segment_mean", unsorted_mean_lines>(
        "the mean of the updates of each segment",
        unsorted_mean(sorted_segments(Reduction::mean, segment_means))),
    named<"tf.math.unsorted_segment_min", unsorted_extreme_lines>(
        "the least of the updates of each segment",
        unsorted(sorted_segments(Reduction::min, segment_extremes),
                 dtypes<DType::int32, DType::int64>)),
    named<"tf.math.unsorted_segment_prod", unsorted_prod_lines>(
        "the product of the updates of each segment",
        unsorted(sorted_segments(Reduction::prod, segment_sums),
                 dtypes<DType::int32, DType::int64>)),
    named<"tf.math.unsorted_segment_sqrt_n", unsorted_mean_lines>(
        "the sum of the updates of each segment, divided by the root of their "
        "number",
        unsorted_mean(sorted_segments(Reduction::sqrt_n, segment_means))),
    named<"tf.math.unsorted_segment_sum", unsorted_sum_lines>(
        "the sum of the updates of each segment",
        unsorted(sorted_segments(Reduction::sum, segment_sums),
                 dtypes<DType::int16, DType::int32, DType::int64>)),
    named<"tf.scatter_nd", scatter_nd_lines>(
        "add elements or slices up in a tensor of zeros",
        {.form = Form::nd,
         .base = BaseFrom::shape,
         .fixed = Reduction::sum,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = scatter_nd_operands,
         .attributes = attributes,
         .decisions = sum_decisions,
         .examples = words<"-i indices.npy -u updates.npy --shape 100,50 -o out.npy",
                           "-i '[[2], [0], [2]]' -u 3xf32=1,2,4 --shape 4">,
         .order = words<"indices", "updates", "shape", "bad_indices_policy">}),
    named<"tf.tensor_scatter_nd_add", sum_lines>(
        "add to the elements or slices that index entries name",
        {.form = Form::nd,
         .fixed = Reduction::sum,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .data_dtypes = all_but<DType::boolean>,
         .operands = operands,
         .attributes = attributes,
         .decisions = sum_decisions,
         .examples =
             words<"-d data.npy -i indices.npy -u updates.npy -o out.npy",
                   "-d 3xf32=0 -i '[[0], [7], [-1]]' -u '[1, 2, 3]' --bad-indices-policy IGNORE">,
         .order = order}),
    named<"tf.tensor_scatter_nd_max", extreme_lines>(
        "keep the greater of tensor and updates where index entries say",
        {.form = Form::nd,
         .fixed = Reduction::max,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .data_dtypes = all_but<DType::boolean>,
         .operands = operands,
         .attributes = attributes,
         .decisions = extreme_decisions,
         .examples = words<"-d data.npy -i indices.npy -u updates.npy -o out.npy",
                           "-d 8xi32=0 -i '[[1], [4], [5]]' -u '[1, -1, 1]'">,
         .order = order}),
    named<"tf.tensor_scatter_nd_min", extreme_lines>(
        "keep the lesser of tensor and updates where index entries say",
        {.form = Form::nd,
         .fixed = Reduction::min,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .data_dtypes = all_but<DType::boolean>,
         .operands = operands,
         .attributes = attributes,
         .decisions = extreme_decisions,
         .examples = words<"-d data.npy -i indices.npy -u updates.npy -o out.npy",
                           "-d 8xi32=0 -i '[[1], [4], [5]]' -u '[1, -1, 1]'">,
         .order = order}),
    named<"tf.tensor_scatter_nd_sub", sum_lines>(
        "subtract from the elements or slices that index entries name",
        {.form = Form::nd,
         .fixed = Reduction::sub,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .data_dtypes = all_but<DType::boolean>,
         .operands = operands,
         .attributes = attributes,
         .decisions = sum_decisions,
         .examples = words<"-d data.npy -i indices.npy -u updates.npy --in-place",
                           "-d 8xi32=1 -i '[[4], [3], [1], [7]]' -u '[9, 10, 11, 12]'">,
         .order = order}),
    named<"tf.tensor_scatter_nd_update", update_lines>(
        "overwrite the elements or slices that index entries name",
        {.form = Form::nd,
         .index_dtypes = dtypes<DType::int32, DType::int64>,
         .operands = operands,
         .attributes = attributes,
         .decisions = update_decisions,
         .examples = words<"-d data.npy -i indices.npy -u updates.npy --in-place",
                           "-d 8xi32=0 -i '[[1], [3], [4], [7]]' -u '[9, 10, 11, 12]'">,
         .order = update_order}),
}};
static_assert(std::ranges::all_of(rows, forms::is_complete));

}  // namespace

const Namespace tf{.name = "tf",
                   .aliases = {"tensorflow"},
                   .packages = {"math", "rawops"},
                   .versions = Versions::exact,
                   .operations = rows};

}  // namespace tscatter::names
