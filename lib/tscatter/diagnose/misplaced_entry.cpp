// The hypothesis that one entry's update went to another place.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tscatter/core/numbering.hpp"
#include "tscatter/diagnose/hypotheses.hpp"
#include "tscatter/diagnose/written_places.hpp"

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
      destination_of_.push_back(destination_of(writes, each.number));
  }

  void try_entry(std::int64_t entry, std::string_view name) {
    const std::int64_t from = writes_.destination_of_entry.visit([&](auto list) {
      const auto destination = list[static_cast<std::size_t>(entry)];
      return is_dropped(destination) ? -1 : static_cast<std::int64_t>(destination);
    });
    if (from < 0) return;
    for (const std::int64_t to : places_of(entry, from)) {
      const Misplaced misplaced{.entry = entry, .from = from, .to = to};
      Suspect suspect{.name = name, .words = words_of(misplaced)};
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
      if (examination_.reached()[i].writers() > most_writers) continue;
      const Misplaced misplaced{.entry = entry, .from = from, .to = to};
      if (fit_of(misplaced, examination_.wrong()[i], examination_.reached()[i]) != Fit::none)
        places.insert(to);
    }
    return {places.begin(), places.end()};
  }

  Fit fit_of(const Misplaced& misplaced, const GotElement& element, const Reached& reached) {
    Terms terms = terms_of(reached, examination_.type().size);
    const auto place = std::ranges::lower_bound(reached.entries, misplaced.entry);
    const auto at = terms.begin() + (place - reached.entries.begin());
    if (place != reached.entries.end() && *place == misplaced.entry) {
      terms.erase(at);
    } else {
      terms.insert(at, updates_.at(part_of_entries(writes_, element.number) +
                                   writes_.update_of(misplaced.entry)));
    }
    return examination_.trial().fit(reached.data.data(), terms, element.actual.data());
  }

  // All elements of both places.
  bool explains_wrong(const Misplaced& misplaced, Suspect& into) {
    for (std::size_t i = 0; i < destination_of_.size(); ++i) {
      if (destination_of_[i] != misplaced.from && destination_of_[i] != misplaced.to) continue;
      const Fit fit = fit_of(misplaced, examination_.wrong()[i], examination_.reached()[i]);
      if (fit == Fit::none) return false;
      into.fits.push_back({.element = i, .fit = fit});
    }
    return true;
  }

  bool is_true_of_right(const Misplaced& misplaced) {
    std::vector<std::int64_t> numbers;
    const std::int64_t block = writes_.blocks.count();
    for (const std::int64_t each : spread(writes_.batches.count() * block, most_of_block)) {
      for (const std::int64_t place : {misplaced.from, misplaced.to})
        numbers.push_back((each / block * writes_.destinations + place) * block + each % block);
    }
    const ReachedElements right = examination_.right_among(std::move(numbers));
    for (std::size_t i = 0; i < right.elements.size(); ++i) {
      if (fit_of(misplaced, right.elements[i], right.reached[i]) == Fit::none) return false;
    }
    return true;
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

void try_misplaced_entry(Examination& examination, std::string_view name) {
  const auto* listed = std::get_if<ListedWrites>(&examination.lowered().plan.writes);
  if (listed == nullptr || listed->named.of_indices) return;
  MisplacedEntries misplaced(examination, *listed);
  for (const std::int64_t entry : suspected_entries(examination)) {
    examination.look_at_stop();
    misplaced.try_entry(entry, name);
  }
  examination.updates().source().check_view();
}

}  // namespace tscatter::diagnose
