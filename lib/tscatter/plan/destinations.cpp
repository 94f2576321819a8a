#include "tscatter/plan/destinations.hpp"

#include <algorithm>
#include <vector>

#include "tscatter/core/parallel.hpp"

namespace tscatter {

void EntryReader::read(std::int64_t first, std::span<std::uint32_t> into) const {
  std::vector<std::uint64_t> wide(into.size());
  read(first, wide);
  // A dropped entry has all bits set, also in 32 of them.
  std::ranges::transform(wide, into.begin(),
                         [](std::uint64_t each) { return static_cast<std::uint32_t>(each); });
}

std::int64_t EntryReader::check(std::int64_t first, std::int64_t count) const {
  std::vector<std::uint64_t> destinations(static_cast<std::size_t>(count));
  read(first, destinations);
  return std::ranges::count(destinations, dropped_entry<std::uint64_t>);
}

DestinationList list_of(const EntryReader& reader, std::int64_t destinations,
                        const Parallelism& parallelism) {
  constexpr std::int64_t at_once = std::int64_t{64} * 1024;
  const std::int64_t entries = reader.size();
  DestinationList list(entries, destinations);
  list.visit([&](auto all) {
    for_each_task((entries + at_once - 1) / at_once, parallelism, entries, [&] {
      return [&](std::int64_t task) {
        const std::int64_t first = task * at_once;
        const std::int64_t count = std::min(at_once, entries - first);
        reader.read(first,
                    all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
      };
    });
  });
  return list;
}

}  // namespace tscatter
