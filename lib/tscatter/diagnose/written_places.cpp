#include "tscatter/diagnose/written_places.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "tscatter/reach/elements.hpp"

namespace tscatter::diagnose {
namespace {

// Whether entries of the same number can be compared.
bool are_alike(const ListedWrites& a, const ListedWrites& b) {
  return a.destination_of_entry.size() == b.destination_of_entry.size() &&
         a.destinations == b.destinations && a.blocks.count() == b.blocks.count() &&
         a.batches.count() == b.batches.count();
}

// Calls visit(entry) for those that write something, of `other` something else.
template <class Visit>
void visit_chosen(const ListedWrites& writes, const ListedWrites* other, const Visit& visit) {
  const bool is_compared = other != nullptr && are_alike(writes, *other);
  writes.destination_of_entry.visit([&](auto list) {
    (is_compared ? *other : writes).destination_of_entry.visit([&](auto others) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        const bool is_same = std::uint64_t{list[i]} == std::uint64_t{others[i]};
        if (is_dropped(list[i]) || (is_compared && is_same)) continue;
        if (!visit(static_cast<std::int64_t>(i))) return;
      }
    });
  });
}

// The number of an element that the entry writes, by its place among these.
std::int64_t place(const ListedWrites& writes, std::int64_t entry, std::int64_t within) {
  const std::int64_t destination = writes.destination_of_entry.visit(
      [&](auto list) { return static_cast<std::int64_t>(list[static_cast<std::size_t>(entry)]); });
  return ElementPlace::of_column(writes, destination, within).number(writes);
}

std::vector<std::int64_t> places(const ListedWrites& writes, std::int64_t most,
                                 const ListedWrites* other) {
  const std::int64_t each = writes.blocks.count() * writes.batches.count();  // of an entry
  std::int64_t entries = writes.kept();
  const bool are_all = other == nullptr && entries == writes.destination_of_entry.size();
  if (other != nullptr) {
    entries = 0;
    visit_chosen(writes, other, [&](std::int64_t) { return ++entries > 0; });
  }
  std::vector<std::int64_t> found = spread(entries * each, most);
  if (are_all) {
    for (std::int64_t& number : found) number = place(writes, number / each, number % each);
    return found;
  }
  auto next = found.begin();
  std::int64_t before = 0;  // elements of the entries before
  visit_chosen(writes, other, [&](std::int64_t entry) {
    for (; next != found.end() && *next < before + each; ++next)
      *next = place(writes, entry, *next - before);
    before += each;
    return next != found.end();
  });
  return found;
}

std::vector<std::int64_t> places(const LatticeWrites& writes, std::int64_t most) {
  std::vector<std::int64_t> found = spread(writes.points() * writes.run, most);
  for (std::int64_t& each : found) {
    std::int64_t rest = each / writes.run;
    std::int64_t number = writes.output_origin + each % writes.run;
    for (std::size_t i = writes.axes.size(); i-- > 0;) {
      number += rest % writes.axes[i].count * writes.axes[i].output_stride;
      rest /= writes.axes[i].count;
    }
    each = number;
  }
  return found;
}

}  // namespace

std::vector<std::int64_t> spread(std::int64_t total, std::int64_t most) {
  const std::int64_t count = std::min(total, most);
  std::vector<std::int64_t> numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = total / count * i + std::min(i, total % count);
    const std::int64_t length = total / count + (i < total % count ? 1 : 0);
    const std::uint64_t hash = (static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U) >> 32U;
    numbers.push_back(first + static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(length)));
  }
  return numbers;
}

std::vector<std::int64_t> written_places(const LoweredPlan& lowered, std::int64_t most,
                                         const LoweredPlan* other) {
  const auto* listed = std::get_if<ListedWrites>(&lowered.plan.writes);
  const auto* others = other == nullptr ? nullptr : std::get_if<ListedWrites>(&other->plan.writes);
  std::vector<std::int64_t> numbers =
      listed != nullptr ? places(*listed, most, others)
                        : places(std::get<LatticeWrites>(lowered.plan.writes), most);
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::int64_t transposed(const TensorHeader& header, std::int64_t number) {
  const MemoryOrder other = header.order == MemoryOrder::c ? MemoryOrder::fortran : MemoryOrder::c;
  const std::vector<std::int64_t> own = strides_of(header.shape, header.order);
  const std::vector<std::int64_t> others = strides_of(header.shape, other);
  std::int64_t moved = 0;
  for (std::size_t axis = 0; axis < own.size(); ++axis)
    moved += number / own[axis] % header.shape[axis] * others[axis];
  return moved;
}

}  // namespace tscatter::diagnose
