// Casts in NumPy's words: which dtypes may become which, and a tensor that is cast while it is
// read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/views/element_conversion.hpp"

namespace tscatter {

// Which casts are allowed: each allows what the one before does, and more.
enum class CastPolicy : std::uint8_t {
  no,         // none
  safe,       // every value of the one dtype is one of the other; an int64 becomes a float64, too
  same_kind,  // within a kind, and to a later one: bool, unsigned, signed, real, complex
  unsafe,     // any
};

// In the order of the enumerators, as NumPy spells them, but with a hyphen.
inline constexpr std::array<std::string_view, 4> cast_policy_names{"no", "safe", "same-kind",
                                                                   "unsafe"};

// Whether elements of type `from` may be cast to `to`. NumPy's can_cast for its dtypes; byte order
// does not matter, which for NumPy's "no" it does. Of bfloat16 and float8 (docs/ops.md#casts)
// the table is ours: they are real dtypes like float16. Opaque elements are cast to nothing else.
bool can_cast(const ElementType& from, const ElementType& to, CastPolicy policy);

// Whether a cast leaves every value as it is: each safe one does, but for integers of 64 bits that
// become real.
bool is_exact_cast(const ElementType& from, const ElementType& to);

// The tensor's values as elements of type `to`, its byte order included, in the tensor's memory
// order. They are cast whenever they are read, a piece at a time, and nothing is held. What values
// become: ElementConverter. The same tensor if it has the dtype.
// REQUIRES: can_cast(tensor.type(), to, CastPolicy::unsafe).
Tensor cast_to(const Tensor& tensor, const ElementType& to);

// What a cast did to the values of a whole tensor.
struct CastCounts {
  ElementType from;
  std::int64_t cast = 0;  // elements
  ConversionCounts values;
};

// The tensor that cast_to() was given; nullptr if it did not make this one.
const Tensor* cast_from(const Tensor& tensor);

// Counts what the cast did; nullopt if cast_to() did not make the tensor. Reads all elements once,
// with several workers, unless the cast is exact for every value. A pass of its own, since what a
// run reads says little: it may read a value several times, and others, which are overwritten or
// dropped, not at all. Throws Error (file), and Cancelled when *stop becomes true.
std::optional<CastCounts> count_casts(const Tensor& tensor, const Parallelism& parallelism);

}  // namespace tscatter
