#include <bit>
#include <cmath>
#include <limits>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/kernels/reductions.hpp"

namespace tscatter {
namespace {

// Rounded to odd: of the two floats beside it, the one whose last bit is set. Rounding that once
// more, to a half float, gives what rounding the double does.
float rounded_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (back == value || std::isnan(value) || std::isinf(value)) return nearest;
  const bool is_beyond = std::fabs(back) > std::fabs(value);
  if (is_beyond) --bits;
  return std::bit_cast<float>(bits | 1U);
}

template <class Narrow, class Wide>
Narrow narrowed(Wide value) {
  if constexpr (HalfWidth<Narrow> && std::is_same_v<Wide, double>) {
    return reductions::with_one_nan(Narrow(rounded_to_odd(value)));
  } else {
    return reductions::with_one_nan(Narrow(static_cast<float>(value)));
  }
}

template <class Narrow, class Wide>
void widen(const std::byte* narrow, std::byte* wide, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    store(static_cast<Wide>(load<Narrow>(narrow, i)), wide, i);
}

template <class Narrow, class Wide>
void narrow(const std::byte* wide, std::byte* narrow, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) store(narrowed<Narrow>(load<Wide>(wide, i)), narrow, i);
}

template <class Narrow, class Wide, class Operation>
void combine(std::byte* wide, const std::byte* updates, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto update = static_cast<Wide>(load<Narrow>(updates, i));
    store(Operation::apply(load<Wide>(wide, i), update), wide, i);
  }
}

template <class Narrow, class Wide>
ReduceLoop combine_loop(Reduction reduction) {
  switch (info(reduction).effect) {
    case OrderEffect::rounded_prod: return combine<Narrow, Wide, reductions::Prod>;
    case OrderEffect::rounded_sum:
      return info(reduction).negates ? combine<Narrow, Wide, reductions::Sub>
                                     : combine<Narrow, Wide, reductions::Sum>;
    case OrderEffect::nothing:
    case OrderEffect::last_stays:
    case OrderEffect::extreme: return nullptr;
  }
  unreachable();
}

template <class Narrow, class Wide>
Combiner wide_combiner(DType accumulator, Reduction reduction) {
  return {.accumulator = accumulator,
          .reduce = combine_loop<Narrow, Wide>(reduction),
          .widen = widen<Narrow, Wide>,
          .narrow = narrow<Narrow, Wide>};
}

template <class Wide>
Combiner combiner_into(DType dtype, DType accumulator, Reduction reduction) {
  if (dtype == DType::float16) return wide_combiner<Half, Wide>(accumulator, reduction);
  if (dtype == DType::bfloat16) return wide_combiner<BFloat16, Wide>(accumulator, reduction);
  return wide_combiner<float, Wide>(accumulator, reduction);
}

}  // namespace

Combiner combiner(DType dtype, Reduction reduction, Accumulation accumulation) {
  const DType accumulator = accumulator_of(dtype, reduction, accumulation);
  if (accumulator == dtype) return {.accumulator = dtype, .reduce = reduce_loop(dtype, reduction)};
  return accumulator == DType::float32 ? combiner_into<float>(dtype, accumulator, reduction)
                                       : combiner_into<double>(dtype, accumulator, reduction);
}

}  // namespace tscatter
