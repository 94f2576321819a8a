// Places: what the numbers of a plan (slots, entries, elements in the order of a file) are in the
// tensors, as positions. Not part of the installed interface.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tscatter/compare/numbering.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {

// A slice of a tensor: an index, or nullopt for a whole axis. {3, nullopt}: output[3, :]
using Place = std::vector<std::optional<std::int64_t>>;

class Places {
 public:
  Places(const TensorHeader& data, const TensorHeader& updates, EntryAxes entries);

  // The part of data that the slot stands for.
  Place destination(std::int64_t slot) const;

  // Slots in row-major order of the axes that they count.
  std::int64_t row_major_slot(std::int64_t slot) const { return slots_.row_major(slot); }

  Position entry(std::int64_t number) const { return position_of(entries_.shape, number); }

  // Of elements numbered in the order of the file.
  Position in_data(std::int64_t number) const { return data_.position(number); }
  std::int64_t row_major_in_data(std::int64_t number) const { return data_.row_major(number); }
  Position in_updates(std::int64_t number) const { return updates_.position(number); }

 private:
  std::size_t rank_;
  EntryAxes entries_;
  Numbering slots_;
  Numbering data_;
  Numbering updates_;
};

// The number of the element in the order of its file. REQUIRES: the position is in range.
std::int64_t number_of(const TensorHeader& header, const Position& position);

}  // namespace tscatter
