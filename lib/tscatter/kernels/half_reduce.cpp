#include "tscatter/kernels/reduce.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <type_traits>

#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/kernels/reductions.hpp"

namespace tscatter {
namespace {

#define TSCATTER_AVX2 __attribute__((target("avx2,f16c"), always_inline)) inline

constexpr std::int64_t lanes = 8;

struct HalfLanes {
  using Scalar = Half;
  TSCATTER_AVX2 static __m256 widen(__m128i bits) { return _mm256_cvtph_ps(bits); }
  // To nearest even; a NaN becomes the quiet one.
  TSCATTER_AVX2 static __m128i narrow(__m256 value) {
    const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    const __m128i mask =
        _mm_packs_epi32(_mm256_castsi256_si128(is_nan), _mm256_extracti128_si256(is_nan, 1));
    const __m128i rounded = _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT);
    return _mm_blendv_epi8(rounded, _mm_set1_epi16(0x7E00), mask);
  }
  TSCATTER_AVX2 static float widen_one(std::uint16_t bits) { return _cvtsh_ss(bits); }
  TSCATTER_AVX2 static std::uint16_t narrow_one(float value) {
    return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
  }
};

struct BFloat16Lanes {
  using Scalar = BFloat16;
  TSCATTER_AVX2 static __m256 widen(__m128i bits) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
  }
  // To nearest even; a NaN becomes the quiet one.
  TSCATTER_AVX2 static __m128i narrow(__m256 value) {
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i bias = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF));
    const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, bias), 16);
    const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    const __m256i result = _mm256_blendv_epi8(rounded, _mm256_set1_epi32(0x7FC0), is_nan);
    const __m256i packed = _mm256_packus_epi32(result, result);
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0b1000));
  }
  TSCATTER_AVX2 static float widen_one(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t{bits} << 16U);
  }
  TSCATTER_AVX2 static std::uint16_t narrow_one(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + ((bits >> 16U) & 1U) + 0x7FFFU) >> 16U);
  }
};

TSCATTER_AVX2 __m256 is_nan(__m256 value) { return _mm256_cmp_ps(value, value, _CMP_UNORD_Q); }

// Where y replaces x. `low` and `high` are x and y: y comes before x where low < high.
template <Extremes family>
TSCATTER_AVX2 __m256 takes_update(__m256 x, __m256 y, __m256 low, __m256 high) {
  const __m256 precedes = _mm256_cmp_ps(low, high, _CMP_LT_OQ);
  if constexpr (family == Extremes::data) return precedes;
  if constexpr (family == Extremes::update) return _mm256_cmp_ps(high, low, _CMP_NLT_UQ);
  const __m256 is_y = _mm256_or_ps(is_nan(y), precedes);
  if constexpr (family == Extremes::propagate) return _mm256_andnot_ps(is_nan(x), is_y);
  if constexpr (family == Extremes::ieee) {
    // Where two equal values differ in sign, `low` is the negative one if y comes before x.
    const __m256i differ = _mm256_castps_si256(_mm256_andnot_ps(high, low));
    const __m256 is_zero = _mm256_cmp_ps(x, y, _CMP_EQ_OQ);
    const __m256 is_other =
        _mm256_and_ps(is_zero, _mm256_castsi256_ps(_mm256_srai_epi32(differ, 31)));
    return _mm256_andnot_ps(is_nan(x), _mm256_or_ps(is_y, is_other));
  }
  if constexpr (family == Extremes::ignore)
    return _mm256_or_ps(precedes, _mm256_andnot_ps(is_nan(y), is_nan(x)));
}

// y where `takes_y` is set, else x.
TSCATTER_AVX2 __m128i select(__m256 takes_y, __m128i x_bits, __m128i y_bits) {
  const __m256i wide = _mm256_castps_si256(takes_y);
  const __m128i mask =
      _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
  return _mm_blendv_epi8(x_bits, y_bits, mask);
}

template <class Lanes, class Operation>
TSCATTER_AVX2 __m128i combine(__m128i x_bits, __m128i y_bits) {
  const __m256 x = Lanes::widen(x_bits);
  const __m256 y = Lanes::widen(y_bits);
  if constexpr (std::is_same_v<Operation, reductions::Sum>)
    return Lanes::narrow(_mm256_add_ps(x, y));
  if constexpr (std::is_same_v<Operation, reductions::Sub>)
    return Lanes::narrow(_mm256_sub_ps(x, y));
  if constexpr (std::is_same_v<Operation, reductions::Prod>)
    return Lanes::narrow(_mm256_mul_ps(x, y));
  // min and max select: the bits of x or y themselves.
  if constexpr (requires { Operation::family; }) {
    constexpr Extremes family = Operation::family;
    return select(
        Operation::is_min ? takes_update<family>(x, y, y, x) : takes_update<family>(x, y, x, y),
        x_bits, y_bits);
  }
}

TSCATTER_AVX2 std::uint16_t load_one(const std::byte* from) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, from, sizeof(bits));
  return bits;
}

// Alone, a sum is faster without vectors: a NaN is then a branch that is not taken.
template <class Lanes, class Operation>
TSCATTER_AVX2 void combine_one(std::byte* into, const std::byte* update) {
  std::uint16_t bits = load_one(into);
  if constexpr (requires { Operation::family; }) {
    const __m128i combined =
        combine<Lanes, Operation>(_mm_cvtsi32_si128(bits), _mm_cvtsi32_si128(load_one(update)));
    bits = static_cast<std::uint16_t>(_mm_cvtsi128_si32(combined));
  } else {
    const float x = Lanes::widen_one(bits);
    const float y = Lanes::widen_one(load_one(update));
    bits = Lanes::narrow_one(Operation::apply(x, y));  // has the one NaN already
  }
  std::memcpy(into, &bits, sizeof(bits));
}

template <class Lanes, class Operation>
__attribute__((target("avx2,f16c"))) void avx2_loop(std::byte* into, const std::byte* updates,
                                                    std::int64_t count) {
  auto* x = reinterpret_cast<__m128i_u*>(into);
  const auto* y = reinterpret_cast<const __m128i_u*>(updates);
  const std::int64_t whole = count / lanes;
  for (std::int64_t i = 0; i < whole; ++i) {
    _mm_storeu_si128(x + i,
                     combine<Lanes, Operation>(_mm_loadu_si128(x + i), _mm_loadu_si128(y + i)));
  }
  for (std::int64_t i = whole * lanes; i < count; ++i)
    combine_one<Lanes, Operation>(into + i * 2, updates + i * 2);
}

template <class Lanes, class Operation>
__attribute__((target("avx2,f16c"))) void avx2_records(std::byte* tile,
                                                       std::uint32_t first_destination,
                                                       std::span<const SmallRecord> records) {
  for (const SmallRecord& record : records) {
    combine_one<Lanes, Operation>(tile + std::size_t{record.destination - first_destination} * 2,
                                  record.value.data());
  }
}

template <class Lanes, class Operation>
__attribute__((target("avx2,f16c"))) void avx2_placed(std::byte* tile, const std::uint32_t* places,
                                                      const std::byte* updates,
                                                      std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    __builtin_prefetch(tile + std::size_t{places[std::min(i + fetched_ahead, count - 1)]} * 2, 1);
    combine_one<Lanes, Operation>(tile + std::size_t{places[i]} * 2, updates + i * 2);
  }
}

// What make.operator()<Lanes, Operation>() gives for the dtype and the reduction; nullptr for other
// dtypes, and without these instructions.
template <class Loop, class Make>
Loop half_loop(DType dtype, Reduction reduction, const Make& make) {
  const auto with_lanes = [&]<class Lanes>() {
    return reductions::visit_reduction<typename Lanes::Scalar>(
        reduction,
        [&]<class Operation>() -> Loop { return make.template operator()<Lanes, Operation>(); });
  };
  if (!takes_avx2()) return nullptr;
  if (dtype == DType::float16) return with_lanes.template operator()<HalfLanes>();
  if (dtype == DType::bfloat16) return with_lanes.template operator()<BFloat16Lanes>();
  return nullptr;
}

#undef TSCATTER_AVX2

}  // namespace

ReduceLoop half_reduce_loop(DType dtype, Reduction reduction) {
  return half_loop<ReduceLoop>(
      dtype, reduction, []<class Lanes, class Operation>() { return avx2_loop<Lanes, Operation>; });
}

ScatterLoop<SmallRecord> half_scatter_loop(DType dtype, Reduction reduction) {
  return half_loop<ScatterLoop<SmallRecord>>(dtype, reduction, []<class Lanes, class Operation>() {
    return avx2_records<Lanes, Operation>;
  });
}

PlacedLoop half_placed_loop(DType dtype, Reduction reduction) {
  return half_loop<PlacedLoop>(dtype, reduction, []<class Lanes, class Operation>() {
    return avx2_placed<Lanes, Operation>;
  });
}

}  // namespace tscatter

#else

namespace tscatter {

ReduceLoop half_reduce_loop(DType, Reduction) { return nullptr; }
ScatterLoop<SmallRecord> half_scatter_loop(DType, Reduction) { return nullptr; }
PlacedLoop half_placed_loop(DType, Reduction) { return nullptr; }

}  // namespace tscatter

#endif
