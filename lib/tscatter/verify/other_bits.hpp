// Elements with other bits that stand for the same: any NaN for a NaN, a zero for the zero of the
// other sign, part by part of complex numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tscatter/core/dtype.hpp"
#include "tscatter/verify/actual_reader.hpp"
#include "tscatter/verify/findings.hpp"

namespace tscatter {

// Which bits are legal with those that an element must have.
struct LegalBits {
  OtherBits nan = OtherBits::kept;
  OtherBits zero = OtherBits::kept;

  std::uint8_t nan_variant = 0;  // of the operation, that takes any NaN; 0: none

  static LegalBits of(const VerifyOptions& options, const Call& call, DType dtype);

  bool takes_any_nan() const { return nan == OtherBits::any || nan_variant != 0; }
  bool are_any_others() const { return takes_any_nan() || zero == OtherBits::any; }
};

// What is verified, and how: all workers share it, and nobody changes it.
struct VerifyJob {
  const Call& call;
  const Tensor& data;
  const Tensor& updates;
  const ActualReader& actual;
  LegalBits legal;
  const Numbering& numbering;
  WrongPlaces& places;
  const VerifyOptions& options;

  Findings no_findings() const { return {numbering, options.worst, places}; }
};

// The verdict on a native element for which one value is legal, and which has another: rounded if
// its bits are legal, too, else wrong, with what would explain it.
ElementVerdict verdict_beside(DType dtype, const std::byte* legal_value, const std::byte* actual,
                              const LegalBits& legal);

// Whether elements of the dtype can stand for others.
bool has_other_bits(DType dtype);

// Which parts of an element are zeros: bit 0 is the real part's, bit 1 the imaginary one's.
unsigned zero_parts(DType dtype, const std::byte* element);

// Gives these parts the other sign.
void negate_parts(DType dtype, unsigned parts, std::byte* element);

}  // namespace tscatter
