// Hypotheses about values that were computed in, or rounded to, a dtype of less precision.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "tscatter/core/element_bits.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/diagnose/hypotheses.hpp"

namespace tscatter::diagnose {
namespace {

// Which dtypes a runtime may take in a dtype's place.
struct Narrowing {
  DType from;
  DType to;
};

constexpr std::array narrowings{
    Narrowing{DType::float64, DType::float32},  Narrowing{DType::float64, DType::float16},
    Narrowing{DType::float64, DType::bfloat16}, Narrowing{DType::float32, DType::float16},
    Narrowing{DType::float32, DType::bfloat16}, Narrowing{DType::float16, DType::bfloat16},
    Narrowing{DType::bfloat16, DType::float16}, Narrowing{DType::int64, DType::float64},
    Narrowing{DType::int64, DType::float32},    Narrowing{DType::int64, DType::int32},
    Narrowing{DType::uint64, DType::float64},   Narrowing{DType::uint64, DType::float32},
    Narrowing{DType::uint64, DType::uint32},    Narrowing{DType::uint64, DType::int64},
    Narrowing{DType::int32, DType::float32},    Narrowing{DType::int32, DType::int16},
    Narrowing{DType::uint32, DType::float32},   Narrowing{DType::uint32, DType::int32},
    Narrowing{DType::int16, DType::int8},       Narrowing{DType::uint16, DType::uint8},
};

template <class To, class From>
To converted(From value) {
  if constexpr (std::is_integral_v<To> && is_real_v<From>) {
    const auto wide = static_cast<double>(value);
    const bool fits = wide >= static_cast<double>(std::numeric_limits<To>::min()) &&
                      wide < std::ldexp(1.0, std::numeric_limits<To>::digits);
    return fits ? static_cast<To>(wide) : To{};
  } else if constexpr (HalfWidth<To>) {
    return To(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

// Elements of another dtype, to nearest. REQUIRES: both are integers or real.
void convert(DType from, std::span<const std::byte> elements, DType to,
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
          const To other = converted<To>(value);
          std::memcpy(into.data() + i * sizeof(To), &other, sizeof(To));
        }
      }
    });
  });
}

// An element and its updates in another dtype.
class Narrowed {
 public:
  Narrowed(const Narrowing& narrowing, const Combination& combination)
      : narrowing_{narrowing}, trial_{ElementType::of(narrowing.to), combination} {}

  // Everything is computed in the other dtype.
  Fit fit(const Reached& reached, const GotElement& wrong) {
    convert(narrowing_.from, wrong.actual, narrowing_.to, actual_);
    if (!comes_back(actual_, wrong)) return Fit::none;
    convert(narrowing_.from, reached.data, narrowing_.to, data_);
    convert(narrowing_.from, reached.terms, narrowing_.to, terms_);
    Terms terms;
    for (std::size_t k = 0; k < reached.writers(); ++k)
      terms.push_back(terms_.data() + k * info(narrowing_.to).size);
    return trial_.fit(data_.data(), terms, actual_.data());
  }

  // Whether the bound on the results of any order is far below them: with many updates it is met by
  // almost every value.
  bool has_telling_bound(const Reached& reached) const {
    constexpr double few = 1.0 / 16;
    return static_cast<double>(reached.writers()) * unit_roundoff(narrowing_.to) <= few;
  }

  // The result is rounded to the other dtype.
  Fit fit_of_rounded(std::span<const std::byte> value, const GotElement& wrong) {
    convert(narrowing_.from, value, narrowing_.to, actual_);
    return comes_back(actual_, wrong) ? Fit::bits : Fit::none;
  }

 private:
  bool comes_back(std::span<const std::byte> narrow, const GotElement& wrong) {
    convert(narrowing_.to, narrow, narrowing_.from, back_);
    return back_ == wrong.actual;
  }

  Narrowing narrowing_;
  MeetingTrial trial_;
  std::vector<std::byte> actual_;
  std::vector<std::byte> data_;
  std::vector<std::byte> terms_;
  std::vector<std::byte> back_;
};

void try_narrowing(Examination& examination, std::string_view name, const Narrowing& narrowing) {
  Combination combination = examination.trial().combination();
  if (!is_defined(combination.reduction, narrowing.to)) return;
  if (combination.initial.kind == InitialValue::Kind::number) return;
  combination.accumulation = Accumulation::each_step;
  Narrowed narrowed(narrowing, combination);
  examination.try_each(
      name, fmt::format("computed in {}", info(narrowing.to).name), [&](std::size_t i) {
        const Reached& reached = examination.reached()[i];
        const Fit fit = narrowed.fit(reached, examination.elements()[i]);
        const bool is_right = i >= examination.wrong().size();
        const bool tells = fit != Fit::legal || narrowed.has_telling_bound(reached);
        return is_right || tells ? fit : Fit::none;
      });
  examination.try_each(
      name, fmt::format("rounded to {}", info(narrowing.to).name), [&](std::size_t i) {
        const Reached& reached = examination.reached()[i];
        const Terms terms = terms_of(reached, examination.type().size);
        return narrowed.fit_of_rounded(examination.trial().value_after(reached.data.data(), terms),
                                       examination.elements()[i]);
      });
}

}  // namespace

void try_precisions(Examination& examination, std::string_view name) {
  for (const Narrowing& each : narrowings) {
    if (each.from == examination.type().dtype) try_narrowing(examination, name, each);
  }
}

}  // namespace tscatter::diagnose
