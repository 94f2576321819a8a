// The form index in the oracle: which update goes to which element, as NumPy's indexing has it, and
// the rules on the items of an index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracle/writes.hpp"

namespace tscatter::oracle {

// Positions that an item names: of integers, or the places of a mask.
struct ItemPositions {
  std::string text;
  const Dense* tensor = nullptr;             // nullptr: `single`
  std::int64_t single = 0;                   // an integer among positions
  std::size_t axis = 0;                      // of data, the first
  std::vector<Position> places = {};         // of a mask
  Shape shape = {};

  bool is_mask() const { return tensor != nullptr && tensor->type.dtype == DType::boolean; }
};

// An axis of the result.
struct ResultAxis {
  std::int64_t count = 0;
  std::optional<std::size_t> axis = std::nullopt;  // of data, along which a slice runs
  bool is_position = false;
};

// An entry is a place in the axes of the result that are neither whole axes of data at either end
// nor new ones; it names a place in the axes [first, first + depth) of data.
struct IndexAxes {
  std::vector<std::vector<std::int64_t>> slices;  // of each axis of data; none: positions
  std::vector<ItemPositions> positions;
  Shape together;
  std::vector<ResultAxis> result;
  std::size_t first = 0;
  std::size_t depth = 0;
  std::vector<std::size_t> of_entries;  // axes of the result
  Shape entries;

  Shape shape() const;  // of the result
};

// REQUIRES: broken_index() found nothing.
IndexAxes index_axes(const Call& call);

// What is said of the items before a position is looked at; nullopt: they are legal so far.
std::optional<Check> broken_index(const Call& call);

// Whether the item says positions: those that stand alone, and integers beside them or out of range.
bool has_positions(const Call& call);

// nullopt where the entry is dropped, or a position has no place.
std::optional<Position> index_coordinates(const Call& call, const IndexAxes& axes,
                                          const Position& entry);

// The place in updates of what the entry writes at `before` and `after` its axes of data.
Position index_update(const IndexAxes& axes, const Position& before, const Position& entry,
                      const Position& after);

// The part of an entry that is a place among positions.
Position index_place(const IndexAxes& axes, const Position& entry);

// The first position that is refused, as a message names it: "index0[3]".
std::optional<std::string> first_wrong_position(const Call& call);

}  // namespace tscatter::oracle
