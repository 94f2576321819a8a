// Entries of elements that are rows.
#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {
namespace {

// Elements of rows of 3, from updates in C order.
ListedWrites elements(const std::vector<std::uint32_t>& destinations) {
  const auto count = static_cast<std::int64_t>(destinations.size());
  ListedWrites writes;
  writes.destinations = 12;
  writes.entries_in_row = 3;
  writes.destination_of_entry = DestinationList(count, 12);
  writes.destination_of_entry.visit(
      [&](auto list) { std::copy(destinations.begin(), destinations.end(), list.begin()); });
  writes.destination_of_entry.count_dropped();
  writes.entries.append({.count = count, .stride = 1});
  return writes;
}

std::int64_t fold(ListedWrites& writes) { return fold_entries(writes, {.threads = 2}); }

std::vector<std::int64_t> destinations_of(const ListedWrites& writes) {
  std::vector<std::int64_t> all;
  writes.destination_of_entry.visit([&](auto list) {
    for (const auto each : list)
      all.push_back(is_dropped(each) ? -1 : static_cast<std::int64_t>(each));
  });
  return all;
}

}  // namespace

TEST_CASE("entries that follow one another through a row are one", "[plan]") {
  ListedWrites writes = elements({6, 7, 8, 0, 1, 2});
  CHECK(fold(writes) == 3);
  CHECK(destinations_of(writes) == std::vector<std::int64_t>{2, 0});
  CHECK(writes.destinations == 4);
  CHECK(writes.blocks.count() == 3);
  CHECK(writes.entries.count() == 2);
  CHECK(writes.update_of(1) == 3);
}

TEST_CASE("a row that is dropped is one dropped entry", "[plan]") {
  constexpr auto none = dropped_entry<std::uint32_t>;
  ListedWrites writes = elements({none, none, none, 3, 4, 5});
  CHECK(fold(writes) == 3);
  CHECK(destinations_of(writes) == std::vector<std::int64_t>{-1, 1});
  CHECK(writes.destination_of_entry.dropped() == 1);
}

TEST_CASE("entries stay as they are if one index of a row differs", "[plan]") {
  constexpr auto none = dropped_entry<std::uint32_t>;
  for (const auto& last :
       {std::vector<std::uint32_t>{6, 7, 5}, {9, 7, 8}, {6, none, 8}, {none, 7, 8}}) {
    std::vector<std::uint32_t> destinations{0, 1, 2};
    destinations.insert(destinations.end(), last.begin(), last.end());
    ListedWrites writes = elements(destinations);
    CHECK(fold(writes) == 1);
    CHECK(writes.destinations == 12);
    CHECK(writes.destination_of_entry.size() == 6);
    CHECK(writes.blocks.count() == 1);
  }
}

TEST_CASE("rows of updates that are not in C order are one, too", "[plan]") {
  ListedWrites writes = elements({6, 7, 8, 0, 1, 2});
  writes.entries = {};
  writes.entries.append({.count = 2, .stride = 1});
  writes.entries.append({.count = 3, .stride = 2});
  CHECK(fold(writes) == 3);
  CHECK(writes.update_of(1) == 1);
  CHECK(writes.blocks.offset(2) == 4);
}

}  // namespace tscatter
