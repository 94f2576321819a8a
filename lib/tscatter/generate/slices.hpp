// The slices of generated cases. Scheme 4 of docs/generate.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tscatter/core/shape.hpp"
#include "tscatter/generate/draws.hpp"

namespace tscatter::generate {

// The first `count` axes or, if `given`, any axes in any order.
std::vector<std::size_t> draw_axes(const Draws& draws, std::size_t rank, std::size_t count,
                                   bool given);

enum class Sign : bool { positive, negative };

// As they are written: if negative, every other one counts from the end.
std::vector<std::int64_t> given_axes(const std::vector<std::size_t>& axes, std::size_t rank,
                                     Sign sign);

struct Slices {
  std::vector<std::int64_t> start, stop, step;  // of each sliced axis
  Shape shape;                                  // of the slice
  std::string words;                            // what is special about them
};

Slices draw_slices(const Draws& draws, const Shape& data, const std::vector<std::size_t>& axes);

}  // namespace tscatter::generate
