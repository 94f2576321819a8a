// Hypotheses about places: updates of other entries, results that stand elsewhere.
// The hypothesis that one entry's update went to another place.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tscatter/core/shape.hpp"
#include "tscatter/diagnose/examination.hpp"
#include "tscatter/diagnose/hypotheses.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/reach/elements.hpp"

namespace tscatter::diagnose {
namespace {

constexpr std::int64_t most_elements = 4096;  // of a result whose every shift is tried
constexpr std::int64_t most_bytes = std::int64_t{4} << 20U;  // of such a result
constexpr std::size_t most_reads = std::size_t{1} << 20U;
constexpr std::size_t most_other_writers = 64;  // that would explain an element

// Another element's number, or one that is none.
using Moved = std::function<std::int64_t(std::int64_t number)>;

// Each element has the result of from(its number), and a number's result stands at to(it).
void try_moved(Examination& examination, std::string words, const Moved& from, const Moved& to) {
  const std::int64_t count = examination.data().count();
  const auto is_one = [count](std::int64_t number) { return number >= 0 && number < count; };
  examination.try_reached(
      std::move(words),
      [&](std::span<const std::int64_t> numbers) {
        std::vector<std::int64_t> others;
        for (const std::int64_t number : numbers)
          others.push_back(is_one(from(number)) ? from(number) : number);  // whatever stands there
        return reached_terms(examination.lowered(), examination.data(), examination.updates(),
                             others);
      },
      examination.trial(),
      [&] {
        std::vector<std::int64_t> places = written_places(examination.lowered(), most_places / 2);
        for (std::size_t i = places.size(); i-- > 0;) {
          if (is_one(to(places[i]))) places.push_back(to(places[i]));
        }
        return places;
      });
}

void try_shift(Examination& examination, std::string words, std::int64_t by) {
  try_moved(
      examination, std::move(words), [by](std::int64_t number) { return number - by; },
      [by](std::int64_t number) { return number + by; });
}

// Each element of a small result with another place's.
class SmallShifts {
 public:
  // `values`: what the call leaves, all of it.
  SmallShifts(Examination& examination, std::vector<std::vector<std::byte>> values)
      : examination_{examination}, values_{std::move(values)}, count_{std::ssize(values_)} {}

  void try_all() {
    std::size_t most = 0;  // that a shift explains
    for (std::int64_t by = 1 - count_; by < count_; ++by) {
      const Moved from = [by](std::int64_t number) { return number - by; };
      if (by == 0 || !is_telling(by)) continue;
      most = std::max(most, explained(fmt::format("shifted by {:+} elements", by), from));
    }
    for (std::int64_t by = 1; by < count_; ++by) {
      const Moved from = [&](std::int64_t number) { return wrapped(number - by, count_); };
      const std::int64_t shown = 2 * by <= count_ ? by : by - count_;
      const std::size_t count = explained(fmt::format("rotated by {:+} elements", shown), from);
      if (count > 0 && count <= most) examination_.take_back();
    }
  }

 private:
  bool is_one(std::int64_t number) const { return number >= 0 && number < count_; }

  // Whether enough of the elements would come from within the result: one alone may be a
  // coincidence.
  bool is_telling(std::int64_t by) const {
    const std::span<const std::int64_t> numbers = examination_.numbers();
    const auto inside =
        std::ranges::count_if(numbers, [&](std::int64_t number) { return is_one(number - by); });
    return inside >= 2 && 2 * inside >= std::ssize(numbers);
  }

  bool is_it(const GotElement& element, std::int64_t from) const {
    return is_one(from) && values_[static_cast<std::size_t>(from)] == element.actual;
  }

  // Whether most of the first wrong elements are explained.
  bool begins_well(const Moved& from) const {
    const auto first =
        examination_.wrong().first(std::min<std::size_t>(3, examination_.wrong().size()));
    const auto explained = std::ranges::count_if(
        first, [&](const GotElement& each) { return is_it(each, from(each.number)); });
    return 2 * explained > std::ssize(first);
  }

  // How many elements the suspect explains that it adds; 0: none is added.
  std::size_t explained(std::string words, const Moved& from) {
    if (!begins_well(from)) return 0;
    const auto fit_of = [&](const GotElement& element) {
      const std::int64_t number = from(element.number);
      if (!is_one(number)) return element.is_right ? Fit::legal : Fit::none;  // whatever is there
      return is_it(element, number) ? Fit::bits : Fit::none;
    };
    const Suspect* added = examination_.try_each(std::move(words), fit_of);
    if (added == nullptr) return 0;
    const std::size_t count = added->fits.size();
    const bool is_kept = !examination_.leaves_data(*added) && !is_denied(fit_of);
    if (!is_kept) examination_.take_back();
    return is_kept ? count : 0;
  }

  template <class FitOf>
  bool is_denied(const FitOf& fit_of) {
    if (!right_) right_ = examination_.right_among(spread(count_, count_));
    return std::ranges::any_of(*right_,
                               [&](const GotElement& each) { return fit_of(each) == Fit::none; });
  }

  Examination& examination_;
  std::vector<std::vector<std::byte>> values_;
  std::int64_t count_;
  std::optional<std::vector<GotElement>> right_ = std::nullopt;
};

// By one along each axis, in a large result; by any number of elements in a small one.
void try_constant_shifts(Examination& examination) {
  const TensorHeader& header = examination.data().header();
  const std::int64_t count = header.count();
  const bool is_small = count <= most_elements && examination.data().byte_size() <= most_bytes;
  const auto all = is_small ? reached_terms(examination.lowered(), examination.data(),
                                            examination.updates(), spread(count, count))
                            : std::nullopt;
  if (!all) {
    const std::vector<std::int64_t> strides = strides_of(header.shape, header.order);
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
      for (const std::int64_t sign : {-1, 1}) {
        if (header.shape[axis] == 1) continue;
        try_shift(examination, fmt::format("shifted by {} along axis {}", sign, axis),
                  sign * strides[axis]);
      }
    }
    return;
  }
  std::vector<std::vector<std::byte>> values;
  for (const ReachedTerms& each : *all) {
    const auto value = examination.trial().value_after(each);
    values.emplace_back(value.begin(), value.end());
  }
  SmallShifts(examination, std::move(values)).try_all();
}

// An entry of the plan, and how well its update explains an element.
struct OtherWriter {
  std::int64_t entry;
  Fit fit;
};

// By their number in indices.
using OtherWriters = std::map<std::int64_t, OtherWriter>;

// The entries whose update would leave what was got of a wrong element, and that do not go there;
// none if they are too many to tell anything.
OtherWriters other_writers(Examination& examination, const ListedWrites& writes,
                           NativeElements& updates, std::size_t element) {
  const GotElement& wrong = examination.wrong()[element];
  const std::int64_t part = ElementPlace::of(writes, wrong.number).part_of_entries(writes);
  OtherWriters writers;
  std::set<std::int64_t> own;
  for (const std::int64_t each : wrong.reached.entries) own.insert(examination.index_entry(each));
  for (std::int64_t entry = 0; entry < writes.entries.count(); ++entry) {
    examination.look_at_stop();
    const std::int64_t index = examination.index_entry(entry);
    if (own.contains(index)) continue;
    const Fit fit =
        examination.trial().fit(wrong.reached.data.data(),
                                {updates.at(part + writes.update_of(entry))}, wrong.actual.data());
    if (fit == Fit::none) continue;
    OtherWriter& writer = writers.try_emplace(index, OtherWriter{entry, fit}).first->second;
    writer.fit = std::max(writer.fit, fit);
    if (writers.size() > most_other_writers) return {};
  }
  return writers;
}

}  // namespace

void try_other_writers(Examination& examination) {
  const auto* listed = std::get_if<ListedWrites>(&examination.lowered().plan.writes);
  if (listed == nullptr) return;
  const std::int64_t entries = listed->entries.count();
  if (entries < 2 || static_cast<std::size_t>(entries) * examination.wrong().size() > most_reads)
    return;
  NativeElements updates(examination.updates());
  std::map<std::int64_t, Suspect> by_index;
  for (std::size_t i = 0; i < examination.wrong().size(); ++i) {
    for (const auto& [index, writer] : other_writers(examination, *listed, updates, i)) {
      Suspect& suspect = by_index[index];
      if (suspect.fits.empty()) suspect.entry = writer.entry;
      suspect.fits.push_back({.element = i, .fit = writer.fit});
    }
  }
  updates.check();
  for (auto& [index, suspect] : by_index) {
    suspect.words = fmt::format("written by {}, which does not go there",
                                examination.entry_text(*suspect.entry));
    examination.add(std::move(suspect));
  }
}

namespace {

// Updates go to to(their element), if there is one; to a number they come from from(it).
struct Sent {
  std::function<std::int64_t(std::int64_t number)> to;
  std::function<std::vector<std::int64_t>(std::int64_t number)> from;
};

// What then reaches the elements, in the order of the entries.
std::optional<std::vector<ReachedTerms>> reached_by(const Sent& sent,
                                                    const Examination& examination,
                                                    std::span<const std::int64_t> numbers) {
  const auto read = [&](std::span<const std::int64_t> of) {
    return reached_terms(examination.lowered(), examination.data(), examination.updates(), of);
  };
  std::vector<std::int64_t> sources;
  std::vector<std::size_t> ends;
  for (const std::int64_t number : numbers) {
    for (const std::int64_t source : sent.from(number)) sources.push_back(source);
    ends.push_back(sources.size());
  }
  auto here = read(numbers);
  const auto there = read(sources);
  if (!here || !there) return std::nullopt;
  const std::size_t size = examination.type().size;
  std::size_t source = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::vector<std::pair<std::int64_t, const std::byte*>> arrived;
    for (; source < ends[i]; ++source) {
      const ReachedTerms& terms = (*there)[source];
      for (std::size_t k = 0; k < terms.writers(); ++k)
        arrived.emplace_back(terms.entries[k], terms.updates.data() + k * size);
    }
    std::ranges::stable_sort(arrived, {}, [](const auto& each) { return each.first; });
    ReachedTerms& terms = (*here)[i];
    terms.updates.clear();
    terms.entries.clear();
    for (const auto& [entry, update] : arrived) {
      terms.entries.push_back(entry);
      terms.updates.insert(terms.updates.end(), update, update + size);
    }
  }
  return here;
}

void try_sent(Examination& examination, std::string words, const Sent& sent) {
  const bool changes_some = std::ranges::any_of(examination.wrong(), [&](const GotElement& each) {
    return sent.from(each.number) != std::vector{each.number};
  });
  if (!changes_some) return;
  examination.try_guess(
      std::move(words),
      [&](std::span<const std::int64_t> numbers) { return reached_by(sent, examination, numbers); },
      [&] {
        std::vector<std::int64_t> places = written_places(examination.lowered(), most_places / 2);
        for (std::size_t i = places.size(); i-- > 0;) {
          const std::int64_t to = sent.to(places[i]);
          if (to < examination.data().count()) places.push_back(to);
        }
        return places;
      });
}

}  // namespace

void try_shifts(Examination& examination) {
  const TensorHeader& header = examination.data().header();
  try_constant_shifts(examination);
  if (header.rank() < 2) return;
  if (examination.has_few_entries()) {
    for (const OtherLength& each : other_lengths(examination.call(), header)) {
      try_sent(examination, "updates written " + each.words(),
               {.to = [&](std::int64_t number) { return each.to(number); },
                .from = [&](std::int64_t number) { return each.from(number); }});
    }
  }
  TensorHeader other = header;
  other.order = header.order == MemoryOrder::c ? MemoryOrder::fortran : MemoryOrder::c;
  const Moved from = [&](std::int64_t number) { return transposed(other, number); };
  const Moved to = [&](std::int64_t number) { return transposed(header, number); };
  try_moved(examination, "written in the other memory order", from, to);
  try_sent(examination, "updates written in the other memory order",
           {.to = to, .from = [&](std::int64_t number) { return std::vector{from(number)}; }});
}

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
