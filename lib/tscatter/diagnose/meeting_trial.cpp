#include "tscatter/diagnose/meeting_trial.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tscatter/core/number.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/orders/real_format.hpp"

namespace tscatter::diagnose {
namespace {

template <class Real>
bool is_nan(ElementBits<sizeof(Real)> bits) {
  return std::isnan(static_cast<double>(std::bit_cast<Real>(bits)));
}

template <class Real, std::size_t parts>
NanDifference nan_difference_of(const std::byte* expected, const std::byte* got) {
  using Bits = std::array<ElementBits<sizeof(Real)>, parts>;
  constexpr int fraction_bits = orders::RealFormat<Real>::precision - 1;
  constexpr std::uint64_t quiet = std::uint64_t{1} << (fraction_bits - 1);
  Bits own;
  Bits other;
  std::memcpy(own.data(), expected, sizeof(Bits));
  std::memcpy(other.data(), got, sizeof(Bits));
  NanDifference difference = NanDifference::none;
  for (std::size_t part = 0; part < parts; ++part) {
    if (own[part] == other[part]) continue;
    if (!is_nan<Real>(own[part]) || !is_nan<Real>(other[part])) return NanDifference::none;
    const bool is_bare = (std::uint64_t{other[part]} & (2 * quiet - 1)) == quiet;
    if (!is_bare) difference = NanDifference::bits;
    if (difference == NanDifference::none) difference = NanDifference::bare;
  }
  return difference;
}

}  // namespace

double unit_roundoff(DType dtype) {
  return visit_reals(dtype, 0.0, []<class Real, std::size_t parts>() {
    return parts == 1 ? orders::RealFormat<Real>::unit : 0;
  });
}

NanDifference nan_difference(DType dtype, const std::byte* expected, const std::byte* got) {
  return visit_reals(dtype, NanDifference::none, [&]<class Real, std::size_t parts>() {
    return nan_difference_of<Real, parts>(expected, got);
  });
}

namespace {

template <class T>
void flush_reals(std::span<std::byte> elements) {
  for (std::size_t at = 0; at < elements.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, elements.data() + at, sizeof(T));
    const auto wide = static_cast<double>(value);
    if (wide == 0 || !(std::abs(wide) < orders::RealFormat<T>::normal_min)) continue;
    value = T(std::copysign(0.0F, wide < 0 ? -1.0F : 1.0F));
    std::memcpy(elements.data() + at, &value, sizeof(T));
  }
}

}  // namespace

double least_normal(DType dtype) {
  return visit_reals(
      dtype, 0.0, []<class Real, std::size_t>() { return orders::RealFormat<Real>::normal_min; });
}

void flush_subnormals(DType dtype, std::span<std::byte> elements) {
  visit_reals(dtype, false, [&]<class Real, std::size_t>() {
    flush_reals<Real>(elements);
    return true;
  });
}

MeetingTrial::MeetingTrial(const ElementType& type, const Combination& combination,
                           orders::Subnormals subnormals)
    : type_{type},
      combination_{combination},
      subnormals_{subnormals},
      value_{type, combination},
      orders_matter_{order_effect(combination.reduction, type.dtype) != OrderEffect::nothing} {
  if (!orders_matter_ || combination.reduction == Reduction::none) return;
  judge_ = orders::make_any_element_judge(
      type.dtype, combination.reduction,
      {.subnormals = subnormals,
       .accumulation = value_.is_wide() ? combination.accumulation : Accumulation::each_step});
}

const std::byte* MeetingTrial::flushed(const std::byte* element) {
  flushed_.assign(element, element + type_.size);
  flush_subnormals(type_.dtype, flushed_);
  return flushed_.data();
}

std::span<const std::byte> MeetingTrial::combined(const std::byte* data, const Terms& terms,
                                                  std::optional<std::int64_t> divisor,
                                                  orders::Subnormals subnormals) {
  if (terms.empty()) return {data, type_.size};
  if (value_.overwrites()) return {terms.back(), type_.size};
  const bool flushes = subnormals == orders::Subnormals::flushed;
  const std::byte* start = value_.start_of(data);
  value_.begin({flushes ? flushed(start) : start, type_.size});
  for (const std::byte* term : terms) {
    value_.apply(flushes ? flushed(term) : term);
    if (flushes) flush_subnormals(value_.accumulator(), value_.met());
  }
  value_.divide(divisor.value_or(divisor_for(terms)));
  return value_.rounded();
}

Fit MeetingTrial::fit(const std::byte* data, const Terms& terms, const std::byte* actual,
                      std::optional<std::int64_t> divisor) {
  const std::span<const std::byte> value = combined(data, terms, divisor, subnormals_);
  const bool is_it = std::memcmp(value.data(), actual, type_.size) == 0;
  if (is_it && subnormals_ == orders::Subnormals::kept) return Fit::bits;
  if (!orders_matter_ || terms.empty()) return Fit::none;
  if (combination_.reduction == Reduction::none) {
    const bool is_any = std::ranges::any_of(
        terms, [&](const std::byte* term) { return std::memcmp(term, actual, type_.size) == 0; });
    return is_any ? Fit::legal : Fit::none;
  }
  const std::int64_t by = divisor.value_or(divisor_for(terms));
  if (!is_plausible(data, terms, actual, by)) return Fit::none;
  if (!is_legal(data, terms, actual, by)) return Fit::none;
  return is_it ? Fit::bits : Fit::legal;
}

// Far outside every bound a sum needs no judge.
bool MeetingTrial::is_plausible(const std::byte* data, const Terms& terms, const std::byte* actual,
                                std::int64_t divisor) const {
  const double unit = unit_roundoff(type_.dtype);
  if (!is_sum(combination_.reduction) || unit == 0) return true;
  const double first = *to_double(type_.dtype, value_.start_of(data));
  double sum = first;
  double size = std::abs(first);
  for (const std::byte* term : terms) {
    const double value = *to_double(type_.dtype, term);
    sum += info(combination_.reduction).negates ? -value : value;
    size += std::abs(value);
  }
  const auto count = static_cast<double>(divisor);
  const double by = info(combination_.reduction).takes_root ? std::sqrt(count) : count;
  const double got = *to_double(type_.dtype, actual) * by;
  const double error = std::abs(got - sum);
  if (!std::isfinite(error) || !std::isfinite(size)) return true;
  constexpr double slack = 8;
  const double steps = static_cast<double>(terms.size()) + 2;
  const double flushed =
      subnormals_ == orders::Subnormals::kept ? 0 : steps * least_normal(type_.dtype);
  return error <= slack * steps * unit * (size + std::abs(got)) +
                      (std::numeric_limits<double>::min() + flushed) * by ||
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
  put(0, value_.start_of(data));
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
