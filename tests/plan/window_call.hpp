// Calls with windows: random ones, and what the oracle makes of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "property/random.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/ops/forms/window.hpp"

namespace tscatter {

struct WindowCall {
  Shape data, indices, updates;
  std::vector<std::int64_t> index_values;  // in row-major order
  forms::WindowDims dims;
  Policies policies;
};

// Policies that refuse no index.
WindowCall random_window_call(property::Random& random);

// The elements of data, all -1 before, where updates are 1, 2 and so on.
std::vector<std::int32_t> expected(const WindowCall& call, Reduction reduction);

std::string text_of(const WindowCall& call);

// A tensor of these elements, which come in row-major order.
Tensor laid_out(const Shape& shape, const std::vector<std::int32_t>& values, MemoryOrder order);

// Data and updates of the call, as expected() has them.
std::vector<std::int32_t> data_values(const WindowCall& call);
std::vector<std::int32_t> updates_values(const WindowCall& call);

// The output's elements in row-major order.
std::vector<std::int32_t> in_row_major_order(const WindowCall& call,
                                             const std::vector<std::int32_t>& output,
                                             MemoryOrder order);

}  // namespace tscatter
