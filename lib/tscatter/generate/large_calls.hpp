// Calls whose data has more than 2^31 elements, in which the place of an element takes more bits
// than an int32 or a uint32 has.
#pragma once

#include <string_view>
#include <vector>

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

// Integers that an operand, or an attribute of that name, has.
struct LargeOperand {
  std::string_view name;
  Shape shape;
  std::vector<std::int64_t> values;
};

struct LargeCall {
  std::string_view words;  // what the name of the case says
  Shape data;
  Shape updates;
  std::vector<LargeOperand> others;
};

// The calls of each form: beyond 2^31, along the first axis and along a later one, and beyond 2^32.
std::vector<LargeCall> large_rows();
std::vector<LargeCall> large_nd();
std::vector<LargeCall> large_elements();
std::vector<LargeCall> large_windows();
std::vector<LargeCall> large_starts();
std::vector<LargeCall> large_slices();
std::vector<LargeCall> large_batched_rows();
std::vector<LargeCall> large_index();
std::vector<LargeCall> large_flat();
std::vector<LargeCall> large_masks();  // none: a mask has no holes that cost no bytes
std::vector<LargeCall> large_sections();
std::vector<LargeCall> large_diagonals();
std::vector<LargeCall> large_blocks();
std::vector<LargeCall> large_segments();

// The large set of an operation: legal cases in which data is all zeros, and has no bytes or is
// made by the call. Their names have no number. Without cases where the operation leaves zeros as
// they are, or makes other data. docs/generate.md
std::vector<GeneratedCase> large_set(const Operation& operation);

}  // namespace tscatter::generate
