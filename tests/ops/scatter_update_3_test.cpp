#include <limits>

#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

std::string rows_refused(const Tensor& data, const Tensor& indices, const Tensor& updates,
                         const Tensor& axis) {
  return refusal([&](Output& output) { scatter_update_3(data, indices, updates, axis, output); });
}

// Legal except for the axis.
std::string refused_axis(const Tensor& axis) {
  return rows_refused(zeros({3, 3}), ints({3}, {0, 1, 2}), zeros({3, 3}), axis);
}

std::string refused_index(const Tensor& indices) {
  return rows_refused(zeros({8}), indices, zeros(indices.shape()), scalar(0));
}

std::vector<float> rows_updated(const Tensor& data, const Tensor& indices, const Tensor& updates,
                                std::int64_t axis) {
  return result(static_cast<std::size_t>(data.count()), [&](Output& output) {
    scatter_update_3(data, indices, updates, scalar(axis), output);
  });
}

}  // namespace

TEST_CASE("scatter_update_3.c1: data of rank 0 is refused", "[ops]") {
  CHECK(rows_refused(zeros({}), ints({}, {0}), zeros({}), scalar(0)) ==
        "scatter_update_3: data must have rank 1 or more, got rank 0 [scatter_update_3.c1]");
  CHECK(rows_refused(zeros({1}), ints({}, {0}), zeros({}), scalar(0)) == "legal");
}

TEST_CASE("scatter_update_3.c2: an axis that is not one integer is refused", "[ops]") {
  CHECK(refused_axis(ints({}, {0})) == "legal");
  CHECK(refused_axis(ints({1}, {0})) == "legal");
  CHECK(refused_axis(ints({2}, {0, 0})) ==
        "scatter_update_3: axis must be an integer of rank 0 or shape [1], got int32 of shape [2] "
        "[scatter_update_3.c2]");
  CHECK(refused_axis(ints({0}, {})) ==
        "scatter_update_3: axis must be an integer of rank 0 or shape [1], got int32 of shape [0] "
        "[scatter_update_3.c2]");
  CHECK(refused_axis(ints({1, 1}, {0})) ==
        "scatter_update_3: axis must be an integer of rank 0 or shape [1], got int32 of shape [1, "
        "1] [scatter_update_3.c2]");
  CHECK(refused_axis(floats({}, {0})) ==
        "scatter_update_3: axis must be an integer of rank 0 or shape [1], got float32 of shape [] "
        "[scatter_update_3.c2]");
}

TEST_CASE("scatter_update_3.c3: an axis that data does not have is refused", "[ops]") {
  CHECK(refused_axis(scalar(1)) == "legal");
  CHECK(refused_axis(scalar(-2)) == "legal");
  CHECK(
      refused_axis(scalar(2)) ==
      "scatter_update_3: axis must be in [-2, 2) for data of rank 2, got 2 [scatter_update_3.c3]");
  CHECK(
      refused_axis(scalar(-3)) ==
      "scatter_update_3: axis must be in [-2, 2) for data of rank 2, got -3 [scatter_update_3.c3]");
  CHECK(refused_axis(tensor<std::uint64_t>({}, {std::numeric_limits<std::uint64_t>::max()})) ==
        "scatter_update_3: axis must be in [-2, 2) for data of rank 2, got 18446744073709551615 "
        "[scatter_update_3.c3]");
}

TEST_CASE("scatter_update_3.c4: an index past its axis is refused", "[ops]") {
  CHECK(refused_index(ints({1}, {7})) == "legal");
  CHECK(refused_index(ints({1}, {8})) ==
        "scatter_update_3: indices[0] must be in [0, 8) for data axis 0, got 8 "
        "[scatter_update_3.c4]");
}

TEST_CASE("scatter_update_3.c4: a negative index is refused", "[ops]") {
  CHECK(refused_index(ints({1}, {0})) == "legal");
  CHECK(refused_index(ints({1}, {-1})) ==
        "scatter_update_3: indices[0] must be in [0, 8) for data axis 0 (--negative from-the-end "
        "counts it from the end), got -1 [scatter_update_3.c4]");
}

TEST_CASE("scatter_update_3.c4: the place and the axis are named", "[ops]") {
  CHECK(refused_index(ints({}, {8})) ==
        "scatter_update_3: indices must be in [0, 8) for data axis 0, got 8 [scatter_update_3.c4]");
  CHECK(rows_refused(zeros({2, 3}), ints({2, 2}, {0, 1, 3, 4}), zeros({2, 2, 2}), scalar(-1)) ==
        "scatter_update_3: indices[1, 0] must be in [0, 3) for data axis 1, got 3 "
        "[scatter_update_3.c4]");
}

TEST_CASE("scatter_update_3.c4: of several wrong indices the first in row-major order is named",
          "[ops]") {
  // Row by row: 0 10, 9 1.
  CHECK(refused_index(fortran(ints({2, 2}, {0, 9, 10, 1}))) ==
        "scatter_update_3: indices[0, 1] must be in [0, 8) for data axis 0, got 10 "
        "[scatter_update_3.c4]");
}

TEST_CASE("scatter_update_3.c4: an index is refused where nothing would be written, too", "[ops]") {
  CHECK(rows_refused(zeros({0, 3}), ints({1}, {5}), zeros({0, 1}), scalar(1)) ==
        "scatter_update_3: indices[0] must be in [0, 3) for data axis 1, got 5 "
        "[scatter_update_3.c4]");
  CHECK(rows_refused(zeros({0, 3}), ints({1}, {0}), zeros({1, 3}), scalar(0)) ==
        "scatter_update_3: indices[0] must be in [0, 0) for data axis 0, got 0 "
        "[scatter_update_3.c4]");
  CHECK(rows_refused(zeros({0, 3}), ints({0}, {}), zeros({0, 3}), scalar(0)) == "legal");
}

TEST_CASE("scatter_update_3.c5: indices that are no integers are refused", "[ops]") {
  CHECK(refused_index(floats({1}, {0})) ==
        "scatter_update_3: indices must be of an integer dtype (tscatter convert IN OUT --to "
        "int64), got float32 [scatter_update_3.c5]");
  CHECK(refused_index(tensor<std::uint8_t>({1}, {0})) == "legal");
}

TEST_CASE("scatter_update_3.c6: updates of another shape are refused", "[ops]") {
  const Tensor indices = ints({2}, {0, 2});
  CHECK(rows_refused(zeros({3, 5}), indices, zeros({3, 2}), scalar(1)) == "legal");
  CHECK(rows_refused(zeros({3, 5}), indices, zeros({2, 3}), scalar(1)) ==
        "scatter_update_3: updates must have shape [3, 2] (data.shape[:axis] + indices.shape + "
        "data.shape[axis+1:]), got [2, 3] [scatter_update_3.c6]");
  CHECK(rows_refused(zeros({3}), ints({}, {0}), zeros({1}), scalar(0)) ==
        "scatter_update_3: updates must have shape [] (data.shape[:axis] + indices.shape + "
        "data.shape[axis+1:]), got [1] [scatter_update_3.c6]");
}

TEST_CASE("scatter_update_3.c7: updates of another dtype are refused", "[ops]") {
  CHECK(rows_refused(zeros({3}), ints({1}, {0}), ints({1}, {0}), scalar(0)) ==
        "scatter_update_3: updates must have data's dtype float32 (--cast same-kind), got int32 "
        "[scatter_update_3.c7]");
}

TEST_CASE("scatter_update_3: of several indices that name one place the last one wins", "[ops]") {
  CHECK(rows_updated(zeros({2, 3}), ints({3}, {1, 0, 1}), floats({2, 3}, {1, 2, 3, 4, 5, 6}), -1) ==
        std::vector<float>{2, 3, 0, 5, 6, 0});
}

}  // namespace tscatter
