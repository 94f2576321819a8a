// A tsc_tensor as an Array.
#pragma once

#include <span>
#include <string_view>

#include "c/tscatter.h"
#include "jobs/array.hpp"

namespace tscatter::app {

// Throws Error (usage; tensor.t1, array.a1, array.a2, array.a6).
Array array_of(const tsc_tensor& tensor);

// Elements of one byte that are only moved. In files they have no name, so they are opaque here:
// two kinds of them are told apart by their names alone. Throws Error (usage, array.a8).
void require_same_float8(std::span<const tsc_tensor> tensors);

// Throws Error (usage, array.a4) if `output` overlaps `operand` without being data's own memory.
// Returns whether it is that.
bool is_data_or_apart(const Array& output, const Array& operand, std::string_view name);

}  // namespace tscatter::app
