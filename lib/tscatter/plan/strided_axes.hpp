// StridedAxes: nested loops over one operand, outermost first, each with a count and a stride in
// elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tscatter {

class StridedAxes {
 public:
  struct Axis {
    std::int64_t count;
    std::int64_t stride;
  };

  // Adds a loop inside the present ones; loops that continue each other become one.
  // {4, stride 6} then {6, stride 1} -> {24, stride 1}
  void append(Axis axis);

  std::int64_t count() const { return count_; }
  const std::vector<Axis>& axes() const { return axes_; }

  // Whether the i-th step is at i * stride() for one stride.
  bool is_linear() const { return axes_.size() <= 1; }
  // REQUIRES: is_linear().
  std::int64_t stride() const { return axes_.empty() ? 1 : axes_.front().stride; }

  // Where the index-th step of the nested loops is. REQUIRES: 0 <= index < count().
  std::int64_t offset(std::int64_t index) const;

  // Calls visit(first, count, offset of the first, stride) for the steps [begin, end), in order, in
  // pieces within the innermost loop. REQUIRES: 0 <= begin, end <= count().
  template <class Visit>
  void visit_pieces(std::int64_t begin, std::int64_t end, const Visit& visit) const {
    const Axis inner = axes_.empty() ? Axis{.count = 1, .stride = 1} : axes_.back();
    for (std::int64_t first = begin; first < end;) {
      const std::int64_t count = std::min(inner.count - first % inner.count, end - first);
      visit(first, count, offset(first), inner.stride);
      first += count;
    }
  }

 private:
  std::vector<Axis> axes_;
  std::int64_t count_ = 1;
};

}  // namespace tscatter
