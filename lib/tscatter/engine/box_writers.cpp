#include "tscatter/engine/box_writers.hpp"

#include <utility>

#include "tscatter/kernels/path.hpp"

namespace tscatter {
namespace {

// How many steps of the loops lead to less than that offset. REQUIRES: offsets ascend.
std::int64_t steps_before(const StridedAxes& axes, std::int64_t offset) {
  std::int64_t first = 0;
  std::int64_t last = axes.count();
  while (first < last) {
    const std::int64_t middle = first + (last - first) / 2;
    if (axes.offset(middle) < offset) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

Range steps_within(const StridedAxes& axes, Range offsets) {
  return {.begin = steps_before(axes, offsets.begin), .end = steps_before(axes, offsets.end)};
}

StridedAxes own_places(const IndexedWrites& writes) {
  const std::int64_t plane = writes.length * writes.inner;
  StridedAxes own;
  for (const StridedAxes::Axis axis : writes.outer_entries.axes())
    own.append({.count = axis.count, .stride = axis.stride * plane});
  own.append({.count = writes.entries_along, .stride = 0});
  for (const StridedAxes::Axis axis : writes.inner_entries.axes()) own.append(axis);
  return own;
}

}  // namespace

BoxWriters::BoxWriters(IndexedWrites writes, const BoxGrid& grid, PlacedLoop placed)
    : writes_{std::move(writes)}, grid_{grid}, loop_{placed}, own_{own_places(writes_)} {}

BoxWriters::Window BoxWriters::window_of(Range box) const {
  const BoxGrid::Place place = grid_.place_of(box);
  const std::int64_t plane = writes_.length * writes_.inner;
  const Range outer = grid_.has_strips()
                          ? Range{.begin = place.outer, .end = place.outer + 1}
                          : Range{.begin = box.begin / plane, .end = box.end / plane};
  const Range columns =
      grid_.has_strips() ? place.columns : Range{.begin = 0, .end = writes_.inner};
  return {.outer = steps_within(writes_.outer_entries, outer),
          .inner = steps_within(writes_.inner_entries, columns)};
}

bool BoxWriters::meets(Range box) const {
  const Window window = window_of(box);
  return window.outer.length() > 0 && window.inner.length() > 0 && writes_.entries_along > 0;
}

void BoxWriters::put_into_slab(std::int64_t first, std::span<std::uint32_t> positions,
                               Range box) const {
  const auto inner = static_cast<std::uint32_t>(writes_.inner);
  const std::int64_t end = first + static_cast<std::int64_t>(positions.size());
  std::uint32_t* next = positions.data();
  vectorised([&] {
    own_.visit_pieces(
        first, end, [&](std::int64_t, std::int64_t count, std::int64_t own, std::int64_t stride) {
          const auto begin = static_cast<std::uint32_t>(own - box.begin);
          const auto step = static_cast<std::uint32_t>(stride);
          std::uint32_t* const place = std::exchange(next, next + count);
          for (std::int64_t i = 0; i < count; ++i) {
            const auto written = place[i] * inner + begin + static_cast<std::uint32_t>(i) * step;
            place[i] = is_dropped(place[i]) ? place[i] : written;
          }
        });
  });
}

void BoxWriters::put_into_strip(const EntryRows& rows, std::span<const std::uint32_t> columns,
                                std::int64_t width, std::uint32_t* positions) {
  const auto step = static_cast<std::uint32_t>(width);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    for (const std::uint32_t column : columns) {
      *positions = is_dropped(*positions) ? *positions : *positions * step + column;
      ++positions;
    }
  }
}

// How far the columns of data that entries write are from the first one of the box.
void BoxWriters::columns_of(Range inner, std::int64_t origin, std::span<std::uint32_t> into) const {
  std::uint32_t* column = into.data();
  writes_.inner_entries.visit_pieces(
      inner.begin, inner.end,
      [&](std::int64_t, std::int64_t count, std::int64_t offset, std::int64_t stride) {
        for (std::int64_t i = 0; i < count; ++i)
          *column++ = static_cast<std::uint32_t>(offset - origin + i * stride);
      });
}

}  // namespace tscatter
