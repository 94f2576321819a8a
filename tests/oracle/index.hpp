// The form index in the oracle: which update goes to which element, as NumPy's text of indexing has
// it, and the rules on items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracle/writes.hpp"

namespace tscatter::oracle {

// What is wrong with the items of a call, before an index is looked at; nullopt: it is legal so
// far. REQUIRES: data has rank 1 or more.
std::optional<Check> broken_items(const Call& call);

// The shape of data[index]. REQUIRES: broken_items() found nothing.
Shape indexed_shape(const Call& call);

// There is an entry for each place in the axes of the result that are positions, or slices of the
// axes of data that entries name: all but the whole ones at either end. Its name is the place in
// the positions. Without positions there are no entries.
struct ItemEntries {
  bool exist = false;
  std::size_t first = 0;  // the first axis of data that they name
  std::vector<EntryWrite> kept = {};
  std::int64_t all = 0;
};
ItemEntries item_entries(const Call& call);

// Every write, in row-major order of the result.
void for_each_item_write(const Call& call, const std::function<void(const Write&)>& visit);

// "ids[3]", of the first index that is out of range: the first item that has one, in row-major
// order.
std::optional<std::string> first_wrong_item(const Call& call);

// The place in an array of that shape of what is broadcast to `at`; more axes in front are at 0.
Position within(const Shape& shape, const Position& at);

// Whether updates of that shape are broadcast to the result, with more axes of length 1 in front.
bool fits_result(const Shape& updates, const Shape& result);

}  // namespace tscatter::oracle
