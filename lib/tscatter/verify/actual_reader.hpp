// ActualReader: reads the result to be verified, in data's byte order and memory order whatever its
// own are.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/formats/npy/opaque_words.hpp"
#include "tscatter/verify/findings.hpp"

namespace tscatter {

// Replaces every byte but 0, which is true, by 1.
void make_canonical_bools(std::span<std::byte> bools);

class ActualReader {
 public:
  // Copies a result of another memory order in boxes of at most `box_bytes`, a long one to a
  // temporary file in `spool_directory`. REQUIRES: shape and dtype are data's, except for byte
  // order.
  ActualReader(const Tensor& actual, const TensorHeader& data, std::int64_t box_bytes,
               const std::filesystem::path& spool_directory, StopFlag stop);

  // Fills `into` with the elements from `element` on, as data's file would hold them; bools as 0 or
  // 1. Safe to call from several threads.
  void read(std::int64_t element, std::span<std::byte> into) const;

  // Whether read() would give these bytes. Safe to call from several threads.
  bool equals(std::int64_t element, std::span<const std::byte> bytes) const;

  const Source& source() const { return tensor_.source(); }

 private:
  Tensor tensor_;
  std::endian byte_order_;
  std::vector<WordRun> turned_words_;
};

// ---- Elements with other bits that stand for the same: any NaN for a NaN, a zero for the zero of
// the other sign, part by part of complex numbers.

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
