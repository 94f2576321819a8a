
#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/generate/generated_case.hpp"

namespace tscatter::generate {
namespace {

constexpr std::int64_t most_entries = 64;

constexpr std::array<Pattern, 11> patterns{{
    {Duplicates::none, Arrangement::plain},
    {Duplicates::none, Arrangement::sorted},
    {Duplicates::none, Arrangement::reversed},
    {Duplicates::some, Arrangement::plain},
    {Duplicates::some, Arrangement::sorted},
    {Duplicates::some, Arrangement::reversed},
    {Duplicates::heavy, Arrangement::plain},
    {Duplicates::heavy, Arrangement::sorted},
    {Duplicates::heavy, Arrangement::reversed},
    {Duplicates::heavy, Arrangement::ends},
    {Duplicates::heavy, Arrangement::one_place},
}};

constexpr std::array<EntryShape, 8> grids{EntryShape::list, EntryShape::matrix, EntryShape::list,
                                          EntryShape::cube, EntryShape::scalar, EntryShape::one,
                                          EntryShape::list, EntryShape::empty};

// The number of an entry's coordinate tuple.
using Destination = std::int64_t;

std::int64_t entry_count(const Draws& draws, const EntriesWanted& wanted, std::int64_t places) {
  const auto depth = static_cast<std::int64_t>(wanted.sizes.size());
  std::int64_t most = wanted.limit / std::max({wanted.block, depth, std::int64_t{1}});
  most = std::min(most, wanted.extent == Extent::all ? places : most_entries);
  if (wanted.pattern.duplicates == Duplicates::none) most = std::min(most, places);
  if (wanted.pattern.duplicates == Duplicates::some)
    most = std::min(most, std::max<std::int64_t>(places, 2));
  if (places == 0 || wanted.extent == Extent::all) return std::min(most, places);
  const auto below = static_cast<std::uint64_t>(most / 2 + 1);
  return most - static_cast<std::int64_t>(draws.word(Stream::entry_count, 0) % below);
}

Shape shape_of(EntryShape grid, std::int64_t count) {
  const std::int64_t height = std::min<std::int64_t>(count, 3);
  switch (count == 0 ? EntryShape::empty : grid) {
    case EntryShape::list: return {count};
    case EntryShape::matrix: return {height, count / height};
    case EntryShape::cube: {
      const std::int64_t depth = std::min<std::int64_t>(count / height, 2);
      return {height, count / height / depth, depth};
    }
    case EntryShape::scalar: return {};
    case EntryShape::one: return {1};
    case EntryShape::empty: return {0};
  }
  unreachable();
}

// The number of a line's word i: line 0 has the words i.
std::uint64_t in_line(std::uint64_t line, std::uint64_t i) { return (line << 32U) + i; }

// All places, sorted by their random words.
std::vector<Destination> shuffled(const Draws& draws, std::int64_t places, std::uint64_t line) {
  struct Drawn {
    std::uint64_t word;
    Destination destination;
  };
  std::vector<Drawn> drawn;
  for (Destination destination = 0; destination < places; ++destination) {
    const std::uint64_t i = in_line(line, static_cast<std::uint64_t>(destination));
    drawn.push_back({draws.word(Stream::places, i), destination});
  }
  std::ranges::sort(drawn, [](const Drawn& a, const Drawn& b) {
    return a.word != b.word ? a.word < b.word : a.destination < b.destination;
  });
  std::vector<Destination> destinations;
  destinations.reserve(drawn.size());
  for (const Drawn& each : drawn) destinations.push_back(each.destination);
  return destinations;
}

class DestinationChoice {
 public:
  DestinationChoice(const Draws& draws, Pattern pattern, Shape sizes, std::int64_t count,
                    std::uint64_t line = 0)
      : draws_{draws},
        pattern_{pattern},
        sizes_{std::move(sizes)},
        pool_{shuffled(draws, element_count(sizes_), line)},
        count_{count},
        line_{line} {}

  Destination of(std::int64_t entry) const {
    const auto e = static_cast<std::uint64_t>(entry);
    if (pattern_.arrangement == Arrangement::one_place) return pool_[0];
    if (pattern_.arrangement == Arrangement::ends) return end(word(e));
    switch (pattern_.duplicates) {
      case Duplicates::none: return pool_[e];
      case Duplicates::some: return pool_[e % 4 == 1 ? word(e) % e : e % pool_.size()];
      case Duplicates::heavy: return pool_[word(e) % heavy_places()];
    }
    unreachable();
  }

 private:
  std::uint64_t word(std::uint64_t entry) const {
    return draws_.word(Stream::repeats, in_line(line_, entry));
  }

  std::uint64_t heavy_places() const {
    const auto eighth = static_cast<std::uint64_t>(std::max<std::int64_t>(count_ / 8, 1));
    return std::min<std::uint64_t>(eighth, pool_.size());
  }

  // The first or last position along each axis, as the bits of the word say.
  Destination end(std::uint64_t word) const {
    Destination destination = 0;
    for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
      const bool is_last = ((word >> axis) & 1U) != 0;
      destination = destination * sizes_[axis] + (is_last ? sizes_[axis] - 1 : 0);
    }
    return destination;
  }

  const Draws& draws_;
  Pattern pattern_;
  Shape sizes_;
  std::vector<Destination> pool_;
  std::int64_t count_;
  std::uint64_t line_;
};

void arrange(std::vector<Destination>& destinations, Arrangement arrangement) {
  if (arrangement == Arrangement::sorted) std::ranges::sort(destinations);
  if (arrangement == Arrangement::reversed) std::ranges::sort(destinations, std::ranges::greater{});
}

std::vector<std::int64_t> coordinates_of(const std::vector<Destination>& destinations,
                                         const Shape& sizes) {
  std::vector<std::int64_t> coordinates;
  for (const Destination destination : destinations) {
    const Position position = position_of(sizes, destination);
    coordinates.insert(coordinates.end(), position.begin(), position.end());
  }
  return coordinates;
}

// A number outside [-size, size), by the word, that the dtype holds.
std::int64_t outside_of(std::int64_t size, std::uint64_t word, DType dtype) {
  constexpr std::int64_t one = 1;
  std::vector<std::int64_t> numbers{size,
                                    -size - 1,
                                    size + 1,
                                    -size - 2,
                                    3 * size + 1,
                                    -3 * size - 1,
                                    size + (one << 8U),
                                    -size - (one << 16U),
                                    size + (one << 32U)};
  std::erase_if(numbers, [&](std::int64_t number) { return !holds(dtype, number); });
  return numbers[word % numbers.size()];
}

}  // namespace

Pattern draw_pattern(const Draws& draws, std::optional<Duplicates> wanted) {
  std::vector<Pattern> possible;
  std::ranges::copy_if(patterns, std::back_inserter(possible),
                       [&](const Pattern& p) { return !wanted || p.duplicates == *wanted; });
  return possible[draws.turn(Stream::arrangement, possible.size())];
}

Entries draw_entries(const Draws& draws, const EntriesWanted& wanted) {
  const std::int64_t places = element_count(wanted.sizes);
  Entries entries{.shape = {}, .coordinates = {}, .pattern = wanted.pattern, .counted = {}};
  if (wanted.entries != IndexEntries::plain)
    entries.grid = draws.among(Stream::form, std::span(grids));
  const std::int64_t most = entry_count(draws, wanted, places);
  if (most == 0) entries.grid = EntryShape::empty;
  entries.shape = shape_of(entries.grid, most);
  entries.count = element_count(entries.shape);
  std::vector<Destination> destinations;
  if (entries.count > 0) {
    const DestinationChoice choice(draws, wanted.pattern, wanted.sizes, entries.count, wanted.line);
    for (std::int64_t e = 0; e < entries.count; ++e) destinations.push_back(choice.of(e));
  }
  arrange(destinations, wanted.pattern.arrangement);
  entries.coordinates = coordinates_of(destinations, wanted.sizes);
  entries.places = static_cast<std::int64_t>(
      std::set<Destination>(destinations.begin(), destinations.end()).size());
  return entries;
}

std::vector<std::int64_t> draw_line(const Draws& draws, Pattern pattern, std::int64_t size,
                                    std::int64_t count, std::uint64_t line) {
  const DestinationChoice choice(draws, pattern, {size}, count, line);
  std::vector<Destination> places;
  for (std::int64_t e = 0; e < count; ++e) places.push_back(choice.of(e));
  arrange(places, pattern.arrangement);
  return places;
}

void make_negative(Entries& entries, const Shape& sizes, const Shape& named) {
  for (std::size_t i = 0; i < entries.coordinates.size(); ++i) {
    const std::size_t entry = i / sizes.size();
    const std::size_t axis = i % sizes.size();
    const bool are_last = named[axis] < sizes[axis];
    if (are_last || (entry + axis) % 2 == 0) entries.coordinates[i] -= named[axis];
  }
}

void make_outside(const Draws& draws, Entries& entries, const Shape& sizes, DType dtype) {
  for (std::size_t i = 0; i < entries.coordinates.size(); ++i) {
    const std::size_t entry = i / sizes.size();
    const std::size_t axis = i % sizes.size();
    if ((entry + axis) % 3 != 0) continue;
    entries.coordinates[i] = outside_of(sizes[axis], draws.word(Stream::strays, i), dtype);
  }
}

}  // namespace tscatter::generate
