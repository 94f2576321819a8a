// Every operation of the form nd: which calls are refused, by which rule and with which message,
// and which are legal.
#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

// In messages stand: "@8" for the range of an index on an axis of 8, "@dtypes" for those of
// indices, "@rows" for an operation that takes row numbers.

// Of a dtype that every operation of the form takes.
Tensor entries(Shape shape, std::vector<std::int64_t> values) {
  return tensor(std::move(shape), std::move(values));
}

constexpr std::array<std::byte, 8> eight_zeros{};
const Tensor entry_0 = entries({1, 1}, {0});

Tensor index(std::int64_t value) { return entries({1, 1}, {value}); }

// Entry by entry (0, 1), (0, 5), (9, 5), in Fortran order.
Tensor two_wrong_entries() { return fortran(entries({3, 2}, {0, 0, 9, 1, 5, 5})); }

Tensor int64_max() { return index(std::numeric_limits<std::int64_t>::max()); }
Tensor int64_min() { return index(std::numeric_limits<std::int64_t>::min()); }

// NOLINTNEXTLINE(readability-function-size): a table.
std::vector<RefusedCall> refused_nd_calls() {
  const std::string rank_0 = " must have rank 1 or more, got rank 0";
  const std::string shape = "updates must have shape ";
  return {
      {Check::data_rank, "data of rank 0", arguments_of(zeros({}), entries({1, 0}, {}), zeros({1})),
       "data" + rank_0},
      {Check::indices_rank, "indices of rank 0",
       arguments_of(zeros({3}), entries({}, {0}), zeros({})), "indices" + rank_0},
      {Check::index_depth, "an index depth above the rank of data",
       arguments_of(zeros({2, 3}), entries({1, 3}, {0, 0, 0}), zeros({1})),
       "the last dimension of indices must be at most 2, the rank of data, got 3"},
      {Check::index_depth, "indices of shape [5], as printed in the texts' XML examples",
       arguments_of(zeros({4}), entries({5}, {0, 2, 1, 1, 0}), zeros({5})),
       "the last dimension of indices must be at most 1, the rank of data (for row numbers use "
       "@rowsindices[:, None], of shape [5, 1]), got 5"},
      {Check::index_range, "an index past its axis", arguments_of(zeros({8}), index(8), zeros({1})),
       "indices[0, 0] must be in @8 for data axis 0, got 8"},
      {Check::index_range, "an index far before its axis",
       arguments_of(zeros({8}), index(-9), zeros({1})),
       "indices[0, 0] must be in @8 for data axis 0, got -9"},
      {Check::index_range, "a coordinate past its own axis, though not past the flat offset",
       arguments_of(zeros({2, 3}), entries({1, 2}, {0, 3}), zeros({1})),
       "indices[0, 1] must be in @3 for data axis 1, got 3"},
      {Check::index_range, "of several wrong indices the first in row-major order",
       arguments_of(zeros({2, 3}), two_wrong_entries(), zeros({3})),
       "indices[1, 1] must be in @3 for data axis 1, got 5"},
      {Check::index_range, "the largest int64, with its exact value",
       arguments_of(zeros({8}), int64_max(), zeros({1})),
       "indices[0, 0] must be in @8 for data axis 0, got 9223372036854775807"},
      {Check::index_range, "the lowest int64, with its exact value",
       arguments_of(zeros({8}), int64_min(), zeros({1})),
       "indices[0, 0] must be in @8 for data axis 0, got -9223372036854775808"},
      {Check::index_range, "any index on an axis of size 0",
       arguments_of(zeros({0, 3}), entry_0, zeros({1, 3})),
       "indices[0, 0] must be in [0, 0) for data axis 0, got 0"},
      {Check::index_range, "an index past its axis beside an axis of size 0",
       arguments_of(zeros({3, 0}), index(3), zeros({1, 0})),
       "indices[0, 0] must be in @3 for data axis 0, got 3"},
      {Check::indices_dtype, "indices of floats",
       arguments_of(zeros({8}), floats({1, 1}, {0}), zeros({1})),
       "indices must be @dtypes (tscatter convert IN OUT --to int64), got float32"},
      {Check::indices_dtype, "indices of bools: a mask",
       arguments_of(zeros({8}), view(std::span(eight_zeros).first(1), DType::boolean, {1, 1}),
                    zeros({1})),
       "indices must be @dtypes (numpy.setitem and its like take a mask), got bool"},
      {Check::indices_dtype, "indices of dates",
       arguments_of(zeros({8}), opaque({1, 1}, "'<M8[ns]'", 8), zeros({1})),
       "indices must be @dtypes, got <M8[ns]"},
      {Check::updates_shape, "updates for fewer entries",
       arguments_of(zeros({4, 3}), entries({2, 1}, {0, 1}), zeros({1, 3})),
       shape + "[2, 3] (indices.shape[:-1] + data.shape[1:]) (np.broadcast_to(updates, [2, 3]) "
               "repeats them), got [1, 3]"},
      {Check::updates_shape, "updates of another rank",
       arguments_of(zeros({4, 3}), entries({2, 1}, {0, 1}), zeros({6})),
       shape + "[2, 3] (indices.shape[:-1] + data.shape[1:]), got [6]"},
      {Check::updates_shape, "two elements where one is expected",
       arguments_of(zeros({2, 2}), entries({2}, {1, 0}), zeros({2})),
       shape + "[] (indices.shape[:-1] + data.shape[2:]), got [2]"},
      {Check::updates_shape, "no element where one is expected",
       arguments_of(zeros({2, 2}), entries({2}, {1, 0}), zeros({0})),
       shape + "[] (indices.shape[:-1] + data.shape[2:]), got [0]"},
      {Check::updates_shape, "rank 0 where one entry is expected",
       arguments_of(zeros({2, 2}), entries({1, 2}, {1, 0}), zeros({})),
       shape + "[1] (indices.shape[:-1] + data.shape[2:]) (a literal fills it with one value: "
               "1xf32=VALUE), got []"},
      {Check::updates_dtype, "updates of another dtype",
       arguments_of(zeros({2}), entry_0, tensor<double>({1}, {0})),
       "updates must have data's dtype float32 (--cast same-kind), got float64"},
      {Check::updates_dtype, "updates of another opaque dtype",
       arguments_of(opaque({2}, "'|S3'", 3), entry_0, opaque({1}, "'|V3'", 3)),
       "updates must have data's dtype |S3, got |V3"},
      {Check::data_dtype, "bfloat16, where the operation is older",
       arguments_of(view(std::span(eight_zeros).first(2), DType::bfloat16, {1}), entry_0,
                    view(std::span(eight_zeros).first(2), DType::bfloat16, {1})),
       "data must be of any dtype but bfloat16, got bfloat16"},
      {Check::reduction_dtype, "a sum of strings",
       arguments_of(opaque({2}, "'|S3'", 3), entry_0, opaque({1}, "'|S3'", 3),
                    {{"reduction", Reduction::sum}}),
       "reduction must be none for |S3, got @sum"},
  };
}

std::vector<Arguments> legal_nd_calls() {
  return {
      arguments_of(zeros({1}), entry_0, zeros({1})),
      arguments_of(zeros({3}), entries({1}, {0}), zeros({})),
      arguments_of(zeros({2, 3}), entries({1, 2}, {0, 0}), zeros({1})),
      arguments_of(zeros({2, 3}), entries({1, 0}, {}), zeros({1, 2, 3})),
      arguments_of(zeros({8}), index(7), zeros({1})),
      arguments_of(zeros({8}), index(0), zeros({1})),
      arguments_of(zeros({0, 3}), entries({0, 1}, {}), zeros({0, 3})),
      arguments_of(zeros({4, 3}), entries({2, 1}, {0, 1}), zeros({2, 3})),
      arguments_of(opaque({2}, "'|S3'", 3), entry_0, opaque({1}, "'|S3'", 3)),
  };
}

// Whether the operation has the rule, and calls that break it so.
bool is_refused_by(const Operation& operation, const RefusedCall& refused) {
  const auto reduction = refused.call.attributes.find("reduction");
  const bool has_reduction =
      reduction == refused.call.attributes.end() ||
      std::ranges::count(operation.reductions(), std::get<Reduction>(reduction->second)) > 0;
  return has_reduction && !operation.label(refused.check).empty();
}

bool nd_wraps(const Operation& operation) {
  return operation.policies.negative == NegativeIndex::from_the_end;
}

bool is_openvino(const Operation& operation) { return namespace_of(operation.name).empty(); }

std::string with_words(std::string text, const std::string& sign, const std::string& words) {
  const std::size_t at = text.find(sign);
  return at == std::string::npos ? text : text.replace(at, sign.size(), words);
}

std::string range_of(const Operation& operation, char size) {
  return fmt::format("[{}, {})", nd_wraps(operation) ? fmt::format("-{}", size) : "0", size);
}

// The whole line, with what is the operation's own.
std::string nd_message(const Operation& operation, Check check, std::string message) {
  for (const char size : {'3', '8'})
    message = with_words(message, fmt::format("@{}", size), range_of(operation, size));
  message = with_words(message, "@dtypes", index_dtypes_text(operation));
  message = with_words(message, "@rows", is_openvino(operation) ? "ScatterUpdate-3, or " : "");
  message = with_words(message, "@sum", is_openvino(operation) ? "sum" : "add");
  return message_of(operation, check, message);
}

}  // namespace

TEST_CASE("nd: a call that breaks a rule is refused by its label, its place and its value",
          "[ops]") {
  for_each_operation(Form::nd, [](const Operation& operation) {
    for (const RefusedCall& refused : refused_nd_calls()) {
      if (!is_refused_by(operation, refused)) continue;
      INFO(operation.label(refused.check) << ": " << refused.what);
      CHECK(refusal(operation, refused.call) ==
            nd_message(operation, refused.check, refused.message));
    }
  });
}

TEST_CASE(
    "nd: indices of an integer dtype that the operation does not take are refused, with advice",
    "[ops]") {
  for_each_operation(Form::nd, [](const Operation& operation) {
    for (const DType dtype : integer_dtypes) {
      const auto indices = view(std::span(eight_zeros).first(info(dtype).size), dtype, {1, 1});
      const bool is_legal =
          dtype == DType::int64 || (dtype == DType::int32 && is_openvino(operation));
      CHECK(
          refusal(operation, arguments_of(zeros({8}), indices, zeros({1}))) ==
          (is_legal
               ? "legal"
               : fmt::format(
                     "{}: indices must be {} (tscatter convert IN OUT --to int64), got {} [{}.c5]",
                     operation.id, index_dtypes_text(operation), info(dtype).name, operation.id)));
    }
  });
}

TEST_CASE("nd: a call at the inner edge of each rule is legal", "[ops]") {
  for_each_operation(Form::nd, [](const Operation& operation) {
    INFO(operation.name);
    for (const Arguments& call : legal_nd_calls()) CHECK(refusal(operation, call) == "legal");
  });
}

TEST_CASE("nd: a negative index counts from the end of its own axis, or is refused", "[ops]") {
  for_each_operation(Form::nd, [](const Operation& operation) {
    const Arguments last = arguments_of(zeros({8}), index(-8), zeros({1}));
    const Arguments two =
        arguments_of(zeros({2, 3}), entries({2, 2}, {-1, -3, -2, 2}), floats({2}, {5, 6}));
    if (nd_wraps(operation)) {
      CHECK(refusal(operation, last) == "legal");
      CHECK(left_by(operation, two) == std::vector<float>{0, 0, 6, 5, 0, 0});
    } else {
      CHECK(refusal(operation, last) ==
            nd_message(operation, Check::index_range,
                       "indices[0, 0] must be in @8 for data axis 0 (--negative "
                       "from-the-end counts it from the end), got -8"));
      CHECK(refusal(operation, arguments_of(zeros({8}), index(-1), zeros({1}))) ==
            nd_message(operation, Check::index_range,
                       "indices[0, 0] must be in @8 for data axis 0 (--negative "
                       "from-the-end counts it from the end), got -1"));
    }
  });
}

TEST_CASE("nd: where updates of rank 0 are expected, any one element will do for OpenVINO",
          "[ops]") {
  for_each_operation(Form::nd, [](const Operation& operation) {
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 1, 1}}) {
      const Arguments call = arguments_of(zeros({2, 2}), entries({2}, {1, 0}), floats(shape, {7}));
      if (shape.empty() || is_openvino(operation)) {
        CHECK(left_by(operation, call) == std::vector<float>{0, 0, 7, 0});
      } else {
        CHECK(refusal(operation, call) ==
              fmt::format("{0}: updates must have shape [] (indices.shape[:-1] + data.shape[2:]), "
                          "got {1} [{0}.c6]",
                          operation.id, to_string(shape)));
      }
    }
  });
}

TEST_CASE("nd: of several entries that name one place the last one wins", "[ops]") {
  for_each_operation(Form::nd, [](const Operation& operation) {
    CHECK(left_by(operation,
                  arguments_of(zeros({4}), entries({3, 1}, {1, 2, 1}), floats({3}, {5, 6, 7}))) ==
          std::vector<float>{0, 7, 6, 0});
  });
}

TEST_CASE("nd: with an index depth of 0 each update covers the whole of data", "[ops]") {
  for_each_operation(Form::nd, [](const Operation& operation) {
    CHECK(left_by(operation,
                  arguments_of(zeros({2}), entries({2, 0}, {}), floats({2, 2}, {1, 2, 3, 4}))) ==
          std::vector<float>{3, 4});
  });
}

TEST_CASE("scatter_nd_update_15.c8: a reduction that the dtype does not define is refused",
          "[ops]") {
  const auto refused = [](const Tensor& data, Reduction reduction) {
    return refusal([&](Output& output) {
      scatter_nd_update_15(data, ints({0, 1}, {}), data, reduction, output);
    });
  };
  const Tensor complex = tensor<std::complex<float>>({0}, {});
  CHECK(refused(complex, Reduction::prod) == "legal");
  CHECK(refused(complex, Reduction::min) ==
        "scatter_nd_update_15: reduction must be none, sum, sub or prod for complex64, got min "
        "[scatter_nd_update_15.c8]");
  CHECK(refused(complex, Reduction::max) ==
        "scatter_nd_update_15: reduction must be none, sum, sub or prod for complex64, got max "
        "[scatter_nd_update_15.c8]");
  CHECK(refused(opaque({0}, "'|S3'", 3), Reduction::none) == "legal");
  CHECK(refused(opaque({0}, "'|S3'", 3), Reduction::sum) ==
        "scatter_nd_update_15: reduction must be none for |S3, got sum [scatter_nd_update_15.c8]");
}

TEST_CASE("onnx.scatter_nd_18.c8: a reduction is refused in ONNX's words", "[ops]") {
  const Operation& operation = *find_operation("onnx.ScatterND-18");
  const Tensor complex = tensor<std::complex<float>>({1}, {1});
  CHECK(refusal(operation, arguments_of(complex, entry_0, complex,
                                        {{"reduction", Reduction::prod}})) == "legal");
  CHECK(refusal(operation,
                arguments_of(complex, entry_0, complex, {{"reduction", Reduction::max}})) ==
        "onnx.scatter_nd_18: reduction must be none, add or mul for complex64, got max "
        "[onnx.scatter_nd_18.c8]");
  const Tensor data = zeros({1});
  CHECK(refusal(operation, arguments_of(data, entry_0, data, {{"reduction", Reduction::sub}})) ==
        "onnx.scatter_nd_18: reduction must be one of none, add, mul, max, min, got sub "
        "[operation.o3]");
}

TEST_CASE("onnx.scatter_nd_11.c8: bfloat16 comes with opset 13", "[ops]") {
  const std::array<std::byte, 2> zero{};
  const Tensor data = view(std::span(zero), DType::bfloat16, {1});
  CHECK(refusal(*find_operation("onnx.ScatterND-11"), arguments_of(data, entry_0, data))
            .ends_with("[onnx.scatter_nd_11.c8]"));
  CHECK(refusal(*find_operation("onnx.ScatterND-13"), arguments_of(data, entry_0, data)) ==
        "legal");
}

}  // namespace tscatter
