// EntryRecords: the index entries of a plan as records that processes send to each other. Each
// process reads some of them; whoever has received all that go to a part of the output, in their
// order, computes that part as if there were no others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// Entries that follow each other: the destination of each (dropped_entry<std::uint64_t>: none), and
// what goes with it.
struct EntryBatch {
  std::vector<std::uint64_t> destinations;
  std::vector<std::byte> payloads;  // payload_size() bytes for each
};

class EntryRecords {
 public:
  // nullopt where only whole parts can be dealt: there are no entries (a slice), each goes to all
  // batches, or its updates do not lie together. REQUIRES: entries are read again, not listed.
  static std::optional<EntryRecords> of(ScatterPlan plan, const Tensor& updates);

  std::int64_t entries() const { return writes().reader->size(); }
  // An entry takes its block of updates with it if that is smaller than a page, else the number of
  // the block.
  std::int64_t payload_size() const { return has_values() ? block_bytes_ : number_size; }
  std::int64_t record_size() const { return number_size + payload_size(); }

  // Reads the destinations of these entries. Throws Error: as the lowering does for the first that
  // is refused, and (file).
  void check(Range entries, std::vector<std::uint64_t>& destinations) const;
  // Fills the batch with these entries. Throws Error, as check().
  void read(Range entries, EntryBatch& into) const;

  // The elements of the output that an entry writes.
  Range elements(std::uint64_t destination) const {
    const std::int64_t begin = static_cast<std::int64_t>(destination) * block_;
    return {.begin = begin, .end = begin + block_};
  }

  // The plan and the updates of entries that were received: 8 bytes for the destination of each,
  // and payload_size() bytes.
  ScatterPlan received_plan(std::shared_ptr<const Source> destinations) const;
  Tensor received_updates(std::shared_ptr<const Source> payloads) const;

 private:
  static constexpr std::int64_t number_size = 8;
  static constexpr std::int64_t page = 4096;

  EntryRecords(ScatterPlan plan, const Tensor& updates);

  const ListedWrites& writes() const { return std::get<ListedWrites>(plan_.writes); }
  bool has_values() const { return block_bytes_ < page; }

  ScatterPlan plan_;
  Tensor updates_;
  std::int64_t block_;
  std::int64_t block_bytes_;
};

}  // namespace tscatter
