#include "tscatter/compare/difference_grid.hpp"

#include <algorithm>
#include <cmath>

namespace tscatter {
namespace {

using Interval = std::pair<std::int64_t, std::int64_t>;

// Product of the axes [begin, end).
std::int64_t folded(const Shape& shape, std::size_t begin, std::size_t end) {
  std::int64_t size = 1;
  for (std::size_t axis = begin; axis < end; ++axis) size *= shape[axis];
  return size;
}

// How many axes become rows, so that there are about as many rows as columns. A vector is one row.
std::size_t balanced_split(const Shape& shape) {
  std::size_t best = 0;
  double best_skew = HUGE_VAL;
  for (std::size_t split = shape.size() < 2 ? 0 : 1; split < std::max<std::size_t>(shape.size(), 1);
       ++split) {
    const double rows = std::log(static_cast<double>(folded(shape, 0, split)));
    const double columns = std::log(static_cast<double>(folded(shape, split, shape.size())));
    const double skew = std::abs(rows - columns);
    if (skew < best_skew) {
      best = split;
      best_skew = skew;
    }
  }
  return best;
}

// Cell `i` of `cells` over [0, size): the first place where place * cells / size is i.
std::int64_t boundary(std::int64_t i, std::int64_t cells, std::int64_t size) {
  const std::int64_t whole = size / cells;
  const std::int64_t rest = size % cells;
  return i * whole + (i * rest + cells - 1) / cells;
}

std::int64_t cell_of(std::int64_t place, std::int64_t cells, std::int64_t size) {
  const auto guess = static_cast<std::int64_t>(
      static_cast<double>(place) / static_cast<double>(size) * static_cast<double>(cells));
  std::int64_t cell = std::clamp<std::int64_t>(guess, 0, cells - 1);
  while (boundary(cell, cells, size) > place) --cell;
  while (boundary(cell + 1, cells, size) <= place) ++cell;
  return cell;
}

}  // namespace

DifferenceGrid::DifferenceGrid(const Shape& shape, GridLimits limits)
    : row_axes_{balanced_split(shape)},
      folded_rows_{folded(shape, 0, row_axes_)},
      folded_columns_{folded(shape, row_axes_, shape.size())},
      rows_{std::min(folded_rows_, limits.rows)},
      columns_{std::min(folded_columns_, limits.columns)},
      cells_(static_cast<std::size_t>(rows_ * columns_)) {}

Interval DifferenceGrid::rows_of(std::int64_t row) const {
  return {boundary(row, rows_, folded_rows_), boundary(row + 1, rows_, folded_rows_)};
}

Interval DifferenceGrid::columns_of(std::int64_t column) const {
  return {boundary(column, columns_, folded_columns_),
          boundary(column + 1, columns_, folded_columns_)};
}

std::int64_t DifferenceGrid::row_of(std::int64_t folded_row) const {
  return cell_of(folded_row, rows_, folded_rows_);
}

std::int64_t DifferenceGrid::column_of(std::int64_t folded_column) const {
  return cell_of(folded_column, columns_, folded_columns_);
}

std::int64_t DifferenceGrid::elements_of(std::int64_t row, std::int64_t column) const {
  const auto [top, bottom] = rows_of(row);
  const auto [left, right] = columns_of(column);
  return (bottom - top) * (right - left);
}

void DifferenceGrid::merge(const DifferenceGrid& other) {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    cells_[i].differing += other.cells_[i].differing;
    cells_[i].beyond += other.cells_[i].beyond;
    cells_[i].not_finite += other.cells_[i].not_finite;
    cells_[i].largest = std::max(cells_[i].largest, other.cells_[i].largest);
  }
}

}  // namespace tscatter
