// Which writes land in a range of the output. Two forms, as in the plan: entries from an index tensor, grouped by
// destination, and the points of a lattice, generated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// A run of elements, the i-th of which goes from updates + i * updates_stride to output + i * output_stride.
struct StridedRun {
  std::int64_t output = 0;
  std::int64_t updates = 0;
  std::int64_t count = 0;
  std::int64_t output_stride = 1;
  std::int64_t updates_stride = 1;
};

// A half-open range of output elements.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t length() const { return end - begin; }
};

class ListedWriters {
 public:
  // Groups the entries by destination: a stable partition into buckets of neighbouring slots of at most about
  // `bucket_elements` output elements. For overwrite, only the last writer of each slot stays.
  ListedWriters(ListedWrites writes, Reduction reduction, std::int64_t bucket_elements);

  std::int64_t duplicates() const { return duplicates_; }
  std::int64_t elements_written() const;
  std::int64_t updates_read() const;  // elements

  // Whether every element of the range is overwritten, so that data need not be read there.
  bool overwrites(Range range) const;

  // Calls visit(StridedRun) for each write into the range, in the order in which they are to be applied.
  template <class Visit>
  void visit(Range range, const Visit& visit) const;

 private:
  struct Writer {
    std::int64_t slot;
    std::int64_t entry;
  };

  void group(std::vector<std::int64_t> slot_of_entry);
  void keep_last_writers();
  void count_duplicates();
  std::span<Writer> bucket(std::size_t index);

  // The part of a range that lies in one batch, as positions within the batch, and the writers that may meet it.
  template <class Visit>
  void visit_batches(Range range, const Visit& visit) const;
  template <class Visit>
  void visit_block(std::int64_t output, std::int64_t updates, Range block, const Visit& visit) const;
  std::span<const Writer> writers_of(Range slots) const;

  ListedWrites writes_;  // slot_of_entry is empty: writers_ has it, grouped
  Reduction reduction_;
  int bucket_shift_ = 0;  // bucket of a slot = slot >> bucket_shift_
  std::vector<Writer> writers_;
  std::vector<std::size_t> bucket_begin_;
  std::int64_t duplicates_ = 0;
  std::int64_t distinct_ = 0;
};

class LatticeWriters {
 public:
  LatticeWriters(LatticeWrites writes, Reduction reduction);

  std::int64_t duplicates() const { return 0; }
  std::int64_t elements_written() const { return writes_.points() * writes_.run; }
  std::int64_t updates_read() const { return elements_written(); }
  bool overwrites(Range range) const;

  template <class Visit>
  void visit(Range range, const Visit& visit) const;

 private:
  std::int64_t elements_before(std::int64_t output) const;
  template <class Visit>
  void visit_axis(std::size_t axis, std::int64_t output, std::int64_t updates, Range range, const Visit& visit) const;

  LatticeWrites writes_;
  Reduction reduction_;
  std::vector<std::int64_t> extent_;  // of axis i and all inner ones, in output elements; last: the run
};

template <class Visit>
void ListedWriters::visit_batches(Range range, const Visit& visit) const {
  const std::int64_t block = writes_.blocks.count();
  const std::int64_t batch_size = writes_.slots * block;
  if (writers_.empty() || batch_size == 0) return;
  for (std::int64_t batch = range.begin / batch_size; batch * batch_size < range.end; ++batch) {
    const std::int64_t origin = batch * batch_size;
    const Range local{.begin = std::max<std::int64_t>(range.begin - origin, 0),
                      .end = std::min(range.end - origin, batch_size)};
    const Range slots{.begin = local.begin / block, .end = (local.end - 1) / block + 1};
    visit(batch, local, slots, writers_of(slots));
  }
}

template <class Visit>
void ListedWriters::visit(Range range, const Visit& visit) const {
  const std::int64_t block = writes_.blocks.count();
  visit_batches(range, [&](std::int64_t batch, Range local, Range slots, std::span<const Writer> writers) {
    const std::int64_t origin = batch * writes_.slots * block;
    const std::int64_t updates_origin = writes_.batches.offset(batch);
    for (const Writer& writer : writers) {
      if (writer.slot < slots.begin || writer.slot >= slots.end) continue;
      const std::int64_t begin = writer.slot * block;
      const Range part{.begin = std::max<std::int64_t>(local.begin - begin, 0), .end = std::min(local.end - begin, block)};
      visit_block(origin + begin, updates_origin + writes_.entries.offset(writer.entry), part, visit);
    }
  });
}

template <class Visit>
void ListedWriters::visit_block(std::int64_t output, std::int64_t updates, Range block, const Visit& visit) const {
  const StridedAxes& axes = writes_.blocks;
  const std::int64_t stride = axes.axes().empty() ? 1 : axes.axes().back().stride;
  const std::int64_t row = axes.axes().empty() ? 1 : axes.axes().back().count;
  for (std::int64_t j = block.begin; j < block.end;) {
    const std::int64_t count = std::min(row - j % row, block.end - j);
    visit(StridedRun{.output = output + j,
                     .updates = updates + axes.offset(j),
                     .count = count,
                     .output_stride = 1,
                     .updates_stride = stride});
    j += count;
  }
}

template <class Visit>
void LatticeWriters::visit(Range range, const Visit& visit) const {
  if (elements_written() == 0) return;
  visit_axis(0, writes_.output_origin, writes_.updates_origin, range, visit);
}

template <class Visit>
void LatticeWriters::visit_axis(std::size_t axis, std::int64_t output, std::int64_t updates, Range range,
                                const Visit& visit) const {
  if (axis == writes_.axes.size()) {
    const std::int64_t begin = std::max<std::int64_t>(range.begin - output, 0);
    const std::int64_t end = std::min(range.end - output, writes_.run);
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
    visit_axis(axis + 1, output_begin + i * stride, updates_begin + i * updates_stride, range, visit);
  }
}

}  // namespace tscatter
