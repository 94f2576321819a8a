// Terms that are hard for accumulators. One flavour per element.
#pragma once

#include <cmath>

#include "orders/device.hpp"

namespace tscatter::device {

struct Range {
  int digits;
  int least_exponent;
  int greatest_exponent;
};

template <class T>
constexpr Range range_of() {
  if (std::is_same_v<T, Half>) return {11, -14, 15};
  if (std::is_same_v<T, BFloat16>) return {8, -126, 127};
  if (std::is_same_v<T, float>) return {24, -126, 127};
  return {53, -1022, 1023};
}

inline double unit_interval(Random& random) {
  return std::ldexp(static_cast<double>(random.bits() >> 11U), -53);
}
inline double either_sign(Random& random, double value) {
  return random.chance(50) ? -value : value;
}

template <class T>
double ordinary(Random& random) {
  return rounded<T>(either_sign(random, 1 + unit_interval(random)));
}

// A power of two, or a neighbour of it.
template <class T>
double near_power(Random& random, int spread) {
  const double ulp = std::ldexp(1.0, 1 - range_of<T>().digits);
  const double value = 1 + static_cast<double>(random.between(-1, 1)) * ulp / 2;
  const int exponent = static_cast<int>(random.between(-spread, spread));
  return rounded<T>(either_sign(random, std::ldexp(value, exponent)));
}

template <class T>
double swamped(Random& random) {
  const int digits = range_of<T>().digits;
  const int exponent = static_cast<int>(random.between(-digits - 3, 2));
  return rounded<T>(either_sign(random, std::ldexp(1 + unit_interval(random), exponent)));
}

template <class T>
double subnormal(Random& random) {
  const Range range = range_of<T>();
  const double share = static_cast<double>(random.between(0, 4096)) / 2048;
  return rounded<T>(either_sign(random, share * std::ldexp(1.0, range.least_exponent)));
}

template <class T>
double huge(Random& random) {
  const int exponent = range_of<T>().greatest_exponent - static_cast<int>(random.between(0, 4));
  const double most = rounded<T>(std::ldexp(1 + unit_interval(random) / 2, exponent));
  return either_sign(random, most);
}

template <class T>
double tie(Random& random) {
  const int digits = range_of<T>().digits;
  const double half_ulp = std::ldexp(1.0, -digits);
  return either_sign(random, half_ulp * static_cast<double>(random.between(1, 3)));
}

template <class T>
double of_flavour(Random& random, std::int64_t flavour) {
  switch (flavour) {
    case 0: return ordinary<T>(random);
    case 1: return std::fabs(ordinary<T>(random));
    case 2: return near_power<T>(random, 3);
    case 3: return swamped<T>(random);
    case 4: return subnormal<T>(random);
    case 5: return huge<T>(random);
    case 6: return tie<T>(random);
    case 7: return static_cast<double>(random.between(-3, 3));
    case 8: return 1.25;
    default:
      return rounded<T>(std::ldexp(ordinary<T>(random), static_cast<int>(random.between(-9, 9))));
  }
}

template <class T>
Terms hostile_terms(Random& random, std::size_t writers) {
  const std::int64_t flavour = random.between(0, 11);
  Terms terms(writers + 1);
  for (double& term : terms) term = of_flavour<T>(random, flavour);
  if (flavour == 6 || random.chance(10)) terms[0] = 1;
  // Cancellation: the last terms are the first ones, negated.
  if (flavour == 10 || random.chance(10)) {
    for (std::size_t k = 0; k < (writers + 1) / 2; ++k) terms[writers - k] = -terms[k];
  }
  if (random.chance(2)) terms[random.bits() % terms.size()] = random.chance(50) ? 0.0 : -0.0;
  return terms;
}

// Factors: most near 1, so that a product of many stays in range; some at the ends of the range.
template <class T>
Terms hostile_factors(Random& random, std::size_t writers) {
  const std::int64_t flavour = random.between(0, 5);
  const Range range = range_of<T>();
  const int spread = flavour == 0 ? range.greatest_exponent / 2 : flavour == 1 ? 4 : 1;
  Terms terms(writers + 1);
  for (double& term : terms) {
    term = near_power<T>(random, flavour == 2 ? 0 : spread);
    if (flavour >= 3) {
      const int exponent = static_cast<int>(random.between(-spread, 0));
      term = rounded<T>(std::ldexp(ordinary<T>(random), exponent));
    }
  }
  if (flavour == 5) terms[0] = subnormal<T>(random);
  if (random.chance(2)) terms[random.bits() % terms.size()] = random.chance(50) ? 0.0 : -0.0;
  return terms;
}

}  // namespace tscatter::device
