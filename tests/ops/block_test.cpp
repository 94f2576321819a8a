// Every operation of the form block: which calls are refused, by which rule and with which message,
// and where the block goes.
#include <limits>

#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

constexpr std::string_view jax = "jax.lax.dynamic_update_slice";
constexpr std::string_view stablehlo = "stablehlo.dynamic_update_slice";
constexpr auto largest = std::numeric_limits<std::int64_t>::max();
constexpr auto smallest = std::numeric_limits<std::int64_t>::min();

// A block of ones into five zeros.
std::vector<float> row_of(const Operation& operation, std::int64_t start, std::int64_t length,
                          const Attributes& attributes = {}) {
  Arguments arguments =
      arguments_of(zeros({5}), int64s({1}, {start}),
                   floats({length}, std::vector<float>(static_cast<std::size_t>(length), 1)));
  arguments.attributes = attributes;
  return left_by(operation, arguments);
}

std::vector<RefusedCall> refused_blocks() {
  const Tensor data = zeros({2, 5});
  const Tensor starts = int64s({2}, {0, 0});
  return {
      {Check::data_rank, "data of rank 0", arguments_of(zeros({}), int64s({0}, {}), zeros({})),
       "operand must have rank 1 or more, got rank 0"},
      {Check::indices_dtype, "starts of floats",
       arguments_of(data, floats({2}, {0, 0}), zeros({1, 2})),
       "start_indices must be of an integer dtype (tscatter convert IN OUT --to int64), got "
       "float32"},
      {Check::indices_shape, "a start too many",
       arguments_of(data, int64s({3}, {0, 0, 0}), zeros({1, 2})),
       "start_indices must have shape [2] (one for each axis), got [3]"},
      {Check::updates_shape, "a block of another rank", arguments_of(data, starts, zeros({2})),
       "update must have the rank of operand, 2, got shape [2]"},
      {Check::updates_shape, "a block that is too long", arguments_of(data, starts, zeros({2, 6})),
       "update must be at most 5 long along axis 1, as operand, got 6"},
      {Check::updates_dtype, "a block of another dtype",
       arguments_of(data, starts, ints({1, 1}, {1})),
       "update must have operand's dtype float32 (--cast same-kind), got int32"},
  };
}

}  // namespace

TEST_CASE("operations of form block: calls that break a rule are refused by it", "[ops]") {
  for (const std::string_view name : {jax, stablehlo}) {
    const Operation& operation = *find_operation(name);
    for (const RefusedCall& refused : refused_blocks()) {
      INFO(name << ": " << refused.what);
      CHECK(refusal(operation, refused.call) ==
            message_of(operation, refused.check, refused.message));
    }
  }
}

TEST_CASE("operations of form block: a block that is not inside is moved, negative starts differ",
          "[ops]") {
  using Row = std::vector<float>;
  const Operation& of_jax = *find_operation(jax);
  const Operation& of_text = *find_operation(stablehlo);
  const Attributes no_negatives{{"allow_negative_indices", false}};
  for (const std::int64_t past : {std::int64_t{4}, std::int64_t{9}, largest}) {
    CHECK(row_of(of_jax, past, 2) == Row{0, 0, 0, 1, 1});
    CHECK(row_of(of_text, past, 2) == Row{0, 0, 0, 1, 1});
  }
  CHECK(row_of(of_jax, -1, 2) == Row{0, 0, 0, 1, 1});
  CHECK(row_of(of_jax, -5, 2) == Row{1, 1, 0, 0, 0});
  CHECK(row_of(of_jax, -4, 2) == Row{0, 1, 1, 0, 0});
  CHECK(row_of(of_jax, -1, 2, no_negatives) == Row{1, 1, 0, 0, 0});
  CHECK(row_of(of_text, -1, 2) == Row{1, 1, 0, 0, 0});
  for (const Operation* each : {&of_jax, &of_text}) {
    CHECK(row_of(*each, -7, 2) == Row{1, 1, 0, 0, 0});
    CHECK(row_of(*each, smallest, 2) == Row{1, 1, 0, 0, 0});
    CHECK(row_of(*each, 1, 5) == Row{1, 1, 1, 1, 1});
    CHECK(row_of(*each, 7, 0) == Row{0, 0, 0, 0, 0});
  }
}

TEST_CASE("operations of form block: each axis has its own start, in any memory order", "[ops]") {
  const Operation& operation = *find_operation(stablehlo);
  const Tensor block = floats({1, 2}, {7, 8});
  const Arguments call = arguments_of(zeros({2, 4}), ints({2}, {1, 3}), block);
  CHECK(left_by(operation, call) == std::vector<float>{0, 0, 0, 0, 0, 0, 7, 8});
  const Arguments turned = arguments_of(fortran(zeros({2, 4})), ints({2}, {1, 3}), block);
  CHECK(left_by(operation, turned) == std::vector<float>{0, 0, 0, 0, 0, 7, 0, 8});
}

TEST_CASE("operations of form block: a policy drops, refuses or wraps what is not inside",
          "[ops]") {
  using Row = std::vector<float>;
  Operation own = *find_operation(stablehlo);
  own.policies.outside = OutsideIndex::drop_window;
  CHECK(row_of(own, 4, 2) == Row{0, 0, 0, 0, 0});
  CHECK(row_of(own, 3, 2) == Row{0, 0, 0, 1, 1});
  own.policies.outside = OutsideIndex::drop_elements;
  CHECK(row_of(own, 4, 2) == Row{0, 0, 0, 0, 1});
  own.policies.outside = OutsideIndex::modulo;
  CHECK(row_of(own, 4, 2) == Row{1, 0, 0, 0, 1});
  own.policies.outside = OutsideIndex::error;
  const Arguments call = arguments_of(zeros({5}), int64s({1}, {4}), zeros({2}));
  CHECK(refusal(own, call) == std::string(stablehlo) +
                                  ": start_indices[0] must be in [0, 4) for operand axis 0, got 4 "
                                  "[stablehlo.dynamic_update_slice.c6]");
}

TEST_CASE("operations of form block: a block is not listed, however large it is", "[ops]") {
  constexpr std::int64_t many = 1'000'000'000'000;
  const Operation& operation = *find_operation(jax);
  const Arguments call =
      arguments_of(zeros({many, 0}), int64s({2}, {many, 0}), zeros({many - 5, 0}));
  CHECK(check(operation, call).index_entries == 0);
}

}  // namespace tscatter
