// BoxWriters: the writes of the form elements, box by box. Nothing is stored: the indices of a box
// are read whenever its writes are needed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "tscatter/engine/box_grid.hpp"
#include "tscatter/engine/grouping.hpp"
#include "tscatter/kernels/scatter.hpp"
#include "tscatter/plan/destinations.hpp"
#include "tscatter/plan/unlisted_writes.hpp"

namespace tscatter {

class BoxWriters {
 public:
  // REQUIRES: the loop exists for the elements.
  BoxWriters(IndexedWrites writes, const BoxGrid& grid, PlacedLoop placed);

  const BoxGrid& grid() const { return grid_; }
  PlacedLoop loop() const { return loop_; }

  WriteSizes sizes() const {
    return {.tile_elements = grid_.box_elements(),
            .updates_read = writes_.kept(),
            .extents = writes_.kept()};
  }

  // Whether entries stand in the box, be they dropped or not. REQUIRES, here and below: `box` is
  // one of the grid's.
  bool meets(Range box) const;

  // Some entries of a box, and the places in the box that they write, counted from `origin`;
  // dropped_entry for those that write nothing.
  struct Block {
    EntryRows entries;
    const std::uint32_t* places = nullptr;
    bool has_dropped = false;
    std::int64_t origin = 0;  // the element of the box that places count from
    Range ahead = {};         // elements of the box that are written soon
  };
  // Calls visit(Block) for the entries of the box. Entries that write the same element come in
  // their order.
  template <class Visit>
  void visit_blocks(Range box, const Visit& visit) const;

  // Calls visit(StridedRun) for each element that is written, in order.
  template <class Visit>
  void visit(Range box, const Visit& visit) const;

  // Source::check_view() of indices.
  void check_view() const { writes_.positions->check_view(); }

 private:
  static constexpr std::int64_t chunk = 4096;        // entries
  static constexpr std::int64_t shortest_row = 128;  // of which pieces are blocks
  using Chunk = std::array<std::uint32_t, chunk>;

  // Which entries lie in a box: their ranges before the axis and after it. Along the axis, all do.
  struct Window {
    Range outer;
    Range inner;
  };
  Window window_of(Range box) const;

  template <class Visit>
  void visit_slab(Range box, const Visit& visit) const;
  template <class Visit>
  void visit_row(std::int64_t row, Range box, const Visit& visit) const;
  template <class Visit>
  void visit_strip(Range box, const Visit& visit) const;

  // Each turns positions along the axis into places in the box.
  void put_into_slab(std::int64_t first, std::span<std::uint32_t> positions, Range box) const;
  static void put_into_strip(const EntryRows& rows, std::span<const std::uint32_t> columns,
                             std::int64_t width, std::uint32_t* positions);
  void columns_of(Range inner, std::int64_t origin, std::span<std::uint32_t> into) const;

  IndexedWrites writes_;
  BoxGrid grid_;
  PlacedLoop loop_;
  StridedAxes own_;  // of slabs: what entries add to the element because of where they stand
};

template <class Visit>
void BoxWriters::visit_blocks(Range box, const Visit& visit) const {
  if (grid_.has_strips()) {
    visit_strip(box, visit);
  } else {
    visit_slab(box, visit);
  }
}

template <class Visit>
void BoxWriters::visit_slab(Range box, const Visit& visit) const {
  const std::int64_t entries_in_outer = writes_.entries_along * writes_.inner_entries.count();
  const Range outer = window_of(box).outer;
  if (writes_.inner == 1 && entries_in_outer >= shortest_row) {
    for (std::int64_t row = outer.begin; row < outer.end; ++row) visit_row(row, box, visit);
    return;
  }
  const std::int64_t end = outer.end * entries_in_outer;
  Chunk places;
  for (std::int64_t first = outer.begin * entries_in_outer; first < end; first += chunk) {
    const EntryRows entries{.first = first, .length = std::min(chunk, end - first)};
    const std::int64_t dropped = writes_.positions->read(entries, places.data());
    put_into_slab(first, std::span(places).first(static_cast<std::size_t>(entries.length)), box);
    visit(Block{.entries = entries, .places = places.data(), .has_dropped = dropped > 0});
  }
}

// Positions along the last axis are places already, but for where their row begins.
template <class Visit>
void BoxWriters::visit_row(std::int64_t row, Range box, const Visit& visit) const {
  const std::int64_t length = writes_.length;
  const std::int64_t count = writes_.entries_along;
  const std::int64_t origin = writes_.outer_entries.offset(row) * length - box.begin;
  std::array<std::uint32_t, shortest_row> places;
  for (std::int64_t at = 0; at < count; at += shortest_row) {
    const EntryRows entries{.first = row * count + at,
                            .length = std::min(shortest_row, count - at)};
    const std::int64_t dropped = writes_.positions->read(entries, places.data());
    const std::int64_t next = origin + length;
    visit(Block{.entries = entries,
                .places = places.data(),
                .has_dropped = dropped > 0,
                .origin = origin,
                .ahead = intersection({.begin = next + length * at / count,
                                       .end = next + length * (at + entries.length) / count},
                                      {.begin = 0, .end = box.length()})});
  }
}

template <class Visit>
void BoxWriters::visit_strip(Range box, const Visit& visit) const {
  const BoxGrid::Place place = grid_.place_of(box);
  const Window window = window_of(box);
  const std::int64_t rows_in_outer = writes_.entries_along;
  const std::int64_t stride = writes_.inner_entries.count();
  if (window.outer.length() == 0) return;
  Chunk columns;
  Chunk places;
  for (std::int64_t first = window.inner.begin; first < window.inner.end; first += chunk) {
    const std::int64_t length = std::min(chunk, window.inner.end - first);
    const std::span some = std::span(columns).first(static_cast<std::size_t>(length));
    columns_of({.begin = first, .end = first + length}, place.columns.begin, some);
    const std::int64_t rows = chunk / length;
    for (std::int64_t row = 0; row < rows_in_outer; row += rows) {
      const EntryRows entries{.first = (window.outer.begin * rows_in_outer + row) * stride + first,
                              .length = length,
                              .stride = stride,
                              .rows = std::min(rows, rows_in_outer - row)};
      const std::int64_t dropped = writes_.positions->read(entries, places.data());
      put_into_strip(entries, some, place.columns.length(), places.data());
      visit(Block{.entries = entries, .places = places.data(), .has_dropped = dropped > 0});
    }
  }
}

template <class Visit>
void BoxWriters::visit(Range box, const Visit& visit) const {
  visit_blocks(box, [&](const Block& block) {
    const std::uint32_t* place = block.places;
    for (std::int64_t row = 0; row < block.entries.rows; ++row) {
      const std::int64_t first = block.entries.first + row * block.entries.stride;
      for (std::int64_t i = 0; i < block.entries.length; ++i, ++place) {
        if (!is_dropped(*place))
          visit(StridedRun{
              .output = box.begin + block.origin + *place, .updates = first + i, .count = 1});
      }
    }
  });
}

}  // namespace tscatter
