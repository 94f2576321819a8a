// The values of generated tensors: sets with an aim each, as maps from 64-bit words to bit
// patterns. No floating-point arithmetic decides a byte. Scheme 1 of docs/generate.md. Not part of
// the installed interface.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/generate/draws.hpp"

namespace tscatter::generate {

enum class ValueSet : std::uint8_t {
  exact,     // sums and products are exact in any order
  rounding,  // full significands, similar magnitudes
  swamp,     // magnitudes so different that the order shows
  special,   // NaN, infinities, signed zeros, subnormals, the largest and the smallest
  full,      // all bit patterns; every value of 8- and 16-bit types
};

inline constexpr std::array<std::string_view, 5> value_set_names{"exact", "rounding", "swamp",
                                                                 "special", "full"};

constexpr std::string_view to_string(ValueSet set) {
  return value_set_names[static_cast<std::size_t>(set)];
}

// Integers and booleans do not round.
bool fits(ValueSet set, DType dtype);

struct ValuesWanted {
  ValueSet set = ValueSet::exact;
  DType dtype = DType::float32;
  Reduction reduction = Reduction::none;
  std::int64_t entries = 0;  // index entries of the case: so many updates may meet in one place
  std::int64_t scaled = 0;   // how many of the first elements may be other powers of two than 1,
                             // in the set exact with prod
};

// `count` elements of the stream, little-endian.
std::vector<std::byte> draw_values(const Draws& draws, Stream stream, const ValuesWanted& wanted,
                                   std::int64_t count);

}  // namespace tscatter::generate
