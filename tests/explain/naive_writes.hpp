// The oracle's list of what reaches each element: every operation as its text defines it, over
// multi-dimensional indices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "oracle/oracle.hpp"

namespace tscatter::oracle {

struct Write {
  std::optional<Position> entry;  // in indices, without the axis of coordinates
  Position update;                // in updates
};

// Where one index entry goes: its coordinates in the axes that it names.
struct EntryWrite {
  Position entry;
  Position coordinates;
};

struct Writes {
  std::vector<std::vector<Write>> of_element;  // in row-major order, each in the order of the loop
  std::vector<EntryWrite> entries;             // in row-major order
  std::size_t first_axis = 0;                  // that coordinate 0 counts along
};

// REQUIRES: refusal_of(call) is nullopt.
Writes writes_of(const Call& call);

}  // namespace tscatter::oracle
