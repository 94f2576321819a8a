// The hypothesis that one entry's update went to another place.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tscatter/core/numbering.hpp"
#include "tscatter/diagnose/hypotheses.hpp"
#include "tscatter/diagnose/written_places.hpp"
#include "tscatter/reach/elements.hpp"

namespace tscatter::diagnose {
namespace {

constexpr std::size_t most_entries = 64;
constexpr std::size_t most_writers = 64;  // of an element to which the update may have gone
constexpr std::size_t most_targets = 8;   // to which an update may have gone
constexpr std::int64_t most_of_block = 256;

// An entry, where it goes, and where it went.
struct Misplaced {
  std::int64_t entry;
  std::int64_t from;
  std::int64_t to;
};

class MisplacedEntries {
 public:
  MisplacedEntries(Examination& examination, const ListedWrites& writes)
      : examination_{examination}, writes_{writes}, updates_{examination.updates()} {
    for (const GotElement& each : examination.wrong())
      destination_of_.push_back(ElementPlace::of(writes, each.number).destination);
  }

  void check() const { updates_.check(); }

  void try_entry(std::int64_t entry) {
    const std::int64_t from = writes_.destination_of_entry.visit([&](auto list) {
      const auto destination = list[static_cast<std::size_t>(entry)];
      return is_dropped(destination) ? -1 : static_cast<std::int64_t>(destination);
    });
    if (from < 0) return;
    for (const std::int64_t to : places_of(entry, from)) {
      const Misplaced misplaced{.entry = entry, .from = from, .to = to};
      Suspect suspect{.words = words_of(misplaced)};
      if (explains_wrong(misplaced, suspect) && is_true_of_right(misplaced))
        examination_.add(std::move(suspect));
    }
  }

 private:
  // Where a wrong element has what the entry's update leaves there.
  std::vector<std::int64_t> places_of(std::int64_t entry, std::int64_t from) {
    std::set<std::int64_t> places;
    for (std::size_t i = 0; i < destination_of_.size() && places.size() < most_targets; ++i) {
      const std::int64_t to = destination_of_[i];
      if (to == from || places.contains(to)) continue;
      const GotElement& wrong = examination_.wrong()[i];
      if (wrong.reached.writers() > most_writers) continue;
      const Misplaced misplaced{.entry = entry, .from = from, .to = to};
      if (fit_of(misplaced, wrong) != Fit::none) places.insert(to);
    }
    return {places.begin(), places.end()};
  }

  Fit fit_of(const Misplaced& misplaced, const GotElement& element) {
    const ReachedTerms& reached = element.reached;
    Terms terms = reached.terms();
    const auto place = std::ranges::lower_bound(reached.entries, misplaced.entry);
    const auto at = terms.begin() + (place - reached.entries.begin());
    if (place != reached.entries.end() && *place == misplaced.entry) {
      terms.erase(at);
    } else {
      const std::int64_t part = ElementPlace::of(writes_, element.number).part_of_entries(writes_);
      terms.insert(at, updates_.at(part + writes_.update_of(misplaced.entry)));
    }
    return examination_.trial().fit(reached.data.data(), terms, element.actual.data());
  }

  // All elements of both places.
  bool explains_wrong(const Misplaced& misplaced, Suspect& into) {
    for (std::size_t i = 0; i < destination_of_.size(); ++i) {
      if (destination_of_[i] != misplaced.from && destination_of_[i] != misplaced.to) continue;
      const Fit fit = fit_of(misplaced, examination_.wrong()[i]);
      if (fit == Fit::none) return false;
      into.fits.push_back({.element = i, .fit = fit});
    }
    return true;
  }

  bool is_true_of_right(const Misplaced& misplaced) {
    std::vector<std::int64_t> numbers;
    const std::int64_t block = writes_.blocks.count();
    for (const std::int64_t column : spread(writes_.batches.count() * block, most_of_block)) {
      for (const std::int64_t destination : {misplaced.from, misplaced.to}) {
        numbers.push_back(ElementPlace::of_column(writes_, destination, column).number(writes_));
      }
    }
    return std::ranges::all_of(
        examination_.right_among(std::move(numbers)),
        [&](const GotElement& each) { return fit_of(misplaced, each) != Fit::none; });
  }

  std::string words_of(const Misplaced& misplaced) const {
    const TensorHeader& data = examination_.data().header();
    const auto first = data.shape.begin() + static_cast<std::ptrdiff_t>(writes_.named.first);
    const Numbering numbering({first, first + static_cast<std::ptrdiff_t>(writes_.named.depth)},
                              data.order);
    return fmt::format("{} went to {} in place of {}", examination_.entry_text(misplaced.entry),
                       to_string(numbering.position(misplaced.to)),
                       to_string(numbering.position(misplaced.from)));
  }

  Examination& examination_;
  const ListedWrites& writes_;
  NativeElements updates_;
  std::vector<std::int64_t> destination_of_;  // of each wrong element
};

// Those that are missing somewhere, or were written where they do not go: most of all first.
std::vector<std::int64_t> suspected_entries(const Examination& examination) {
  std::map<std::int64_t, std::size_t> elements;
  for (const Suspect& each : examination.suspects()) {
    if (each.entry) elements[*each.entry] += each.fits.size();
  }
  std::vector<std::pair<std::size_t, std::int64_t>> sorted;
  sorted.reserve(elements.size());
  for (const auto& [entry, count] : elements) sorted.emplace_back(count, entry);
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const auto& each) { return each.first; });
  std::vector<std::int64_t> entries;
  for (std::size_t i = 0; i < std::min(sorted.size(), most_entries); ++i)
    entries.push_back(sorted[i].second);
  return entries;
}

}  // namespace

void try_misplaced_entry(Examination& examination) {
  const auto* listed = std::get_if<ListedWrites>(&examination.lowered().plan.writes);
  if (listed == nullptr || listed->named.of_indices) return;
  MisplacedEntries misplaced(examination, *listed);
  for (const std::int64_t entry : suspected_entries(examination)) {
    examination.look_at_stop();
    misplaced.try_entry(entry);
  }
  misplaced.check();
}

}  // namespace tscatter::diagnose
