// MaskWriters: the writes of a mask, which is read beside each tile.
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
        tile_elements_{grouping.tile_elements},
        phase_{grouping.phase} {
    count_tiles();
  }

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
    const std::int64_t first = trues_before(range.begin);
    beside.updates = {
        .output = range.begin, .updates = first, .count = trues_before(range.end) - first};
    return beside;
  }

 private:
  Range blocks_of(Range range) const {
    return {.begin = range.begin / writes_.block,
            .end = (range.end + writes_.block - 1) / writes_.block};
  }
  std::int64_t trues_of(Range range) const {
    const Range blocks = blocks_of(range);
    return trues_before(blocks.end) - trues_before(blocks.begin);
  }

  // Where tiles of single elements meet, trues are counted before anything is written: a mask that
  // is computed from data is not read where another worker writes.
  void count_tiles() {
    if (!has_single_elements()) return;
    const std::int64_t end = writes_.mask->mask().count();
    for (std::int64_t begin = 0; begin < end + tile_elements_; begin += tile_elements_) {
      const std::int64_t edge = std::clamp<std::int64_t>(begin - phase_, 0, end);
      before_tiles_.push_back(writes_.mask->before(edge));
    }
  }

  // The trues before the block.
  std::int64_t trues_before(std::int64_t block) const {
    const std::int64_t from_first = block + phase_;
    const bool is_end = block == writes_.mask->mask().count();
    if (has_single_elements() && is_end) return before_tiles_.back();
    if (!has_single_elements() || from_first % tile_elements_ != 0)
      return writes_.mask->before(block);
    return before_tiles_[static_cast<std::size_t>(from_first / tile_elements_)];
  }

  MaskWrites writes_;
  Reduction reduction_;
  std::int64_t tile_elements_;
  std::int64_t phase_;                      // how much shorter the first tile is
  std::vector<std::int64_t> before_tiles_;  // trues, of single elements; and the end
};

template <class Visit>
void MaskWriters::visit(Range range, const Visit& visit) const {
  const Range blocks = blocks_of(range);
  const std::int64_t block = writes_.block;
  std::vector<std::byte> mask(static_cast<std::size_t>(blocks.length()));
  writes_.mask->read(blocks.begin, mask);
  std::int64_t before = trues_before(blocks.begin);
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
