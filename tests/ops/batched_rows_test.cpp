// Every operation of the form batched_rows: which calls are refused, by which rule and with which
// message, and what the others write.
#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

// Data is [2, 3, 2].
std::vector<RefusedCall> refused_batched_calls() {
  const Tensor data = zeros({2, 3, 2});
  const Tensor updates = zeros({2, 2, 2});
  const Tensor indices = ints({2, 2}, {0, 1, 2, 0});
  return {
      {Check::data_rank, "data of rank 2", arguments_of(zeros({3, 2}), indices, updates),
       "data must have rank 3, got rank 2"},
      {Check::indices_rank, "indices of rank 1", arguments_of(data, ints({2}, {0, 1}), updates),
       "indices must have rank 2, got rank 1"},
      {Check::indices_dtype, "indices of floats",
       arguments_of(data, floats({2, 2}, {0, 1, 2, 0}), updates),
       "indices must be int32 or int64 (tscatter convert IN OUT --to int64), got float32"},
      {Check::indices_shape, "indices for fewer batches",
       arguments_of(data, ints({1, 2}, {0, 1}), zeros({1, 2, 2})),
       "the size of indices along axis 0 must be 2, that of data, got 1"},
      {Check::updates_shape, "updates of another shape",
       arguments_of(data, indices, zeros({2, 2, 3})),
       "updates must have shape [2, 2, 2] (indices.shape + data.shape[2:]), got [2, 2, 3]"},
      {Check::updates_dtype, "updates of another dtype",
       arguments_of(data, indices, tensor<std::int32_t>({2, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0})),
       "updates must have data's dtype float32 (--cast same-kind), got int32"},
      {Check::index_range, "an index past its axis",
       arguments_of(data, ints({2, 2}, {0, 3, 2, 0}), updates),
       "indices[0, 1] must be in [0, 3) for data axis 1, got 3"},
      {Check::index_range, "a negative index",
       arguments_of(data, ints({2, 2}, {0, 1, -1, 0}), updates),
       "indices[1, 0] must be in [0, 3) for data axis 1 (--negative from-the-end counts it from "
       "the end), got -1"},
      {Check::duplicates, "an index that comes twice",
       arguments_of(data, ints({2, 2}, {0, 1, 2, 2}), updates),
       "indices[1, 1] must name another place than indices[1, 0], got 2"},
  };
}

Tensor doubles(Shape shape) {
  const auto count = static_cast<std::size_t>(element_count(shape));
  return tensor<double>(std::move(shape), std::vector<double>(count));
}

}  // namespace

TEST_CASE(
    "batched rows: a call that breaks a rule is refused by its label, its place and its value",
    "[ops]") {
  for_each_operation(Form::batched_rows, [](const Operation& operation) {
    for (const RefusedCall& refused : refused_batched_calls()) {
      INFO(refused.what);
      CHECK(refusal(operation, refused.call) ==
            message_of(operation, refused.check, refused.message));
    }
  });
}

TEST_CASE("tosa.scatter.c7: a dtype that TOSA does not have is refused", "[ops]") {
  CHECK(refusal(*find_operation("tosa.scatter"),
                arguments_of(doubles({1, 2, 1}), ints({1, 1}, {0}), doubles({1, 1, 1}))) ==
        "tosa.scatter: data must be of any dtype but uint8, uint16, uint32, uint64, float64, "
        "complex64 or complex128, got float64 [tosa.scatter.c7]");
}

TEST_CASE("batched rows: each batch has places of its own, in every memory order", "[ops]") {
  for_each_operation(Form::batched_rows, [](const Operation& operation) {
    const auto written = [&](const Tensor& data, const Tensor& indices, const Tensor& updates) {
      return left_by(operation, arguments_of(data, indices, updates));
    };
    const std::vector<float> expected{0, 0, 1, 2, 3, 4, 0, 0};
    CHECK(written(zeros({2, 2, 2}), ints({2, 1}, {1, 0}), floats({2, 1, 2}, {1, 2, 3, 4})) ==
          expected);
    // In Fortran order updates are [[[1, 2]], [[3, 4]]], and the result the same.
    CHECK(written(fortran(zeros({2, 2, 2})), fortran(ints({2, 1}, {1, 0})),
                  fortran(floats({2, 1, 2}, {1, 3, 2, 4}))) ==
          std::vector<float>{0, 3, 1, 0, 0, 4, 2, 0});
  });
}

TEST_CASE("batched rows: without elements nothing is written twice", "[ops]") {
  for_each_operation(Form::batched_rows, [](const Operation& operation) {
    CHECK(refusal(operation, arguments_of(zeros({1, 2, 0}), ints({1, 2}, {1, 1}),
                                          zeros({1, 2, 0}))) == "legal");
  });
}

}  // namespace tscatter
