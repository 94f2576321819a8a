// Every operation of the form start: which calls are refused, by which rule and with which message,
// which are legal, and where updates go.
#include <limits>

#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

Tensor starts(std::vector<std::int64_t> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return int64s({size}, std::move(values));
}

Arguments start_call(const Tensor& data, const Tensor& indices, const Tensor& updates,
                     std::int64_t axis = -2, Word mode = "linear") {
  return arguments_of(data, indices, updates, {{"axis", axis}, {"mode", mode}});
}

Arguments without_indices(Arguments call) {
  call.operands.erase("indices");
  return call;
}

// Two batches of five positions with three elements each, two of which are written.
Arguments from(const Tensor& indices) {
  return start_call(zeros({2, 5, 3}), indices, zeros({2, 2, 3}));
}

Arguments with_updates(const Tensor& updates, std::int64_t axis = -2) {
  return start_call(zeros({2, 5, 3}), starts({0, 0}), updates, axis);
}

// NOLINTNEXTLINE(readability-function-size): a table.
std::vector<RefusedCall> refused_start_calls() {
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  const std::string shape = "updates must have data's shape [2, 5, 3], or be shorter along axis ";
  return {
      {Check::data_rank, "data of rank 1", start_call(zeros({4}), starts({0, 0, 0, 0}), zeros({4})),
       "data must have rank 2 or more, got rank 1"},
      {Check::axis_range, "an axis past the rank", with_updates(zeros({2, 5, 3}), 3),
       "axis must be in [-3, 3) for data of rank 3, got 3"},
      {Check::axis_range, "the axis of the batch", with_updates(zeros({2, 5, 3}), 0),
       "axis must not be that of the batch, 0 or -3 for data of rank 3, got 0"},
      {Check::axis_range, "the axis of the batch, by default",
       start_call(zeros({2, 5}), starts({0, 0}), zeros({2, 5})),
       "axis must not be that of the batch, 0 or -2 for data of rank 2, got -2"},
      {Check::indices_dtype, "indices of int32", from(ints({2}, {0, 0})),
       "indices must be int64 (tscatter convert IN OUT --to int64), got int32"},
      {Check::indices_shape, "an index for each element", from(starts({0, 0, 0})),
       "indices must have shape [2] (one for each batch), got [3]"},
      {Check::updates_shape, "updates longer than data along the axis",
       with_updates(zeros({2, 6, 3})), shape + "1, got [2, 6, 3]"},
      {Check::updates_shape, "updates shorter along another axis", with_updates(zeros({2, 2, 2})),
       shape + "1, got [2, 2, 2]"},
      {Check::updates_shape, "updates for fewer batches", with_updates(zeros({1, 2, 3})),
       shape + "1, got [1, 2, 3]"},
      {Check::updates_shape, "updates of another rank", with_updates(zeros({2, 3}), 1),
       shape + "1, got [2, 3]"},
      {Check::updates_dtype, "updates of another dtype",
       with_updates(tensor<double>({2, 1, 3}, {0, 0, 0, 0, 0, 0})),
       "updates must have data's dtype float32 (--cast same-kind), got float64"},
      {Check::index_range, "a start from which updates run over the end", from(starts({3, 4})),
       "indices[1] must be in [0, 4) for data axis 1, got 4"},
      {Check::index_range, "a negative start", from(starts({-1, 4})),
       "indices[0] must be in [0, 4) for data axis 1, got -1"},
      {Check::index_range, "the largest start", from(starts({0, largest})),
       "indices[1] must be in [0, 4) for data axis 1, got 9223372036854775807"},
  };
}

}  // namespace

TEST_CASE("operations of form start: calls that break a rule are refused by it", "[ops]") {
  for_each_operation(Form::start, [](const Operation& operation) {
    for (const RefusedCall& refused : refused_start_calls()) {
      INFO(operation.name << ": " << refused.what);
      CHECK(refusal(operation, refused.call) ==
            message_of(operation, refused.check, refused.message));
    }
  });
}

TEST_CASE("operations of form start: each batch begins where its index says", "[ops]") {
  for_each_operation(Form::start, [](const Operation& operation) {
    const Arguments call =
        start_call(zeros({2, 3, 1}), starts({1, 0}), floats({2, 2, 1}, {1, 2, 3, 4}));
    CHECK(left_by(operation, call) == std::vector<float>{0, 1, 2, 3, 4, 0});
    CHECK(left_by(operation, without_indices(call)) == std::vector<float>{1, 2, 0, 3, 4, 0});
  });
}

TEST_CASE("operations of form start: without indices any number of batches needs no memory",
          "[ops]") {
  for_each_operation(Form::start, [](const Operation& operation) {
    const Arguments call =
        start_call(zeros({1'000'000'000'000, 1, 0}), starts({}), zeros({1'000'000'000'000, 1, 0}));
    const Report report = check(operation, without_indices(call));
    CHECK(report.index_entries == 0);
  });
}

TEST_CASE("operations of form start: updates without elements need no memory, and are checked",
          "[ops]") {
  constexpr std::int64_t steps = 1'000'000'000'000;
  for_each_operation(Form::start, [](const Operation& operation) {
    Arguments call = start_call(zeros({2, steps + 5, 0}), starts({5, 0}), zeros({2, steps, 0}));
    CHECK(check(operation, call).index_entries == 2 * steps);
    call.operands.insert_or_assign("indices", starts({5, 6}));
    CHECK(refusal(operation, call) ==
          message_of(operation, Check::index_range,
                     "indices[1] must be in [0, 6) for data axis 1, got 6"));
    Operation dropping = operation;
    dropping.policies.outside = OutsideIndex::drop_elements;
    call.operands.insert_or_assign("indices", starts({6, 5 + 2 * steps}));
    CHECK(check(dropping, call).counts.dropped == 1 + steps);
  });
}

TEST_CASE("operations of form start: a circular axis takes any index and wraps around", "[ops]") {
  for_each_operation(Form::start, [](const Operation& operation) {
    constexpr auto smallest = std::numeric_limits<std::int64_t>::min();  // 1 modulo 3
    const Arguments call =
        start_call(zeros({3, 3, 1}), starts({2, -2, smallest}),
                   floats({3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), 1, "circular");
    CHECK(left_by(operation, call) == std::vector<float>{2, 3, 1, 6, 4, 5, 9, 7, 8});
  });
}

TEST_CASE("operations of form start: axes between the batch and the axis go along", "[ops]") {
  for_each_operation(Form::start, [](const Operation& operation) {
    const Arguments call = start_call(zeros({1, 2, 3}), starts({1}), floats({1, 2, 1}, {7, 8}), -1);
    CHECK(left_by(operation, call) == std::vector<float>{0, 7, 0, 0, 8, 0});
  });
}

}  // namespace tscatter
