#include "tscatter/compare/place_counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tscatter {
namespace {

// A longer axis is counted in at most `most_ranges` ranges.
constexpr std::int64_t most_indices = 65536;
constexpr std::int64_t most_ranges = 4096;
constexpr std::int64_t most_tail = 262144;
constexpr std::int64_t least_period = 4096;

std::int64_t width_of(std::int64_t size) {
  return size <= most_indices ? 1 : (size + most_ranges - 1) / most_ranges;
}

std::int64_t beyond_in(std::span<const std::uint8_t> flags) {
  std::uint32_t sum = 0;  // a piece is shorter than 2^32 elements
  for (const std::uint8_t flag : flags) sum += flag & element_flags::beyond;
  return sum;
}

}  // namespace

PlaceCounts::PlaceCounts(const Numbering& numbering) : numbering_{numbering} {
  const Shape& shape = numbering.walked_shape();
  std::int64_t stride = 1;
  axes_.resize(shape.size());
  leading_ = shape.size();
  std::size_t counts = 0;
  for (std::size_t i = shape.size(); i-- > 0;) {
    axes_[i] = {.size = shape[i], .width = width_of(shape[i]), .stride = stride, .first = counts};
    counts += static_cast<std::size_t>(axes_[i].ranges());
    stride *= shape[i];
    if (leading_ == i + 1 && axes_[i].width == 1 && stride <= most_tail) {
      leading_ = i;
      tail_size_ = stride;
    }
  }
  counts_ = std::vector<std::atomic<std::int64_t>>(counts);
  low_.assign(leading_, std::numeric_limits<std::int64_t>::max());
  high_.assign(leading_, -1);
}

PlaceCounts::Worker::Worker(PlaceCounts& counts)
    : counts_{counts}, low_{counts.low_}, high_{counts.high_} {}

void PlaceCounts::Worker::add(std::span<const std::uint8_t> flags, std::int64_t number) {
  add_to_tail(flags, number);
  add_to_leading(flags, number);
}

void PlaceCounts::Worker::add_to_tail(std::span<const std::uint8_t> flags, std::int64_t number) {
  if (counts_.leading_ == counts_.axes_.size()) return;
  if (tail_.empty()) {
    const std::int64_t repeats = std::max<std::int64_t>(least_period / counts_.tail_size_, 1);
    tail_.resize(static_cast<std::size_t>(counts_.tail_size_ * repeats));
  }
  auto at = static_cast<std::size_t>(number % static_cast<std::int64_t>(tail_.size()));
  while (!flags.empty()) {
    const std::size_t length = std::min(flags.size(), tail_.size() - at);
    std::uint32_t* into = tail_.data() + at;
    for (std::size_t i = 0; i < length; ++i) into[i] += flags[i] & element_flags::beyond;
    flags = flags.subspan(length);
    at = 0;
  }
}

void PlaceCounts::Worker::add_to_leading(std::span<const std::uint8_t> flags, std::int64_t number) {
  if (counts_.leading_ == 0) return;
  const Axis& axis = counts_.axes_[counts_.leading_ - 1];
  while (!flags.empty()) {
    // To the end of the range of indices, or of the axis.
    const std::int64_t index = number / axis.stride % axis.size;
    const std::int64_t end = std::min(index / axis.width * axis.width + axis.width, axis.size);
    const std::int64_t rest = (end - index) * axis.stride - number % axis.stride;
    const std::size_t length = static_cast<std::size_t>(
        std::min<std::int64_t>(rest, static_cast<std::int64_t>(flags.size())));
    add_piece(flags.first(length), number);
    flags = flags.subspan(length);
    number += static_cast<std::int64_t>(length);
  }
}

void PlaceCounts::Worker::add_piece(std::span<const std::uint8_t> flags, std::int64_t number) {
  const std::int64_t sum = beyond_in(flags);
  if (sum == 0) return;
  for (std::size_t i = 0; i < counts_.leading_; ++i) {
    const Axis& axis = counts_.axes_[i];
    const std::int64_t index = number / axis.stride % axis.size;
    const std::int64_t range = index / axis.width;
    counts_.counts_[axis.first + static_cast<std::size_t>(range)].fetch_add(
        sum, std::memory_order_relaxed);
    const bool is_inside =
        low_[i] <= range * axis.width && (range + 1) * axis.width - 1 <= high_[i];
    if (is_inside) continue;
    std::size_t first = 0;
    std::size_t last = flags.size() - 1;
    while ((flags[first] & element_flags::beyond) == 0) ++first;
    while ((flags[last] & element_flags::beyond) == 0) --last;
    widen_box(i, (number + static_cast<std::int64_t>(first)) / axis.stride % axis.size,
              (number + static_cast<std::int64_t>(last)) / axis.stride % axis.size);
  }
}

void PlaceCounts::Worker::widen_box(std::size_t axis, std::int64_t first, std::int64_t last) {
  low_[axis] = std::min(low_[axis], first);
  high_[axis] = std::max(high_[axis], last);
}

void PlaceCounts::Worker::finish() {
  for (std::size_t i = 0; i < counts_.leading_; ++i) {
    counts_.low_[i] = std::min(counts_.low_[i], low_[i]);
    counts_.high_[i] = std::max(counts_.high_[i], high_[i]);
  }
  if (counts_.leading_ == counts_.axes_.size()) return;
  for (std::size_t t = 0; t < tail_.size(); ++t) {
    if (tail_[t] == 0) continue;
    for (std::size_t i = counts_.leading_; i < counts_.axes_.size(); ++i) {
      const Axis& axis = counts_.axes_[i];
      const std::int64_t index = static_cast<std::int64_t>(t) / axis.stride % axis.size;
      counts_.counts_[axis.first + static_cast<std::size_t>(index)] += tail_[t];
    }
  }
}

// Total variation distance between the shares of the indices and even ones, in units of
// 1 / (total * axis.size): the sum of what exceeds the even shares.
Int128 PlaceCounts::excess(const Axis& axis, std::int64_t total) const {
  Int128 sum;
  for (std::int64_t range = 0; range < axis.ranges(); ++range) {
    const std::int64_t indices = std::min(axis.width, axis.size - range * axis.width);
    const Int128 above =
        Int128{count(axis, range)} * Int128{axis.size} + Int128{total} * Int128{-indices};
    sum += std::max(above, Int128{});
  }
  return sum;
}

// The number of elements fits into 64 bits, and so does the product of the sizes of two axes: the
// products below fit into 128.
void PlaceCounts::choose_axis(DifferencePlace& place, std::int64_t total) const {
  Int128 most;
  std::int64_t size = 1;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const Axis& walked = axes_[numbering_.axis_of(axis)];
    if (walked.size == 1) continue;
    const Int128 found = excess(walked, total);
    if (place.axis && !(most * Int128{walked.size} < found * Int128{size})) continue;
    place.axis = axis;
    most = found;
    size = walked.size;
  }
  place.unevenness = static_cast<double>(static_cast<long double>(most)) /
                     (static_cast<double>(total) * static_cast<double>(size));
}

void PlaceCounts::list_shares(const Axis& axis, DifferencePlace& place) const {
  constexpr std::size_t most = 100;
  for (std::int64_t range = 0; range < axis.ranges(); ++range) {
    if (count(axis, range) == 0) continue;
    place.shares.push_back({.first = range * axis.width,
                            .last = std::min((range + 1) * axis.width, axis.size) - 1,
                            .beyond = count(axis, range)});
  }
  place.indices = static_cast<std::int64_t>(place.shares.size());
  std::ranges::stable_sort(place.shares, std::ranges::greater{}, &IndexShare::beyond);
  if (place.shares.size() > most) place.shares.resize(most);
}

DifferencePlace PlaceCounts::place(std::int64_t total) const {
  DifferencePlace place{.low = Position(axes_.size()), .high = Position(axes_.size())};
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const std::size_t walked = numbering_.axis_of(axis);
    const Axis& counted = axes_[walked];
    std::int64_t first = counted.ranges();
    std::int64_t last = -1;
    for (std::int64_t range = 0; range < counted.ranges(); ++range) {
      if (count(counted, range) == 0) continue;
      first = std::min(first, range);
      last = range;
    }
    place.low[axis] = walked < leading_ ? low_[walked] : first;
    place.high[axis] = walked < leading_ ? high_[walked] : last;
  }
  choose_axis(place, total);
  if (place.axis) list_shares(axes_[numbering_.axis_of(*place.axis)], place);
  return place;
}

}  // namespace tscatter
