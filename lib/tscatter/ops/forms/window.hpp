// Windows: an index entry says where a window of data begins, and the entry's part of updates goes
// there. A window may be smaller than data, may be cut by data's edge, and may share elements with
// other windows. Which axis of updates and indices is which axis of data is said by the dimension
// numbers of StableHLO's scatter.
//
// data [4,6], indices [[1,2]], updates [1,2,3]: update_window_dims {1, 2},
// scatter_dims_to_operand_dims {0, 1}, index_vector_dim 1: the window [1:3, 2:5]
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter::forms {

struct WindowDims {
  std::vector<std::size_t> update_window_dims;    // axes of updates within a window, ascending
  std::vector<std::size_t> inserted_window_dims;  // axes of data that windows are 1 long along
  // Axes of data that go along with axes of indices.
  std::vector<std::size_t> input_batching_dims;
  std::vector<std::size_t> scatter_indices_batching_dims;
  // The axis of data of each number that an entry has.
  std::vector<std::size_t> scatter_dims_to_operand_dims;
  std::size_t index_vector_dim = 0;  // the axis of indices with these; their rank: there is one
};

// Of a call of the form window: the dimension numbers of a list, none if it was left out; and the
// axis of indices with an entry's numbers, by default 0, or the last one if the operation does not
// ask. REQUIRES: the rules on lists hold.
std::vector<std::int64_t> dims_listed(const Arguments& arguments, std::string_view name);
std::size_t index_vector_dim(const Operation& operation, const Arguments& arguments);

// The plan of a call with windows. Where windows are as long as data along the first or the last
// axes of data, and no index moves them there, a whole part of data is written at once, and an
// index entry of the plan is a position in the other axes of updates: so is what LoweredPlan calls
// an index entry. Each takes 4 bytes, or 8 if there are 2^32 destinations or more. Entries come in
// row-major order of updates.
//
// The start of each window is checked against the axis, of s elements, less the window's length w:
// it must be in [0, s - w], or wraps around once before. By the policy, one that is not is refused,
// drops its window or the elements outside, or is moved into that range; with modulo and clip_index
// each element is wrapped or moved by itself. Throws Error (the rule of Check::index_range)
// for the first index in row-major order that is refused. REQUIRES: the shapes and dimension
// numbers agree.
LoweredPlan lower_window(const Operation& operation, const Tensor& data, const Tensor& indices,
                         const Tensor& updates, const WindowDims& dims, const Lowering& lowering);

// ---- Where windows start: the numbers of indices, checked and resolved by the policies, all at
// once or as they are asked for.

bool is_among(const std::vector<std::size_t>& axes, std::size_t axis);

// For each axis of data the one of updates that runs along it within a window; nullopt where
// windows have no such axis.
std::vector<std::optional<std::size_t>> window_axes(const WindowDims& dims, std::size_t rank);

// A number that an index entry has.
struct StartComponent {
  std::size_t axis;     // of data
  std::int64_t size;    // of the axis
  std::int64_t window;  // how long windows are along it
  std::int64_t offset;  // from an entry's first number, in elements of indices
  std::int64_t stride;  // in destinations

  // How many positions of a window that starts there lie within the axis.
  std::int64_t positions_within(std::int64_t start) const {
    return std::max<std::int64_t>(std::min(start + window, size) - std::max<std::int64_t>(start, 0),
                                  0);
  }
};

// Where the window of a dropped entry starts: so far in front that no position of it reaches data.
inline constexpr std::int64_t dropped_start = std::numeric_limits<std::int64_t>::min();

// Strides are 0.
std::vector<StartComponent> components_of(const WindowDims& dims, const Shape& data,
                                          const Tensor& indices, const Tensor& updates);

// Where the window of an index starts; nullopt: it is refused.
template <class T>
std::optional<std::int64_t> start_of(T index, const StartComponent& component,
                                     const Policies& policies) {
  const auto [axis, size, window, offset, stride] = component;
  std::int64_t start = saturated(index);
  if (start < 0 && policies.negative == NegativeIndex::dropped) return dropped_start;
  const bool wraps = policies.negative == NegativeIndex::from_the_end;
  if (wraps && start < 0 && start >= -size) start += size;
  const std::int64_t last = size - window;
  if (start >= 0 && start <= last) return start;
  const bool writes_nothing = window == 0 && policies.outside != OutsideIndex::error;
  if (writes_nothing) return 0;
  switch (policies.outside) {
    case OutsideIndex::error: return std::nullopt;
    case OutsideIndex::drop_window: return -window;
    case OutsideIndex::drop_elements: return std::clamp(start, -window, size);
    case OutsideIndex::clip_index:
      return size == 0 ? std::nullopt : std::optional(std::clamp(start, -window, size));
    case OutsideIndex::clip_start:
      return last < 0 ? std::nullopt : std::optional(std::clamp<std::int64_t>(start, 0, last));
    case OutsideIndex::modulo:
      return size == 0 ? std::nullopt : std::optional(wrapped(index, size));
  }
  unreachable();
}

// Reads indices: in row-major order, the start that each number stands for. Where its window is not
// within data it is in [-window, size], and decides with the policy what becomes of each element,
// or it is dropped_start.
// Throws Error (the rule of Check::index_range) for the first number in row-major order that is
// refused.
class StartReader {
 public:
  // `step`: how many elements lie between the numbers of an entry. All others outlive the reader.
  StartReader(const Operation& operation, const Tensor& indices,
              const std::vector<StartComponent>& components, std::int64_t step)
      : operation_{operation}, indices_{indices}, components_{components}, step_{step} {}

  std::vector<std::int64_t> read();

  // How many numbers an entry has, at least one; and which of its entry's numbers is at that place
  // in indices.
  std::size_t numbers() const { return std::max<std::size_t>(components_.size(), 1); }
  std::size_t number_of(std::size_t at) const {
    return at / static_cast<std::size_t>(step_) % numbers();
  }

  // Calls take(number in row-major order, start) for all numbers, in the order of the file.
  template <class Take>
  void visit(const Take& take);

  // Reads `count` numbers from `first` on, in row-major order.
  void read_some(std::int64_t first, std::int64_t count, std::vector<std::int64_t>& into);

 private:
  static constexpr std::int64_t none_wrong = std::numeric_limits<std::int64_t>::max();

  // Numbers of one entry are step_ elements apart.
  const StartComponent& component_of(std::int64_t at) const {
    return components_[number_of(static_cast<std::size_t>(at))];
  }
  [[noreturn]] void refuse(std::int64_t at) const;

  const Operation& operation_;
  const Tensor& indices_;
  const std::vector<StartComponent>& components_;
  std::int64_t step_;
  std::vector<std::byte> bytes_;
  std::int64_t first_wrong_ = none_wrong;
};

// Starts as they are asked for: some that lie together are held, for each number that an entry has,
// since these may lie far apart.
class StartCache {
 public:
  StartCache(StartReader reader, std::int64_t count)
      : reader_{std::move(reader)}, count_{count}, held_(reader_.numbers()) {}

  std::int64_t operator[](std::size_t at) {
    const std::size_t first = at / at_once * at_once;
    const auto is_it = [&](const Held& each) {
      return each.first == first && !each.starts.empty();
    };
    auto held = std::ranges::find_if(held_, is_it);
    if (held == held_.end()) {
      held = held_.begin() + static_cast<std::ptrdiff_t>(reader_.number_of(at));
      held->first = first;
      const auto begin = static_cast<std::int64_t>(first);
      reader_.read_some(begin, std::min<std::int64_t>(at_once, count_ - begin), held->starts);
    }
    return held->starts[at - first];
  }

  void check_all() {
    for (std::int64_t at = 0; at < count_; at += at_once) (*this)[static_cast<std::size_t>(at)];
  }

 private:
  static constexpr std::size_t at_once = std::size_t{16} * 1024;

  struct Held {
    std::size_t first = 0;
    std::vector<std::int64_t> starts = {};
  };

  StartReader reader_;
  std::int64_t count_;
  std::vector<Held> held_;
};

template <class Take>
void StartReader::visit(const Take& take) {
  if (components_.empty()) return;
  const bool is_fortran = indices_.order() == MemoryOrder::fortran;
  FortranOdometer odometer(indices_.shape());
  std::int64_t in_order = 0;
  for_each_value(indices_, [&](const auto index) {
    const std::int64_t at = is_fortran ? odometer.row_major() : in_order++;
    const auto start = start_of(index, component_of(at), operation_.policies);
    if (!start) first_wrong_ = std::min(first_wrong_, at);
    take(at, start.value_or(0));
    if (is_fortran) odometer.next();
  });
  if (first_wrong_ != none_wrong) refuse(first_wrong_);
}

}  // namespace tscatter::forms
