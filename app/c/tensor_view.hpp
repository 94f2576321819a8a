// A tsc_tensor as an Array.
#pragma once

#include <string_view>

#include "c/tscatter.h"
#include "jobs/array.hpp"

namespace tscatter::app {

// Throws Error (usage; tensor.t1, array.a1, array.a2, array.a6).
Array array_of(const tsc_tensor& tensor);

// Throws Error (usage, array.a4) if `output` overlaps `operand` without being data's own memory.
// Returns whether it is that.
bool is_data_or_apart(const Array& output, const Array& operand, std::string_view name);

}  // namespace tscatter::app
