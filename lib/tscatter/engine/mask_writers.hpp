// MaskWriters: the writes of a mask, which is read beside each tile. Not part of the installed
// interface.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tscatter/engine/grouping.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

class MaskWriters {
 public:
  MaskWriters(MaskWrites writes, const Grouping& grouping)
      : writes_{std::move(writes)},
        reduction_{grouping.reduction},
        tile_elements_{grouping.tile_elements} {}

  WriteSizes sizes() const {
    return {.tile_elements = tile_elements_,
            .elements_per_destination = writes_.block,
            .updates_read = writes_.elements(),
            .extents = writes_.mask->trues(),
            .run_elements = writes_.block};
  }
  std::int64_t count_distinct(const Grouping&) const { return writes_.mask->trues(); }
  bool meets(Range range) const { return trues_of(range) > 0; }
  bool overwrites(Range range) const {
    const Range blocks = blocks_of(range);
    return reduction_ == Reduction::none && trues_of(range) == blocks.length();
  }

  // Calls visit(StridedRun) for each run of blocks that is written.
  template <class Visit>
  void visit(Range range, const Visit& visit) const;

  template <class Visit>
  void visit_extents(Range range, const Visit& visit_extent) const {
    visit(range, [&](const StridedRun& run) { visit_extent(run.extent()); });
  }

  // Whether the elements that are true are single ones, which place_where() moves.
  bool has_single_elements() const { return writes_.block == 1; }

  // The mask beside the range, and its updates, which lie together. REQUIRES:
  // has_single_elements().
  struct Beside {
    std::vector<std::byte> mask;
    StridedRun updates;
  };
  Beside beside(Range range) const {
    Beside beside{.mask = std::vector<std::byte>(static_cast<std::size_t>(range.length())),
                  .updates = {}};
    writes_.mask->read(range.begin, beside.mask);
    const std::int64_t first = writes_.mask->before(range.begin);
    beside.updates = {.output = range.begin,
                      .updates = first,
                      .count = writes_.mask->before(range.end) - first};
    return beside;
  }

 private:
  Range blocks_of(Range range) const {
    return {.begin = range.begin / writes_.block,
            .end = (range.end + writes_.block - 1) / writes_.block};
  }
  std::int64_t trues_of(Range range) const {
    const Range blocks = blocks_of(range);
    return writes_.mask->within(blocks.begin, blocks.end);
  }

  MaskWrites writes_;
  Reduction reduction_;
  std::int64_t tile_elements_;
};

template <class Visit>
void MaskWriters::visit(Range range, const Visit& visit) const {
  const Range blocks = blocks_of(range);
  const std::int64_t block = writes_.block;
  std::vector<std::byte> mask(static_cast<std::size_t>(blocks.length()));
  writes_.mask->read(blocks.begin, mask);
  std::int64_t before = writes_.mask->before(blocks.begin);
  const auto is_true = [](std::byte each) { return each != std::byte{0}; };
  for (auto at = mask.begin();;) {
    const auto begin = std::find_if(at, mask.end(), is_true);
    if (begin == mask.end()) return;
    at = std::find(begin, mask.end(), std::byte{0});
    const std::int64_t first = (blocks.begin + (begin - mask.begin())) * block;
    const Range part = intersection(range, {.begin = first, .end = first + (at - begin) * block});
    visit(StridedRun{.output = part.begin,
                     .updates = before * block + part.begin - first,
                     .count = part.length()});
    before += at - begin;
  }
}

}  // namespace tscatter
