// Index tensors that are read in several pieces: more elements than any buffer holds, and a depth
// of 3, which divides no power of two.
#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t entry_count = 150'001;
const Shape data_shape{11, 13, 7};

// Coordinate j of an entry, in [-s, s).
std::int32_t coordinate(std::int64_t entry, std::size_t j) {
  const std::int64_t size = data_shape[j];
  return static_cast<std::int32_t>(
      (entry * 7919 + entry / 31 + static_cast<std::int64_t>(j) * 104'729) % (2 * size) - size);
}

std::vector<std::int32_t> row_major_indices() {
  std::vector<std::int32_t> indices;
  for (std::int64_t entry = 0; entry < entry_count; ++entry) {
    for (std::size_t j = 0; j < 3; ++j) indices.push_back(coordinate(entry, j));
  }
  return indices;
}

std::vector<std::int32_t> column_major_indices() {
  std::vector<std::int32_t> indices;
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::int64_t entry = 0; entry < entry_count; ++entry)
      indices.push_back(coordinate(entry, j));
  }
  return indices;
}

std::vector<float> updates() {
  std::vector<float> values;
  for (std::int64_t entry = 0; entry < entry_count; ++entry)
    values.push_back(static_cast<float>(entry % 1001) / 7);
  return values;
}

std::vector<float> expected(Reduction reduction) {
  std::vector<float> out(11 * 13 * 7);
  const std::vector<float> values = updates();
  for (std::int64_t entry = 0; entry < entry_count; ++entry) {
    std::int64_t offset = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      const std::int64_t index = coordinate(entry, j);
      offset = offset * data_shape[j] + (index < 0 ? index + data_shape[j] : index);
    }
    float& element = out[static_cast<std::size_t>(offset)];
    const float update = values[static_cast<std::size_t>(entry)];
    element = reduction == Reduction::sum ? element + update : update;
  }
  return out;
}

std::vector<float> large_updated(const Tensor& indices, Reduction reduction, int threads) {
  return result(11 * 13 * 7, [&](Output& output) {
    scatter_nd_update_15(zeros(data_shape), indices, floats({entry_count}, updates()), reduction,
                         output, {.threads = threads});
  });
}

std::string large_refused(const Tensor& indices, int threads) {
  return refusal([&](Output& output) {
    scatter_nd_update_15(zeros(data_shape), indices, floats({entry_count}, updates()),
                         Reduction::none, output, {.threads = threads});
  });
}

}  // namespace

TEST_CASE("indices that are read in several pieces keep their order", "[ops]") {
  const Tensor indices = ints({entry_count, 3}, row_major_indices());
  const Tensor transposed = fortran(ints({entry_count, 3}, column_major_indices()));
  for (const Reduction reduction : {Reduction::none, Reduction::sum}) {
    for (const int threads : {1, 2, 7}) {
      INFO(to_string(reduction) << " with " << threads << " threads");
      CHECK(large_updated(indices, reduction, threads) == expected(reduction));
      CHECK(large_updated(transposed, reduction, threads) == expected(reduction));
    }
  }
}

TEST_CASE(
    "scatter_nd_update_15.c4: of wrong indices in several pieces the first in row-major order is "
    "named",
    "[ops]") {
  std::vector<std::int32_t> rows = row_major_indices();
  rows[120'000 * 3 + 1] = 13;
  rows[149'999 * 3] = -12;
  std::vector<std::int32_t> columns = column_major_indices();
  columns[149'999] = -12;
  columns[static_cast<std::size_t>(entry_count) + 120'000] = 13;
  const std::string message =
      "scatter_nd_update_15: indices[120000, 1] must be in [-13, 13) for data axis 1, got 13 "
      "[scatter_nd_update_15.c4]";
  for (const int threads : {1, 2, 7}) {
    CHECK(large_refused(ints({entry_count, 3}, rows), threads) == message);
    CHECK(large_refused(fortran(ints({entry_count, 3}, columns)), threads) == message);
  }
}

}  // namespace tscatter
