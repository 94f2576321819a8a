// Hypotheses about updates that are missing or count twice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "tscatter/core/number.hpp"
#include "tscatter/diagnose/hypotheses.hpp"

namespace tscatter::diagnose {
namespace {

constexpr std::size_t most_tried = 64;   // writers of an element, each of them tried
constexpr std::size_t most_nearest = 8;  // of more, those whose values are nearest
constexpr std::size_t most_ranges = 16;  // writers of an element, every range of them tried

// What each entry of indices explains, and all of them together.
class SuspectsByEntry {
 public:
  explicit SuspectsByEntry(const Examination& examination) : examination_{examination} {}

  void add(std::int64_t entry, ElementFit fit) {
    Suspected& suspected =
        by_index_.try_emplace(examination_.index_entry(entry), Suspected{.entry = entry})
            .first->second;
    entry = suspected.entry;
    suspected.fits.push_back(fit);
    if (all_.empty() || all_.back().element != fit.element) {
      all_.push_back(fit);
      entries_.push_back(entry);
    } else if (fit.fit > all_.back().fit) {
      all_.back() = fit;
      entries_.back() = entry;
    }
  }

  // `words` of one entry, `general_words` of one entry at each element.
  void report(Examination& examination, std::string_view words, std::string_view general_words) {
    constexpr std::size_t most_named = 3;
    std::ranges::sort(entries_);
    entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
    std::string some;
    for (std::size_t i = 0; i < std::min(entries_.size(), most_named); ++i)
      some += fmt::format("{}{}", i == 0 ? "" : ", ", examination.entry_text(entries_[i]));
    if (entries_.size() > most_named)
      some += fmt::format(", … {}", examination.entry_text(entries_.back()));
    const bool is_general = by_index_.size() > 1;
    for (auto& [index, suspected] : by_index_) {
      const std::string text = examination.entry_text(suspected.entry);
      examination.add({.words = fmt::format("{} {}", words, text),
                       .fits = std::move(suspected.fits),
                       .entry = suspected.entry});
    }
    if (!is_general) return;
    examination.add({.words = fmt::format("{}: {}", general_words, some),
                     .fits = std::move(all_),
                     .is_general = true});
  }

 private:
  struct Suspected {
    std::int64_t entry;  // of a window the first one that was met
    std::vector<ElementFit> fits = {};
  };
  const Examination& examination_;
  std::map<std::int64_t, Suspected> by_index_;
  std::vector<ElementFit> all_;
  std::vector<std::int64_t> entries_;  // of all_
};

// The writers of an element that may be missing from it (or count twice): all, or of many in a sum
// those whose values are nearest to what is missing.
std::vector<std::size_t> candidates(Examination& examination, std::size_t element, double sign) {
  const ReachedTerms& reached = examination.wrong()[element].reached;
  const std::size_t writers = reached.writers();
  if (writers > 0 && reached.entries.front() < 0) return {};  // a slice has no entries
  std::vector<std::size_t> all(writers);
  for (std::size_t k = 0; k < writers; ++k) all[k] = k;
  if (writers <= most_tried) return all;
  const DType dtype = examination.type().dtype;
  const Reduction reduction = examination.combination().reduction;
  const Terms terms = reached.terms();
  const auto in_order = to_double(dtype, examination.trial().value_after(reached).data());
  const auto actual = to_double(dtype, examination.wrong()[element].actual.data());
  if (!is_sum(reduction) || info(reduction).divides || !in_order || !actual) return {};
  const double missing =
      sign * (info(reduction).negates ? *actual - *in_order : *in_order - *actual);
  const auto distance = [&](std::size_t k) {
    const double value = *to_double(dtype, terms[k]);
    const bool is_it = value == missing || (std::isnan(value) && std::isnan(missing));
    const double far = is_it ? 0 : std::abs(value - missing);
    return std::isnan(far) ? std::numeric_limits<double>::infinity() : far;
  };
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(most_nearest);
  std::partial_sort(all.begin(), middle, all.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(distance(a), a) < std::pair(distance(b), b);
  });
  all.resize(most_nearest);
  std::ranges::sort(all);
  return all;
}

Terms without(const Terms& terms, std::size_t first, std::size_t last) {
  Terms rest(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(first));
  rest.insert(rest.end(), terms.begin() + static_cast<std::ptrdiff_t>(last), terms.end());
  return rest;
}

// With a mean, a missing update may have been counted.
Fit fit_of_rest(Examination& examination, const GotElement& element, const Terms& rest) {
  const std::byte* data = element.reached.data.data();
  const std::byte* actual = element.actual.data();
  MeetingTrial& trial = examination.trial();
  const Fit fit = trial.fit(data, rest, actual);
  const Combination& combination = examination.combination();
  if (!info(combination.reduction).divides || rest.empty()) return fit;
  const std::int64_t counted = divisor_of(combination.division(examination.type().dtype),
                                          static_cast<std::int64_t>(element.reached.writers()));
  return std::max(fit, trial.fit(data, rest, actual, counted));
}

// Whether no other place of the same window comes to an element, as it may where indices wrap.
bool is_alone(const Examination& examination, const ReachedTerms& reached, std::size_t k) {
  const std::int64_t own = examination.index_entry(reached.entries[k]);
  return std::ranges::count_if(reached.entries, [&](std::int64_t each) {
           return examination.index_entry(each) == own;
         }) == 1;
}

// Adds the entries of wrong elements whose value is what changed(terms, k) leaves. `sign`: 1 if the
// k-th term would be missing then, -1 if it would count twice.
template <class Changed>
void try_each_writer(Examination& examination, double sign, SuspectsByEntry& suspects,
                     const Changed& changed) {
  for (std::size_t i = 0; i < examination.wrong().size(); ++i) {
    const GotElement& wrong = examination.wrong()[i];
    const Terms terms = wrong.reached.terms();
    for (const std::size_t k : candidates(examination, i, sign)) {
      if (!is_alone(examination, wrong.reached, k)) continue;
      const Fit fit = fit_of_rest(examination, wrong, changed(terms, k));
      if (fit != Fit::none) suspects.add(wrong.reached.entries[k], {.element = i, .fit = fit});
    }
  }
}

// Writers [first, last) of an element.
struct Span {
  std::size_t first = 0;
  std::size_t last = 0;
};

// Several writers that follow each other; of many only the first or the last ones.
std::vector<Span> spans_of(std::size_t writers) {
  std::vector<Span> spans;
  if (writers > most_tried) return spans;
  for (std::size_t first = 0; first < writers; ++first) {
    for (std::size_t last = first + 2; last <= writers; ++last) {
      if (last - first == writers) continue;
      if (writers <= most_ranges || first == 0 || last == writers)
        spans.push_back({.first = first, .last = last});
    }
  }
  return spans;
}

struct FoundSpan {
  Span span;
  Fit fit = Fit::none;
};

// The shortest of the spans without which the updates of an element leave what was got, and how
// well they do at best.
FoundSpan best_of(Examination& examination, std::size_t element, const std::vector<Span>& spans) {
  const GotElement& wrong = examination.wrong()[element];
  const Terms terms = wrong.reached.terms();
  FoundSpan found{.span = {.first = 0, .last = terms.size() + 1}};
  for (const Span& each : spans) {
    const Fit fit = fit_of_rest(examination, wrong, without(terms, each.first, each.last));
    if (fit == Fit::none) continue;
    found.fit = std::max(found.fit, fit);
    if (each.last - each.first < found.span.last - found.span.first) found.span = each;
  }
  return found;
}

// Which updates of an element may be missing: one, else several, else all.
FoundSpan missing_span(Examination& examination, std::size_t element) {
  const std::size_t writers = examination.wrong()[element].reached.writers();
  std::vector<Span> ones;
  for (const std::size_t k : candidates(examination, element, 1))
    ones.push_back({.first = k, .last = k + 1});
  FoundSpan found = best_of(examination, element, ones);
  if (found.fit == Fit::none) found = best_of(examination, element, spans_of(writers));
  if (found.fit == Fit::none && writers > 0)
    found = best_of(examination, element, {{.first = 0, .last = writers}});
  return found;
}

// A range of entries that may be missing: the bounds of its first and its last one, by their
// numbers in indices.
struct MissingRange {
  std::int64_t least_first = 0;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = -1;
  std::int64_t most_last = std::numeric_limits<std::int64_t>::max();

  bool is_possible() const { return least_first <= first && last <= most_last; }
  MissingRange within(const MissingRange& other) const {
    return {.least_first = std::max(least_first, other.least_first),
            .first = std::min(first, other.first),
            .last = std::max(last, other.last),
            .most_last = std::min(most_last, other.most_last)};
  }
};

// The ranges of entries without which the wrong elements have what was got: each element narrows
// them, those with the fewest writers first.
class MissingEntries {
 public:
  explicit MissingEntries(Examination& examination) : examination_{examination} {}

  void try_all() {
    std::vector<const GotElement*> elements;
    for (const GotElement& each : examination_.wrong()) elements.push_back(&each);
    std::ranges::stable_sort(elements, {},
                             [](const GotElement* each) { return each->reached.writers(); });
    for (const GotElement* each : elements) narrow(*each);
    for (const MissingRange& each : ranges_) {
      if (each.first < each.last && applies_some(each) && report(each)) return;
    }
  }

 private:
  static constexpr std::size_t most_kept = 64;
  static constexpr int most_fits = 20'000;
  static constexpr std::size_t most_writers = 1024;
  static constexpr std::size_t most_spans = 2'000'000;  // of all elements

  // The spans of the element's writers that the range may be.
  void narrow(const GotElement& element) {
    const Terms terms = element.reached.terms();
    const std::vector<std::int64_t>& entries = element.reached.entries;
    if (terms.empty() || entries.front() < 0) return;  // a slice has no entries
    spans_ += terms.size() * terms.size() / 2;
    if (terms.size() > most_writers || spans_ > most_spans) return;
    std::vector<std::int64_t> numbers;
    for (const std::int64_t entry : entries) {
      numbers.push_back(examination_.index_entry(entry));
      entry_of_.try_emplace(numbers.back(), entry);
    }
    std::vector<MissingRange> narrowed;
    for (std::size_t first = 0; first < numbers.size(); ++first) {
      for (std::size_t end = first + 1; end <= numbers.size(); ++end) {
        const auto possible = possible_with(numbers, first, end);
        if (possible.empty()) continue;
        if (++fits_ > most_fits || narrowed.size() > most_kept) return;
        if (fit_of_rest(examination_, element, without(terms, first, end)) == Fit::none) continue;
        narrowed.insert(narrowed.end(), possible.begin(), possible.end());
      }
    }
    if (!narrowed.empty() && narrowed.size() <= most_kept) ranges_ = std::move(narrowed);
  }

  // The ranges that have the writers [first, end), and none of the others.
  std::vector<MissingRange> possible_with(const std::vector<std::int64_t>& numbers,
                                          std::size_t first, std::size_t end) const {
    MissingRange own{.first = numbers[first], .last = numbers[end - 1]};
    if (first > 0) own.least_first = numbers[first - 1] + 1;
    if (end < numbers.size()) own.most_last = numbers[end] - 1;
    std::vector<MissingRange> possible;
    for (const MissingRange& each : ranges_) {
      if (each.within(own).is_possible()) possible.push_back(each.within(own));
    }
    return possible;
  }

  Terms rest_of(const MissingRange& range, const ReachedTerms& reached) const {
    const Terms terms = reached.terms();
    Terms rest;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const std::int64_t number = examination_.index_entry(reached.entries[k]);
      if (number < range.first || number > range.last) rest.push_back(terms[k]);
    }
    return rest;
  }

  // Whether updates of other entries are seen in an element; else no update was applied.
  bool applies_some(const MissingRange& range) const {
    return std::ranges::any_of(examination_.elements(), [&](const GotElement& each) {
      return !rest_of(range, each.reached).empty() && each.actual != each.reached.data;
    });
  }

  bool report(const MissingRange& range) {
    const std::string words = fmt::format(
        "without {} to {}", examination_.entry_text(entry_of_.find(range.first)->second),
        examination_.entry_text(entry_of_.find(range.last)->second));
    return examination_.try_each(words, [&](const GotElement& element) {
      return fit_of_rest(examination_, element, rest_of(range, element.reached));
    }) != nullptr;
  }

  Examination& examination_;
  std::vector<MissingRange> ranges_{MissingRange{}};
  std::map<std::int64_t, std::int64_t> entry_of_;  // of the plan, by its number in indices
  int fits_ = 0;
  std::size_t spans_ = 0;
};

// Whether an element that is right has updates, which show in it.
bool shows_updates(const GotElement& element) {
  return element.is_right && element.reached.writers() > 0 &&
         element.reached.data != element.actual;
}

void try_with_more(Examination& examination, std::string words,
                   const std::function<Terms(const ReachedTerms&, Terms)>& more) {
  if (examination.combination().reduction == Reduction::none) return;
  examination.try_each(std::move(words), [&](const GotElement& element) {
    const ReachedTerms& reached = element.reached;
    Terms terms = reached.terms();
    if (!terms.empty()) terms = more(reached, std::move(terms));
    return examination.trial().fit(reached.data.data(), terms, element.actual.data());
  });
}

// Whether the bytes are zeros, of either sign.
bool has_bytes_of_zeros(const std::vector<std::byte>& element) {
  return std::ranges::all_of(
      element, [](std::byte each) { return each == std::byte{0} || each == std::byte{0x80}; });
}

}  // namespace

void try_no_update(Examination& examination) {
  Suspect suspect =
      examination.suspect("no update applied: data's value", [](const GotElement& element) {
        return element.reached.data == element.actual ? Fit::bits : Fit::none;
      });
  suspect.is_denied = std::ranges::any_of(examination.elements(), shows_updates);
  examination.add(std::move(suspect));
}

void try_untouched(Examination& examination) {
  const std::vector<std::byte> zero(examination.type().size);
  examination.try_each(
      fmt::format("{}: zeros where no update reaches",
                  is_made(examination.operation().base) ? "not filled" : "data not copied"),
      [&](const GotElement& each) {
        if (each.reached.writers() > 0) return each.is_right ? Fit::bits : Fit::none;
        // The other zero was copied, somehow.
        const bool is_copied = !each.is_right && has_bytes_of_zeros(each.reached.data);
        return each.actual == zero && !is_copied ? Fit::bits : Fit::none;
      });
}

void try_without_entry(Examination& examination) {
  SuspectsByEntry suspects(examination);
  try_each_writer(examination, 1, suspects,
                  [](const Terms& terms, std::size_t k) { return without(terms, k, k + 1); });
  suspects.report(examination, "without", "without one update at each");
}

void try_without_entries(Examination& examination) {
  Suspect suspect{.words = "without several of its updates", .is_general = true};
  bool has_several = false;  // else each element is without one, which is a hypothesis of its own
  for (std::size_t i = 0; i < examination.wrong().size(); ++i) {
    const FoundSpan found = missing_span(examination, i);
    if (found.fit == Fit::none) continue;
    has_several = has_several || found.span.last - found.span.first > 1;
    suspect.fits.push_back({.element = i, .fit = found.fit});
  }
  if (has_several) examination.add(std::move(suspect));
  MissingEntries(examination).try_all();
}

void try_entry_twice(Examination& examination) {
  if (examination.combination().reduction == Reduction::none) return;
  SuspectsByEntry suspects(examination);
  try_each_writer(examination, -1, suspects, [](Terms terms, std::size_t k) {
    const std::byte* term = terms[k];
    terms.insert(terms.begin() + static_cast<std::ptrdiff_t>(k), term);
    return terms;
  });
  suspects.report(examination, "twice", "twice one update at each");
}

void try_all_twice(Examination& examination) {
  try_with_more(examination, "every update twice", [](const ReachedTerms&, Terms terms) -> Terms {
    Terms twice = terms;
    twice.insert(twice.end(), terms.begin(), terms.end());
    return twice;
  });
}

// In a difference data's value is not what counts as often as the updates.
void try_data_twice(Examination& examination) {
  const Combination& combination = examination.combination();
  if (!(combination.initial == InitialValue::data) || info(combination.reduction).negates) return;
  try_with_more(examination, "data's value twice",
                [](const ReachedTerms& reached, Terms terms) -> Terms {
                  terms.insert(terms.begin(), reached.data.data());
                  return terms;
                });
}

}  // namespace tscatter::diagnose
