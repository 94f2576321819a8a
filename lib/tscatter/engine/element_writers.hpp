// ElementWriters: writes of single elements, grouped with their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/buckets.hpp"
#include "tscatter/engine/grouping.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/kernels/scatter.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// Single elements have a bucket for each tile.
inline BucketGrid grid_of_elements(const ListedWrites& writes, const Grouping& grouping) {
  return BucketGrid::of(writes.destinations, grouping.tile_elements, grouping.phase);
}

// Writes of one element each, in one batch: 8 to 12 bytes an entry hold destination and value, so
// that updates is read once, in sequence.
template <class Record>
class ElementWriters {
 public:
  // Whether the plan can take this form with tiles of this size.
  static bool fits(const ListedWrites& writes, const ElementType& type, const Grouping& grouping);

  // Values are in data's byte order for none, and native otherwise. REQUIRES: fits(…).
  ElementWriters(ListedWrites writes, const Tensor& data, const Tensor& updates,
                 const Grouping& grouping);

  // A tile is a bucket.
  WriteSizes sizes() const {
    const auto writes = static_cast<std::int64_t>(records_.size());
    return {.tile_elements = records_.grid().width(), .updates_read = writes, .extents = writes};
  }
  std::int64_t count_distinct(const Grouping& grouping) const;
  bool meets(Range tile) const { return !of_tile(tile).empty(); }

  // Returns how many updates were applied. REQUIRES: `tile` is a whole tile, `bytes` its elements.
  std::int64_t apply(Range tile, std::byte* bytes) const {
    const std::span<const Record> records = of_tile(tile);
    loop_(bytes, records_.grid().place_of(tile.begin), records);
    return static_cast<std::int64_t>(records.size());
  }

  // Calls visit(Range) for each element that is written.
  template <class Visit>
  void visit_extents(Range tile, const Visit& visit) const {
    const std::int64_t origin = destination_origin(tile);
    for (const Record& record : of_tile(tile)) {
      const std::int64_t element = origin + record.destination;
      visit(Range{.begin = element, .end = element + 1});
    }
  }

  // The updates of a tile, in the order of their entries. Their destinations count from
  // destination_origin().
  std::span<const Record> of_tile(Range tile) const {
    return records_.bucket(records_.grid().bucket_of(tile.begin));
  }
  std::int64_t destination_origin(Range tile) const {
    return tile.begin - records_.grid().place_of(tile.begin);
  }

 private:
  ScatterLoop<Record> loop_;
  Buckets<Record> records_;
};

}  // namespace tscatter
