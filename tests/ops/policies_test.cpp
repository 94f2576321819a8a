// What becomes of an index that is out of range: every policy, by a copy of an operation's
// row; and calls that refuse to write a place twice.
#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

constexpr auto from_front = NegativeIndex::outside;
constexpr auto from_the_end = NegativeIndex::from_the_end;

Operation with_policies(std::string_view name, OutsideIndex outside, NegativeIndex negative) {
  Operation row = *find_operation(name);
  row.policies.outside = outside;
  row.policies.negative = negative;
  row.index_dtypes = integer_dtypes;
  return row;
}

struct Applied {
  std::vector<float> output;
  std::optional<std::int64_t> dropped;
  std::int64_t duplicates = 0;
};

Applied applied(const Operation& row, const Tensor& data, const Tensor& indices,
                const Tensor& updates) {
  Applied got;
  got.output = result(static_cast<std::size_t>(data.count()), [&](Output& output) {
    const Report report = apply(row, arguments_of(data, indices, updates), output);
    got.dropped = report.counts.dropped;
    got.duplicates = report.counts.duplicates;
  });
  return got;
}

}  // namespace

TEST_CASE("each policy has an answer to indices on both sides of an axis", "[ops]") {
  struct Answer {
    OutsideIndex outside;
    NegativeIndex negative;
    std::vector<float> output;  // of an axis of 4
    std::optional<std::int64_t> dropped;
  };
  const std::vector<Answer> answers{
      {OutsideIndex::drop_window, from_front, {0, 4, 0, 0}, 6},
      {OutsideIndex::drop_window, from_the_end, {7, 4, 0, 6}, 4},
      {OutsideIndex::drop_elements, from_the_end, {7, 4, 0, 6}, 4},
      {OutsideIndex::clip_index, from_front, {7, 4, 0, 5}, std::nullopt},
      {OutsideIndex::clip_start, from_the_end, {7, 4, 0, 6}, std::nullopt},
      {OutsideIndex::modulo, from_front, {7, 4, 0, 6}, std::nullopt},
  };
  for (const Answer& answer : answers) {
    INFO("outside " << static_cast<int>(answer.outside) << ", negative "
                    << static_cast<int>(answer.negative));
    const Operation row = with_policies("onnx.ScatterElements-13", answer.outside, answer.negative);
    const auto got = applied(row, zeros({4}), ints({7}, {-9, -5, 9, 1, 4, -1, -4}),
                             floats({7}, {1, 2, 3, 4, 5, 6, 7}));
    CHECK(got.output == answer.output);
    CHECK(got.dropped == answer.dropped);
  }
}

TEST_CASE("an entry is dropped for one coordinate that is out of range, whatever the others say",
          "[ops]") {
  const Operation row = with_policies("onnx.ScatterND-13", OutsideIndex::drop_window, from_front);
  const Tensor indices = tensor<std::int64_t>({4, 2}, {0, 3, 1, 0, -1, 1, 1, 0});
  const Applied got = applied(row, zeros({2, 3}), indices, floats({4}, {7, 8, 9, 10}));
  CHECK(got.output == std::vector<float>{0, 0, 0, 10, 0, 0});
  CHECK(got.dropped == 2);
  CHECK(got.duplicates == 1);
}

TEST_CASE("the remainder of an index counts in all of its bits", "[ops]") {
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();  // 0 modulo 3, 5 and 15
  const Operation row = with_policies("ScatterNDUpdate-15", OutsideIndex::modulo, from_front);
  const Tensor indices = tensor<std::uint64_t>({2, 1}, {largest, largest - 1});
  const std::vector<float> expected{1, 0, 0, 0, 2};
  CHECK(applied(row, zeros({5}), indices, floats({2}, {1, 2})).output == expected);
  CHECK(applied(row, zeros({5}), fortran(indices), floats({2}, {1, 2})).output == expected);
  const Tensor smallest = tensor<std::int64_t>({1, 1}, {std::numeric_limits<std::int64_t>::min()});
  CHECK(applied(row, zeros({5}), smallest, floats({1}, {3})).output ==
        std::vector<float>{0, 0, 3, 0, 0});  // -2^63 = -3 modulo 5
}

TEST_CASE("an operation that drops nothing reports no dropped entries", "[ops]") {
  const Operation& row = *find_operation("onnx.ScatterElements-13");
  CHECK(applied(row, zeros({4}), ints({1}, {1}), floats({1}, {1})).dropped == std::nullopt);
}

namespace {

Call unique(Call call) {
  Policies policies = call.operation->policies;
  policies.duplicates = DuplicatePolicy::forbidden;
  return with_policies(std::move(call), policies);
}

std::string unique_refusal(const Call& call) {
  return refusal([&](Output& output) { apply(call, output); });
}

// Rows of 2 elements each.
Call rows(std::vector<std::int32_t> indices, const Shape& data = {6, 2}) {
  const auto count = static_cast<std::int64_t>(indices.size());
  return unique(scatter_update_3(zeros(data), ints({count}, std::move(indices)),
                                 zeros({count, data[1]}), scalar(0)));
}

}  // namespace

TEST_CASE("operation.o6: the first entry that writes where an earlier one wrote is refused",
          "[ops]") {
  CHECK(unique_refusal(rows({5, 0, 3, 1})) == "legal");
  CHECK(
      unique_refusal(rows({5, 0, 5, 0})) ==
      "scatter_update_3: indices[2] must name another place than indices[0], got 5 [operation.o6]");
  CHECK(
      unique_refusal(rows({4, 4})) ==
      "scatter_update_3: indices[1] must name another place than indices[0], got 4 [operation.o6]");
}

TEST_CASE("operation.o6: entries of many destinations are compared in sorted order", "[ops]") {
  const Shape large{100000, 1};
  CHECK(unique_refusal(rows({99999, 0, 5}, large)) == "legal");
  CHECK(
      unique_refusal(rows({99999, 3, 7, 3, 7, 99999}, large)) ==
      "scatter_update_3: indices[3] must name another place than indices[1], got 3 [operation.o6]");
}

TEST_CASE("operation.o6: coordinates are compared by the place that they name", "[ops]") {
  const auto call = [](const Tensor& indices, const Tensor& updates) {
    return unique_refusal(
        unique(scatter_nd_update_15(zeros({2, 3}), indices, updates, Reduction::none)));
  };
  const Tensor indices = ints({2, 2, 2}, {0, 1, 1, 1, 0, 2, -2, -2});
  CHECK(call(indices, zeros({2, 2})) ==
        "scatter_nd_update_15: indices[1, 1] must name another place than indices[0, 0], got [-2, "
        "-2] [operation.o6]");
  CHECK(call(ints({2, 0}, {}), zeros({2, 2, 3})) ==
        "scatter_nd_update_15: indices[1] must name another place than indices[0], got [] "
        "[operation.o6]");
  CHECK(call(ints({1, 0}, {}), zeros({1, 2, 3})) == "legal");
}

TEST_CASE("operation.o6: without elements, nothing is written twice", "[ops]") {
  CHECK(unique_refusal(rows({0, 0}, {2, 0})) == "legal");
}

TEST_CASE("operation.o6: an index in range by its policy counts where it goes, a dropped one not",
          "[ops]") {
  const auto call = [](OutsideIndex outside) {
    Call made = rows({1, 7, 13});
    Policies policies = made.operation->policies;
    policies.outside = outside;
    return unique_refusal(with_policies(made, policies));
  };
  CHECK(call(OutsideIndex::drop_window) == "legal");
  CHECK(
      call(OutsideIndex::modulo) ==
      "scatter_update_3: indices[1] must name another place than indices[0], got 7 [operation.o6]");
  CHECK(call(OutsideIndex::clip_index) ==
        "scatter_update_3: indices[2] must name another place than indices[1], got 13 "
        "[operation.o6]");
}

TEST_CASE("operation.o4: a policy that the operation has no question for is refused", "[ops]") {
  const Call call =
      slice_scatter_15(zeros({3}), zeros({1}), list({0}), list({1}), list({1}), nullptr);
  Policies policies = call.operation->policies;
  policies.outside = OutsideIndex::modulo;
  const std::string message = refusal([&](Output&) { with_policies(call, policies); });
  CHECK(message ==
        "slice_scatter_15: the policy oob is for operations with index entries, got "
        "SliceScatter-15 [operation.o4]");
}

TEST_CASE("a call with the policies of its operation is the same call", "[ops]") {
  const Call call = scatter_update_3(zeros({2}), ints({1}, {0}), zeros({1}), scalar(0));
  const Call same = with_policies(call, call.operation->policies);
  CHECK(overrides_of(*same.operation).empty());
  CHECK(unique_refusal(same) == "legal");
}

}  // namespace tscatter
