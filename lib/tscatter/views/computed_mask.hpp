// computed_mask(): a mask of bools that is computed from a tensor while it is read.
#pragma once

#include <cstdint>
#include <string>

#include "tscatter/core/reduction.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

enum class MaskTest : std::uint8_t {
  is_false,  // ~M
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  is_nan,
  is_infinite,
  is_finite,
};

// The elements that pass the test, in the tensor's shape and memory order. Comparisons are with
// `number`, as NumPy compares: of floats it is rounded to their dtype, of integers and bools the
// values are compared. Throws Error (usage, view.m1) if the test is not one of the tensor's dtype.
Tensor computed_mask(const Tensor& tensor, MaskTest test, const Number& number, std::string name);

// Rules of computed_mask().
extern const std::span<const Rule> computed_mask_rules;

}  // namespace tscatter
