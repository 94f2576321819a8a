// The index entries of generated cases: how many there are, and which places they name. Scheme 4 of
// docs/generate.md. Not part of the installed interface.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/generate/draws.hpp"
#include "tscatter/generate/generate.hpp"

namespace tscatter::generate {

enum class Arrangement : std::uint8_t { plain, sorted, reversed, ends, one_place };

inline constexpr std::array<std::string_view, 5> arrangement_words{"", "sorted", "reversed", "ends",
                                                                   "one-place"};

struct Pattern {
  Duplicates duplicates = Duplicates::none;
  Arrangement arrangement = Arrangement::plain;
};

// One of the patterns with the `wanted` duplicates; nullopt: one of all.
Pattern draw_pattern(const Draws& draws, std::optional<Duplicates> wanted);

// The shape of the index entries; `list` adds no word to the name.
enum class EntryShape : std::uint8_t { list, matrix, cube, scalar, one, empty };

inline constexpr std::array<std::string_view, 6> grid_words{"",       "matrix",    "cube",
                                                            "scalar", "one-entry", "no-entries"};

enum class Extent : bool { few, all };  // at most 64 entries, or one for each place

struct EntriesWanted {
  Shape sizes;                // of the axes that an entry has coordinates along
  std::int64_t block = 1;     // elements of updates for each entry
  std::int64_t limit = 4096;  // elements of indices and of updates, at most
  Extent extent = Extent::few;
  Pattern pattern = {};
  IndexEntries entries = IndexEntries::of_all_kinds;
  std::uint64_t line = 0;  // numbers the entries of one case that have places of their own
};

struct Entries {
  Shape shape;  // [] for one entry without an axis of its own
  EntryShape grid = EntryShape::list;
  std::vector<std::int64_t> coordinates;  // of entry after entry, each from 0
  std::int64_t count = 0;
  std::int64_t places = 0;  // different ones
};

Entries draw_entries(const Draws& draws, const EntriesWanted& wanted);

// The places of `count` entries along an axis of `size`. `line` numbers the lines of one case; each
// has words of its own. REQUIRES: without duplicates count <= size, with some count <= max(size,
// 2).
std::vector<std::int64_t> draw_line(const Draws& draws, Pattern pattern, std::int64_t size,
                                    std::int64_t count, std::uint64_t line);

// Makes every other coordinate count from the end of its axis. Where only the first `named` places
// of an axis have entries, the last ones have them instead: all count from the end.
void make_negative(Entries& entries, const Shape& sizes, const Shape& named);

// Moves every third coordinate out of its axis: just beyond either end, by more than its size, and
// beyond 8, 16 and 32 bits. REQUIRES: the dtype holds a number just beyond an end of each axis.
void make_outside(const Draws& draws, Entries& entries, const Shape& sizes, DType dtype);

}  // namespace tscatter::generate
