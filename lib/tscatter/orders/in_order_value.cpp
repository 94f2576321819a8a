#include "tscatter/orders/in_order_value.hpp"

#include <cstring>

#include "tscatter/kernels/reduce.hpp"

namespace tscatter::orders {

InOrderValue::InOrderValue(const ElementType& type, const Combination& combination)
    : type_{type},
      combination_{combination},
      combiner_{combiner(type.dtype, combination.reduction, combination.accumulation)},
      divide_{divide_loop(combination.mean.rounds_sum() ? type.dtype : combiner_.accumulator,
                          combination.division(type.dtype))},
      start_{start_value(type.dtype, combination.reduction, combination.initial)} {}

void InOrderValue::begin(std::span<const std::byte> elements) {
  columns_ = static_cast<std::int64_t>(elements.size() / type_.size);
  if (!is_wide()) return value_.assign(elements.begin(), elements.end());
  value_.resize(static_cast<std::size_t>(columns_) * info(combiner_.accumulator).size);
  combiner_.widen(elements.data(), value_.data(), columns_);
}

void InOrderValue::apply(const std::byte* updates) {
  if (overwrites()) {
    std::memcpy(value_.data(), updates, value_.size());
  } else {
    combiner_.reduce(value_.data(), updates, columns_);
  }
}

void InOrderValue::divide(std::int64_t divisor) {
  if (divide_ == nullptr) return;
  divisors_.assign(static_cast<std::size_t>(columns_), divisor);
  if (!is_wide() || !combination_.mean.rounds_sum())
    return divide_(value_.data(), divisors_.data(), columns_);
  rounded();
  divide_(narrow_.data(), divisors_.data(), columns_);
  combiner_.widen(narrow_.data(), value_.data(), columns_);
}

std::span<const std::byte> InOrderValue::rounded() {
  if (!is_wide()) return value_;
  narrow_.resize(static_cast<std::size_t>(columns_) * type_.size);
  combiner_.narrow(value_.data(), narrow_.data(), columns_);
  return narrow_;
}

}  // namespace tscatter::orders
