#include "tscatter/verify/findings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <utility>

#include "tscatter/core/number.hpp"

namespace tscatter {
namespace {

// Illegal ones first; of the legal ones, those within a bound before those that an order explains.
int severity(ElementClass element_class) {
  switch (element_class) {
    case ElementClass::wrong: return 3;
    case ElementClass::torn: return 2;
    case ElementClass::rounded: return 1;
    case ElementClass::reordered:
    case ElementClass::in_order:
    case ElementClass::untouched: return 0;
  }
  std::abort();
}

double ordered_share(double share) {
  return share == share ? share : std::numeric_limits<double>::infinity();
}

}  // namespace

bool IsWorseFinding::is_worse(const ElementVerdict& a, std::int64_t a_number,
                              const ElementVerdict& b, std::int64_t b_number) const {
  const std::tuple one(severity(a.element_class), ordered_share(a.share));
  const std::tuple other(severity(b.element_class), ordered_share(b.share));
  if (one != other) return one > other;
  return a_number != b_number && numbering->is_before(a_number, b_number);
}

void Findings::offer_worst(Finding finding) {
  worst_.offer(std::move(finding));
  update_least_share();
}

// Until as many as are kept are there, any may be one of them. A legal one takes no illegal one's
// place.
void Findings::update_least_share() {
  least_share_ = largest_.empty() ? 0 : largest_.front().verdict.share;
  if (worst_.most() == 0) return;
  if (!worst_.is_full()) {
    least_share_ = 0;
  } else if (const ElementVerdict& least = worst_.last().verdict; is_legal(least.element_class)) {
    least_share_ = std::min(least_share_, least.share);
  }
}

void Findings::merge(Findings&& other) {
  const auto add = [](auto& to, const auto& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  add(classes_, other.classes_);
  other_untouched_ += other.other_untouched_;
  for (std::size_t i = 0; i < other.of_variants_.size(); ++i)
    count_variant(i, other.of_variants_[i]);
  sample_.merge(other.sample_);
  if (other.wrong_) other.wrong_->finish();
  other.wrong_.reset();
  add(needed_, other.needed_);
  hiding_ += other.hiding_;
  add(would_explain_, other.would_explain_);
  for (Finding& each : other.largest_) {
    if (is_larger(each.verdict.share, each.number)) largest_ = {std::move(each)};
  }
  worst_.merge(std::move(other.worst_));
  update_least_share();
}

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
  const auto got = to_double(dtype, actual.data());
  const auto wanted = to_double(dtype, in_order.data());
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
