// Hypotheses about values that were computed in, or rounded to, another dtype.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "tscatter/core/half.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/diagnose/hypotheses.hpp"

namespace tscatter::diagnose {
namespace {

// Which dtypes a runtime may take in a dtype's place.
struct Narrowing {
  DType from;
  DType to;
};

constexpr std::string_view flush_name = "flush";

constexpr std::array narrowings{
    Narrowing{DType::float64, DType::float32},  Narrowing{DType::float64, DType::float16},
    Narrowing{DType::float64, DType::bfloat16}, Narrowing{DType::float32, DType::float16},
    Narrowing{DType::float32, DType::bfloat16}, Narrowing{DType::float16, DType::bfloat16},
    Narrowing{DType::bfloat16, DType::float16}, Narrowing{DType::int64, DType::float64},
    Narrowing{DType::int64, DType::float32},    Narrowing{DType::int64, DType::int32},
    Narrowing{DType::uint64, DType::float64},   Narrowing{DType::uint64, DType::float32},
    Narrowing{DType::uint64, DType::uint32},    Narrowing{DType::uint64, DType::int64},
    Narrowing{DType::uint64, DType::int32},     Narrowing{DType::int32, DType::float32},
    Narrowing{DType::int32, DType::int16},      Narrowing{DType::uint32, DType::float32},
    Narrowing{DType::uint32, DType::int32},     Narrowing{DType::int16, DType::int8},
    Narrowing{DType::uint16, DType::uint8},
};

// Dtypes whose bits a runtime may take for the other one's.
constexpr std::array same_bits{
    Narrowing{DType::int8, DType::uint8},       Narrowing{DType::uint8, DType::int8},
    Narrowing{DType::int16, DType::uint16},     Narrowing{DType::uint16, DType::int16},
    Narrowing{DType::int32, DType::uint32},     Narrowing{DType::uint32, DType::int32},
    Narrowing{DType::int64, DType::uint64},     Narrowing{DType::uint64, DType::int64},
    Narrowing{DType::int32, DType::float32},    Narrowing{DType::uint32, DType::float32},
    Narrowing{DType::int64, DType::float64},    Narrowing{DType::uint64, DType::float64},
    Narrowing{DType::int16, DType::float16},    Narrowing{DType::uint16, DType::float16},
    Narrowing{DType::int16, DType::bfloat16},   Narrowing{DType::uint16, DType::bfloat16},
    Narrowing{DType::float16, DType::bfloat16}, Narrowing{DType::bfloat16, DType::float16},
    Narrowing{DType::float32, DType::int32},    Narrowing{DType::float64, DType::int64},
    Narrowing{DType::float16, DType::int16},    Narrowing{DType::bfloat16, DType::int16},
};

// What becomes of a value beyond the other dtype.
enum class Beyond : bool {
  cast,      // what a cast makes of it
  saturates  // the largest number, or the least
};

template <class To>
To largest() {
  if constexpr (HalfWidth<To>) {
    return To::largest();
  } else {
    return std::numeric_limits<To>::max();
  }
}

template <class To, class From>
To real(From value) {
  if constexpr (HalfWidth<To> && std::is_same_v<From, double>) {
    return rounded_once<To>(value);
  } else if constexpr (HalfWidth<To>) {
    return To(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
To converted(From value, Beyond beyond) {
  if constexpr (std::is_integral_v<To> && is_real_v<From>) {
    const auto wide = static_cast<double>(value);
    const bool fits = wide >= static_cast<double>(std::numeric_limits<To>::min()) &&
                      wide < std::ldexp(1.0, std::numeric_limits<To>::digits);
    if (fits) return static_cast<To>(wide);
    constexpr To of_processors = std::is_signed_v<To> ? std::numeric_limits<To>::min() : To{};
    if (beyond == Beyond::cast) return of_processors;
    if (std::isnan(wide)) return To{};
    return wide < 0 ? std::numeric_limits<To>::min() : std::numeric_limits<To>::max();
  } else if constexpr (std::is_integral_v<To>) {
    if (beyond == Beyond::cast || std::in_range<To>(value)) return static_cast<To>(value);
    return std::cmp_less(value, 0) ? std::numeric_limits<To>::min()
                                   : std::numeric_limits<To>::max();
  } else {
    const To other = real<To>(value);
    const auto wide = static_cast<double>(other);
    if (beyond == Beyond::cast || !std::isinf(wide)) return other;
    return real<To>(std::copysign(static_cast<double>(largest<To>()), wide));
  }
}

// Elements of another dtype, to nearest. REQUIRES: both are integers or real.
void convert(DType from, std::span<const std::byte> elements, DType to, Beyond beyond,
             std::vector<std::byte>& into) {
  const std::size_t count = elements.size() / info(from).size;
  into.resize(count * info(to).size);
  visit_dtype(from, [&]<class From>() {
    visit_dtype(to, [&]<class To>() {
      constexpr bool is_number =
          (std::is_integral_v<From> || is_real_v<From>)&&(std::is_integral_v<To> || is_real_v<To>);
      if constexpr (is_number) {
        for (std::size_t i = 0; i < count; ++i) {
          From value;
          std::memcpy(&value, elements.data() + i * sizeof(From), sizeof(From));
          const To other = converted<To>(value, beyond);
          std::memcpy(into.data() + i * sizeof(To), &other, sizeof(To));
        }
      }
    });
  });
}

// An element and its updates in another dtype.
class Narrowed {
 public:
  Narrowed(const Narrowing& narrowing, Beyond beyond, const Combination& combination)
      : narrowing_{narrowing},
        beyond_{beyond},
        trial_{ElementType::of(narrowing.to), combination} {}

  // Everything that updates reach is computed in the other dtype.
  Fit fit(const GotElement& wrong) {
    const ReachedTerms& reached = wrong.reached;
    if (wrong.is_other_nan) return Fit::none;
    if (is_left(wrong)) return Fit::bits;
    convert(narrowing_.from, wrong.actual, narrowing_.to, beyond_, actual_);
    if (!comes_back(actual_, wrong)) return Fit::none;
    convert(narrowing_.from, reached.data, narrowing_.to, beyond_, data_);
    convert(narrowing_.from, reached.updates, narrowing_.to, beyond_, terms_);
    Terms terms;
    for (std::size_t k = 0; k < reached.writers(); ++k)
      terms.push_back(terms_.data() + k * info(narrowing_.to).size);
    return trial_.fit(data_.data(), terms, actual_.data());
  }

  // Whether the bound on the results of any order is far below them: with many updates it is met by
  // almost every value.
  bool has_telling_bound(const ReachedTerms& reached) const {
    constexpr double few = 1.0 / 16;
    return static_cast<double>(reached.writers()) * unit_roundoff(narrowing_.to) <= few;
  }

  // The result is rounded to the other dtype.
  Fit fit_of_rounded(std::span<const std::byte> value, const GotElement& wrong) {
    if (wrong.is_other_nan) return Fit::none;
    if (is_left(wrong)) return Fit::bits;
    convert(narrowing_.from, value, narrowing_.to, beyond_, actual_);
    return comes_back(actual_, wrong) ? Fit::bits : Fit::none;
  }

  // Updates are rounded to the other dtype, and meet in their own.
  Fit fit_of_updates(const GotElement& wrong, MeetingTrial& trial) {
    const ReachedTerms& reached = wrong.reached;
    if (wrong.is_other_nan) return Fit::none;
    convert(narrowing_.from, reached.updates, narrowing_.to, beyond_, terms_);
    convert(narrowing_.to, terms_, narrowing_.from, beyond_, back_);
    Terms terms;
    for (std::size_t k = 0; k < reached.writers(); ++k)
      terms.push_back(back_.data() + k * info(narrowing_.from).size);
    return trial.fit(reached.data.data(), terms, wrong.actual.data());
  }

 private:
  // Whether no update reaches it, and it is as it was.
  static bool is_left(const GotElement& element) {
    return element.is_right && element.reached.writers() == 0;
  }

  bool comes_back(std::span<const std::byte> narrow, const GotElement& wrong) {
    convert(narrowing_.to, narrow, narrowing_.from, beyond_, back_);
    return back_ == wrong.actual;
  }

  Narrowing narrowing_;
  Beyond beyond_;
  MeetingTrial trial_;
  std::vector<std::byte> actual_;
  std::vector<std::byte> data_;
  std::vector<std::byte> terms_;
  std::vector<std::byte> back_;
};

// Whether flushed subnormal numbers, which a narrower dtype does not have, explain all of it.
bool is_flushed(const std::vector<Suspect>& suspects, const std::vector<ElementFit>& fits) {
  return std::ranges::any_of(suspects, [&](const Suspect& each) {
    return each.name == flush_name &&
           std::ranges::includes(each.fits, fits, {}, &ElementFit::element, &ElementFit::element);
  });
}

// Takes the suspect back, if one was added, unless it explains more elements than `least`, and not
// only flushed ones. Returns how many it explains.
std::size_t keep_if_more(Examination& examination, std::size_t least, const Suspect* added) {
  if (added == nullptr) return 0;
  const std::size_t count = added->fits.size();
  if (count <= least || is_flushed(examination.suspects(), added->fits)) examination.take_back();
  return count;
}

// How many elements each way to narrow explains.
struct NarrowingCounts {
  std::size_t computed = 0;
  std::size_t rounded = 0;
  std::size_t updates = 0;
};

// The call's own in another dtype.
std::optional<Combination> combination_in(Examination& examination, DType dtype) {
  return combination_with(examination.call(), examination.combination().reduction, dtype);
}

Suspect* try_computed(Examination& examination, std::string words, Narrowed& narrowed) {
  return examination.try_each(std::move(words), [&](const GotElement& element) {
    const Fit fit = narrowed.fit(element);
    const bool tells = fit != Fit::legal || narrowed.has_telling_bound(element.reached);
    return element.is_right || tells ? fit : Fit::none;
  });
}

// In the other dtype at each step, although the call has a wider accumulator there.
void try_each_step(Examination& examination, const Narrowing& narrowing, Combination combination) {
  const Reduction reduction = combination.reduction;
  if (accumulator_of(narrowing.to, reduction, combination.accumulation) == narrowing.to) return;
  combination.accumulation = Accumulation::each_step;
  Narrowed narrowed(narrowing, Beyond::cast, combination);
  const std::string words =
      fmt::format("computed in {}, rounded at each step", info(narrowing.to).name);
  keep_if_more(examination, 0, try_computed(examination, words, narrowed));
}

// `least`: what another way explains.
NarrowingCounts try_narrowing(Examination& examination, const Narrowing& narrowing, Beyond beyond,
                              const Combination& combination, const NarrowingCounts& least) {
  Narrowed narrowed(narrowing, beyond, combination);
  const std::string dtype = fmt::format("{}{}", info(narrowing.to).name,
                                        beyond == Beyond::saturates ? ", which saturates" : "");
  const Suspect* computed =
      try_computed(examination, fmt::format("computed in {}", dtype), narrowed);
  NarrowingCounts counts{.computed = keep_if_more(examination, least.computed, computed)};
  if (combination.reduction == Reduction::none) return counts;  // rounded is the same
  const Suspect* rounded =
      examination.try_each(fmt::format("rounded to {}", dtype), [&](const GotElement& element) {
        return narrowed.fit_of_rounded(examination.trial().value_after(element.reached), element);
      });
  counts.rounded = keep_if_more(examination, least.rounded, rounded);
  const Suspect* updates = examination.try_each(
      fmt::format("updates rounded to {}", dtype), [&](const GotElement& element) {
        return narrowed.fit_of_updates(element, examination.trial());
      });
  counts.updates = keep_if_more(examination, least.updates, updates);
  return counts;
}

void try_bits(Examination& examination, DType dtype) {
  const auto combination = combination_in(examination, dtype);
  if (!combination || combination->reduction == Reduction::none) return;
  MeetingTrial trial(ElementType::of(dtype), *combination);
  examination.try_each(fmt::format("computed as if the bits were {}", info(dtype).name),
                       [&](const GotElement& element) {
                         const auto value = trial.value_after(element.reached);
                         return std::ranges::equal(value, element.actual) ? Fit::bits : Fit::none;
                       });
}

template <class T>
T saturated(Reduction reduction, T a, T b) {
  constexpr T least = std::numeric_limits<T>::min();
  constexpr T most = std::numeric_limits<T>::max();
  const bool is_negative = std::cmp_less(b, 0);
  T result{};
  if (reduction == Reduction::sum)
    return !__builtin_add_overflow(a, b, &result) ? result : is_negative ? least : most;
  if (reduction == Reduction::sub)
    return !__builtin_sub_overflow(a, b, &result) ? result : is_negative ? most : least;
  if (!__builtin_mul_overflow(a, b, &result)) return result;
  return std::cmp_less(a, 0) != is_negative ? least : most;
}

// The updates in order, where an overflow in Wide leaves its largest number, or the least; so does
// one of the result in T.
template <class T, class Wide>
Fit saturating_fit(Reduction reduction, const std::byte* start, const GotElement& element) {
  const auto read = [](const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return Wide{value};
  };
  Wide value = read(start);
  for (const std::byte* term : element.reached.terms())
    value = saturated<Wide>(reduction, value, read(term));
  const T narrow = converted<T>(value, Beyond::saturates);
  return std::memcmp(&narrow, element.actual.data(), sizeof(T)) == 0 ? Fit::bits : Fit::none;
}

void try_saturation(Examination& examination) {
  const Reduction reduction = examination.combination().reduction;
  const bool may_overflow =
      reduction == Reduction::sum || reduction == Reduction::sub || reduction == Reduction::prod;
  if (!may_overflow || !is_integer(examination.type().dtype)) return;
  visit_integer_dtype(examination.type().dtype, [&]<class T>() {
    const auto try_in = [&]<class Wide>(Wide, std::string words) {
      examination.try_each(std::move(words), [&](const GotElement& element) {
        if (element.reached.writers() == 0)
          return examination.trial().fit(element.reached, element.actual);
        return saturating_fit<T, Wide>(
            reduction, examination.trial().start_of(element.reached.data.data()), element);
      });
    };
    try_in(T{}, "overflow saturates at each step");
    if constexpr (sizeof(T) < sizeof(std::int64_t))
      try_in(std::int64_t{}, "overflow saturates at the end");
  });
}

}  // namespace

void try_precisions(Examination& examination) {
  try_saturation(examination);
  for (const Narrowing& each : narrowings) {
    if (each.from != examination.type().dtype) continue;
    const auto combination = combination_in(examination, each.to);
    if (!combination) continue;
    const auto cast = try_narrowing(examination, each, Beyond::cast, *combination, {});
    try_narrowing(examination, each, Beyond::saturates, *combination, cast);
    try_each_step(examination, each, *combination);
  }
  for (const Narrowing& each : same_bits) {
    if (each.from == examination.type().dtype) try_bits(examination, each.to);
  }
}

}  // namespace tscatter::diagnose
