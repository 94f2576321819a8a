// Hypotheses about NaNs and subnormal numbers that are not the ones which were given.
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

// The bits of real numbers, each NaN among them as change(its bits, the bits of the quiet NaN
// without payload, the bit of the sign) says.
template <class T, class Change>
void change_nans_of(std::vector<std::byte>& elements, const Change& change) {
  using Bits = ElementBits<sizeof(T)>;
  const auto quiet = std::bit_cast<Bits>(quiet_nan<T>());
  constexpr std::uint64_t sign = std::uint64_t{1} << (8 * sizeof(T) - 1);
  for (std::size_t at = 0; at < elements.size(); at += sizeof(T)) {
    Bits bits;
    std::memcpy(&bits, elements.data() + at, sizeof(T));
    if (!std::isnan(static_cast<double>(std::bit_cast<T>(bits)))) continue;
    bits = static_cast<Bits>(change(std::uint64_t{bits}, std::uint64_t{quiet}, sign));
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

// How well data and updates, changed, explain a wrong element.
template <class Change>
Fit fit_of_changed(Examination& examination, std::size_t element, const Change& change) {
  ReachedTerms reached = examination.wrong()[element].reached;
  change(reached.data);
  change(reached.updates);
  return examination.trial().fit(reached, examination.wrong()[element].actual);
}

using ChangeNan = std::uint64_t (*)(std::uint64_t nan, std::uint64_t quiet, std::uint64_t sign);

// Returns the elements that are explained. They are not if `others` were before.
std::vector<ElementFit> try_change(Examination& examination, std::string_view name,
                                   std::string words, ChangeNan change,
                                   const std::vector<ElementFit>& others = {}) {
  Suspect suspect{.name = name, .words = std::move(words)};
  for (std::size_t i = 0; i < examination.wrong().size(); ++i) {
    if (!examination.wrong()[i].is_other_nan) continue;
    const Fit fit = fit_of_changed(examination, i, [&](std::vector<std::byte>& elements) {
      change_nans(examination.type().dtype, elements, change);
    });
    if (fit != Fit::none) suspect.fits.push_back({.element = i, .fit = fit});
  }
  if (suspect.fits == others) return others;
  std::vector<ElementFit> fits = suspect.fits;
  examination.add(std::move(suspect));
  return fits;
}

// Whether updates are computed with, or compared, to leave the element.
bool is_computed(Examination& examination, std::size_t element) {
  return examination.trial().combination().reduction != Reduction::none &&
         examination.wrong()[element].reached.writers() > 0;
}

}  // namespace

void try_nans(Examination& examination, std::string_view name) {
  if (examination.type().dtype == DType::opaque) return;
  const auto quiet =
      try_change(examination, name, "a signalling NaN made quiet",
                 [](std::uint64_t nan, std::uint64_t made, std::uint64_t) { return nan | made; });
  const auto bare =
      try_change(examination, name, "a NaN replaced by the one without payload",
                 [](std::uint64_t, std::uint64_t made, std::uint64_t) { return made; });
  const auto bare_of_sign = try_change(
      examination, name, "a NaN replaced by the one without payload, its sign kept",
      [](std::uint64_t nan, std::uint64_t made, std::uint64_t sign) { return made | (nan & sign); },
      bare);
  std::vector<bool> is_explained(examination.wrong().size());
  for (const auto* fits : {&quiet, &bare, &bare_of_sign}) {
    for (const ElementFit& each : *fits) is_explained[each.element] = true;
  }
  Suspect rest{.name = name, .words = "another NaN where bits only move"};
  for (std::size_t i = 0; i < examination.wrong().size(); ++i) {
    const bool is_moved = examination.wrong()[i].is_other_nan && !is_computed(examination, i);
    if (is_moved && !is_explained[i]) rest.fits.push_back({.element = i, .fit = Fit::legal});
  }
  examination.add(std::move(rest));
}

void try_flushes(Examination& examination, std::string_view name) {
  const DType dtype = examination.type().dtype;
  if (info(dtype).kind != DTypeKind::real && info(dtype).kind != DTypeKind::complex) return;
  MeetingTrial trial(examination.type(), examination.trial().combination(),
                     orders::Subnormals::flushed);
  Suspect suspect{.name = name, .words = "subnormal numbers flushed to zero"};
  for (std::size_t i = 0; i < examination.wrong().size(); ++i) {
    const GotElement& wrong = examination.wrong()[i];
    if (wrong.is_other_nan) continue;
    const bool is_computed = diagnose::is_computed(examination, i);
    const Fit fit = is_computed
                        ? trial.fit(wrong.reached, wrong.actual)
                        : fit_of_changed(examination, i, [&](std::vector<std::byte>& elements) {
                            flush_subnormals(dtype, elements);
                          });
    if (fit == Fit::none) continue;
    suspect.fits.push_back({.element = i, .fit = fit});
    suspect.flushed += is_computed ? 1 : 0;
  }
  examination.add(std::move(suspect));
}

}  // namespace tscatter::diagnose
