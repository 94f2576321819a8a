// MeetingTrial: whether some updates of an element, as they meet in a dtype, leave a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/orders/any_element_judge.hpp"
#include "tscatter/orders/in_order_value.hpp"
#include "tscatter/reach/reached_terms.hpp"

namespace tscatter::diagnose {

using orders::Combination;

// How well something explains a value.
enum class Fit : std::uint8_t {
  none,
  legal,  // some order of the updates leaves it, or it is within the bound of the docs
  bits,   // the order of the entries leaves it, bit for bit
};

// Whether the updates are added or subtracted, be the sum divided or not.
constexpr bool is_sum(Reduction reduction) {
  return info(reduction).effect == OrderEffect::rounded_sum;
}

// How an element differs from another one by NaNs alone, part by part of complex numbers.
enum class NanDifference : std::uint8_t {
  none,  // they are the same, or something else differs
  bits,  // the bits of NaNs
  bare,  // these, and in `got` they are quiet and without payload
};
NanDifference nan_difference(DType dtype, const std::byte* expected, const std::byte* got);

// The least positive number that is not subnormal. REQUIRES: dtype is real.
double least_normal(DType dtype);

// Half a unit in the last place of 1; 0 of a dtype that is not real.
double unit_roundoff(DType dtype);

// Each subnormal number among the elements, or among the parts of complex ones, becomes a zero of
// its sign.
void flush_subnormals(DType dtype, std::span<std::byte> elements);

// Each worker has its own.
class MeetingTrial {
 public:
  // `subnormals`: flushed ones count as zero, before and after each step. REQUIRES: the reduction
  // is none or defined for the dtype.
  MeetingTrial(const ElementType& type, const Combination& combination,
               orders::Subnormals subnormals = orders::Subnormals::kept);

  // `divisor`: of a mean; nullopt: by the number of terms. Without terms data's value stays.
  Fit fit(const std::byte* data, const Terms& terms, const std::byte* actual,
          std::optional<std::int64_t> divisor = std::nullopt);
  Fit fit(const ReachedTerms& reached, std::span<const std::byte> actual) {
    return fit(reached.data.data(), reached.terms(), actual.data());
  }

  // What the order of the terms leaves, with subnormal numbers kept. Valid until the next call.
  std::span<const std::byte> value_after(const std::byte* data, const Terms& terms,
                                         std::optional<std::int64_t> divisor = std::nullopt) {
    return combined(data, terms, divisor, orders::Subnormals::kept);
  }
  std::span<const std::byte> value_after(const ReachedTerms& reached) {
    return value_after(reached.data.data(), reached.terms());
  }

  // What the first term meets: data's value, or another start.
  const std::byte* start_of(const std::byte* data) const { return value_.start_of(data); }

  // Of a mean of data's value and the terms.
  std::int64_t divisor_for(const Terms& terms) const {
    return value_.divisor_after(static_cast<std::int64_t>(terms.size()));
  }

  const Combination& combination() const { return combination_; }
  const ElementType& type() const { return type_; }

 private:
  std::span<const std::byte> combined(const std::byte* data, const Terms& terms,
                                      std::optional<std::int64_t> divisor,
                                      orders::Subnormals subnormals);
  const std::byte* flushed(const std::byte* element);
  bool is_plausible(const std::byte* data, const Terms& terms, const std::byte* actual,
                    std::int64_t divisor) const;
  bool is_legal(const std::byte* data, const Terms& terms, const std::byte* actual,
                std::int64_t divisor);
  ElementType type_;
  Combination combination_;
  orders::Subnormals subnormals_;
  orders::InOrderValue value_;
  bool orders_matter_;
  std::unique_ptr<orders::AnyElementJudge> judge_;
  std::vector<std::byte> flushed_;
  std::vector<std::byte> columns_;
};

}  // namespace tscatter::diagnose
