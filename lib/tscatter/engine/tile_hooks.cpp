#include "tscatter/engine/tile_hooks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>
#include <variant>

#include "tscatter/kernels/move.hpp"
#include "tscatter/kernels/reduce.hpp"

namespace tscatter {
namespace {

bool has_hooks(const Combiner& combiner, Reduction reduction, InitialValue initial) {
  return combiner.is_wide() || info(reduction).divides || starts_anew(reduction, initial);
}

bool is_boxed(const Writers& writers) { return std::holds_alternative<BoxWriters>(writers.form()); }

}  // namespace

void Marks::clear(std::int64_t elements) {
  constexpr std::int64_t most_bytes = std::int64_t{512} * 1024;
  are_bits_ = elements > most_bytes;
  const std::int64_t words = (elements + (are_bits_ ? 63 : 7)) / (are_bits_ ? 64 : 8);
  marks_.assign(static_cast<std::size_t>(words), 0);
}

std::int64_t Marks::count() const {
  return std::transform_reduce(marks_.begin(), marks_.end(), std::int64_t{0}, std::plus<>(),
                               [](std::uint64_t marks) { return std::popcount(marks); });
}

std::int64_t TileHooks::bytes_per_boxed_element(const Combiner& combiner, Reduction reduction,
                                                InitialValue initial) {
  const bool keeps_values = combiner.is_wide() || starts_anew(reduction, initial);
  const std::size_t value = keeps_values ? info(combiner.accumulator).size : 0;
  const std::size_t count = has_hooks(combiner, reduction, initial) ? sizeof(std::uint32_t) : 0;
  return static_cast<std::int64_t>(value + count);
}

TileHooks::TileHooks(const TileJob& job)
    : job_{job},
      start_{start_value(job.combiner.accumulator, job.reduction, job.initial)},
      divide_{divide_loop(job.division().divided_in(job.combiner.accumulator), job.division())},
      divide_box_{divide_by_updates(job.combiner.accumulator, job.division())},
      counts_{is_boxed(job.writers) && has_hooks(job.combiner, job.reduction, job.initial)} {}

std::span<std::byte> TileHooks::prepare(Range tile, std::span<std::byte> bytes) {
  if (counts_) return prepare_box(tile, bytes);
  if (job_.counts_written) marks_.clear(tile.length());
  if (!job_.combiner.is_wide()) {
    put_start(tile, bytes);
    return bytes;
  }
  values_.resize(static_cast<std::size_t>(tile.length() * job_.value_size()));
  job_.combiner.widen(bytes.data(), values_.data(), tile.length());
  put_start(tile, values_);
  return values_;
}

void TileHooks::finish(Range tile, std::span<std::byte> bytes) {
  if (counts_) return finish_box(tile, bytes);
  const bool rounds_sum = job_.mean.rounds_sum();
  if (job_.combiner.is_wide() && !rounds_sum) divide(tile, values_);
  if (job_.combiner.is_wide()) narrow_touched(tile, bytes);
  if (!job_.combiner.is_wide() || rounds_sum) divide(tile, bytes);
}

std::span<std::byte> TileHooks::prepare_box(Range box, std::span<std::byte> bytes) {
  updates_of_.assign(static_cast<std::size_t>(box.length()), 0);
  if (!keeps_values()) return bytes;
  values_.resize(static_cast<std::size_t>(box.length() * job_.value_size()));
  if (start_.empty()) {
    job_.combiner.widen(bytes.data(), values_.data(), box.length());
  } else {
    repeat(start_, values_);
  }
  return values_;
}

std::int64_t TileHooks::touched() const {
  if (!counts_) return marks_.count();
  return std::ssize(updates_of_) - std::count(updates_of_.begin(), updates_of_.end(), 0);
}

// Divides the elements that were written, and rounds them back if they were kept in a wider dtype.
void TileHooks::finish_box(Range box, std::span<std::byte> bytes) {
  constexpr std::int64_t at_once = 1024;  // elements
  std::byte* values = keeps_values() ? values_.data() : bytes.data();
  const bool rounds_sum = divide_ != nullptr && job_.combiner.is_wide() && job_.mean.rounds_sum();
  if (divide_box_ != nullptr) {
    const std::int64_t own = divisor_of(job_.division(), 0);
    divide_box_(values, updates_of_.data(), static_cast<std::uint32_t>(own), box.length());
  } else if (divide_ != nullptr) {
    count_divisors();
    if (!rounds_sum) divide_(values, divisors_.data(), box.length());
  }
  if (!keeps_values()) return;
  std::array<std::byte, at_once * sizeof(double)> narrow;
  for (std::int64_t first = 0; first < box.length(); first += at_once) {
    const std::int64_t count = std::min(at_once, box.length() - first);
    const std::byte* from = values + first * job_.value_size();
    if (job_.combiner.is_wide()) job_.combiner.narrow(from, narrow.data(), count);
    if (rounds_sum) divide_(narrow.data(), divisors_.data() + first, count);
    copy_marked(bytes.data() + first * job_.element_size(),
                job_.combiner.is_wide() ? narrow.data() : from, updates_of_.data() + first, count,
                static_cast<std::size_t>(job_.element_size()));
  }
}

void TileHooks::put_start(Range tile, std::span<std::byte> values) const {
  if (start_.empty()) return;
  const auto size = static_cast<std::int64_t>(start_.size());
  job_.writers.visit_extents(tile, [&](Range extent) {
    for (std::int64_t element = extent.begin; element < extent.end; ++element)
      std::ranges::copy(start_, values.begin() + (element - tile.begin) * size);
  });
}

void TileHooks::divide(Range tile, std::span<std::byte> values) {
  if (divide_ == nullptr) return;
  divisors_.assign(static_cast<std::size_t>(tile.length()), 0);
  job_.writers.visit_extents(tile, [&](Range extent) {
    for (std::int64_t element = extent.begin; element < extent.end; ++element)
      ++divisors_[static_cast<std::size_t>(element - tile.begin)];
  });
  for (std::int64_t& divisor : divisors_) {
    if (divisor > 0) divisor = divisor_of(job_.division(), divisor);
  }
  divide_(values.data(), divisors_.data(), tile.length());
}

// Of each element of a box.
void TileHooks::count_divisors() {
  divisors_.assign(updates_of_.size(), 0);
  for (std::size_t i = 0; i < updates_of_.size(); ++i) {
    if (updates_of_[i] > 0) divisors_[i] = divisor_of(job_.division(), updates_of_[i]);
  }
}

void TileHooks::narrow_touched(Range tile, std::span<std::byte> bytes) const {
  job_.writers.visit_extents(tile, [&](Range extent) {
    const std::int64_t first = extent.begin - tile.begin;
    job_.combiner.narrow(values_.data() + first * job_.value_size(),
                         bytes.data() + first * job_.element_size(), extent.length());
  });
}

void TouchedGranules::mark(const TileJob& job, Range tile, std::int64_t granule_size) {
  const std::int64_t size = job.element_size();
  size_ = granule_size;
  lead_ = (tile.begin * size + job.output.page_offset()) % size_;
  tile_bytes_ = tile.length() * size;
  const auto granule_of = [&](std::int64_t byte) { return (byte + lead_) / size_; };
  marked_.assign(static_cast<std::size_t>(granule_of(tile_bytes_ - 1) + 1), 0);
  job.writers.visit_extents(tile, [&](Range extent) {
    const std::int64_t first = granule_of((extent.begin - tile.begin) * size);
    const std::int64_t last = granule_of((extent.end - tile.begin) * size - 1);
    std::fill(marked_.begin() + first, marked_.begin() + last + 1, 1);
  });
}

RangesSum TouchedGranules::sum() const {
  RangesSum sum;
  visit([&](std::int64_t first, std::int64_t count) {
    sum.add({.begin = first, .end = first + count});
  });
  return sum;
}

}  // namespace tscatter
