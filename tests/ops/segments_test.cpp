// Operations that make their data: what they leave, against what the libraries print, and which
// calls they refuse, by which rule and in which words.
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "ops/own_words.hpp"
#include "tscatter/core/half.hpp"

namespace tscatter {
namespace {

constexpr float nan_of_segments = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity_of_segments = std::numeric_limits<float>::infinity();
constexpr float greatest_of_segments = std::numeric_limits<float>::max();

Arguments segmented(const Tensor& updates, const Tensor& ids, Attributes attributes = {}) {
  return {.operands = {{"updates", updates}, {"indices", ids}},
          .attributes = std::move(attributes)};
}

Attributes segments_of(std::int64_t count) { return {{"num_segments", count}}; }

// The bytes of the result as T; an operation that leaves another dtype fails.
template <class T>
std::vector<T> left_by_segments(std::string_view name, const Arguments& arguments) {
  const Operation& operation = *find_operation(name);
  const Tensor data = with_base(operation, arguments).operand("data");
  REQUIRE(data.type().dtype == detail::dtype_of<T>());
  std::vector<T> values(static_cast<std::size_t>(data.count()));
  MemoryOutput output{std::as_writable_bytes(std::span(values))};
  apply(operation, arguments, output);
  return values;
}

std::vector<std::uint32_t> bits_of_segments(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float each : values)
    bits.push_back(std::isnan(each) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(each));
  return bits;
}

struct PrintedSegments {
  const char* name;
  std::vector<float> updates;
  std::vector<std::int32_t> ids;
  std::vector<float> printed;
  Attributes attributes = {};
};

// NOLINTNEXTLINE(readability-function-size): a table.
std::vector<PrintedSegments> printed_segments() {
  const float least = -greatest_of_segments;
  const float most = infinity_of_segments;
  return {
      {"tf.math.unsorted_segment_sum", {1, 2, 4}, {2, -1, 2}, {0, 0, 5}, segments_of(3)},
      // The sum begins with 0.0.
      {"tf.math.unsorted_segment_sum", {-0.0F}, {0}, {0}, segments_of(1)},
      {"tf.math.unsorted_segment_prod", {3, 5}, {0, 0}, {15, 1}, segments_of(2)},
      {"tf.math.unsorted_segment_max", {1, 2, 3}, {1, 1, 3}, {least, 2, least, 3}, segments_of(4)},
      {"tf.math.unsorted_segment_max", {-most}, {0}, {least}, segments_of(1)},
      {"tf.math.unsorted_segment_min",
       {nan_of_segments, 1, most},
       {0, 0, 1},
       {1, greatest_of_segments},
       segments_of(2)},
      {"tf.math.unsorted_segment_mean", {1, 2, 4}, {1, 1, 0}, {4, 1.5, 0}, segments_of(3)},
      {"tf.math.unsorted_segment_sqrt_n", {1, 2, 4}, {1, 1, 0}, {4, 2.1213205F, 0}, segments_of(3)},
      {"tf.math.unsorted_segment_sqrt_n", {-0.0F, -most}, {0, 1}, {0, -most}, segments_of(2)},
      {"tf.math.segment_sum", {-0.0F}, {0}, {-0.0F}},
      {"tf.math.segment_sum", {1, 2, 4}, {0, 0, 2}, {3, 0, 4}},
      {"tf.math.segment_prod", {2, 3, 5}, {0, 0, 2}, {6, 1, 5}},
      {"tf.math.segment_max", {-most, 1, nan_of_segments}, {0, 2, 2}, {-most, 0, nan_of_segments}},
      {"tf.math.segment_min", {nan_of_segments, 1}, {1, 1}, {0, 1}},
      {"tf.math.segment_mean", {1, 2, 4}, {0, 0, 2}, {1.5, 0, 4}},
      {"paddle.geometric.segment_sum", {-0.0F}, {0}, {0}},
      {"paddle.geometric.segment_mean", {1, 2, 4}, {0, 0, 2}, {1.5, 0, 4}},
      {"paddle.geometric.segment_max", {nan_of_segments, 1, -most}, {0, 0, 2}, {1, 0, -most}},
      {"paddle.geometric.segment_min",
       {-0.0F, 2, nan_of_segments},
       {0, 1, 1},
       {-0.0F, nan_of_segments}},
      {"jax.ops.segment_sum", {1, 2, 4, 8}, {1, -1, 1, 9}, {0, 5, 0}, segments_of(3)},
      {"jax.ops.segment_sum", {1, 1, 1}, {5, -1, 0}, {1, 0, 0, 0, 0, 1}},
      {"jax.ops.segment_sum",
       {1, 1, 1},
       {5, -1, 0},
       {2, 1},
       {{"num_segments", std::int64_t{2}}, {"mode", Word{"clip"}}}},
      {"jax.ops.segment_prod", {2, 3}, {1, 1}, {1, 6}},
      {"jax.ops.segment_max", {1, 2, 3}, {1, 1, 3}, {-most, 2, -most, 3, -most}, segments_of(5)},
      {"jax.ops.segment_min", {nan_of_segments, 1}, {1, 1}, {most, nan_of_segments}},
      {"jax.ops.segment_sum", {}, {}, {0, 0}, segments_of(2)},
      {"jax.ops.segment_sum", {1, 2}, {-1, -2}, {}},
  };
}

}  // namespace

TEST_CASE("segments: of floats each name leaves what its library printed, bit for bit", "[ops]") {
  for (const PrintedSegments& each : printed_segments()) {
    INFO(each.name);
    const auto size = static_cast<std::int64_t>(each.ids.size());
    const Arguments arguments =
        segmented(floats({size}, each.updates), ints({size}, each.ids), each.attributes);
    CHECK(bits_of_segments(left_by_segments<float>(each.name, arguments)) ==
          bits_of_segments(each.printed));
  }
}

TEST_CASE("segments: integers have the ends of their dtype where nothing is", "[ops]") {
  const Tensor ids = ints({2}, {0, 2});
  const Tensor bytes = tensor<std::int8_t>({2}, {5, -7});
  using Bytes = std::vector<std::int8_t>;
  CHECK(left_by_segments<std::int8_t>("jax.ops.segment_max", segmented(bytes, ids)) ==
        Bytes{5, -128, -7});
  CHECK(left_by_segments<std::int8_t>("tf.unsorted_segment_min",
                                      segmented(bytes, ids, segments_of(3))) == Bytes{5, 127, -7});
  CHECK(left_by_segments<std::int8_t>("tf.segment_min", segmented(bytes, ids)) == Bytes{5, 0, -7});
}

TEST_CASE("segments: a mean of integers is rounded towards 0", "[ops]") {
  const Arguments arguments = segmented(ints({3}, {-3, 0, 5}), ints({3}, {0, 0, 2}));
  CHECK(left_by_segments<std::int32_t>("tf.segment_mean", arguments) ==
        std::vector<std::int32_t>{-1, 0, 5});
}

TEST_CASE("segments: half floats stall at what adding 1 does not change, and so does their count",
          "[ops]") {
  const auto of_ones = []<class T>(const char* name, DType dtype, T one, std::size_t count) {
    const Shape shape{static_cast<std::int64_t>(count)};
    const Tensor ones({.type = ElementType::of(dtype), .shape = shape},
                      owned_source(std::vector<T>(count, one)));
    std::array<T, 1> left{};
    MemoryOutput output{std::as_writable_bytes(std::span(left))};
    apply(*find_operation(name),
          segmented(ones, ints(shape, std::vector<std::int32_t>(count, 0)), segments_of(1)),
          output);
    return static_cast<float>(left.front());
  };
  const BFloat16 brain{1.0F};
  const Half half{1.0F};
  CHECK(of_ones("tf.unsorted_segment_sqrt_n", DType::bfloat16, brain, 300) == 256.0F / 16);
  CHECK(of_ones("tf.unsorted_segment_mean", DType::bfloat16, brain, 300) == 1);
  // The root of 2048 is 45.2548 in float32.
  CHECK(of_ones("tf.unsorted_segment_sqrt_n", DType::float16, half, 4099) == 45.25F);
  CHECK(of_ones("tf.unsorted_segment_mean", DType::float16, half, 4099) == 1);
}

TEST_CASE("segments: ids may have any rank; updates have the axes behind them", "[ops]") {
  const Arguments whole =
      segmented(floats({2}, {3, 4}), tensor<std::int64_t>({}, {1}), segments_of(3));
  CHECK(left_by_segments<float>("tf.unsorted_segment_sum", whole) ==
        std::vector<float>{0, 0, 3, 4, 0, 0});
  const Arguments square =
      segmented(floats({2, 2}, {1, 2, 4, 8}), ints({2, 2}, {0, 1, 1, 1}), segments_of(2));
  CHECK(left_by_segments<float>("tf.unsorted_segment_sum", square) == std::vector<float>{1, 14});
}

TEST_CASE("tf.scatter_nd: duplicates are added up in zeros, bools by or", "[ops]") {
  const Arguments sums{.operands = {{"indices", ints({3, 1}, {2, 0, 2})},
                                    {"updates", floats({3}, {1, 2, 4})},
                                    {"shape", list32({4})}},
                       .attributes = {}};
  CHECK(left_by_segments<float>("tf.scatter_nd", sums) == std::vector<float>{2, 0, 5, 0});
  const Arguments truths{.operands = {{"indices", ints({2, 1}, {1, 1})},
                                      {"updates", bools({2}, {1, 1})},
                                      {"shape", list32({3})}},
                         .attributes = {}};
  std::array<std::byte, 3> left{};
  MemoryOutput output(left);
  apply(*find_operation("tf.scatter_nd"), truths, output);
  CHECK(left == std::array{std::byte{0}, std::byte{1}, std::byte{0}});
}

TEST_CASE("numpy.bincount: counts are int64, sums of weights of any real dtype float64", "[ops]") {
  const Tensor x = int64s({3}, {3, 1, 1});
  const Arguments counted{.operands = {{"indices", x}},
                          .attributes = {{"minlength", std::int64_t{5}}}};
  CHECK(left_by_segments<std::int64_t>("numpy.bincount", counted) ==
        std::vector<std::int64_t>{0, 2, 0, 1, 0});
  // In float32 the 1 would be lost.
  CHECK(left_by_segments<double>("numpy.bincount", segmented(floats({3}, {0, 16777216, 1}), x)) ==
        std::vector<double>{0, 16777217, 0, 0});
  CHECK(left_by_segments<double>("numpy.bincount", segmented(ints({3}, {7, 2, 3}), x)) ==
        std::vector<double>{0, 5, 0, 7});
  const Arguments none{.operands = {{"indices", int64s({0}, {})}}, .attributes = {}};
  CHECK(left_by_segments<std::int64_t>("numpy.bincount", none).empty());
}

namespace {

constexpr std::string_view jax_segments =
    "jax.ops.segment_sum jax.ops.segment_prod jax.ops.segment_min jax.ops.segment_max";
constexpr std::string_view sorted_segments =
    "tf.math.segment_sum tf.math.segment_prod tf.math.segment_min tf.math.segment_max "
    "tf.math.segment_mean paddle.geometric.segment_max paddle.geometric.segment_mean "
    "paddle.geometric.segment_min paddle.geometric.segment_sum";
constexpr std::string_view unsorted_segments =
    "tf.math.unsorted_segment_sum tf.math.unsorted_segment_prod tf.math.unsorted_segment_min "
    "tf.math.unsorted_segment_max tf.math.unsorted_segment_mean tf.math.unsorted_segment_sqrt_n";
constexpr std::string_view scatters = "tf.scatter_nd paddle.scatter_nd";

Arguments scattered(const Tensor& indices, const Tensor& updates, const Tensor& shape) {
  return {.operands = {{"indices", indices}, {"updates", updates}, {"shape", shape}},
          .attributes = {}};
}

Arguments counted(const Tensor& x) { return {.operands = {{"indices", x}}, .attributes = {}}; }

// NOLINTNEXTLINE(readability-function-size): a table.
std::vector<OwnWordsCall> refused_segments() {
  const Tensor two = floats({2}, {1, 2});
  const Tensor ids = ints({2}, {0, 1});
  const Tensor text = opaque({2}, "'|S3'", 3);
  const Tensor complex = tensor<std::complex<float>>({2}, {1, 2});
  const Tensor truths = bools({2}, {1, 0});
  const Tensor last = int64s({2}, {0, std::numeric_limits<std::int64_t>::max()});
  const Tensor square = ints({1, 2}, {0, 1});
  const Attributes three = segments_of(3);
  const std::string too_large = " must be less than 2^63 - 1, got 9223372036854775807";
  const Tensor large = int64s({2}, {0, std::numeric_limits<std::int64_t>::max() - 1});
  const std::string no_record = "data must be of a dtype that has ";
  const std::string not_complex = "got complex64";
  return {
      {Check::base_shape, jax_segments, segmented(two, ids, segments_of(-1)),
       "num_segments must be 0 or more, got -1"},
      {Check::indices_rank, jax_segments, segmented(two, square),
       "segment_ids must have rank 1, got rank 2"},
      {Check::indices_dtype, jax_segments, segmented(two, two),
       "segment_ids must be of an integer dtype (tscatter convert IN OUT --to int64), got float32"},
      {Check::updates_shape, jax_segments, segmented(zeros({3, 2}), ids),
       "data must have shape [2, 2] (segment_ids.shape + data.shape[1:]), got [3, 2]"},
      {Check::reduction_dtype, "jax.ops.segment_sum", segmented(text, ids),
       no_record + "sum, got |S3"},
      {Check::reduction_dtype, "jax.ops.segment_prod", segmented(text, ids),
       no_record + "prod, got |S3"},
      {Check::reduction_dtype, "jax.ops.segment_min", segmented(complex, ids),
       no_record + "min, " + not_complex},
      {Check::reduction_dtype, "jax.ops.segment_max", segmented(complex, ids),
       no_record + "max, " + not_complex},
      {Check::data_dtype, "jax.ops.segment_sum jax.ops.segment_prod", segmented(truths, ids),
       "data must be of any dtype but bool, got bool"},

      {Check::base_shape, sorted_segments, segmented(two, last),
       "the greatest of segment_ids" + too_large},
      {Check::base_shape, sorted_segments, segmented(two, large),
       "output must have less than 2^63 elements and bytes, got shape [9223372036854775807]"},
      {Check::indices_rank, sorted_segments, segmented(two, square),
       "segment_ids must have rank 1, got rank 2"},
      {Check::indices_dtype, sorted_segments, segmented(two, tensor<std::int16_t>({2}, {0, 1})),
       "segment_ids must be int32 or int64 (tscatter convert IN OUT --to int64), got int16"},
      {Check::index_order, sorted_segments, segmented(zeros({3}), ints({3}, {0, 2, 1})),
       "segment_ids[2] must be at least the one before, 2, got 1"},
      {Check::updates_shape, sorted_segments, segmented(zeros({3, 2}), ids),
       "data must have shape [2, 2] (segment_ids.shape + data.shape[1:]), got [3, 2]"},
      {Check::index_range, sorted_segments, segmented(two, ints({2}, {-1, 1})),
       "segment_ids[0] must be in [0, 2) for output axis 0 (--negative from-the-end counts it from "
       "the end), got -1"},
      {Check::data_dtype, "tf.math.segment_sum tf.math.segment_prod paddle.geometric.segment_sum",
       segmented(truths, ids), "data must be of any dtype but bool, got bool"},
      {Check::data_dtype,
       "tf.math.segment_min tf.math.segment_max tf.math.segment_mean paddle.geometric.segment_min "
       "paddle.geometric.segment_max paddle.geometric.segment_mean",
       segmented(truths, ids),
       "data must be of any dtype but bool, complex64 or complex128, got bool"},
      {Check::reduction_dtype, "tf.math.segment_sum paddle.geometric.segment_sum",
       segmented(text, ids), no_record + "sum, got |S3"},
      {Check::reduction_dtype, "tf.math.segment_prod", segmented(text, ids),
       no_record + "prod, got |S3"},
      {Check::reduction_dtype, "tf.math.segment_min paddle.geometric.segment_min",
       segmented(complex, ids), no_record + "min, " + not_complex},
      {Check::reduction_dtype, "tf.math.segment_max paddle.geometric.segment_max",
       segmented(complex, ids), no_record + "max, " + not_complex},
      {Check::reduction_dtype, "tf.math.segment_mean paddle.geometric.segment_mean",
       segmented(complex, ids), no_record + "mean, " + not_complex},

      {Check::base_shape, unsorted_segments, segmented(two, ids, segments_of(-2)),
       "num_segments must be 0 or more, got -2"},
      {Check::updates_shape, unsorted_segments, segmented(zeros({2, 3}), square, three),
       "data must have shape [1, 2] (segment_ids.shape + data.shape[2:]), got [2, 3]"},
      {Check::index_range, unsorted_segments, segmented(two, ints({2}, {-9, 3}), three),
       "segment_ids[1] must be in [0, 3) for output axis 0, got 3"},
      {Check::indices_dtype,
       "tf.math.unsorted_segment_sum tf.math.unsorted_segment_mean tf.math.unsorted_segment_sqrt_n",
       segmented(two, tensor<std::uint8_t>({2}, {0, 1}), three),
       "segment_ids must be int16, int32 or int64 (tscatter convert IN OUT --to int64), got uint8"},
      {Check::indices_dtype,
       "tf.math.unsorted_segment_prod tf.math.unsorted_segment_min tf.math.unsorted_segment_max",
       segmented(two, tensor<std::int16_t>({2}, {0, 1}), three),
       "segment_ids must be int32 or int64 (tscatter convert IN OUT --to int64), got int16"},
      {Check::data_dtype, "tf.math.unsorted_segment_sum tf.math.unsorted_segment_prod",
       segmented(truths, ids, three), "data must be of any dtype but bool, got bool"},
      {Check::data_dtype, "tf.math.unsorted_segment_min tf.math.unsorted_segment_max",
       segmented(truths, ids, three),
       "data must be of any dtype but bool, complex64 or complex128, got bool"},
      {Check::data_dtype, "tf.math.unsorted_segment_mean tf.math.unsorted_segment_sqrt_n",
       segmented(ids, ids, three),
       "data must be of dtype float16, bfloat16, float32 or float64, got int32"},
      {Check::reduction_dtype, "tf.math.unsorted_segment_sum", segmented(text, ids, three),
       no_record + "sum, got |S3"},
      {Check::reduction_dtype, "tf.math.unsorted_segment_prod", segmented(text, ids, three),
       no_record + "prod, got |S3"},
      {Check::reduction_dtype, "tf.math.unsorted_segment_min", segmented(complex, ids, three),
       no_record + "min, " + not_complex},
      {Check::reduction_dtype, "tf.math.unsorted_segment_max", segmented(complex, ids, three),
       no_record + "max, " + not_complex},
      {Check::reduction_dtype, "tf.math.unsorted_segment_mean", segmented(text, ids, three),
       no_record + "mean, got |S3"},
      {Check::reduction_dtype, "tf.math.unsorted_segment_sqrt_n", segmented(text, ids, three),
       no_record + "sqrt_n, got |S3"},

      {Check::data_dtype, "numpy.bincount", segmented(complex, ids),
       "weights must be of any dtype but complex64, complex128 or opaque, got complex64"},
      {Check::base_shape, "numpy.bincount",
       Arguments{{{"indices", ids}}, {{"minlength", std::int64_t{-1}}}},
       "minlength must be 0 or more, got -1"},
      {Check::base_shape, "numpy.bincount", counted(last), "the greatest of x" + too_large},
      {Check::indices_rank, "numpy.bincount", counted(square), "x must have rank 1, got rank 2"},
      {Check::indices_dtype, "numpy.bincount", counted(two),
       "x must be of an integer dtype (tscatter convert IN OUT --to int64), got float32"},
      {Check::updates_shape, "numpy.bincount", segmented(zeros({3}), ids),
       "weights must have shape [2] (x.shape), got [3]"},
      {Check::index_range, "numpy.bincount", segmented(two, ints({2}, {-1, 0})),
       "x[0] must be in [0, 1) for output axis 0 (--negative from-the-end counts it from the end), "
       "got -1"},

      {Check::list_rank, scatters, scattered(ints({2, 1}, {0, 1}), two, ints({}, {3})),
       "shape must have rank 1, got rank 0"},
      {Check::list_dtype, scatters, scattered(ints({2, 1}, {0, 1}), two, floats({1}, {3})),
       "shape must be int32 or int64 (tscatter convert IN OUT --to int64), got float32"},
      {Check::base_shape, scatters, scattered(ints({2, 1}, {0, 1}), two, list32({3, -1})),
       "shape[1] must be 0 or more, got -1"},
      {Check::base_shape, scatters,
       scattered(ints({2, 1}, {0, 1}), two, list32(std::vector<std::int32_t>(65, 1))),
       "output must have at most 64 axes, got 65"},
      {Check::base_shape, scatters,
       scattered(ints({2, 1}, {0, 1}), two, list32({2147483647, 2147483647, 2})),
       "output must have less than 2^63 elements and bytes, got shape [2147483647, 2147483647, 2]"},
      {Check::data_rank, scatters, scattered(ints({2, 0}, {}), two, list32({})),
       "output must have rank 1 or more, got rank 0"},
      {Check::indices_rank, "tf.scatter_nd", scattered(ints({}, {0}), two, list32({3})),
       "indices must have rank 1 or more, got rank 0"},
      {Check::index_depth, "tf.scatter_nd", scattered(ints({1, 2}, {0, 1}), two, list32({3})),
       "the last dimension of indices must be at most 1, the rank of output, got 2"},
      {Check::index_range, "tf.scatter_nd", scattered(ints({2, 1}, {0, 3}), two, list32({3})),
       "indices[1, 0] must be in [0, 3) for output axis 0, got 3"},
      {Check::indices_dtype, "tf.scatter_nd",
       scattered(tensor<std::int16_t>({2, 1}, {0, 1}), two, list32({3})),
       "indices must be int32 or int64 (tscatter convert IN OUT --to int64), got int16"},
      {Check::updates_shape, "tf.scatter_nd",
       scattered(ints({2, 1}, {0, 1}), zeros({2, 2}), list32({3})),
       "updates must have shape [2] (indices.shape[:-1] + output.shape[1:]), got [2, 2]"},
      {Check::reduction_dtype, scatters, scattered(ints({2, 1}, {0, 1}), text, list32({3})),
       "updates must be of a dtype that has sum, got |S3"},
      {Check::indices_rank, "paddle.scatter_nd", scattered(ints({}, {0}), two, list32({3})),
       "index must have rank 1 or more, got rank 0"},
      {Check::index_depth, "paddle.scatter_nd", scattered(ints({1, 2}, {0, 1}), two, list32({3})),
       "the last dimension of index must be at most 1, the rank of output, got 2"},
      {Check::index_range, "paddle.scatter_nd", scattered(ints({2, 1}, {-3, -4}), two, list32({3})),
       "index[1, 0] must be in [-3, 3) for output axis 0, got -4"},
      {Check::indices_dtype, "paddle.scatter_nd",
       scattered(tensor<std::int16_t>({2, 1}, {0, 1}), two, list32({3})),
       "index must be int32 or int64 (tscatter convert IN OUT --to int64), got int16"},
      {Check::updates_shape, "paddle.scatter_nd",
       scattered(ints({2, 1}, {0, 1}), zeros({2, 2}), list32({3})),
       "updates must have shape [2] (index.shape[:-1] + output.shape[1:]), got [2, 2]"},
  };
}

}  // namespace

TEST_CASE("data that is made: a call that breaks a rule is refused, and no rule is left out",
          "[ops]") {
  const Labels labels = labels_of_refused("", refused_segments());
  for (const Operation* operation : operations()) {
    if (!is_made(operation->base)) continue;
    for (const OperationRule& rule : operation->rules) {
      INFO(rule.label);
      const bool drops = rule.check == Check::index_range &&
                         operation->policies.outside == OutsideIndex::drop_window;
      CHECK((drops || labels.contains(rule.label)));
    }
  }
}

TEST_CASE("operation.o1, operation.o2: data that is made is not given, and updates are", "[ops]") {
  const Operation& bincount = *find_operation("numpy.bincount");
  Arguments with_data = counted(ints({1}, {0}));
  with_data.operands.emplace("data", zeros({3}));
  CHECK(refusal(bincount, with_data) ==
        "numpy.bincount: the operation has no operand data [operation.o2]");
  const Operation& sum = *find_operation("jax.ops.segment_sum");
  CHECK(refusal(sum, counted(ints({1}, {0}))) ==
        "jax.ops.segment_sum: data is missing [operation.o1]");
}

TEST_CASE("packages: the short names of segments mean the same operations", "[ops]") {
  for (const auto& [other, name] : std::vector<std::pair<const char*, const char*>>{
           {"tf.segment_sum", "tf.math.segment_sum"},
           {"tensorflow.math.unsorted_segment_sum", "tf.math.unsorted_segment_sum"},
           {"tf.raw_ops.UnsortedSegmentMean", "tf.math.unsorted_segment_mean"},
           {"tf.raw_ops.ScatterNd", "tf.scatter_nd"},
           {"jax.segment_max", "jax.ops.segment_max"},
           {"np.bincount", "numpy.bincount"}}) {
    INFO(other);
    REQUIRE(find_operation(other) != nullptr);
    CHECK(find_operation(other)->name == name);
  }
}

}  // namespace tscatter
