// TensorFlow's names: which calls are refused, by which rule and with which message, in
// TensorFlow's own words; which words mean them; and what they leave, against what TensorFlow 2.21
// printed on a CPU, bit for bit.
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "ops/call.hpp"
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

namespace {

constexpr float tf_nan = std::numeric_limits<float>::quiet_NaN();

struct TfPrinted {
  const char* name;  // behind "tf.tensor_scatter_nd_"
  std::vector<float> data;
  std::vector<std::int32_t> indices;  // an entry each
  std::vector<float> updates;
  std::vector<float> printed;
  Word policy = "DEFAULT";
};

const std::vector<TfPrinted> printed_by_tf{
    // Of duplicates the last is left.
    {"update", {0, 0, 0}, {1, 1}, {1, 2}, {0, 2, 0}},
    {"add", {0, 0, 0}, {2, 2, 0}, {1, 2, 4}, {4, 0, 3}},
    // (1 + 2^24) + 1, where each step is rounded, then less 2^24.
    {"add", {1}, {0, 0, 0}, {16777216, 1, -16777216}, {0}},
    {"sub", {1, 5}, {1, 1, 0}, {1, 2, 4}, {-3, 2}},
    // -0.0 - 0.0 is -0.0, -0.0 + 0.0 is 0.0.
    {"sub", {-0.0F}, {0}, {0}, {-0.0F}},
    {"add", {-0.0F}, {0}, {0}, {0}},
    {"add", {-0.0F, -0.0F}, {0}, {-0.0F}, {-0.0F, -0.0F}},
    // A NaN of data stays, one of updates is passed over; of equals data.
    {"max", {tf_nan, 1, -0.0F, 0}, {0, 1, 2, 3}, {1, tf_nan, 0, -0.0F}, {tf_nan, 1, -0.0F, 0}},
    {"min", {tf_nan, 1, -0.0F, 0}, {0, 1, 2, 3}, {1, tf_nan, 0, -0.0F}, {tf_nan, 1, -0.0F, 0}},
    {"max", {0, 0, 0}, {1, 1, 2}, {3, 2, -1}, {0, 3, 0}},
    {"min", {0, 0, 0}, {1, 1, 2}, {-3, -2, 1}, {0, -3, 0}},
    // What is out of range is dropped, negative or not, first or last.
    {"update", {0, 0, 0}, {0, 7, -1}, {1, 2, 3}, {1, 0, 0}, "IGNORE"},
    {"add", {0, 0, 0}, {3, 0, 0, -3}, {1, 2, 3, 4}, {5, 0, 0}, "IGNORE"},
    {"sub", {0, 0, 0}, {-1, 2}, {1, 2}, {0, 0, -2}, "IGNORE"},
    {"max", {0, 0}, {2, 1}, {9, 8}, {0, 8}, "IGNORE"},
    {"min", {0, 0}, {1, -2147483647}, {-9, -8}, {0, -9}, "IGNORE"},
    {"add", {0}, {0, 0}, {1, 2}, {3}, "ERROR"},
};

std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float each : values)
    bits.push_back(std::isnan(each) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(each));
  return bits;
}

Arguments arguments_of_tf(const TfPrinted& each) {
  const auto size = static_cast<std::int64_t>(each.indices.size());
  return arguments_of(floats({static_cast<std::int64_t>(each.data.size())}, each.data),
                      ints({size, 1}, each.indices), floats({size}, each.updates),
                      {{"bad_indices_policy", each.policy}});
}

}  // namespace

TEST_CASE("tf: each name leaves what TensorFlow leaves", "[ops]") {
  for (const TfPrinted& each : printed_by_tf) {
    const std::string name = std::string("tf.tensor_scatter_nd_") + each.name;
    INFO(name << ", the first update " << each.updates.front());
    CHECK(bits_of(left_by(*find_operation(name), arguments_of_tf(each))) == bits_of(each.printed));
  }
}

TEST_CASE("tf: an entry with one coordinate out of range is dropped as a whole", "[ops]") {
  const Arguments arguments =
      arguments_of(zeros({2, 2, 2}), ints({3, 2}, {0, 2, 1, 1, -1, 0}),
                   floats({3, 2}, {1, 2, 3, 4, 5, 6}), {{"bad_indices_policy", Word("IGNORE")}});
  for (const char* name : {"tf.tensor_scatter_nd_update", "tf.tensor_scatter_nd_add"}) {
    CHECK(left_by(*find_operation(name), arguments) == std::vector<float>{0, 0, 0, 0, 0, 0, 3, 4});
  }
}

TEST_CASE("tf: half floats are rounded at each step, integers wrap around", "[ops]") {
  const Operation& add = *find_operation("tf.tensor_scatter_nd_add");
  const auto bfloat16s = [](std::vector<std::uint16_t> bits) {
    const auto size = static_cast<std::int64_t>(bits.size());
    return Tensor({.type = ElementType::of(DType::bfloat16), .shape = {size}},
                  owned_source(std::move(bits)));
  };
  // 0 + 300 x 1 stays at 256.
  std::vector<std::uint16_t> sum{0};
  MemoryOutput rounded{std::span(sum)};
  apply(add,
        arguments_of(bfloat16s({0}), ints({300, 1}, std::vector<std::int32_t>(300)),
                     bfloat16s(std::vector<std::uint16_t>(300, 0x3f80))),
        rounded);
  CHECK(sum.front() == 0x4380);

  const Tensor hundred = tensor<std::int8_t>({1}, {100});
  std::vector<std::int8_t> small{0};
  MemoryOutput wrapped{std::span(small)};
  apply(add, arguments_of(hundred, ints({1, 1}, {0}), hundred), wrapped);
  CHECK(small.front() == -56);
}

}  // namespace tscatter
