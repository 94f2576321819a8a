// BoxGrid: boxes cover the output once, bands begin on pages of the file, and what does not fit is
// refused.
#include "tscatter/engine/box_grid.hpp"

#include <numeric>
#include <vector>

#include "catch.hpp"

namespace tscatter {
namespace {

// An entry for each element.
IndexedWrites writes_of(std::int64_t outer, std::int64_t length, std::int64_t inner) {
  IndexedWrites writes{.positions = nullptr,
                       .outer = outer,
                       .length = length,
                       .inner = inner,
                       .outer_entries = {},
                       .entries_along = length,
                       .inner_entries = {}};
  writes.outer_entries.append({.count = outer, .stride = 1});
  writes.inner_entries.append({.count = inner, .stride = 1});
  return writes;
}

BoxGrid::Run file_of_float32(std::int64_t tile_bytes, std::int64_t page_offset = 128) {
  return {.element_size = 4,
          .bytes_per_element = 4,
          .tile_bytes = tile_bytes,
          .page_offset = page_offset,
          .takes_strips = true,
          .is_memory = false};
}

// Whether the boxes follow one another from 0 to the number of elements.
bool covers(const BoxGrid& grid, std::int64_t elements) {
  std::int64_t end = 0;
  for (std::int64_t box = 0; box < grid.boxes(); ++box) {
    if (grid.box(box).begin != end || grid.box(box).length() <= 0) return false;
    end = grid.box(box).end;
  }
  return end == elements;
}

// Whether the bands have each box once, in order, and exactly its columns.
bool bands_have_boxes(const BoxGrid& grid) {
  std::int64_t next = 0;
  for (std::int64_t band = 0; band < grid.bands(); ++band) {
    const Range strips = grid.strips_of(band);
    std::int64_t column = grid.columns_of(band).begin;
    if (strips.begin != next) return false;
    for (std::int64_t box = strips.begin; box < strips.end; ++box) {
      const BoxGrid::Place place = grid.place_of(grid.box(box));
      if (place.columns.begin != column || place.outer != grid.outer_of(band)) return false;
      column = place.columns.end;
    }
    if (column != grid.columns_of(band).end) return false;
    next = strips.end;
  }
  return next == grid.boxes();
}

}  // namespace

TEST_CASE("boxes cover the output once, and bands the boxes", "[engine]") {
  for (const std::int64_t outer : {1, 2, 3}) {
    for (const std::int64_t inner : {1, 2, 7, 64, 1024, 1030, 4096}) {
      for (const std::int64_t tile : {8, 28, 60, 200, 4096}) {
        for (const std::int64_t page_offset : {0, 128, 130, 4092}) {
          INFO(outer << " x 3 x " << inner << ", tiles of " << tile << ", at " << page_offset);
          const auto grid =
              BoxGrid::of(writes_of(outer, 3, inner), file_of_float32(tile, page_offset));
          REQUIRE(grid);
          CHECK(covers(*grid, outer * 3 * inner));
          if (grid->has_strips()) CHECK(bands_have_boxes(*grid));
        }
      }
    }
  }
}

TEST_CASE("bands of a file with rows of whole pages begin on pages", "[engine]") {
  const auto grid = BoxGrid::of(writes_of(1, 8192, 8192), file_of_float32(512 * 1024));
  REQUIRE(grid);
  REQUIRE(grid->has_strips());
  CHECK(grid->bands() > 1);
  for (std::int64_t band = 1; band < grid->bands(); ++band)
    CHECK((128 + grid->columns_of(band).begin * 4) % 4096 == 0);
  CHECK(covers(*grid, std::int64_t{8192} * 8192));
  CHECK(bands_have_boxes(*grid));
}

TEST_CASE("strips of memory begin on cache lines, wherever the memory begins", "[engine]") {
  for (const std::int64_t page_offset : {0, 16, 60, 64, 4080}) {
    INFO("at " << page_offset);
    BoxGrid::Run run = file_of_float32(512 * 1024, page_offset);
    run.is_memory = true;
    const auto grid = BoxGrid::of(writes_of(2, 8192, 8192), run);
    REQUIRE(grid);
    REQUIRE(grid->has_strips());
    CHECK(grid->bands() == 2);
    CHECK(covers(*grid, std::int64_t{2} * 8192 * 8192));
    CHECK(bands_have_boxes(*grid));
    for (std::int64_t box = 0; box < grid->boxes(); ++box) {
      const std::int64_t column = grid->place_of(grid->box(box)).columns.begin;
      REQUIRE((column == 0 || (page_offset + column * 4) % 64 == 0));
    }
  }
}

TEST_CASE("boxes are no larger than 16 tiles, rows of a band no shorter than the 512th of one",
          "[engine]") {
  const auto fits = [](std::int64_t length, std::int64_t inner) {
    return BoxGrid::of(writes_of(1, length, inner), file_of_float32(512 * 1024)).has_value();
  };
  CHECK(fits(std::int64_t{2} << 20, 1));
  CHECK(!fits((std::int64_t{2} << 20) + 1, 1));
  CHECK(fits(32768, 8192));
  CHECK(!fits(40000, 8192));
}

TEST_CASE("two bands and the workers' boxes keep to 64 MiB and 32 bytes an entry", "[engine]") {
  constexpr std::int64_t room = 4 * mebibyte;  // for the rest of the program
  for (const std::int64_t entries_along : {1, 64, 2048, 8192}) {
    IndexedWrites writes = writes_of(1, 8192, 8192);
    writes.entries_along = entries_along;
    const auto grid = BoxGrid::of(writes, file_of_float32(512 * 1024));
    REQUIRE(grid);
    REQUIRE(grid->bands() > 2);
    const std::int64_t band = grid->columns_of(1).length() * 8192 * 4;
    const std::int64_t bound = 64 * mebibyte + 32 * writes.entries();
    CHECK(grid->worker_memory() + 2 * band + room <= bound);
    CHECK(band >= 16 * mebibyte);
  }
}

TEST_CASE("strips are taken only where their rows can be read and written", "[engine]") {
  BoxGrid::Run run = file_of_float32(28);
  CHECK(BoxGrid::of(writes_of(1, 7, 5), run));
  run.takes_strips = false;
  CHECK(!BoxGrid::of(writes_of(1, 7, 5), run));
  CHECK(BoxGrid::of(writes_of(5, 7, 1), run));
}

}  // namespace tscatter
