// The values of generated tensors: each set has a purpose, and maps 64-bit words to bit patterns.
// No byte depends on floating-point arithmetic. Scheme 4 of docs/generate.md. Not part of the
// installed interface.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/generate/draws.hpp"
#include "tscatter/generate/generate.hpp"

namespace tscatter::generate {

// Whether the set makes sense for the dtype: integers and booleans do not round.
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
