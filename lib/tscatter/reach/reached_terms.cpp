#include "tscatter/reach/reached_terms.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tscatter/reach/elements.hpp"

namespace tscatter {
namespace {

// Of an update that reaches an element.
std::size_t bytes_of_update(std::size_t element_size) {
  return element_size + sizeof(std::int64_t);
}

// A few numbers; most others are told apart by one look.
class NumberSet {
 public:
  explicit NumberSet(std::vector<std::int64_t> numbers) : sorted_{std::move(numbers)} {
    std::ranges::sort(sorted_);
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    for (const std::int64_t each : sorted_) word_of(each) |= bit_of(each);
  }

  std::size_t size() const { return sorted_.size(); }

  // The number's place among all in ascending order.
  std::optional<std::size_t> find(std::int64_t number) const {
    if ((words_[hash(number) / 64] & bit_of(number)) == 0) return std::nullopt;
    const auto found = std::ranges::lower_bound(sorted_, number);
    if (found == sorted_.end() || *found != number) return std::nullopt;
    return static_cast<std::size_t>(found - sorted_.begin());
  }

 private:
  static constexpr std::size_t bits = std::size_t{1} << 16U;

  static std::size_t hash(std::int64_t number) {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15U) >>
                                    48U);
  }
  static std::uint64_t bit_of(std::int64_t number) {
    return std::uint64_t{1} << (hash(number) % 64);
  }
  std::uint64_t& word_of(std::int64_t number) { return words_[hash(number) / 64]; }

  std::vector<std::int64_t> sorted_;
  std::array<std::uint64_t, bits / 64> words_{};
};

class Reader {
 public:
  Reader(const Tensor& data, const Tensor& updates, const UpdatesReading& reading)
      : data_{data}, updates_{updates}, size_{data.type().size}, reading_{reading} {}

  void begin(std::int64_t number, ReachedTerms& into) { append(data_.at(number), into.data); }

  // Returns whether there is room for so many updates of an element.
  bool make_room(std::size_t updates, ReachedTerms& into) {
    bytes_ += updates * bytes_of_update(size_);
    if (bytes_ > limits_of_all.bytes) return false;
    into.updates.reserve(updates * size_);
    into.entries.reserve(updates);
    return true;
  }

  void add(std::int64_t entry, std::int64_t number, ReachedTerms& into) {
    if (reading_.element) number = reading_.element(number);
    append(updates_.at(number), into.updates);
    into.entries.push_back(entry);
  }

 private:
  void append(const std::byte* element, std::vector<std::byte>& into) const {
    into.insert(into.end(), element, element + size_);
  }

  NativeElements data_;
  NativeElements updates_;
  std::size_t size_;
  const UpdatesReading& reading_;
  std::size_t bytes_ = 0;
};

NumberSet destinations_of(const ListedWrites& writes, std::span<const std::int64_t> numbers) {
  std::vector<std::int64_t> all;
  for (const std::int64_t number : numbers)
    all.push_back(ElementPlace::of(writes, number).destination);
  return NumberSet(std::move(all));
}

// Calls visit(entry, its destination's place among them) for the entries that go to one of them,
// while it returns true.
template <class Visit>
void visit_entries(const ListedWrites& writes, const NumberSet& destinations, const Visit& visit) {
  writes.destination_of_entry.visit([&](auto list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (is_dropped(list[i])) continue;
      const auto place = destinations.find(static_cast<std::int64_t>(list[i]));
      if (place && !visit(static_cast<std::int64_t>(i), *place)) return;
    }
  });
}

using EntryLists = std::vector<std::vector<std::int64_t>>;

// The entries of each destination; empty if they are too many.
EntryLists entries_of(const ListedWrites& writes, const NumberSet& destinations) {
  EntryLists lists(destinations.size());
  std::size_t count = 0;
  visit_entries(writes, destinations, [&](std::int64_t entry, std::size_t place) {
    lists[place].push_back(entry);
    return ++count <= limits_of_all.entries;
  });
  if (count > limits_of_all.entries) lists.clear();
  return lists;
}

bool read(const ListedWrites& writes, std::span<const std::int64_t> numbers,
          const UpdatesReading& reading, Reader& reader, std::vector<ReachedTerms>& into) {
  const NumberSet destinations = destinations_of(writes, numbers);
  const EntryLists lists = entries_of(writes, destinations);
  if (lists.size() != destinations.size()) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const ElementPlace place = ElementPlace::of(writes, numbers[i]);
    const std::int64_t part = place.part_of_entries(writes);
    const std::vector<std::int64_t>& entries = lists[*destinations.find(place.destination)];
    if (!reader.make_room(entries.size(), into[i])) return false;
    for (const std::int64_t entry : entries) {
      const std::int64_t row = reading.row ? reading.row(entry) : entry;
      reader.add(entry, part + writes.update_of(row), into[i]);
    }
  }
  return true;
}

bool read(const LatticeWrites& writes, std::span<const std::int64_t> numbers, Reader& reader,
          std::vector<ReachedTerms>& into) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto update = writes.update_at(numbers[i]);
    if (!update) continue;
    if (!reader.make_room(1, into[i])) return false;
    reader.add(-1, *update, into[i]);
  }
  return true;
}

}  // namespace

orders::Combination combination_of(const ScatterPlan& plan) {
  return {.reduction = plan.reduction,
          .initial = plan.initial,
          .accumulation = plan.accumulation,
          .mean = plan.mean};
}

orders::Combination combination_of(const Operation& operation, const Attributes& attributes) {
  return {.reduction = operation.reduction(attributes),
          .initial = operation.initial_value(attributes),
          .accumulation = operation.policies.accumulation,
          .mean = operation.policies.mean};
}

Terms ReachedTerms::terms() const {
  Terms terms;
  terms.reserve(writers());
  for (std::size_t k = 0; k < writers(); ++k) terms.push_back(updates.data() + k * data.size());
  return terms;
}

std::optional<std::vector<ReachedTerms>> reached_terms(const LoweredPlan& lowered,
                                                       const Tensor& data, const Tensor& updates,
                                                       std::span<const std::int64_t> numbers,
                                                       const UpdatesReading& reading) {
  std::vector<ReachedTerms> reached(numbers.size());
  Reader reader(data, updates, reading);
  for (std::size_t i = 0; i < numbers.size(); ++i) reader.begin(numbers[i], reached[i]);
  const auto* listed = std::get_if<ListedWrites>(&lowered.plan.writes);
  const bool has_room = listed != nullptr ? read(*listed, numbers, reading, reader, reached)
                                          : read(std::get<LatticeWrites>(lowered.plan.writes),
                                                 numbers, reader, reached);
  data.source().check_view();
  updates.source().check_view();
  if (!has_room) return std::nullopt;
  return reached;
}

ReachedRoom::ReachedRoom(const LoweredPlan& lowered, std::size_t element_size,
                         std::span<const std::int64_t> numbers, const ReachedLimits& limits)
    : update_bytes_{bytes_of_update(element_size)},
      left_{limits},
      place_of_(numbers.size(), 0),
      entries_(1, 1),
      is_taken_(1, true) {
  const auto* listed = std::get_if<ListedWrites>(&lowered.plan.writes);
  if (listed == nullptr) return;  // each element is written once at most
  const NumberSet destinations = destinations_of(*listed, numbers);
  entries_.assign(destinations.size(), 0);
  is_taken_.assign(destinations.size(), false);
  visit_entries(*listed, destinations, [&](std::int64_t, std::size_t place) {
    ++entries_[place];
    return true;
  });
  for (std::size_t i = 0; i < numbers.size(); ++i)
    place_of_[i] = *destinations.find(ElementPlace::of(*listed, numbers[i]).destination);
}

bool ReachedRoom::take(std::size_t i) {
  const std::size_t place = place_of_[i];
  const std::size_t bytes = entries_[place] * update_bytes_;
  const std::size_t entries = is_taken_[place] ? 0 : entries_[place];
  if (bytes > left_.bytes || entries > left_.entries) return false;
  left_.bytes -= bytes;
  left_.entries -= entries;
  is_taken_[place] = true;
  return true;
}

}  // namespace tscatter
