// Updates of single elements into a tile, one after another. Nothing here can fail.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"

namespace tscatter {

// An update of one element on its way to its tile: the value travels with its destination, so that
// both are read in sequence. Elements of up to 4 bytes (the first bytes of `value`), and of 8.
template <std::size_t value_size>
struct ElementRecord {
  std::uint32_t destination;  // in elements from the beginning of the tile
  std::array<std::byte, value_size> value;
};

using SmallRecord = ElementRecord<4>;
using LargeRecord = ElementRecord<8>;
static_assert(sizeof(SmallRecord) == 8 && sizeof(LargeRecord) == 12);

// Applies the records in order to the tile, whose first element is destination `first_destination`.
// For a reduction, its elements are native.
template <class Record>
using ScatterLoop = void (*)(std::byte* tile, std::uint32_t first_destination,
                             std::span<const Record> records);

// By size alone for `none`. nullptr where the reduction is not defined for the dtype.
// REQUIRES: size is 1, 2 or 4 for SmallRecord, 8 for LargeRecord.
template <class Record>
ScatterLoop<Record> scatter_loop(DType dtype, std::size_t size, Reduction reduction);

// Updates that lie side by side, each to a place of its own in a tile, one after another. Nothing
// here can fail. Applies update i to element places[i] of the tile, for i from 0 to count - 1. For
// a reduction, elements and updates are native.
using PlacedLoop = void (*)(std::byte* tile, const std::uint32_t* places, const std::byte* updates,
                            std::int64_t count);

// Whether a loop fetches places some updates ahead: for tiles that the nearest caches do not hold.
enum class Fetching : bool { left_out, done };
inline constexpr std::int64_t fetched_ahead = 160;  // updates

// By size alone for `none`. nullptr where the reduction is not defined for the dtype, or elements
// have a size other than 1, 2, 4, 8 and 16 bytes.
PlacedLoop placed_loop(DType dtype, std::size_t size, Reduction reduction,
                       Fetching fetching = Fetching::left_out);

// The same, fetching, and sets the bit of each place, counted from the first word's lowest: one
// loop does both in the time that the updates alone take.
using MarkingLoop = void (*)(std::byte* tile, std::uint64_t* marks, const std::uint32_t* places,
                             const std::byte* updates, std::int64_t count);

// nullptr as placed_loop(), and where its loop is one for 16-bit floats.
MarkingLoop marking_loop(DType dtype, std::size_t size, Reduction reduction);

// Sets the bits of these places.
inline void mark_bits(std::uint64_t* marks, std::span<const std::uint32_t> places) {
  for (const std::uint32_t place : places) marks[place / 64] |= std::uint64_t{1} << (place % 64);
}

// Adds update i to the element of the tile that index i names, of `size` elements; an index less
// than 0 counts from `from_end`, which is the size, or 0. Stops at the first that is out of range.
// Returns how many were added.
using IndexedSum = std::int64_t (*)(std::byte* tile, std::uint64_t size, std::uint64_t from_end,
                                    const std::byte* indices, const std::byte* updates,
                                    std::int64_t count);

// nullptr but for sums of integers and floats of 32 and 64 bits by indices of int32 and int64: the
// loops in which a place of its own for each index costs as much as the sum.
IndexedSum indexed_sum(DType dtype, Reduction reduction, DType index);

// Which updates of some that lie side by side go to the places from `first` on, `length` of them.
// Puts these updates side by side into `kept`, and where they go, from `first`, into `places`; both
// have room for keep_ahead more than all. Returns how many. Without a branch on whether one goes
// there, which nothing could predict.
template <std::size_t size, class Destination>
std::size_t keep_within(std::span<const Destination> destinations, Destination first,
                        Destination length, const std::byte* updates, std::uint32_t* places,
                        std::byte* kept);
inline constexpr std::size_t keep_ahead = 8;  // updates

}  // namespace tscatter
