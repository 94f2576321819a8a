// PyTorch's forms flat, mask, section and diagonal in the oracle: which update goes to which
// element, and the rules on shapes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "oracle/writes.hpp"

namespace tscatter::oracle {

bool is_part(const Call& call);

// What is wrong with the call beside data's rank, the attribute axis, updates and index values.
std::optional<Check> broken_part(const Call& call);

// The shape that updates must have, or that must fit them. REQUIRES: broken_part() found nothing.
Shape part_shape(const Call& call);

// The axis of data along which the first coordinate of an entry counts.
std::size_t first_axis_of_part(const Call& call);

// Where each of indices goes, in row-major order: among all elements, or along the axis. nullopt:
// nowhere. None without indices.
std::vector<std::optional<std::int64_t>> part_places(const Call& call);

// The entries that are kept.
std::vector<EntryWrite> part_entries(const Call& call);

// A mask has an entry for each true place; a section one if its position is out
// of range, a diagonal none.
EntryCounts part_entry_counts(const Call& call);

// The first index that is refused.
std::optional<Position> first_wrong_place(const Call& call);

void for_each_part_write(const Call& call, const std::function<void(const Write&)>& visit);

}  // namespace tscatter::oracle
