// Writers without a list of entries: the points of a lattice, and a mask.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tscatter/core/reduction.hpp"
#include "tscatter/engine/grouping.hpp"
#include "tscatter/engine/range.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// ---- LatticeWriters: the points of a lattice, which are generated range by range.

class LatticeWriters {
 public:
  LatticeWriters(LatticeWrites writes, const Grouping& grouping);

  WriteSizes sizes() const {
    return {.tile_elements = tile_elements_,
            .updates_read = elements(),
            .extents = writes_.points(),
            .run_elements = writes_.run};
  }
  std::int64_t count_distinct(const Grouping&) const { return elements(); }
  bool overwrites(Range range) const;
  bool meets(Range range) const {
    return elements_before(range.end) > elements_before(range.begin);
  }

  template <class Visit>
  void visit(Range range, const Visit& visit) const;

  template <class Visit>
  void visit_extents(Range range, const Visit& visit_extent) const;

 private:
  std::int64_t elements() const { return writes_.points() * writes_.run; }
  std::int64_t elements_before(std::int64_t output) const;
  template <class Visit>
  void visit_axis(std::size_t axis, std::int64_t output, std::int64_t updates, Range range,
                  const Visit& visit) const;

  LatticeWrites writes_;
  Reduction reduction_;
  std::int64_t tile_elements_;
  std::vector<std::int64_t>
      extent_;  // of axis i and all inner ones, in output elements; last: the run
};

template <class Visit>
void LatticeWriters::visit(Range range, const Visit& visit) const {
  if (elements() == 0) return;
  visit_axis(0, writes_.output_origin, writes_.updates_origin, range, visit);
}

template <class Visit>
void LatticeWriters::visit_extents(Range range, const Visit& visit_extent) const {
  visit(range, [&](const StridedRun& run) {
    if (run.output_stride == 1) return visit_extent(run.extent());
    for (std::int64_t i = 0; i < run.count; ++i) {
      const std::int64_t element = run.output + i * run.output_stride;
      visit_extent(Range{.begin = element, .end = element + 1});
    }
  });
}

template <class Visit>
void LatticeWriters::visit_axis(std::size_t axis, std::int64_t output, std::int64_t updates,
                                Range range, const Visit& visit) const {
  if (axis == writes_.axes.size()) {
    const std::int64_t begin = std::max<std::int64_t>(range.begin - output, 0);
    const std::int64_t end = std::min(range.end - output, writes_.run);
    if (begin < end)
      visit(StridedRun{.output = output + begin, .updates = updates + begin, .count = end - begin});
    return;
  }
  const auto& [count, stride, updates_stride] = writes_.axes[axis];
  // The first point that reaches past range.begin, and the first that begins at range.end or after.
  const std::int64_t before = range.begin - output - extent_[axis + 1];
  const std::int64_t first = before < 0 ? 0 : before / stride + 1;
  const std::int64_t last = std::min(count, (range.end - output + stride - 1) / stride);
  if (first >= last) return;
  const std::int64_t output_begin = output + first * stride;
  const std::int64_t updates_begin = updates + first * updates_stride;
  if (axis + 1 == writes_.axes.size() && writes_.run == 1) {
    visit(StridedRun{.output = output_begin,
                     .updates = updates_begin,
                     .count = last - first,
                     .output_stride = stride,
                     .updates_stride = updates_stride});
    return;
  }
  for (std::int64_t i = 0; i < last - first; ++i) {
    visit_axis(axis + 1, output_begin + i * stride, updates_begin + i * updates_stride, range,
               visit);
  }
}

// ---- MaskWriters: the writes of a mask, which is read beside each tile.

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
