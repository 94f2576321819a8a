// InOrderValue: what updates leave that are applied one after the other, as the engine applies
// them: they meet in the dtype or in a wider one, a mean is divided at the end, and the value is
// rounded once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/kernels/quotient.hpp"
#include "tscatter/kernels/reduce.hpp"

namespace tscatter::orders {

// How the updates of an element meet.
struct Combination {
  Reduction reduction;
  InitialValue initial = InitialValue::data;
  Accumulation accumulation = Accumulation::each_step;
  MeanRules mean = {};

  // `dtype`: of data.
  Division division(DType dtype) const {
    return {.reduction = reduction, .initial = initial, .rules = mean, .dtype = dtype};
  }
};

// One element, or several side by side, packed and native. Each worker has its own.
class InOrderValue {
 public:
  // REQUIRES: the reduction is none or defined for the dtype.
  InOrderValue(const ElementType& type, const Combination& combination);

  // Whether the last update stays.
  bool overwrites() const { return combiner_.reduce == nullptr; }
  // The dtype in which updates meet: the elements' own, or a wider one.
  DType accumulator() const { return is_wide() ? combiner_.accumulator : type_.dtype; }
  bool is_wide() const { return combiner_.is_wide(); }
  std::int64_t divisor_after(std::int64_t updates) const {
    return divisor_of(combination_.division(type_.dtype), updates);
  }
  // Whether the sum is divided by the root of divisor_after().
  bool takes_root() const { return info(combination_.reduction).takes_root; }
  // What an element begins with that updates reach; empty: data's value.
  std::span<const std::byte> start() const { return start_; }
  const std::byte* start_of(const std::byte* data) const {
    return start_.empty() ? data : start_.data();
  }

  void begin(std::span<const std::byte> elements);
  void apply(const std::byte* updates);
  // Only a mean is divided: by the divisor, or by its root.
  void divide(std::int64_t divisor);

  // The elements in the accumulator's dtype.
  std::span<std::byte> met() { return value_; }
  std::span<const std::byte> met() const { return value_; }
  // In their own dtype. Valid until the next call.
  std::span<const std::byte> rounded();

 private:
  ElementType type_;
  Combination combination_;
  Combiner combiner_;
  DivideLoop divide_;
  std::vector<std::byte> start_;
  std::int64_t columns_ = 0;
  std::vector<std::byte> value_;
  std::vector<std::byte> narrow_;
  std::vector<std::int64_t> divisors_;
};

}  // namespace tscatter::orders
