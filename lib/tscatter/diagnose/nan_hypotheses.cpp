// Hypotheses about NaNs that are not the ones which were given.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "tscatter/core/element_bits.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/diagnose/hypotheses.hpp"

namespace tscatter::diagnose {
namespace {

template <class T>
T quiet_nan() {
  if constexpr (HalfWidth<T>) {
    return T::quiet_nan();
  } else {
    return std::numeric_limits<T>::quiet_NaN();
  }
}

// The bits of real numbers, each NaN among them as change(its bits, those of the quiet NaN without
// payload) says.
template <class T, class Change>
void change_nans_of(std::vector<std::byte>& elements, const Change& change) {
  using Bits = ElementBits<sizeof(T)>;
  const auto quiet = std::bit_cast<Bits>(quiet_nan<T>());
  for (std::size_t at = 0; at < elements.size(); at += sizeof(T)) {
    Bits bits;
    std::memcpy(&bits, elements.data() + at, sizeof(T));
    if (!std::isnan(static_cast<double>(std::bit_cast<T>(bits)))) continue;
    bits = static_cast<Bits>(change(std::uint64_t{bits}, std::uint64_t{quiet}));
    std::memcpy(elements.data() + at, &bits, sizeof(T));
  }
}

template <class Change>
void change_nans(DType dtype, std::vector<std::byte>& elements, const Change& change) {
  visit_dtype(dtype, [&]<class T>() {
    if constexpr (is_complex_v<T>) {
      change_nans_of<typename T::value_type>(elements, change);
    } else if constexpr (is_real_v<T>) {
      change_nans_of<T>(elements, change);
    }
  });
}

template <class Change>
void try_change(Examination& examination, std::string_view name, std::string words,
                const Change& change) {
  Suspect suspect{.name = name, .words = std::move(words)};
  for (std::size_t i = 0; i < examination.wrong().size(); ++i) {
    const GotElement& wrong = examination.wrong()[i];
    if (!wrong.is_other_nan) continue;
    Reached reached = examination.reached()[i];
    change_nans(examination.type().dtype, reached.data, change);
    change_nans(examination.type().dtype, reached.terms, change);
    const Fit fit = examination.trial().fit(
        reached.data.data(), terms_of(reached, examination.type().size), wrong.actual.data());
    if (fit != Fit::none) suspect.fits.push_back({.element = i, .fit = fit});
  }
  examination.add(std::move(suspect));
}

}  // namespace

void try_nans(Examination& examination, std::string_view name) {
  if (examination.type().dtype == DType::opaque) return;
  try_change(examination, name, "a signalling NaN made quiet",
             [](std::uint64_t nan, std::uint64_t quiet) { return nan | quiet; });
  try_change(examination, name, "a NaN replaced by the one without payload",
             [](std::uint64_t, std::uint64_t quiet) { return quiet; });
}

}  // namespace tscatter::diagnose
