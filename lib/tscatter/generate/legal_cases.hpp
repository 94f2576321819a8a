// Legal cases, one maker for each operation. Scheme 1 of docs/generate.md. Not part of the
// installed interface.
#pragma once

#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {

// The operands, and as the name the words that say what is special about them. REQUIRES: the
// operation has a maker (is_generated).
GeneratedCase legal_case(const Setting& setting);

bool is_generated(const Operation& operation);

// The labels of the operations with an index entry for each update begin with these.
inline constexpr std::string_view scatter_update_id = "scatter_update_3";
inline constexpr std::string_view scatter_nd_3_id = "scatter_nd_update_3";
inline constexpr std::string_view scatter_nd_15_id = "scatter_nd_update_15";
inline constexpr std::string_view slice_id = "slice_scatter_15";

}  // namespace tscatter::generate
