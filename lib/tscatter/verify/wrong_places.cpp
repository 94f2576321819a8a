#include "tscatter/verify/wrong_places.hpp"

#include <algorithm>
#include <cmath>

#include "tscatter/diagnose/meeting_trial.hpp"

namespace tscatter {

WrongPlaces::Worker::Worker(WrongPlaces& places) : places_{places}, counts_{places.counts_} {
  if (places.limits_) grid_.emplace(places.data_.shape, *places.limits_);
}

void WrongPlaces::Worker::add(std::int64_t number) {
  counts_.add({&element_flags::beyond, 1}, number);
}

void WrongPlaces::Worker::draw(std::int64_t number, std::span<const std::byte> actual,
                               std::span<const std::byte> in_order) {
  const std::int64_t index = places_.numbering_.row_major(number);
  GridCell& cell = grid_->at(grid_->row_of(index / grid_->folded_columns()),
                             grid_->column_of(index % grid_->folded_columns()));
  ++cell.differing;
  ++cell.beyond;
  const DType dtype = places_.data_.type.dtype;
  const auto got = diagnose::to_double(dtype, actual.data());
  const auto wanted = diagnose::to_double(dtype, in_order.data());
  if (!got || !wanted) return;
  const double error = std::abs(*got - *wanted);
  if (std::isfinite(error)) {
    cell.largest = std::max(cell.largest, error);
  } else {
    ++cell.not_finite;
  }
}

void WrongPlaces::Worker::finish() {
  counts_.finish();
  if (!grid_) return;
  if (places_.grid_) {
    places_.grid_->merge(*grid_);
  } else {
    places_.grid_ = std::move(grid_);
  }
}

}  // namespace tscatter
