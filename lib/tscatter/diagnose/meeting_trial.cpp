#include "tscatter/diagnose/meeting_trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tscatter/core/element_bits.hpp"
#include "tscatter/kernels/identity.hpp"
#include "tscatter/orders/real_format.hpp"

namespace tscatter::diagnose {

double unit_roundoff(DType dtype) {
  if (dtype == DType::opaque) return 0;
  return visit_dtype(dtype, []<class T>() -> double {
    if constexpr (is_real_v<T>) return orders::RealFormat<T>::unit;
    return 0;
  });
}

std::optional<double> to_double(DType dtype, const std::byte* element) {
  if (dtype == DType::opaque || dtype == DType::boolean) return std::nullopt;
  return visit_dtype(dtype, [&]<class T>() -> std::optional<double> {
    if constexpr (is_complex_v<T> || std::is_same_v<T, Bool>) {
      return std::nullopt;
    } else {
      T value;
      std::memcpy(&value, element, sizeof(T));
      return static_cast<double>(value);
    }
  });
}

bool is_nan(DType dtype, const std::byte* element) {
  if (dtype == DType::opaque) return false;
  return visit_dtype(dtype, [&]<class T>() {
    T value;
    std::memcpy(&value, element, sizeof(T));
    if constexpr (is_complex_v<T>) {
      return std::isnan(value.real()) || std::isnan(value.imag());
    } else if constexpr (is_real_v<T>) {
      return std::isnan(static_cast<double>(value));
    } else {
      return false;
    }
  });
}

MeetingTrial::MeetingTrial(const ElementType& type, const Combination& combination)
    : type_{type},
      combination_{combination},
      combiner_{combiner(type.dtype, combination.reduction, combination.accumulation)},
      divide_{divide_loop(combiner_.accumulator, combination.reduction)},
      start_{start_value(type.dtype, combination.reduction, combination.initial)},
      orders_matter_{order_effect(combination.reduction, type.dtype) != OrderEffect::nothing} {
  if (!orders_matter_ || combination.reduction == Reduction::none) return;
  judge_ = orders::make_any_element_judge(
      type.dtype, combination.reduction,
      {.accumulation = combiner_.is_wide() ? combination.accumulation : Accumulation::each_step});
}

std::span<const std::byte> MeetingTrial::value_after(const std::byte* data, const Terms& terms,
                                                     std::optional<std::int64_t> divisor) {
  if (terms.empty()) return {data, type_.size};
  if (combiner_.reduce == nullptr) return {terms.back(), type_.size};
  const std::byte* start = start_.empty() ? data : start_.data();
  if (combiner_.is_wide()) {
    value_.resize(info(combiner_.accumulator).size);
    combiner_.widen(start, value_.data(), 1);
  } else {
    value_.assign(start, start + type_.size);
  }
  for (const std::byte* term : terms) combiner_.reduce(value_.data(), term, 1);
  if (divide_ != nullptr) {
    const std::int64_t by = divisor.value_or(divisor_for(terms));
    divide_(value_.data(), &by, 1);
  }
  if (!combiner_.is_wide()) return value_;
  narrow_.resize(type_.size);
  combiner_.narrow(value_.data(), narrow_.data(), 1);
  return narrow_;
}

Fit MeetingTrial::fit(const std::byte* data, const Terms& terms, const std::byte* actual,
                      std::optional<std::int64_t> divisor) {
  const std::span<const std::byte> value = value_after(data, terms, divisor);
  if (std::memcmp(value.data(), actual, type_.size) == 0) return Fit::bits;
  if (!orders_matter_ || terms.empty()) return Fit::none;
  if (combination_.reduction == Reduction::none) {
    const bool is_any = std::ranges::any_of(
        terms, [&](const std::byte* term) { return std::memcmp(term, actual, type_.size) == 0; });
    return is_any ? Fit::legal : Fit::none;
  }
  const std::int64_t by = divisor.value_or(divisor_for(terms));
  if (!is_plausible(data, terms, actual, by)) return Fit::none;
  return is_legal(data, terms, actual, by) ? Fit::legal : Fit::none;
}

// Far outside every bound a sum needs no judge.
bool MeetingTrial::is_plausible(const std::byte* data, const Terms& terms, const std::byte* actual,
                                std::int64_t divisor) const {
  const double unit = unit_roundoff(type_.dtype);
  if (!is_sum(combination_.reduction) || unit == 0) return true;
  const double first = *to_double(type_.dtype, start_.empty() ? data : start_.data());
  double sum = first;
  double size = std::abs(first);
  for (const std::byte* term : terms) {
    const double value = *to_double(type_.dtype, term);
    sum += info(combination_.reduction).negates ? -value : value;
    size += std::abs(value);
  }
  const double got = *to_double(type_.dtype, actual) * static_cast<double>(divisor);
  const double error = std::abs(got - sum);
  if (!std::isfinite(error) || !std::isfinite(size)) return true;
  constexpr double slack = 8;
  const double steps = static_cast<double>(terms.size()) + 2;
  return error <= slack * steps * unit * (size + std::abs(got)) +
                      std::numeric_limits<double>::min() * static_cast<double>(divisor) ||
         size < 0x1p-100;
}

bool MeetingTrial::is_legal(const std::byte* data, const Terms& terms, const std::byte* actual,
                            std::int64_t divisor) {
  const std::size_t size = type_.size;
  columns_.resize((terms.size() + 3) * size);
  const auto put = [&](std::size_t row, const std::byte* element) {
    std::memcpy(columns_.data() + row * size, element, size);
  };
  const std::span<const std::byte> in_order = value_after(data, terms, divisor);
  put(0, start_.empty() ? data : start_.data());
  put(1, actual);
  put(2, in_order.data());
  judge_->forget();
  judge_->begin_rows(static_cast<std::int64_t>(terms.size()));
  for (std::size_t k = 0; k < terms.size(); ++k) {
    put(k + 3, terms[k]);
    judge_->add_row(columns_.data() + (k + 3) * size);
  }
  orders::ElementVerdict verdict;
  judge_->judge({.data = columns_.data(),
                 .actual = columns_.data() + size,
                 .in_order = columns_.data() + 2 * size,
                 .count = 1,
                 .divisor = divisor},
                {&verdict, 1}, orders::Reordered::listed);
  return verdict.element_class != orders::ElementClass::wrong;
}

}  // namespace tscatter::diagnose
