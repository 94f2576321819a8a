#include "tscatter/compare/pair_judge.hpp"

#include <algorithm>
#include <cstring>

namespace tscatter {

PairJudge::PairJudge(const TensorHeader& header, const Numbering& numbering,
                     const CompareOptions& options, PlaceCounts& counts)
    : numbering_{numbering},
      tolerance_{options.tolerance},
      element_size_{header.type.size},
      loop_{pair_loop(header.type.dtype)},
      tally_(numbering, std::max<std::int64_t>(options.worst, 1)),
      places_(counts) {
  if (options.grid) grid_.emplace(header.shape, *options.grid);
}

void PairJudge::judge(std::span<const std::byte> actual, std::span<const std::byte> expected,
                      std::int64_t number) {
  const std::size_t block = judged_block * element_size_;
  while (!actual.empty()) {
    const std::size_t bytes = std::min(block, actual.size());
    const auto count = static_cast<std::int64_t>(bytes / element_size_);
    if (std::memcmp(actual.data(), expected.data(), bytes) != 0) {
      loop_(
          {.actual = actual.data(), .expected = expected.data(), .count = count, .number = number},
          element_size_, *this);
    }
    actual = actual.subspan(bytes);
    expected = expected.subspan(bytes);
    number += count;
  }
}

void PairJudge::judge_long_element(const ElementPair& pair) {
  constexpr std::array<std::uint8_t, 1> flags{element_flags::differing | element_flags::beyond};
  ++tally_.differing;
  ++tally_.beyond;
  tally_.offer_worst({.severity = Severity::beyond, .pair = pair});
  add_places(flags, pair.number);
  if (has_grid()) add_to_grid(flags, nullptr, pair.number);
}

void PairJudge::add_to_grid(std::span<const std::uint8_t> flags, const double* errors,
                            std::int64_t number) {
  GridCell* cell = nullptr;
  std::size_t end = 0;  // of the elements that lie in the cell
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if ((flags[i] & element_flags::differing) == 0) continue;
    if (i >= end) {
      const std::int64_t index = numbering_.row_major(number + static_cast<std::int64_t>(i));
      const std::int64_t column = index % grid_->folded_columns();
      const std::int64_t cell_column = grid_->column_of(column);
      cell = &grid_->at(grid_->row_of(index / grid_->folded_columns()), cell_column);
      const std::int64_t rest = std::min(grid_->columns_of(cell_column).second - column,
                                         static_cast<std::int64_t>(flags.size()));
      end = i + (numbering_.is_row_major() ? static_cast<std::size_t>(rest) : 1);
    }
    ++cell->differing;
    cell->beyond += (flags[i] & element_flags::beyond) != 0 ? 1 : 0;
    if ((flags[i] & element_flags::not_finite) != 0) {
      ++cell->not_finite;
    } else if (errors != nullptr) {
      cell->largest = std::max(cell->largest, errors[i]);
    }
  }
}

}  // namespace tscatter
