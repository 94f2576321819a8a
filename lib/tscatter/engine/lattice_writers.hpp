// LatticeWriters: the points of a lattice, which are generated range by range.
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

}  // namespace tscatter
