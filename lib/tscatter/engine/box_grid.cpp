#include "tscatter/engine/box_grid.hpp"

#include <algorithm>

namespace tscatter {
namespace {

// With tiles of 512 KiB a row of a strip is at least a cache line of 64 bytes, and in a file a row
// of a band at least 1 KiB; a box is at most 8 MiB, a band 32 MiB. With smaller tiles all of these
// are smaller. The two bands of a file may take more than 48 MiB, up to the 32 bytes that each
// entry allows.
constexpr std::int64_t rows_in_tile = 8192;
constexpr std::int64_t file_rows_in_tile = 512;
constexpr std::int64_t tiles_in_box = 16;
constexpr std::int64_t tiles_in_band = 64;
constexpr std::int64_t largest_box = 8 * mebibyte;
constexpr std::int64_t largest_band = 32 * mebibyte;
constexpr std::int64_t band_without_entries = 20 * mebibyte;
constexpr std::int64_t bytes_per_entry = 16;  // for each of two bands

}  // namespace

std::optional<BoxGrid> BoxGrid::of(const IndexedWrites& writes, const Run& run) {
  BoxGrid grid(writes);
  grid.tile_ = std::min(run.tile_bytes, largest_box);
  const std::int64_t column = writes.length * run.bytes_per_element;
  if (column <= 0 || writes.inner <= 0 || writes.outer <= 0) return std::nullopt;
  const std::int64_t shortest = grid.tile_ / rows_in_tile / run.element_size;
  grid.columns_ =
      std::min(std::max<std::int64_t>({shortest, grid.tile_ / column, 1}), writes.inner);
  if (grid.columns_ > std::min(tiles_in_box * grid.tile_, largest_box) / column)
    return std::nullopt;
  if (!grid.has_strips()) {
    grid.outers_ = std::clamp<std::int64_t>(grid.tile_ / (column * writes.inner), 1, writes.outer);
    return grid;
  }
  if (!run.takes_strips || !grid.cut_bands(run, writes.entries())) return std::nullopt;
  return grid;
}

std::int64_t BoxGrid::phase_for(std::int64_t width, std::int64_t unit, const Run& run) const {
  const bool has_whole_units =
      inner_ * run.element_size % unit == 0 && run.page_offset % run.element_size == 0;
  if (!has_whole_units) return 0;
  const std::int64_t lead = (unit - run.page_offset % unit) % unit / run.element_size;
  return (width - lead % width) % width;
}

// In a file whose rows of data are whole pages, the rows of a band begin and end on pages. In
// memory the rows of a strip begin and end on cache lines, wherever the caller's array begins.
bool BoxGrid::cut_bands(const Run& run, std::int64_t entries) {
  constexpr std::int64_t line = 64;
  constexpr std::int64_t page = 4096;
  if (run.is_memory) {
    phase_ = phase_for(columns_, line, run);
    band_ = (inner_ + phase_ + columns_ - 1) / columns_ * columns_;
    return true;
  }
  const std::int64_t size = run.element_size;
  const std::int64_t largest = std::min(
      {tiles_in_band * tile_, largest_band, band_without_entries + entries * bytes_per_entry});
  worker_memory_ = tile_memory - largest_band;
  const std::int64_t widest = largest / (length_ * size);
  band_ = std::max(widest / columns_, std::int64_t{1}) * columns_;
  const std::int64_t in_page = std::max(page / size, std::int64_t{1});
  if (band_ > in_page && in_page % columns_ == 0) band_ -= band_ % in_page;
  if (band_ < inner_) phase_ = phase_for(band_, page, run);
  return band_ >= inner_ || band_ * size >= tile_ / file_rows_in_tile;
}

Range BoxGrid::box(std::int64_t index) const {
  const std::int64_t plane = length_ * inner_;
  if (!has_strips()) {
    const std::int64_t begin = index * outers_;
    return {.begin = begin * plane, .end = std::min(begin + outers_, outer_) * plane};
  }
  const std::int64_t outer = index / strips();
  const std::int64_t first = (index % strips() + hidden()) * columns_ - phase_;
  const Range columns =
      intersection({.begin = first, .end = first + columns_}, {.begin = 0, .end = inner_});
  return {.begin = outer * plane + columns.begin * length_,
          .end = outer * plane + columns.end * length_};
}

Range BoxGrid::columns_of(std::int64_t band) const {
  const std::int64_t first = band % bands_in_outer() * band_ - phase_;
  return intersection({.begin = first, .end = first + band_}, {.begin = 0, .end = inner_});
}

Range BoxGrid::strips_of(std::int64_t band) const {
  const std::int64_t in_band = band_ / columns_;
  const std::int64_t first = outer_of(band) * strips();
  const std::int64_t begin = band % bands_in_outer() * in_band - hidden();
  const Range strips =
      intersection({.begin = begin, .end = begin + in_band}, {.begin = 0, .end = this->strips()});
  return {.begin = first + strips.begin, .end = first + strips.end};
}

BoxGrid::Place BoxGrid::place_of(Range box) const {
  const std::int64_t plane = length_ * inner_;
  const std::int64_t begin = box.begin % plane / length_;
  return {.outer = box.begin / plane,
          .columns = {.begin = begin, .end = begin + box.length() / length_}};
}

}  // namespace tscatter
