#include "tscatter/ops/scatter_nd_update_3.hpp"

#include <limits>

#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

std::string refused(const Tensor& data, const Tensor& indices, const Tensor& updates) {
  return refusal([&](Output& output) { scatter_nd_update_3(data, indices, updates, output); });
}

std::vector<float> updated(const Tensor& data, const Tensor& indices, const Tensor& updates) {
  return result(static_cast<std::size_t>(data.count()),
                [&](Output& output) { scatter_nd_update_3(data, indices, updates, output); });
}

}  // namespace

TEST_CASE("scatter_nd_update_3.c1: data of rank 0 is refused", "[ops]") {
  CHECK(refused(zeros({}), ints({1, 0}, {}), zeros({1})) ==
        "scatter_nd_update_3: data must have rank 1 or more, got rank 0 [scatter_nd_update_3.c1]");
  CHECK(refused(zeros({1}), ints({1, 1}, {0}), zeros({1})) == "legal");
}

TEST_CASE("scatter_nd_update_3.c2: indices of rank 0 are refused", "[ops]") {
  CHECK(
      refused(zeros({3}), ints({}, {0}), zeros({})) ==
      "scatter_nd_update_3: indices must have rank 1 or more, got rank 0 [scatter_nd_update_3.c2]");
  CHECK(refused(zeros({3}), ints({1}, {0}), zeros({})) == "legal");
}

TEST_CASE("scatter_nd_update_3.c3: an index depth above the rank of data is refused", "[ops]") {
  CHECK(refused(zeros({2, 3}), ints({1, 3}, {0, 0, 0}), zeros({1})) ==
        "scatter_nd_update_3: the last dimension of indices must be at most 2, the rank of data, "
        "got 3 [scatter_nd_update_3.c3]");
  CHECK(refused(zeros({2, 3}), ints({1, 2}, {0, 0}), zeros({1})) == "legal");
  CHECK(refused(zeros({2, 3}), ints({1, 0}, {}), zeros({1, 2, 3})) == "legal");
}

TEST_CASE(
    "scatter_nd_update_3.c3: indices of shape [5], as printed in the text's XML examples, are "
    "refused",
    "[ops]") {
  CHECK(refused(zeros({4}), ints({5}, {0, 2, 1, 1, 0}), zeros({5})) ==
        "scatter_nd_update_3: the last dimension of indices must be at most 1, the rank of data, "
        "got 5 [scatter_nd_update_3.c3]");
}

TEST_CASE("scatter_nd_update_3.c4: an index past its axis is refused", "[ops]") {
  CHECK(refused(zeros({8}), ints({1, 1}, {7}), zeros({1})) == "legal");
  CHECK(refused(zeros({8}), ints({1, 1}, {8}), zeros({1})) ==
        "scatter_nd_update_3: indices[0, 0] must be in [0, 8) for data axis 0, got 8 "
        "[scatter_nd_update_3.c4]");
}

TEST_CASE("scatter_nd_update_3.c4: a negative index is refused", "[ops]") {
  CHECK(refused(zeros({8}), ints({1, 1}, {0}), zeros({1})) == "legal");
  CHECK(refused(zeros({8}), ints({1, 1}, {-1}), zeros({1})) ==
        "scatter_nd_update_3: indices[0, 0] must be in [0, 8) for data axis 0, got -1 "
        "[scatter_nd_update_3.c4]");
}

TEST_CASE(
    "scatter_nd_update_3.c4: each coordinate is judged against its own axis, not on the flat "
    "offset",
    "[ops]") {
  CHECK(refused(zeros({2, 3}), ints({1, 2}, {0, 3}), zeros({1})) ==
        "scatter_nd_update_3: indices[0, 1] must be in [0, 3) for data axis 1, got 3 "
        "[scatter_nd_update_3.c4]");
}

TEST_CASE("scatter_nd_update_3.c4: of several wrong indices the first in row-major order is named",
          "[ops]") {
  // Entry by entry: (0, 1), (0, 5), (9, 5).
  const Tensor indices = fortran(ints({3, 2}, {0, 0, 9, 1, 5, 5}));
  CHECK(refused(zeros({2, 3}), indices, zeros({3})) ==
        "scatter_nd_update_3: indices[1, 1] must be in [0, 3) for data axis 1, got 5 "
        "[scatter_nd_update_3.c4]");
}

TEST_CASE("scatter_nd_update_3.c4: an index is named with its exact value", "[ops]") {
  const auto largest = std::numeric_limits<std::uint64_t>::max();
  CHECK(refused(zeros({8}), tensor<std::uint64_t>({1, 1}, {largest}), zeros({1})) ==
        "scatter_nd_update_3: indices[0, 0] must be in [0, 8) for data axis 0, got "
        "18446744073709551615 [scatter_nd_update_3.c4]");
  const auto lowest = std::numeric_limits<std::int64_t>::min();
  CHECK(refused(zeros({8}), tensor<std::int64_t>({1, 1}, {lowest}), zeros({1})) ==
        "scatter_nd_update_3: indices[0, 0] must be in [0, 8) for data axis 0, got "
        "-9223372036854775808 [scatter_nd_update_3.c4]");
}

TEST_CASE("scatter_nd_update_3.c4: an axis of size 0 takes no index, but no entries are legal",
          "[ops]") {
  CHECK(refused(zeros({0, 3}), ints({1, 1}, {0}), zeros({1, 3})) ==
        "scatter_nd_update_3: indices[0, 0] must be in [0, 0) for data axis 0, got 0 "
        "[scatter_nd_update_3.c4]");
  CHECK(refused(zeros({0, 3}), ints({0, 1}, {}), zeros({0, 3})) == "legal");
  CHECK(refused(zeros({3, 0}), ints({1, 1}, {3}), zeros({1, 0})) ==
        "scatter_nd_update_3: indices[0, 0] must be in [0, 3) for data axis 0, got 3 "
        "[scatter_nd_update_3.c4]");
}

TEST_CASE("scatter_nd_update_3.c5: indices that are no integers are refused", "[ops]") {
  CHECK(refused(zeros({8}), floats({1, 1}, {0}), zeros({1})) ==
        "scatter_nd_update_3: indices must be of an integer dtype, got float32 "
        "[scatter_nd_update_3.c5]");
  CHECK(refused(zeros({8}), opaque({1, 1}, "'<M8[ns]'", 8), zeros({1})) ==
        "scatter_nd_update_3: indices must be of an integer dtype, got <M8[ns] "
        "[scatter_nd_update_3.c5]");
  CHECK(refused(zeros({8}), tensor<std::int8_t>({1, 1}, {0}), zeros({1})) == "legal");
}

TEST_CASE("scatter_nd_update_3.c6: updates of another shape are refused", "[ops]") {
  CHECK(refused(zeros({4, 3}), ints({2, 1}, {0, 1}), zeros({2, 3})) == "legal");
  CHECK(refused(zeros({4, 3}), ints({2, 1}, {0, 1}), zeros({1, 3})) ==
        "scatter_nd_update_3: updates must have shape [2, 3] (indices.shape[:-1] + "
        "data.shape[1:]), got [1, 3] [scatter_nd_update_3.c6]");
  CHECK(refused(zeros({4, 3}), ints({2, 1}, {0, 1}), zeros({6})) ==
        "scatter_nd_update_3: updates must have shape [2, 3] (indices.shape[:-1] + "
        "data.shape[1:]), got [6] [scatter_nd_update_3.c6]");
}

TEST_CASE("scatter_nd_update_3.c6: where updates of rank 0 are expected, any one element will do",
          "[ops]") {
  const Tensor data = zeros({2, 2});
  const Tensor indices = ints({2}, {1, 0});
  const std::vector<float> expected{0, 0, 7, 0};
  CHECK(updated(data, indices, floats({}, {7})) == expected);
  CHECK(updated(data, indices, floats({1}, {7})) == expected);
  CHECK(updated(data, indices, floats({1, 1, 1}, {7})) == expected);
  CHECK(refused(data, indices, zeros({2})) ==
        "scatter_nd_update_3: updates must have shape [] (indices.shape[:-1] + data.shape[2:]), "
        "got [2] [scatter_nd_update_3.c6]");
  CHECK(refused(data, indices, zeros({0})) ==
        "scatter_nd_update_3: updates must have shape [] (indices.shape[:-1] + data.shape[2:]), "
        "got [0] [scatter_nd_update_3.c6]");
  CHECK(refused(data, ints({1, 2}, {1, 0}), zeros({})) ==
        "scatter_nd_update_3: updates must have shape [1] (indices.shape[:-1] + data.shape[2:]), "
        "got [] [scatter_nd_update_3.c6]");
}

TEST_CASE("scatter_nd_update_3.c7: updates of another dtype are refused", "[ops]") {
  CHECK(refused(zeros({2}), ints({1, 1}, {0}), tensor<double>({1}, {0})) ==
        "scatter_nd_update_3: updates must have data's dtype float32, got float64 "
        "[scatter_nd_update_3.c7]");
  CHECK(
      refused(opaque({2}, "'|S3'", 3), ints({1, 1}, {0}), opaque({1}, "'|V3'", 3)) ==
      "scatter_nd_update_3: updates must have data's dtype |S3, got |V3 [scatter_nd_update_3.c7]");
  CHECK(refused(opaque({2}, "'|S3'", 3), ints({1, 1}, {0}), opaque({1}, "'|S3'", 3)) == "legal");
}

TEST_CASE("scatter_nd_update_3: of several entries that name one place the last one wins",
          "[ops]") {
  CHECK(updated(zeros({4}), ints({3, 1}, {1, 2, 1}), floats({3}, {5, 6, 7})) ==
        std::vector<float>{0, 7, 6, 0});
}

TEST_CASE("scatter_nd_update_3: with an index depth of 0 each update covers the whole of data",
          "[ops]") {
  CHECK(updated(zeros({2}), ints({2, 0}, {}), floats({2, 2}, {1, 2, 3, 4})) ==
        std::vector<float>{3, 4});
}

}  // namespace tscatter
