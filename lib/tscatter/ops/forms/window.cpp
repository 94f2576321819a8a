#include "tscatter/ops/forms/window.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "tscatter/core/memory.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {
namespace {

using Axis = std::size_t;

// A loop of the plan's entries: an axis of updates.
struct Loop {
  std::int64_t count;
  std::int64_t updates;      // strides: in elements of updates,
  std::int64_t destination;  // in destinations,
  std::int64_t start;        // in elements of indices
};

class WindowLowering {
 public:
  WindowLowering(const Tensor& data, const Tensor& indices, const Tensor& updates,
                 const WindowDims& dims)
      : data_{data},
        indices_{indices},
        updates_{updates},
        dims_{dims},
        along_{window_axes(dims, data.rank())},
        components_{components_of(dims, data.shape(), indices, updates)} {
    find_named();
    named_.of_indices.emplace();
    const std::vector<std::int64_t> strides =
        destination_strides(data.header(), named_.first, named_.depth);
    for (StartComponent& component : components_)
      component.stride = strides[component.axis - named_.first];
    add_loops(strides);
  }

  LoweredPlan lower(const Operation& operation, const Lowering& lowering) const {
    const Policies& policies = operation.policies;
    if (updates_.count() == 0) return lower_nothing(operation);
    ListedWrites writes = listed_writes(data_.header(), named_.first, named_.depth, walk());
    writes.named = named_;
    if (lowering.may_list(entries())) {
      const std::vector<std::int64_t> starts = starts_by(operation).read();
      writes.destination_of_entry = list(starts, policies, writes.destinations, lowering);
    } else {
      cached_starts(operation).check_all();
      read_again(writes, std::make_shared<const EntriesOfWindows>(*this, operation), lowering);
    }
    std::optional<std::int64_t> dropped;
    if (can_drop(policies)) dropped = writes.dropped();
    return {.plan = {.writes = std::move(writes)}, .index_entries = entries(), .dropped = dropped};
  }

  std::int64_t entries() const { return element_count(named_.shape); }

  // `destinations`: of the entries from `first` on. `starts`: what each number of indices stands
  // for.
  template <class Destination, class Starts>
  void fill(std::span<Destination> destinations, std::int64_t first, Starts& starts,
            const Policies& policies) const {
    Position position = position_of(named_.shape, first);
    for (Destination& destination : destinations) {
      const std::int64_t place = place_of(position, starts, policies);
      destination = place < 0 ? dropped_entry<Destination> : static_cast<Destination>(place);
      for (Axis axis = position.size(); axis-- > 0;) {
        if (++position[axis] < named_.shape[axis]) break;
        position[axis] = 0;
      }
    }
  }

  // `operation` outlives what is returned.
  StartCache cached_starts(const Operation& operation) const {
    return {starts_by(operation), indices_.count()};
  }

 private:
  // Indices are checked, and what is out of range is counted. There is nothing to list, however
  // many places updates without elements have.
  LoweredPlan lower_nothing(const Operation& operation) const {
    const Policies& policies = operation.policies;
    StartReader reader = starts_by(operation);
    LatticeBuilder nothing;
    nothing.append({.count = 0, .output_stride = 1, .updates_stride = 1});
    LoweredPlan lowered{.plan = {.writes = nothing.build()}, .index_entries = entries()};
    const bool drops_all = policies.outside == OutsideIndex::drop_window ||
                           policies.outside == OutsideIndex::drop_elements;
    if (!drops_all) reader.visit([](std::int64_t, std::int64_t) {});
    if (can_drop(policies))
      lowered.dropped = lowered.index_entries - kept_entries(reader, policies);
    return lowered;
  }

  // How many positions of a window that starts there are written.
  static std::int64_t kept_along(const StartComponent& component, std::int64_t start,
                                 const Policies& policies) {
    const bool moves =
        policies.outside == OutsideIndex::modulo || policies.outside == OutsideIndex::clip_index;
    return moves && start != dropped_start ? component.window : component.positions_within(start);
  }

  // How many of all entries are written.
  std::int64_t kept_entries(StartReader& reader, const Policies& policies) const {
    const std::int64_t all = entries();
    if (all == 0 || indices_.count() == 0) return all;
    const auto numbers = static_cast<std::int64_t>(components_.size());
    std::int64_t each = all / (indices_.count() / numbers);  // entries of an index entry
    for (const StartComponent& component : components_) each /= component.window;
    std::int64_t kept = 0;
    if (numbers == 1) {
      reader.visit([&](std::int64_t, std::int64_t start) {
        kept += kept_along(components_.front(), start, policies) * each;
      });
      return kept;
    }
    const std::vector<std::int64_t> starts = reader.read();
    for (std::int64_t at = 0; at < indices_.count(); ++at) {
      if (at / step() % numbers != 0) continue;
      std::int64_t within = each;
      for (const StartComponent& component : components_)
        within *= kept_along(component, starts[static_cast<std::size_t>(at + component.offset)],
                             policies);
      kept += within;
    }
    return kept;
  }

  // The entries, read as they are asked for.
  class EntriesOfWindows final : public EntryReader {
   public:
    EntriesOfWindows(const WindowLowering& lowering, const Operation& operation)
        : lowering_{std::make_shared<const WindowLowering>(lowering)}, operation_{operation} {}

    std::int64_t size() const override { return lowering_->entries(); }
    void read(std::int64_t first, std::span<std::uint64_t> into) const override {
      StartCache starts = lowering_->cached_starts(operation_);
      lowering_->fill(into, first, starts, operation_.policies);
    }

   private:
    std::shared_ptr<const WindowLowering> lowering_;
    Operation operation_;
  };

  StartReader starts_by(const Operation& operation) const {
    return {operation, indices_, components_, step()};
  }

  // How many elements lie between the numbers of an entry.
  std::int64_t step() const {
    const bool is_scalar = dims_.index_vector_dim == indices_.rank();
    return is_scalar ? 1 : strides_of(indices_.shape(), MemoryOrder::c)[dims_.index_vector_dim];
  }

  // Whether all windows are as long as data along the axis, and none is moved.
  bool is_whole(Axis axis) const {
    const bool is_moved = is_among(dims_.scatter_dims_to_operand_dims, axis);
    return along_[axis] && !is_moved && updates_.shape()[*along_[axis]] == data_.shape()[axis];
  }

  void find_named() {
    Axis end = data_.rank();
    while (end > 0 && is_whole(end - 1)) --end;
    while (named_.first < end && is_whole(named_.first)) ++named_.first;
    named_.depth = end - named_.first;
    if (named_.depth == 0) named_.first = 0;
  }

  bool is_named(Axis axis) const {
    return axis >= named_.first && axis < named_.first + named_.depth;
  }

  void add_loops(const std::vector<std::int64_t>& strides) {
    const std::vector<std::int64_t> in_updates = strides_of(updates_.shape(), updates_.order());
    Axis in_indices = 0;
    for (Axis axis = 0; axis < updates_.rank(); ++axis) {
      Loop loop{.count = updates_.shape()[axis],
                .updates = in_updates[axis],
                .destination = 0,
                .start = 0};
      const auto within = std::ranges::find(along_, std::optional(axis));
      if (within == along_.end()) {
        if (in_indices == dims_.index_vector_dim) ++in_indices;
        follow_indices(loop, in_indices++, strides);
        named_.of_indices->push_back(loops_.size());
      } else {
        const auto axis_of_data = static_cast<Axis>(within - along_.begin());
        if (!is_named(axis_of_data)) continue;
        loop.destination = follow_window(axis_of_data, strides);
      }
      named_.shape.push_back(loop.count);
      loops_.push_back(loop);
    }
  }

  void follow_indices(Loop& loop, Axis in_indices, const std::vector<std::int64_t>& strides) const {
    loop.start = strides_of(indices_.shape(), MemoryOrder::c)[in_indices];
    const auto& batching = dims_.scatter_indices_batching_dims;
    const auto found = std::ranges::find(batching, in_indices);
    if (found == batching.end()) return;
    const Axis axis = dims_.input_batching_dims[static_cast<std::size_t>(found - batching.begin())];
    loop.destination = strides[axis - named_.first];
  }

  // 0 where an index moves the window: the component then counts along with the loop.
  std::int64_t follow_window(Axis axis, const std::vector<std::int64_t>& strides) {
    const auto moved = std::ranges::find(components_, axis, &StartComponent::axis);
    if (moved == components_.end()) return strides[axis - named_.first];
    moved_.push_back({.loop = loops_.size(),
                      .component = static_cast<std::size_t>(moved - components_.begin())});
    return 0;
  }

  UpdatesWalk walk() const {
    const std::vector<std::int64_t> strides = strides_of(updates_.shape(), updates_.order());
    UpdatesWalk walk{.entries = {}, .strides = std::vector<std::int64_t>(data_.rank(), 0)};
    for (const Loop& loop : loops_)
      walk.entries.push_back({.count = loop.count, .stride = loop.updates});
    for (Axis axis = 0; axis < data_.rank(); ++axis) {
      if (along_[axis] && !is_named(axis)) walk.strides[axis] = strides[*along_[axis]];
    }
    return walk;
  }

  DestinationList list(const std::vector<std::int64_t>& starts, const Policies& policies,
                       std::int64_t destinations, const Lowering& lowering) const {
    constexpr std::int64_t at_once = std::int64_t{64} * 1024;
    DestinationList list(entries(), destinations);
    list.visit([&](auto all) {
      for_each_task((entries() + at_once - 1) / at_once, lowering.parallelism, [&] {
        return [&](std::int64_t task) {
          const std::int64_t first = task * at_once;
          const std::int64_t count = std::min(at_once, entries() - first);
          fill(all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)), first,
               starts, policies);
        };
      });
    });
    list.count_dropped();
    return list;
  }

  // The destination; -1: dropped.
  template <class Starts>
  std::int64_t place_of(const Position& position, Starts& starts, const Policies& policies) const {
    std::int64_t place = 0;
    std::int64_t entry = 0;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      place += position[i] * loops_[i].destination;
      entry += position[i] * loops_[i].start;
    }
    for (std::size_t i = 0; i < components_.size(); ++i) {
      const StartComponent& component = components_[i];
      std::int64_t coordinate = starts[static_cast<std::size_t>(entry + component.offset)];
      for (const Moved& moved : moved_)
        if (moved.component == i) coordinate += position[moved.loop];
      const std::int64_t within = within_axis(coordinate, component.size, policies.outside);
      if (within < 0) return -1;
      place += within * component.stride;
    }
    return place;
  }

  // -1: the element is dropped.
  static std::int64_t within_axis(std::int64_t coordinate, std::int64_t size, OutsideIndex policy) {
    if (coordinate >= 0 && coordinate < size) return coordinate;
    if (coordinate < dropped_start / 2) return -1;
    if (policy == OutsideIndex::modulo) return wrapped(coordinate, size);
    if (policy == OutsideIndex::clip_index)
      return std::clamp<std::int64_t>(coordinate, 0, size - 1);
    return -1;
  }

  struct Moved {
    std::size_t loop;
    std::size_t component;
  };

  Tensor data_;
  Tensor indices_;
  Tensor updates_;
  WindowDims dims_;
  std::vector<std::optional<Axis>> along_;
  std::vector<StartComponent> components_;
  EntryAxes named_;
  std::vector<Loop> loops_;
  std::vector<Moved> moved_;
};

}  // namespace

LoweredPlan lower_window(const Operation& operation, const Tensor& data, const Tensor& indices,
                         const Tensor& updates, const WindowDims& dims, const Lowering& lowering) {
  return WindowLowering(data, indices, updates, dims).lower(operation, lowering);
}

bool is_among(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::ranges::count(axes, axis) > 0;
}

std::vector<std::optional<std::size_t>> window_axes(const WindowDims& dims, std::size_t rank) {
  std::vector<std::optional<std::size_t>> axes(rank);
  auto next = dims.update_window_dims.begin();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const bool is_absent =
        is_among(dims.inserted_window_dims, axis) || is_among(dims.input_batching_dims, axis);
    if (!is_absent) axes[axis] = *next++;
  }
  return axes;
}

std::vector<StartComponent> components_of(const WindowDims& dims, const Shape& data,
                                          const Tensor& indices, const Tensor& updates) {
  const auto along = window_axes(dims, data.size());
  const std::vector<std::int64_t> strides = strides_of(indices.shape(), MemoryOrder::c);
  const bool is_scalar = dims.index_vector_dim == indices.rank();
  std::vector<StartComponent> components;
  for (const std::size_t axis : dims.scatter_dims_to_operand_dims) {
    const auto number = static_cast<std::int64_t>(components.size());
    components.push_back({.axis = axis,
                          .size = data[axis],
                          .window = along[axis] ? updates.shape()[*along[axis]] : 1,
                          .offset = is_scalar ? 0 : number * strides[dims.index_vector_dim],
                          .stride = 0});
  }
  return components;
}

std::vector<std::int64_t> StartReader::read() {
  std::vector<std::int64_t> starts(memory_size(indices_.count(), sizeof(std::int64_t)));
  visit([&](std::int64_t at, std::int64_t start) { starts[static_cast<std::size_t>(at)] = start; });
  return starts;
}

void StartReader::read_some(std::int64_t first, std::int64_t count,
                            std::vector<std::int64_t>& into) {
  into.assign(static_cast<std::size_t>(count), 0);
  if (components_.empty()) return;
  read_row_major(indices_, first, count, bytes_);
  visit_integer_dtype(indices_.type().dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < count; ++i) {
      T index;
      std::memcpy(&index, bytes_.data() + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
      const auto start = start_of(index, component_of(first + i), operation_.policies);
      if (!start) refuse(first + i);
      into[static_cast<std::size_t>(i)] = *start;
    }
  });
}

void StartReader::refuse(std::int64_t at) const {
  const StartComponent& component = component_of(at);
  const bool wraps = operation_.policies.negative == NegativeIndex::from_the_end;
  refuse_index(operation_, indices_, at,
               {.axis = component.axis,
                .low = wraps ? -component.size : 0,
                .high = component.size - component.window + 1});
}

}  // namespace tscatter::forms
