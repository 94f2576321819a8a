// Hypotheses about updates that are read elsewhere: another entry's, in another order.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "tscatter/diagnose/examination.hpp"
#include "tscatter/diagnose/hypotheses.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/reach/elements.hpp"

namespace tscatter::diagnose {
namespace {

constexpr std::size_t most_rows = std::size_t{1} << 20U;  // that are read to find readings

// The entry whose update an element has, in place of the one that goes there.
struct RowMatch {
  std::int64_t entry;
  std::int64_t row;
};

// Of the first wrong elements that one entry decides, those whose value is the update of few
// others.
std::vector<std::vector<RowMatch>> row_matches(Examination& examination,
                                               const ListedWrites& writes) {
  constexpr std::size_t most_searched = 8;
  constexpr std::size_t most_matches = 8;
  const std::int64_t entries = writes.entries.count();
  const std::size_t most =
      std::clamp<std::size_t>(most_rows / static_cast<std::size_t>(entries), 3, most_searched);
  NativeElements updates(examination.updates());
  std::vector<std::vector<RowMatch>> found;
  std::size_t searched = 0;
  for (std::size_t i = 0; i < examination.wrong().size() && searched < most; ++i) {
    const GotElement& wrong = examination.wrong()[i];
    const ReachedTerms& reached = wrong.reached;
    const bool is_last = examination.combination().reduction == Reduction::none;
    if (reached.writers() == 0 || (reached.writers() > 1 && !is_last)) continue;
    ++searched;
    const std::int64_t part = ElementPlace::of(writes, wrong.number).part_of_entries(writes);
    std::vector<RowMatch> matches;
    for (std::int64_t row = 0; row < entries && matches.size() <= most_matches; ++row) {
      examination.look_at_stop();
      const Fit fit = examination.trial().fit(
          reached.data.data(), {updates.at(part + writes.update_of(row))}, wrong.actual.data());
      if (fit != Fit::none) matches.push_back({.entry = reached.entries.back(), .row = row});
    }
    if (matches.size() <= most_matches) found.push_back(std::move(matches));
  }
  updates.check();
  return found;
}

// Entry e has the updates of entry first + stride * e, from the end on again from the beginning.
struct RowReading {
  std::int64_t first;
  std::int64_t stride;

  friend bool operator==(const RowReading&, const RowReading&) = default;
  friend bool operator<(const RowReading& a, const RowReading& b) {
    return std::tie(a.first, a.stride) < std::tie(b.first, b.stride);
  }
};

// Those that most matches have.
class RowVotes {
 public:
  explicit RowVotes(std::int64_t entries) : entries_{entries} {}

  void add(const RowMatch& match, std::int64_t stride) {
    ++votes_[{.first = wrapped(match.row - stride * match.entry, entries_), .stride = stride}];
  }

  std::vector<RowReading> best(std::size_t most) const {
    std::vector<std::pair<std::int64_t, RowReading>> sorted;
    for (const auto& [reading, votes] : votes_) sorted.emplace_back(-votes, reading);
    std::ranges::sort(sorted);
    std::vector<RowReading> best;
    for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i)
      best.push_back(sorted[i].second);
    return best;
  }

 private:
  std::int64_t entries_;
  std::map<RowReading, std::int64_t> votes_;
};

// What the first wrong elements show: entries that all are as far from their own, or read with a
// stride.
std::vector<RowReading> shown_readings(Examination& examination, const ListedWrites& writes) {
  constexpr std::size_t most = 4;
  const auto found = row_matches(examination, writes);
  RowVotes offsets(writes.entries.count());
  RowVotes strides(writes.entries.count());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const RowMatch& each : found[i]) {
      offsets.add(each, 1);
      for (std::size_t j = i + 1; j < found.size(); ++j) {
        for (const RowMatch& other : found[j]) {
          const std::int64_t entries = other.entry - each.entry;
          const std::int64_t rows = other.row - each.row;
          if (entries != 0 && rows % entries == 0 && rows / entries > 1)
            strides.add(each, rows / entries);
        }
      }
    }
  }
  std::vector<RowReading> readings = offsets.best(most);
  for (const RowReading& each : strides.best(most)) readings.push_back(each);
  return readings;
}

std::string reading_words(const RowReading& reading, std::int64_t entries) {
  if (reading.stride == 1) {
    const bool is_behind = 2 * reading.first <= entries;
    return fmt::format("each entry with the updates of the entry {:+} from it",
                       is_behind ? reading.first : reading.first - entries);
  }
  const std::string times = reading.stride == 2 ? "twice" : fmt::format("{} times", reading.stride);
  const std::string from =
      reading.first == 0 ? "" : fmt::format(", from that of entry {} on", reading.first);
  return fmt::format("updates read with {} the stride{}", times, from);
}

std::vector<RowReading> row_readings(Examination& examination, const ListedWrites& writes) {
  const std::int64_t entries = writes.entries.count();
  std::vector<RowReading> readings;
  for (const std::int64_t by : {1, -1, 2, -2, 3, -3, 4, -4})
    readings.push_back({.first = wrapped(by, entries), .stride = 1});
  readings.push_back({.first = 0, .stride = 2});
  for (const RowReading& each : shown_readings(examination, writes)) readings.push_back(each);
  std::vector<RowReading> different;
  for (const RowReading& each : readings) {
    const bool is_own = each == RowReading{.first = 0, .stride = 1};
    if (!is_own && std::ranges::count(different, each) == 0) different.push_back(each);
  }
  return different;
}

ReadReached reached_with(const Examination& examination, const Tensor& updates,
                         UpdatesReading reading) {
  return [&, reading = std::move(reading)](std::span<const std::int64_t> numbers) {
    return reached_terms(examination.lowered(), examination.data(), updates, numbers, reading);
  };
}

ChangedPlaces written_by(const Examination& examination) {
  return [&] { return written_places(examination.lowered(), most_places); };
}

void try_reading(Examination& examination, const std::string& words, UpdatesReading reading) {
  examination.try_reached(words,
                          reached_with(examination, examination.updates(), std::move(reading)),
                          examination.trial(), written_by(examination));
}

// Each entry with the updates of another one.
void try_entries(Examination& examination) {
  const std::int64_t entries = examination.lowered().index_entries;
  const auto* listed = std::get_if<ListedWrites>(&examination.lowered().plan.writes);
  // Else an entry of the plan is a place in a window.
  const bool are_of_indices = listed != nullptr && entries > 1 &&
                              listed->entries.count() == entries &&
                              examination.index_entry(entries - 1) == entries - 1;
  if (!are_of_indices || !examination.has_few_entries()) return;
  for (const RowReading& each : row_readings(examination, *listed)) {
    try_reading(examination, reading_words(each, entries), {.row = [=](std::int64_t entry) {
                  return wrapped(each.first + each.stride * entry, entries);
                }});
  }
  try_reading(examination, "each entry with the updates of the first one",
              {.row = [](std::int64_t) -> std::int64_t { return 0; }});
  try_reading(examination, "each entry with the updates of the last one",
              {.row = [=](std::int64_t) { return entries - 1; }});
  try_reading(examination, "updates in reversed order of the entries",
              {.row = [=](std::int64_t entry) { return entries - 1 - entry; }});
}

// Updates as they were given: the call may read only a part. If it scales them, the products.
class GivenUpdates {
 public:
  GivenUpdates(const Examination& examination, const Tensor& given)
      : read_{examination.updates()},
        given_{examination.call().arguments.unscaled ? read_ : given},
        is_known_{given_.type() == read_.type() &&
                  std::ranges::equal(read_.shape(), given.shape(), std::less_equal())} {
    if (&given_ == &read_) is_known_ = read_.shape() == given.shape();
  }

  // They are not broadcast.
  bool is_known() const { return is_known_; }
  const Tensor& tensor() const { return given_; }

  // The number there of an element that the call reads.
  std::int64_t number(std::int64_t read) const {
    if (read_.shape() == given_.shape() && read_.order() == given_.order()) return read;
    const std::vector<std::int64_t> own = strides_of(read_.shape(), read_.order());
    const std::vector<std::int64_t> others = strides_of(given_.shape(), given_.order());
    std::int64_t number = 0;
    for (std::size_t axis = 0; axis < own.size(); ++axis)
      number += read / own[axis] % read_.shape()[axis] * others[axis];
    return number;
  }

 private:
  const Tensor& read_;
  const Tensor& given_;
  bool is_known_;
};

// Updates as if they had another memory order, or an axis of another length.
void try_strides(Examination& examination) {
  const Tensor* const as_given = examination.options().given_updates;
  if (as_given == nullptr || examination.updates().rank() < 2) return;
  const GivenUpdates given(examination, *as_given);
  if (!given.is_known()) return;
  const TensorHeader& header = given.tensor().header();
  // What lies beyond the end is not known.
  const auto reached = [&](const auto& moved) {
    return reached_with(examination, given.tensor(), {.element = [&](std::int64_t number) {
                          const std::int64_t own = given.number(number);
                          const std::int64_t other = moved(own);
                          return other < header.count() ? other : own;
                        }});
  };
  // What does not look at the strides reads one of them where the other one is.
  TensorHeader stored = header;
  stored.order = header.order == MemoryOrder::c ? MemoryOrder::fortran : MemoryOrder::c;
  const auto try_order = [&](std::string_view how, const TensorHeader& from) {
    const auto moved = [&](std::int64_t number) { return transposed(from, number); };
    return examination.try_reached(fmt::format("updates {} in the other memory order", how),
                                   reached(moved), examination.trial(), written_by(examination));
  };
  if (try_order("read", header) == nullptr) try_order("stored", stored);
  if (!examination.has_few_entries()) return;
  for (const OtherLength& each : other_lengths(examination.call(), header)) {
    const auto moved = [&](std::int64_t number) { return each.to(number); };
    examination.try_guess("updates read " + each.words(), reached(moved), written_by(examination));
  }
}

}  // namespace

void try_rows(Examination& examination) {
  try_entries(examination);
  try_strides(examination);
}

}  // namespace tscatter::diagnose
