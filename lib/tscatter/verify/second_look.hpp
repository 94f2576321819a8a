// SecondLook: whether elements that are not what the operation itself leaves are what its library
// leaves in another way (Variant), or differ by the sign of a zero. Each worker has its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/ops/operation.hpp"
#include "tscatter/orders/any_element_judge.hpp"
#include "tscatter/orders/in_order_value.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter {

// A variant that can change what a call leaves.
struct JudgedVariant {
  std::uint8_t number = 0;  // of the operation's variants, from 1
  orders::JudgeOptions options = {};
  bool takes_any_zero = false;
  orders::Combination combination = {};
};

// Those of the call's operation, without the ones of a question that the call answers itself.
// `options`: of the operation's own judge.
std::vector<JudgedVariant> judged_variants(const Call& call, DType dtype, Reduction reduction,
                                           const orders::JudgeOptions& options);

class SecondLook {
 public:
  // Columns of the judge `first` that are not in order, with its verdicts; it still has their rows.
  struct Judged {
    orders::AnyElementJudge& first;
    const orders::Columns& columns;
    std::span<const std::uint32_t> differing;
    std::span<ElementVerdict> verdicts;
  };

  // REQUIRES: `variants` outlives it; the reduction is not none.
  SecondLook(DType dtype, Reduction reduction, OtherBits zeros,
             std::span<const JudgedVariant> variants);

  bool may_change(const Judged& judged) const;

  // Gives columns better verdicts where there are any, and names what would explain others. The
  // list of the first judge's columns is lost.
  void look(const Judged& judged);

  // Forgets what was learnt from earlier columns.
  void forget();

 private:
  // Whether a variant may have a better verdict.
  static bool is_open(const ElementVerdict& verdict) {
    return verdict.element_class == ElementClass::wrong ||
           verdict.element_class == ElementClass::rounded;
  }
  bool may_change_zeros(const Judged& judged, std::uint32_t column) const;
  unsigned zeros_of(const Judged& judged, std::uint32_t column) const;
  // What judges by a variant, once that is used.
  struct VariantJudge {
    std::unique_ptr<orders::AnyElementJudge> judge;
    std::optional<orders::InOrderValue> value;
  };

  void judge_by(std::size_t variant, const Judged& judged);
  void begin(std::size_t variant, const orders::AnyElementJudge& first);
  orders::Columns columns_of(VariantJudge& by, const Judged& judged);
  template <class Take>
  void flip_zeros(const Judged& judged, const Take& take);
  orders::Columns with_open(const orders::Columns& columns);

  DType dtype_;
  std::size_t size_;
  Reduction reduction_;
  OtherBits zeros_;
  std::span<const JudgedVariant> variants_;
  std::vector<VariantJudge> judges_;  // of each variant
  std::vector<std::uint32_t> open_;
  std::vector<std::byte> in_order_;
  std::vector<std::byte> actual_;
  std::vector<ElementVerdict> second_;
};

}  // namespace tscatter
