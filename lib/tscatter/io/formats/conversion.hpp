// Values converted to another dtype, exactly or rounded: what `convert --to` does. Rules:
// docs/formats.md, convert.*.
#pragma once

#include <cstdint>
#include <span>

#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

extern const std::span<const Rule> conversion_rules;

// How a number that a dtype does not have becomes one that it has.
enum class Rounding : std::uint8_t {
  refused,    // not at all
  nearest,    // the nearest one, of two the even one; what is too large is refused, as a float8 it
              // becomes an infinity or NaN
  saturated,  // the same; what is too large the largest one. Of float8 alone
};

// What becomes of values that do not fit, rounded or not.
enum class Misfits : bool {
  refused,
  converted,  // as a cast does: infinities, ends of integers, low bits; see ElementConverter
};

// Throws Error (rule, convert.v2) for opaque elements. REQUIRES: float8 ones are numbers already.
void require_numeric(const Tensor& tensor);

// The same values in another dtype, in the tensor's memory order and byte order. Reads all elements
// once, to see that each fits; they are converted when they are read again. Throws Error (rule,
// convert.v1 to convert.v3), and Cancelled when *stop becomes true. Where misfits are converted,
// nothing is refused but opaque elements, and real numbers become integers toward zero unless they
// are rounded. REQUIRES: they are not saturated.
Tensor converted(const Tensor& tensor, DType to, StopFlag stop, Progress* progress = nullptr,
                 Rounding rounding = Rounding::refused, Misfits misfits = Misfits::refused);

}  // namespace tscatter
