// GroupedEntries: the index entries of a plan, those of one destination side by side and in their
// order. 16 bytes an entry. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/engine/buckets.hpp"
#include "tscatter/plan/slot_list.hpp"

namespace tscatter {

struct EntryRecord {
  std::int64_t slot;
  std::int64_t entry;
};

class GroupedEntries {
 public:
  GroupedEntries() = default;
  // Throws Cancelled.
  GroupedEntries(const SlotList& slots, std::int64_t slot_count, int threads,
                 const std::atomic<bool>* stop);

  std::size_t buckets() const { return buckets_.size() == 0 ? 0 : buckets_.grid().count(); }

  // Calls visit(the records of one slot) for each slot of the bucket, in ascending order.
  template <class Visit>
  void visit_groups(std::size_t bucket, const Visit& visit) const {
    std::span<const EntryRecord> rest = buckets_.bucket(bucket);
    while (!rest.empty()) {
      const std::int64_t slot = rest.front().slot;
      const auto end = std::ranges::find_if(
          rest, [slot](const EntryRecord& record) { return record.slot != slot; });
      const auto count = static_cast<std::size_t>(end - rest.begin());
      visit(rest.first(count));
      rest = rest.subspan(count);
    }
  }

 private:
  Buckets<EntryRecord> buckets_;
};

// Where entries meet: groups of at least two. REQUIRES: the entries outlive them.
std::vector<std::span<const EntryRecord>> meeting_groups(const GroupedEntries& entries,
                                                         std::int64_t count);

}  // namespace tscatter
