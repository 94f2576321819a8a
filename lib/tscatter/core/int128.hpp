// A signed 128-bit integer, for exact sums and comparisons. Compilers for 32-bit machines have
// none.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

namespace tscatter {

// Arithmetic is modulo 2^128.
class Int128 {
 public:
  constexpr Int128() = default;
  template <class Integer>
  constexpr explicit Int128(Integer value)
      : high_{std::cmp_less(value, 0) ? ~std::uint64_t{0} : 0},
        low_{static_cast<std::uint64_t>(value)} {}

  constexpr Int128& operator+=(const Int128& other) {
    low_ += other.low_;
    high_ += other.high_ + (low_ < other.low_ ? 1 : 0);
    return *this;
  }
  friend constexpr Int128 operator+(Int128 a, const Int128& b) { return a += b; }

  friend constexpr Int128 operator*(const Int128& a, const Int128& b) {
    Int128 product = long_product(a.low_, b.low_);
    product.high_ += a.high_ * b.low_ + a.low_ * b.high_;
    return product;
  }

  friend constexpr bool operator<(const Int128& a, const Int128& b) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    if (a.high_ != b.high_) return (a.high_ ^ sign) < (b.high_ ^ sign);
    return a.low_ < b.low_;
  }

  // Rounded once where a long double holds 64 bits.
  explicit operator long double() const {
    const bool is_negative = high_ >> 63 != 0;
    const Int128 magnitude = is_negative ? *this * Int128{-1} : *this;
    const long double high = std::ldexp(static_cast<long double>(magnitude.high_), 64);
    const long double value = high + static_cast<long double>(magnitude.low_);
    return is_negative ? -value : value;
  }

 private:
  // Long multiplication; the digits are 32-bit halves.
  static constexpr Int128 long_product(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t a_low = a & 0xFFFFFFFF;
    const std::uint64_t b_low = b & 0xFFFFFFFF;
    const std::uint64_t lowest = a_low * b_low;
    const std::uint64_t first = (a >> 32) * b_low + (lowest >> 32);
    const std::uint64_t second = a_low * (b >> 32) + (first & 0xFFFFFFFF);
    Int128 product;
    product.high_ = (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32);
    product.low_ = (second << 32) | (lowest & 0xFFFFFFFF);
    return product;
  }

  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
};

}  // namespace tscatter
