// What becomes of an index that is out of range: every policy, by a copy of an operation's row.
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

}  // namespace tscatter
