// A stream of random choices that is the same on every machine, and random tensors.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>
#include <vector>

#include "oracle/dense.hpp"

namespace tscatter::property {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_{seed} {}

  std::uint64_t bits() { return engine_(); }
  // Both ends included. REQUIRES: low <= high.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto choices = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<std::int64_t>(bits() % choices);
  }
  bool chance(int percent) { return between(1, 100) <= percent; }

  template <class T>
  T among(std::initializer_list<T> choices) {
    return choices.begin()[bits() % choices.size()];
  }
  template <class T>
  const T& among(const std::vector<T>& choices) {
    return choices[bits() % choices.size()];
  }

 private:
  std::mt19937_64 engine_;
};

// At most `most` elements, not counting axes of size 0.
Shape random_shape(Random& random, std::size_t rank, std::int64_t most);

// 0, 1 and so on below `count`, in any order.
std::vector<std::size_t> random_order(Random& random, std::size_t count);

// Any dtype, opaque ones included.
ElementType random_type(Random& random);
ElementType random_integer_type(Random& random);

// Values of one flavour: small, special (NaN, infinities, signed zeros, subnormals, the largest),
// random bits, near 1.
oracle::Dense random_values(Random& random, const ElementType& type, const Shape& shape);

}  // namespace tscatter::property
