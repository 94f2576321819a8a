// BlockExplanations: which writers explain a destination's block in all batches, where updates
// overwrite. The loop writes whole blocks, so a block is legal only if one writer explains all of
// it; unless blocks may be mixed.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/grouped_entries.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/plan/scatter_plan.hpp"
#include "tscatter/verify/actual_reader.hpp"

namespace tscatter {

// What was overwritten.
struct OverwriteJob : VerifyJob {
  const ListedWrites& writes;
  int threads = 1;
};

class BlockExplanations {
 public:
  // `destinations`: those to examine, ascending; each has at least one writer. Reads `actual` and
  // the updates there. Throws Error (file) and Cancelled.
  BlockExplanations(const OverwriteJob& job, std::vector<std::int64_t> destinations);

  const Findings& findings() const { return findings_; }
  Findings& findings() { return findings_; }

  // The first `most` torn blocks, in the order of their destinations.
  std::vector<TornBlock> torn_blocks(std::int64_t most) const;

 private:
  class Worker;

  // The index of the destination's first writer in entries_.
  std::size_t first_writer(std::size_t destination) const {
    return static_cast<std::size_t>(first_[destination]);
  }
  EntryGroup writers_of(std::size_t destination) const {
    return entries_.group_at(first_writer(destination));
  }
  std::int64_t elements_of_destination() const {
    return job_.writes.blocks.count() * job_.writes.batches.count();
  }
  bool still_explains(std::size_t writer) const {
    return (alive_[writer / 64].load(std::memory_order_relaxed) >> (writer % 64) & 1) != 0;
  }
  void rule_out(std::size_t writer) {
    alive_[writer / 64].fetch_and(~(std::uint64_t{1} << (writer % 64)), std::memory_order_relaxed);
  }
  // Calls function(worker, number) for all numbers below `count`; adds what workers found.
  template <class Function>
  void for_each_number(std::int64_t count, std::int64_t per_task, const Function& function);
  void look();
  // Of blocks that one writer explains: the elements that it explains by other bits.
  void look_at_bits();
  // Whether each element may have another writer, so that no block is torn.
  bool may_be_mixed() const {
    return job_.options.blocks.value_or(job_.call.operation->blocks) == Blocks::mixed;
  }
  // Of blocks of several writers: whether options would make them legal, or torn.
  void look_at_hints();
  void conclude();
  // The destination's last writer (from 0) that explains its block.
  std::optional<std::size_t> explaining_writer(std::size_t destination) const;
  ElementClass class_of(std::size_t destination) const;
  Finding first_difference(std::size_t destination, ElementClass element_class) const;
  TornBlock torn_block(std::size_t destination) const;

  OverwriteJob job_;
  GroupedEntries entries_;
  std::vector<std::int64_t> first_;  // of each destination
  std::vector<std::atomic<std::uint64_t>>
      alive_;                                     // a bit for each of entries_: explains all so far
  std::vector<std::atomic<std::int64_t>> wrong_;  // elements of each destination
  Findings findings_;
};

}  // namespace tscatter
