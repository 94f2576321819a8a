// Every operation of the form batched_rows: which calls are refused, by which rule and with which
// message, and what the others write.
#include <fmt/format.h>

#include <limits>

#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

struct BatchedCall {
  Tensor data;
  Tensor indices;
  Tensor updates;
};

struct RefusedBatchedCall {
  Check check;
  BatchedCall call;
  std::string message;
};

// Data is [2, 3, 2].
std::vector<RefusedBatchedCall> refused_batched_calls() {
  const Tensor data = zeros({2, 3, 2});
  const Tensor updates = zeros({2, 2, 2});
  const Tensor indices = ints({2, 2}, {0, 1, 2, 0});
  return {
      {Check::data_rank, {zeros({3, 2}), indices, updates}, "data must have rank 3, got rank 2"},
      {Check::indices_rank,
       {data, ints({2}, {0, 1}), updates},
       "indices must have rank 2, got rank 1"},
      {Check::indices_dtype,
       {data, floats({2, 2}, {0, 1, 2, 0}), updates},
       "indices must be int32 or int64 (tscatter convert IN OUT --to int64), got float32"},
      {Check::indices_shape,
       {data, ints({1, 2}, {0, 1}), zeros({1, 2, 2})},
       "the size of indices along axis 0 must be 2, that of data, got 1"},
      {Check::updates_shape,
       {data, indices, zeros({2, 2, 3})},
       "updates must have shape [2, 2, 2] (indices.shape + data.shape[2:]), got [2, 2, 3]"},
      {Check::updates_dtype,
       {data, indices, tensor<std::int32_t>({2, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0})},
       "updates must have data's dtype float32 (--cast same-kind), got int32"},
      {Check::index_range,
       {data, ints({2, 2}, {0, 3, 2, 0}), updates},
       "indices[0, 1] must be in [0, 3) for data axis 1, got 3"},
      {Check::index_range,
       {data, ints({2, 2}, {0, 1, -1, 0}), updates},
       "indices[1, 0] must be in [0, 3) for data axis 1 (--negative from-the-end counts it from "
       "the "
       "end), got -1"},
      {Check::duplicates,
       {data, ints({2, 2}, {0, 1, 2, 2}), updates},
       "indices[1, 1] must name another place than indices[1, 0], got 2"},
  };
}

std::string batched_refusal(const Operation& operation, const BatchedCall& call) {
  const Arguments arguments{
      .operands = {{"data", call.data}, {"indices", call.indices}, {"updates", call.updates}},
      .attributes = {}};
  return refusal([&](Output& output) { apply(operation, arguments, output); });
}

template <class Visit>
void for_each_batched_operation(const Visit& visit) {
  for (const Operation* operation : operations()) {
    if (operation->form == Form::batched_rows) visit(*operation);
  }
}

Tensor doubles(Shape shape) {
  const auto count = static_cast<std::size_t>(element_count(shape));
  return tensor<double>(std::move(shape), std::vector<double>(count));
}

}  // namespace

TEST_CASE(
    "batched rows: a call that breaks a rule is refused by its label, its place and its value",
    "[ops]") {
  for_each_batched_operation([](const Operation& operation) {
    for (const RefusedBatchedCall& refused : refused_batched_calls()) {
      CHECK(batched_refusal(operation, refused.call) ==
            fmt::format("{}: {} [{}]", operation.id, refused.message,
                        operation.label(refused.check)));
    }
  });
}

TEST_CASE("tosa.scatter.c7: a dtype that TOSA does not have is refused", "[ops]") {
  CHECK(batched_refusal(*find_operation("tosa.scatter"),
                        {doubles({1, 2, 1}), ints({1, 1}, {0}), doubles({1, 1, 1})}) ==
        "tosa.scatter: data must be of any dtype but uint8, uint16, uint32, uint64, float64, "
        "complex64 or complex128, got float64 [tosa.scatter.c7]");
}

TEST_CASE("batched rows: each batch has places of its own, in every memory order", "[ops]") {
  for_each_batched_operation([](const Operation& operation) {
    const auto written = [&](const Tensor& data, const Tensor& indices, const Tensor& updates) {
      const Arguments arguments{
          .operands = {{"data", data}, {"indices", indices}, {"updates", updates}},
          .attributes = {}};
      return result(8, [&](Output& output) { apply(operation, arguments, output); });
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
  for_each_batched_operation([](const Operation& operation) {
    CHECK(batched_refusal(operation, {zeros({1, 2, 0}), ints({1, 2}, {1, 1}), zeros({1, 2, 0})}) ==
          "legal");
  });
}

}  // namespace tscatter
