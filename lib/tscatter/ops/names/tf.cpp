// The operations of TensorFlow, as its CPU kernels compute them. Spec: docs/ops.md.
#include <algorithm>
#include <array>
#include <span>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/labelled.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"
#include "tscatter/ops/names/segment_lines.hpp"

namespace tscatter::names {
namespace {

constexpr OperandInfo tensor{.name = "data",
                             .flag = 'd',
                             .role = OperandRole::data,
                             .presence = Presence::required,
                             .help = "the tensor that is updated, of rank 1 or more",
                             .own = "tensor"};
constexpr OperandInfo updates{.name = "updates",
                              .flag = 'u',
                              .role = OperandRole::updates,
                              .presence = Presence::required,
                              .help = "indices.shape[:-1] + tensor.shape[indices.shape[-1]:]"};
constexpr std::array operands{tensor, nd_operands[1], updates};

constexpr std::array int32_or_int64{DType::int32, DType::int64};

constexpr std::array<AttributeValue, 3> policies{Word{"DEFAULT"}, Word{"ERROR"}, Word{"IGNORE"}};
constexpr std::array<IndexAnswer, 3> answers_of_policies{
    IndexAnswer{}, {.outside = OutsideIndex::error}, {.outside = OutsideIndex::drop_window}};
constexpr std::array attributes{
    AttributeInfo{.name = "bad_indices_policy",
                  .flag = 0,
                  .default_value = Word{"DEFAULT"},
                  .choices = policies,
                  .help = "what becomes of an index that is out of range: DEFAULT and ERROR refuse "
                          "it, IGNORE drops its entry",
                  .answers = answers_of_policies}};

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
    RuleLine{Check::indices_dtype, "indices are int32 or int64"},
    RuleLine{Check::updates_shape, "updates has shape indices.shape[:-1] + tensor.shape[k:]"},
    RuleLine{Check::updates_dtype, "updates has the dtype of tensor"},
};
constexpr auto lines_of_numbers = with(update_lines, {Check::data_dtype, "tensor is not of bool"});
constexpr auto sum_lines =
    with(lines_of_numbers, {Check::reduction_dtype, "tensor is of any dtype but opaque ones"});
constexpr auto extreme_lines =
    with(lines_of_numbers,
         {Check::reduction_dtype, "tensor is of any dtype but opaque and complex ones"});

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
    nd_operands[1],
    OperandInfo{.name = "updates",
                .flag = 'u',
                .role = OperandRole::updates,
                .presence = Presence::required,
                .help = "indices.shape[:-1] + shape[indices.shape[-1]:]"},
    OperandInfo{.name = "shape",
                .flag = 0,
                .role = OperandRole::list,
                .presence = Presence::required,
                .help = "the shape of the output, of rank 1 or more"}};
constexpr std::array<std::string_view, 4> scatter_nd_order{"indices", "updates", "shape",
                                                           "bad_indices_policy"};
constexpr std::array scatter_nd_lines{
    RuleLine{Check::list_rank, "shape has rank 1"},
    RuleLine{Check::list_dtype, "shape is int32 or int64"},
    RuleLine{
        Check::base_shape,
        "shape has at most 64 sizes, each of 0 or more, and output has less than 2^63 elements "
        "and bytes"},
    RuleLine{Check::data_rank, "shape has a size or more"},
    lines::indices_rank,
    RuleLine{Check::index_depth,
             "the index depth k = indices.shape[-1] is at most the length of shape"},
    RuleLine{Check::index_range,
             "coordinate j of each index entry is in [0, s), where s = shape[j]; with "
             "bad_indices_policy = IGNORE another one drops its entry"},
    RuleLine{Check::indices_dtype, "indices are int32 or int64"},
    RuleLine{Check::updates_shape, "updates has shape indices.shape[:-1] + shape[k:]"},
    RuleLine{Check::reduction_dtype, "updates is of any dtype but opaque ones"}};

// ---- Segments

constexpr std::array unsorted_operands{
    segment_data("an update for each of segment_ids"),
    segment_ids("the segment of each update, of any rank; data.shape begins with its")};
constexpr std::array unsorted_attributes{AttributeInfo{.name = "num_segments",
                                                       .flag = 0,
                                                       .default_value = std::int64_t{0},
                                                       .choices = {},
                                                       .help = "how many rows the output has",
                                                       .is_required = true}};
constexpr std::array<std::string_view, 3> unsorted_order{"data", "segment_ids", "num_segments"};

constexpr std::array int16_to_int64{DType::int16, DType::int32, DType::int64};
// A mean of integers is of float64 there, and they have no roots. Records have no mean.
constexpr std::array floats_and_records{DType::float16, DType::bfloat16, DType::float32,
                                        DType::float64, DType::opaque};
constexpr RuleLine floats_only{Check::data_dtype, "data is not of integers, bool or complex"};
constexpr RuleLine two_dtypes{Check::indices_dtype, "segment_ids are int32 or int64"};
constexpr RuleLine three_dtypes{Check::indices_dtype, "segment_ids are int16, int32 or int64"};
constexpr RuleLine no_bools{Check::data_dtype, "data is not of bool"};
constexpr RuleLine no_records{Check::reduction_dtype, "data is of any dtype but opaque ones"};
constexpr RuleLine no_complex{Check::reduction_dtype,
                              "data is of any dtype but opaque and complex ones"};

constexpr std::array unsorted_lines{
    RuleLine{Check::base_shape,
             "num_segments is 0 or more, and output, of shape [num_segments] + "
             "data.shape[segment_ids.rank:], has at most 64 axes, and less than 2^63 elements and "
             "bytes"},
    RuleLine{Check::updates_shape, "data.shape begins with segment_ids.shape"},
    RuleLine{Check::index_range,
             "each id is less than num_segments; a negative one drops its update"}};
constexpr auto unsorted_sum_lines =
    with(with(with(unsorted_lines, three_dtypes), no_bools), no_records);
constexpr auto unsorted_prod_lines =
    with(with(with(unsorted_lines, two_dtypes), no_bools), no_records);
constexpr auto unsorted_extreme_lines =
    with(with(with(unsorted_lines, two_dtypes), no_bools), no_complex);
constexpr auto unsorted_mean_lines =
    with(with(with(unsorted_lines, three_dtypes), floats_only), no_records);

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
constexpr Examples scatter_nd_examples{"-i indices.npy -u updates.npy --shape 100,50 -o out.npy",
                                       "-i '[[2], [0], [2]]' -u 3xf32=1,2,4 --shape 4"};
constexpr Examples unsorted_examples{"-u x.csv:value -i x.csv:group --num-segments 10 -o out.npy",
                                     "-u 3xf32=1,2,4 -i '[1, 1, 0]' --num-segments 3"};

constexpr Operation unsorted(Operation row, std::span<const DType> ids) {
  row.policies.negative = NegativeIndex::dropped;
  row.policies.extremes = Extremes::update;
  row.index_dtypes = ids;
  row.operands = unsorted_operands;
  row.attributes = unsorted_attributes;
  row.order = unsorted_order;
  row.examples = unsorted_examples;
  return row;
}

constexpr Operation unsorted_mean(Operation row) {
  row = unsorted(row, int16_to_int64);
  row.data_dtypes = floats_and_records;
  row.policies.initial = InitialValue::identity;
  row.policies.mean.divisor = MeanDivisor::stalling;
  return row;
}

constexpr InitialValue minus_zero{.kind = InitialValue::Kind::number, .number = -0.0};

constexpr Examples add_examples{
    "-d data.npy -i indices.npy -u updates.npy -o out.npy",
    "-d 3xf32=0 -i '[[0], [7], [-1]]' -u '[1, 2, 3]' --bad-indices-policy IGNORE"};
constexpr Examples max_examples{"-d data.npy -i indices.npy -u updates.npy -o out.npy",
                                "-d 8xi32=0 -i '[[1], [4], [5]]' -u '[1, -1, 1]'"};
constexpr Examples min_examples{"-d data.npy -i indices.npy -u updates.npy -o out.npy",
                                "-d 8xi32=0 -i '[[1], [4], [5]]' -u '[1, -1, 1]'"};
constexpr Examples sub_examples{"-d data.npy -i indices.npy -u updates.npy --in-place",
                                "-d 8xi32=1 -i '[[4], [3], [1], [7]]' -u '[9, 10, 11, 12]'"};
constexpr Examples update_examples{"-d data.npy -i indices.npy -u updates.npy --in-place",
                                   "-d 8xi32=0 -i '[[1], [3], [4], [7]]' -u '[9, 10, 11, 12]'"};

constexpr std::array<Operation, 17> rows{{
    beginning_with(
        sorted_segments("tf.math.segment_max", "the greatest of the rows of each segment",
                        Reduction::max, labelled<"tf.math.segment_max", lines::of_sorted_extremes>,
                        sorted_extremes),
        InitialValue::infinite),
    beginning_with(
        sorted_segments("tf.math.segment_mean", "the mean of the rows of each segment",
                        Reduction::mean,
                        labelled<"tf.math.segment_mean", lines::of_sorted_extremes>, segment_means),
        minus_zero),
    beginning_with(
        sorted_segments("tf.math.segment_min", "the least of the rows of each segment",
                        Reduction::min, labelled<"tf.math.segment_min", lines::of_sorted_extremes>,
                        sorted_extremes),
        InitialValue::infinite),
    sorted_segments("tf.math.segment_prod", "the product of the rows of each segment",
                    Reduction::prod, labelled<"tf.math.segment_prod", lines::of_sorted_sums>,
                    segment_sums),
    beginning_with(sorted_segments(
                       "tf.math.segment_sum", "the sum of the rows of each segment", Reduction::sum,
                       labelled<"tf.math.segment_sum", lines::of_sorted_sums>, segment_sums),
                   minus_zero),
    unsorted(sorted_segments("tf.math.unsorted_segment_max",
                             "the greatest of the updates of each segment", Reduction::max,
                             labelled<"tf.math.unsorted_segment_max", unsorted_extreme_lines>,
                             segment_extremes),
             int32_or_int64),
    unsorted_mean(sorted_segments(
        "tf.math.unsorted_segment_mean", "the mean of the updates of each segment", Reduction::mean,
        labelled<"tf.math.unsorted_segment_mean", unsorted_mean_lines>, segment_means)),
    unsorted(sorted_segments("tf.math.unsorted_segment_min",
                             "the least of the updates of each segment", Reduction::min,
                             labelled<"tf.math.unsorted_segment_min", unsorted_extreme_lines>,
                             segment_extremes),
             int32_or_int64),
    unsorted(sorted_segments("tf.math.unsorted_segment_prod",
                             "the product of the updates of each segment", Reduction::prod,
                             labelled<"tf.math.unsorted_segment_prod", unsorted_prod_lines>,
                             segment_sums),
             int32_or_int64),
    unsorted_mean(sorted_segments(
        "tf.math.unsorted_segment_sqrt_n",
        "the sum of the updates of each segment, divided by the root of their "
        "number",
        Reduction::sqrt_n, labelled<"tf.math.unsorted_segment_sqrt_n", unsorted_mean_lines>,
        segment_means)),
    unsorted(
        sorted_segments("tf.math.unsorted_segment_sum", "the sum of the updates of each segment",
                        Reduction::sum,
                        labelled<"tf.math.unsorted_segment_sum", unsorted_sum_lines>, segment_sums),
        int16_to_int64),
    {.name = "tf.scatter_nd",
     .id = "tf.scatter_nd",
     .summary = "add elements or slices up in a tensor of zeros",
     .form = Form::nd,
     .base = BaseFrom::shape,
     .fixed = Reduction::sum,
     .index_dtypes = int32_or_int64,
     .operands = scatter_nd_operands,
     .attributes = attributes,
     .rules = labelled<"tf.scatter_nd", scatter_nd_lines>,
     .decisions = sum_decisions,
     .examples = scatter_nd_examples,
     .order = scatter_nd_order},
    {.name = "tf.tensor_scatter_nd_add",
     .id = "tf.tensor_scatter_nd_add",
     .summary = "add to the elements or slices that index entries name",
     .form = Form::nd,
     .fixed = Reduction::sum,
     .index_dtypes = int32_or_int64,
     .data_dtypes = all_but_bool,
     .operands = operands,
     .attributes = attributes,
     .rules = labelled<"tf.tensor_scatter_nd_add", sum_lines>,
     .decisions = sum_decisions,
     .examples = add_examples,
     .order = order},
    {.name = "tf.tensor_scatter_nd_max",
     .id = "tf.tensor_scatter_nd_max",
     .summary = "keep the greater of tensor and updates where index entries say",
     .form = Form::nd,
     .fixed = Reduction::max,
     .index_dtypes = int32_or_int64,
     .data_dtypes = all_but_bool,
     .operands = operands,
     .attributes = attributes,
     .rules = labelled<"tf.tensor_scatter_nd_max", extreme_lines>,
     .decisions = extreme_decisions,
     .examples = max_examples,
     .order = order},
    {.name = "tf.tensor_scatter_nd_min",
     .id = "tf.tensor_scatter_nd_min",
     .summary = "keep the lesser of tensor and updates where index entries say",
     .form = Form::nd,
     .fixed = Reduction::min,
     .index_dtypes = int32_or_int64,
     .data_dtypes = all_but_bool,
     .operands = operands,
     .attributes = attributes,
     .rules = labelled<"tf.tensor_scatter_nd_min", extreme_lines>,
     .decisions = extreme_decisions,
     .examples = min_examples,
     .order = order},
    {.name = "tf.tensor_scatter_nd_sub",
     .id = "tf.tensor_scatter_nd_sub",
     .summary = "subtract from the elements or slices that index entries name",
     .form = Form::nd,
     .fixed = Reduction::sub,
     .index_dtypes = int32_or_int64,
     .data_dtypes = all_but_bool,
     .operands = operands,
     .attributes = attributes,
     .rules = labelled<"tf.tensor_scatter_nd_sub", sum_lines>,
     .decisions = sum_decisions,
     .examples = sub_examples,
     .order = order},
    {.name = "tf.tensor_scatter_nd_update",
     .id = "tf.tensor_scatter_nd_update",
     .summary = "overwrite the elements or slices that index entries name",
     .form = Form::nd,
     .index_dtypes = int32_or_int64,
     .operands = operands,
     .attributes = attributes,
     .rules = labelled<"tf.tensor_scatter_nd_update", update_lines>,
     .decisions = update_decisions,
     .examples = update_examples,
     .order = update_order},
}};
static_assert(std::ranges::all_of(rows, forms::has_all_rules));
static_assert(std::ranges::all_of(rows, forms::takes_integers));

}  // namespace

const Namespace tf{.name = "tf",
                   .aliases = {"tensorflow"},
                   .packages = {"math", "rawops"},
                   .versions = Versions::exact,
                   .operations = rows};

}  // namespace tscatter::names
