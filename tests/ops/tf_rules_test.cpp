// TensorFlow's names: which calls are refused, by which rule and with which message, in
// TensorFlow's own words; and which words mean them.
#include <complex>
#include <map>
#include <string_view>
#include <vector>

#include "ops/own_words.hpp"
#include "tscatter/ops/names/registry.hpp"

namespace tscatter {
namespace {

constexpr std::string_view every_tf_name = "update add sub min max";

Attributes tf_policy(Word word) { return {{"bad_indices_policy", word}}; }

// Of a tensor with 3 rows and 2 columns.
Arguments of_tf_rows(const Tensor& indices, const Tensor& updates, Attributes attributes = {}) {
  return arguments_of(zeros({3, 2}), indices, updates, std::move(attributes));
}

Arguments of_tf_dtype(const Tensor& data) { return arguments_of(data, int64s({0, 1}, {}), data); }

// NOLINTNEXTLINE(readability-function-size): a table.
std::vector<OwnWordsCall> refused_tf_calls() {
  const Tensor row = zeros({1, 2});
  const Tensor text = opaque({0}, "'|S3'", 3);
  const Tensor complex = tensor<std::complex<float>>({0}, {});
  const Tensor truths = bools({0}, {});
  const std::string dtypes = "indices must be int32 or int64";
  return {
      {Check::data_rank, every_tf_name, arguments_of(zeros({}), int64s({1, 0}, {}), zeros({1})),
       "tensor must have rank 1 or more, got rank 0"},
      {Check::indices_rank, every_tf_name, of_tf_rows(int64s({}, {0}), row),
       "indices must have rank 1 or more, got rank 0"},
      {Check::index_depth, every_tf_name, of_tf_rows(int64s({1, 3}, {0, 0, 0}), zeros({1})),
       "the last dimension of indices must be at most 2, the rank of tensor, got 3"},
      {Check::index_depth, every_tf_name, arguments_of(zeros({4}), int64s({2}, {0, 2}), zeros({2})),
       "the last dimension of indices must be at most 1, the rank of tensor (for row numbers use "
       "indices[:, None], of shape [2, 1]), got 2"},
      {Check::index_range, every_tf_name, of_tf_rows(int64s({1, 1}, {3}), row),
       "indices[0, 0] must be in [0, 3) for tensor axis 0, got 3"},
      {Check::index_range, every_tf_name, of_tf_rows(int64s({2, 2}, {0, 1, 2, -1}), zeros({2})),
       "indices[1, 1] must be in [0, 2) for tensor axis 1 (--negative from-the-end counts it from "
       "the end), got -1"},
      {Check::index_range, every_tf_name,
       of_tf_rows(int64s({1, 1}, {3}), row, tf_policy("DEFAULT")),
       "indices[0, 0] must be in [0, 3) for tensor axis 0, got 3"},
      {Check::index_range, every_tf_name, of_tf_rows(int64s({1, 1}, {3}), row, tf_policy("ERROR")),
       "indices[0, 0] must be in [0, 3) for tensor axis 0, got 3"},
      {Check::indices_dtype, every_tf_name, of_tf_rows(floats({1, 1}, {0}), row),
       dtypes + " (tscatter convert IN OUT --to int64), got float32"},
      {Check::indices_dtype, every_tf_name, of_tf_rows(tensor<std::uint16_t>({1, 1}, {0}), row),
       dtypes + " (tscatter convert IN OUT --to int64), got uint16"},
      {Check::updates_shape, every_tf_name, of_tf_rows(int64s({2, 1}, {0, 1}), row),
       "updates must have shape [2, 2] (indices.shape[:-1] + tensor.shape[1:]) "
       "(np.broadcast_to(updates, [2, 2]) repeats them), got [1, 2]"},
      {Check::updates_shape, every_tf_name, of_tf_rows(int64s({1, 2}, {0, 1}), zeros({})),
       "updates must have shape [1] (indices.shape[:-1] + tensor.shape[2:]) (a literal fills it "
       "with one value: 1xf32=VALUE), got []"},
      {Check::updates_dtype, every_tf_name,
       of_tf_rows(int64s({1, 1}, {0}), tensor<double>({1, 2}, {0, 0})),
       "updates must have tensor's dtype float32 (--cast same-kind), got float64"},
      {Check::data_dtype, "add sub", of_tf_dtype(truths),
       "tensor must be of any dtype but bool, got bool"},
      {Check::data_dtype, "min max", of_tf_dtype(truths),
       "tensor must be of any dtype but bool, complex64 or complex128, got bool"},
      {Check::reduction_dtype, "add", of_tf_dtype(text),
       "tensor must be of a dtype that has sum, got |S3"},
      {Check::reduction_dtype, "sub", of_tf_dtype(text),
       "tensor must be of a dtype that has sub, got |S3"},
      {Check::reduction_dtype, "min", of_tf_dtype(complex),
       "tensor must be of a dtype that has min, got complex64"},
      {Check::reduction_dtype, "max", of_tf_dtype(complex),
       "tensor must be of a dtype that has max, got complex64"},
  };
}

const std::string tf_front = "tf.tensor_scatter_nd_";

std::vector<const Operation*> tf_operations() {
  std::vector<const Operation*> found;
  for (const char* name : {"update", "add", "sub", "min", "max"})
    found.push_back(find_operation(tf_front + name));
  return found;
}

}  // namespace

TEST_CASE("tf: a call that breaks a rule is refused in TensorFlow's words, and no rule is left out",
          "[ops]") {
  const Labels labels = labels_of_refused(tf_front, refused_tf_calls());
  for (const Operation* operation : tf_operations()) check_has_rules(labels, *operation);
}

TEST_CASE("tf: bad_indices_policy has TensorFlow's words, in capitals", "[ops]") {
  for (const Operation* operation : tf_operations()) {
    const AttributeInfo& policy = *operation->find_attribute("bad_indices_policy");
    for (const std::string_view word : {"DEFAULT", "ERROR", "IGNORE"})
      CHECK(parse_attribute(policy, word) == AttributeValue(Word(word)));
    for (const std::string_view word : {"", "ignore", "Error", "drop"})
      CHECK(!parse_attribute(policy, word));
    const Arguments bad = of_tf_rows(int64s({2, 1}, {3, -1}), zeros({2, 2}), tf_policy("IGNORE"));
    CHECK(refusal(*operation, bad) == "legal");
  }
}

TEST_CASE("tf: names behind a package mean the operation; other words have a nearest name",
          "[ops]") {
  for (const std::string_view word :
       {"tf.tensor_scatter_nd_add", "tensorflow.tensor_scatter_nd_add", "TF.TensorScatterNdAdd",
        "tf.math.tensor_scatter_nd_add", "tf.raw_ops.TensorScatterNdAdd"}) {
    INFO(word);
    CHECK(find_operation(word) == find_operation(tf_front + "add"));
  }
  for (const std::string_view unknown :
       {"tf.", "tf.math", "tf.tensor_scatter_nd_add-2", "tf.tensor_scatter_nd_mul",
        "tf.nn.tensor_scatter_nd_add", "raw_ops.tensor_scatter_nd_add"}) {
    INFO(unknown);
    CHECK(find_operation(unknown) == nullptr);
  }
  const std::map<std::string_view, std::string_view> hints{
      {"tf.tensor_scatter_nd_ad", " (nearest: tf.tensor_scatter_nd_add)"},
      {"tensor_scatter_nd_max", " (nearest: tf.tensor_scatter_nd_max)"},
      {"tf.raw_ops.TensorScatterUpdate", " (use tf.tensor_scatter_nd_update)"},
      {"tf.tensor_scatter_add", " (use tf.tensor_scatter_nd_add)"},
      {"tf.raw_ops.TensorScatterSub", " (use tf.tensor_scatter_nd_sub)"},
      {"tf.raw_ops.TensorScatterMin", " (use tf.tensor_scatter_nd_min)"},
      {"tf.raw_ops.TensorScatterMax", " (use tf.tensor_scatter_nd_max)"}};
  for (const auto& [word, hint] : hints) CHECK(unknown_operation_hint(word, {}, "") == hint);
}

}  // namespace tscatter
