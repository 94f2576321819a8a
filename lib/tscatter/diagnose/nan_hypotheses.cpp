// Hypotheses about NaNs and subnormal numbers that are not the ones which were given.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

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
  visit_reals(dtype, false, [&]<class Real, std::size_t>() {
    change_nans_of<Real>(elements, change);
    return true;
  });
}

// How well data and updates, changed, explain an element.
template <class Change>
Fit fit_of_changed(Examination& examination, const GotElement& element, const Change& change) {
  ReachedTerms reached = element.reached;
  change(reached.data);
  change(reached.updates);
  return examination.trial().fit(reached, element.actual);
}

struct NanChange {
  const char* words;
  std::uint64_t (*change)(std::uint64_t nan, std::uint64_t quiet, std::uint64_t sign);
};

constexpr std::array nan_changes{
    NanChange{"a signalling NaN made quiet",
              [](std::uint64_t nan, std::uint64_t quiet, std::uint64_t) { return nan | quiet; }},
    NanChange{"a NaN replaced by the one without payload",
              [](std::uint64_t, std::uint64_t quiet, std::uint64_t) { return quiet; }},
    NanChange{"a NaN replaced by the one without payload, its sign kept",
              [](std::uint64_t nan, std::uint64_t quiet, std::uint64_t sign) {
                return quiet | (nan & sign);
              }},
};

}  // namespace

// A change that explains the same elements as the one before it is not named.
void try_nans(Examination& examination) {
  if (examination.type().dtype == DType::opaque) return;
  const auto fit_of = [&](const GotElement& element, const NanChange& each) {
    if (!element.is_other_nan) return Fit::none;
    return fit_of_changed(examination, element, [&](std::vector<std::byte>& elements) {
      change_nans(examination.type().dtype, elements, each.change);
    });
  };
  std::vector<ElementFit> before;
  for (const NanChange& change : nan_changes) {
    Suspect suspect = examination.suspect(
        change.words, [&](const GotElement& element) { return fit_of(element, change); });
    if (suspect.fits == before) continue;
    before = suspect.fits;
    examination.add(std::move(suspect));
  }
  examination.add(
      examination.suspect("another NaN where bits only move", [&](const GotElement& element) {
        const bool is_moved = element.is_other_nan && !is_computed(element, examination.trial());
        const bool is_explained = std::ranges::any_of(nan_changes, [&](const NanChange& change) {
          return fit_of(element, change) != Fit::none;
        });
        return is_moved && !is_explained ? Fit::legal : Fit::none;
      }));
}

void try_flushes(Examination& examination) {
  const DType dtype = examination.type().dtype;
  if (info(dtype).kind != DTypeKind::real && info(dtype).kind != DTypeKind::complex) return;
  MeetingTrial trial(examination.type(), examination.combination(), orders::Subnormals::flushed);
  Suspect suspect =
      examination.suspect("subnormal numbers flushed to zero", [&](const GotElement& element) {
        if (element.is_other_nan) return Fit::none;
        if (is_computed(element, trial)) return trial.fit(element.reached, element.actual);
        return fit_of_changed(examination, element, [&](std::vector<std::byte>& elements) {
          flush_subnormals(dtype, elements);
        });
      });
  suspect.flushed = std::ranges::count_if(suspect.fits, [&](const ElementFit& each) {
    return is_computed(examination.wrong()[each.element], trial);
  });
  examination.add(std::move(suspect));
}

}  // namespace tscatter::diagnose
