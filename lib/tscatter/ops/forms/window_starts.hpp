// Where windows start: the numbers of indices, checked and resolved by the policies, all at once or
// as they are asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/core/unreachable.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/window.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {

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
