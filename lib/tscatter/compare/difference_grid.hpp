// DifferenceGrid: the differences of a tensor as a picture of limited size. Leading axes are folded
// into rows, trailing ones into columns; a cell covers a range of rows and a range of columns.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/core/shape.hpp"

namespace tscatter {

struct GridLimits {
  std::int64_t rows = 256;
  std::int64_t columns = 256;
};

struct GridCell {
  std::int64_t differing = 0;
  std::int64_t beyond = 0;
  std::int64_t not_finite = 0;  // of the differing: with a NaN or an infinity
  double largest = 0;           // absolute error of the others
};

class DifferenceGrid {
 public:
  DifferenceGrid(const Shape& shape, GridLimits limits);

  std::size_t row_axes() const { return row_axes_; }  // axes 0 … row_axes - 1 are the rows
  std::int64_t folded_rows() const { return folded_rows_; }
  std::int64_t folded_columns() const { return folded_columns_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }

  // The folded rows (columns) of a row (column) of cells: a half-open range.
  std::pair<std::int64_t, std::int64_t> rows_of(std::int64_t row) const;
  std::pair<std::int64_t, std::int64_t> columns_of(std::int64_t column) const;
  std::int64_t row_of(std::int64_t folded_row) const;
  std::int64_t column_of(std::int64_t folded_column) const;

  GridCell& at(std::int64_t row, std::int64_t column) {
    return cells_[static_cast<std::size_t>(row * columns_ + column)];
  }
  const GridCell& at(std::int64_t row, std::int64_t column) const {
    return cells_[static_cast<std::size_t>(row * columns_ + column)];
  }
  std::span<const GridCell> cells() const { return cells_; }
  std::int64_t elements_of(std::int64_t row, std::int64_t column) const;

  // Adds the counts of another grid of the same shape.
  void merge(const DifferenceGrid& other);

 private:
  std::size_t row_axes_ = 0;
  std::int64_t folded_rows_ = 1;
  std::int64_t folded_columns_ = 1;
  std::int64_t rows_ = 1;
  std::int64_t columns_ = 1;
  std::vector<GridCell> cells_;
};

}  // namespace tscatter
