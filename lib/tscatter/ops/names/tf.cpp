// The operations of TensorFlow, as its CPU kernels compute them. Spec: docs/ops.md.
#include <algorithm>
#include <array>
#include <span>

#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/labelled.hpp"
#include "tscatter/ops/names/lines.hpp"
#include "tscatter/ops/names/namespaces.hpp"

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

using Examples = std::array<std::string_view, 2>;
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

constexpr std::array<Operation, 5> rows{{
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
