// Numbers of any magnitude and precision: a float64 with a separate exponent, pairs of them with
// twice the digits, sums without rounding.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tscatter::orders {

// Values that are not negative: fraction * 2^exponent, fraction 0 or in [1/2, 1).
class Scaled {
 public:
  Scaled() = default;
  explicit Scaled(double value) : Scaled(value, 0) {}
  Scaled(double value, std::int64_t exponent) {
    int shift = 0;
    fraction_ = std::frexp(value, &shift);
    exponent_ = fraction_ == 0 ? 0 : exponent + shift;
  }

  // e to the power of `logarithm`, with a relative error of at most its own rounding.
  static Scaled exp(double logarithm) {
    constexpr double most_at_once = 512;
    Scaled power(1);
    for (; logarithm > most_at_once; logarithm -= most_at_once) {
      power = power * Scaled(std::exp(most_at_once));
    }
    return power * Scaled(std::exp(logarithm));
  }

  bool is_zero() const { return fraction_ == 0; }
  std::int64_t exponent() const { return exponent_; }
  // The greatest power of two that is not above it.
  Scaled power() const { return is_zero() ? Scaled() : Scaled(0.5, exponent_); }

  // As a multiple of 2^unit; infinite or 0 outside the range of float64.
  double in_units_of(std::int64_t unit) const {
    constexpr std::int64_t beyond = 5000;
    const std::int64_t shift = std::clamp(exponent_ - unit, -beyond, beyond);
    return std::ldexp(fraction_, static_cast<int>(shift));
  }

  friend Scaled operator*(const Scaled& a, const Scaled& b) {
    return {a.fraction_ * b.fraction_, a.exponent_ + b.exponent_};
  }
  friend Scaled operator+(const Scaled& a, const Scaled& b) {
    if (a.is_zero() || b.is_zero()) return a.is_zero() ? b : a;
    const std::int64_t unit = std::max(a.exponent_, b.exponent_);
    return {a.in_units_of(unit) + b.in_units_of(unit), unit};
  }
  friend bool operator<(const Scaled& a, const Scaled& b) {
    if (a.is_zero() || b.is_zero()) return !b.is_zero();
    if (a.exponent_ != b.exponent_) return a.exponent_ < b.exponent_;
    return a.fraction_ < b.fraction_;
  }

 private:
  double fraction_ = 0;
  std::int64_t exponent_ = 0;
};

// high + low, unevaluated: some 104 bits.
struct DoublePair {
  double high = 0;
  double low = 0;

  static DoublePair sum(double a, double b) {
    const double total = a + b;
    const double part = total - a;
    return {total, (a - (total - part)) + (b - part)};
  }

  friend DoublePair operator+(const DoublePair& a, const DoublePair& b) {
    const DoublePair highs = sum(a.high, b.high);
    const DoublePair lows = sum(a.low, b.low);
    const DoublePair middle = sum(highs.high, highs.low + lows.high);
    return sum(middle.high, middle.low + lows.low);
  }
  friend DoublePair operator-(const DoublePair& a) { return {-a.high, -a.low}; }
  friend DoublePair operator*(const DoublePair& a, double b) {
    const double product = a.high * b;
    return sum(product, std::fma(a.high, b, -product) + a.low * b);
  }

  DoublePair scaled(int shift) const { return {std::ldexp(high, shift), std::ldexp(low, shift)}; }
};

// An exact sum of float64 values: parts that do not overlap, the smallest first (Shewchuk 1997).
class ExactSum {
 public:
  void add(double x) {
    std::size_t kept = 0;
    for (const double part : parts_) {
      const DoublePair sum = DoublePair::sum(x, part);
      parts_[kept] = sum.low;
      kept += sum.low != 0 ? 1U : 0U;
      x = sum.high;
    }
    parts_.resize(kept);
    if (x != 0) parts_.push_back(x);
  }

  bool is_positive() const { return !parts_.empty() && parts_.back() > 0; }

 private:
  std::vector<double> parts_;
};

// distance / bound, where 0 / 0 is 0. Callers widen the bound by what the rounding of the pairs may
// hide, which is far below any bound.
inline double lenient_share(double distance, double bound) {
  if (distance == 0) return 0;
  return bound == 0 ? std::numeric_limits<double>::infinity() : distance / bound;
}

// A product of magnitudes.
class ScaledPair {
 public:
  explicit ScaledPair(double factor) {
    int shift = 0;
    product_ = {std::frexp(factor, &shift), 0};
    exponent_ = shift;
  }

  void multiply(double factor) {
    int shift = 0;
    const double fraction = std::frexp(factor, &shift);
    product_ = product_ * fraction;
    exponent_ += shift;
    ++factors_;
    if (product_.high < 0.5) {
      product_ = product_.scaled(1);
      --exponent_;
    }
  }

  Scaled high() const { return {product_.high, exponent_}; }

  // The largest error of rounding it to a format of this unit: half an ulp, and above a power of
  // two no more than the distance to it.
  Scaled half_ulp(double unit) const {
    const Scaled power = high().power();
    if (power < high()) return power * Scaled(unit);
    return std::max(power * Scaled(unit / 2), Scaled(std::max(product_.low, 0.0), exponent_));
  }

  // |actual - product| as a share of the bound, never too large.
  double share_of_distance(const Scaled& actual, const Scaled& bound) const {
    std::int64_t unit = exponent_;
    if (!actual.is_zero()) unit = std::max(unit, actual.exponent());
    if (!bound.is_zero()) unit = std::max(unit, bound.exponent());
    const double high = Scaled(product_.high, exponent_).in_units_of(unit);
    const int shift = static_cast<int>(std::max<std::int64_t>(exponent_ - unit, -5000));
    const double low = std::ldexp(product_.low, shift);
    const double distance = std::fabs((actual.in_units_of(unit) - high) - low);
    const double lost = (factors_ + 1) * high * 0x1p-98;
    const double most = (bound.in_units_of(unit) + lost) * (1 + 0x1p-40);
    return lenient_share(distance, most);
  }

 private:
  DoublePair product_;
  std::int64_t exponent_ = 0;
  double factors_ = 0;
};

// A product of complex numbers.
class ScaledComplex {
 public:
  explicit ScaledComplex(std::complex<double> factor) {
    const std::complex<double> fraction = taken_apart(factor);
    product_ = {DoublePair{fraction.real(), 0}, DoublePair{fraction.imag(), 0}};
  }

  void multiply(std::complex<double> factor) {
    const std::complex<double> x = taken_apart(factor);
    const auto [re, im] = product_;
    product_ = {re * x.real() + -(im * x.imag()), re * x.imag() + im * x.real()};
    ++factors_;
    normalise();
  }

  double share_of_distance(std::complex<double> actual, const Scaled& bound) const {
    int own = 0;
    const std::complex<double> fraction = parts_of(actual, own);
    std::int64_t unit = exponent_;
    if (fraction != 0.0) unit = std::max<std::int64_t>(unit, own);
    if (!bound.is_zero()) unit = std::max(unit, bound.exponent());
    const int shift = shift_of(exponent_ - unit);
    const int shift_of_actual = shift_of(own - unit);
    const double re = apart(std::ldexp(fraction.real(), shift_of_actual), product_[0], shift);
    const double im = apart(std::ldexp(fraction.imag(), shift_of_actual), product_[1], shift);
    const double lost = (factors_ + 1) * std::ldexp(1.0, shift) * 0x1p-92;
    return lenient_share(std::hypot(re, im), (bound.in_units_of(unit) + lost) * (1 + 0x1p-40));
  }

 private:
  static int shift_of(std::int64_t exponents) {
    constexpr std::int64_t beyond = 5000;
    return static_cast<int>(std::clamp(exponents, -beyond, beyond));
  }

  static double apart(double actual, const DoublePair& exact, int shift) {
    const DoublePair part = exact.scaled(shift);
    return (actual - part.high) - part.low;
  }

  static std::complex<double> parts_of(std::complex<double> value, int& exponent) {
    std::frexp(std::max(std::fabs(value.real()), std::fabs(value.imag())), &exponent);
    return {std::ldexp(value.real(), -exponent), std::ldexp(value.imag(), -exponent)};
  }

  std::complex<double> taken_apart(std::complex<double> factor) {
    int shift = 0;
    const std::complex<double> fraction = parts_of(factor, shift);
    exponent_ += shift;
    return fraction;
  }

  // Scales the larger part to [1/2, 1).
  void normalise() {
    int shift = 0;
    std::frexp(std::max(std::fabs(product_[0].high), std::fabs(product_[1].high)), &shift);
    for (DoublePair& part : product_) part = part.scaled(-shift);
    exponent_ += shift;
  }

  std::array<DoublePair, 2> product_{};
  std::int64_t exponent_ = 0;
  double factors_ = 0;
};

}  // namespace tscatter::orders
