#include "tscatter/reach/history.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/orders/in_order_value.hpp"
#include "tscatter/plan/scatter_plan.hpp"
#include "tscatter/reach/elements.hpp"
#include "tscatter/reach/reached_terms.hpp"

namespace tscatter {
namespace {

// Takes the updates of one element, in order.
class HistoryRecorder {
 public:
  HistoryRecorder(const LoweredPlan& lowered, const Tensor& data, const Tensor& updates,
                  const Position& element, const HistoryOptions& options)
      : type_{data.type()},
        value_{type_, combination_of(lowered.plan)},
        entries_{lowered.entries()},
        data_{data, OtherBools::kept},
        updates_{updates, OtherBools::kept},
        numbering_of_updates_{updates.shape(), updates.order()},
        head_{options.most_steps - options.most_steps / 2},
        tail_{options.most_steps / 2},
        kept_{options.kept},
        repeats_{options.row != nullptr && options.row->updates_shape == UpdatesShape::repeat},
        place_{options.row != nullptr && options.row->fits_updates_to_data ? std::optional(element)
                                                                           : std::nullopt},
        fitted_shape_{place_ ? data.shape() : updates.shape()},
        updates_shape_{options.updates_shape.value_or(updates.shape())} {
    history_.has_values = options.values == UpdateValues::read;
  }

  // `writers`: how many updates will follow.
  void begin(std::int64_t number, std::int64_t writers) {
    first_of_tail_ = std::max(writers - tail_, head_);
    const std::byte* element = data_.at(number);
    history_.before = shown(element);
    if (!history_.has_values) return;
    if (value_.is_wide()) history_.accumulator = value_.accumulator();
    if (writers > 0) history_.initial.assign(value_.start().begin(), value_.start().end());
    value_.begin({writers > 0 ? value_.start_of(element) : element, type_.size});
  }

  void update(std::optional<std::int64_t> entry, std::int64_t number) {
    const bool is_between = history_.writers >= head_ && history_.writers < first_of_tail_;
    const bool is_kept = !is_between || history_.writers == kept_;
    HistoryStep step{.writer = history_.writers++, .entry = std::nullopt, .update = {}};
    const std::byte* update = history_.has_values ? updates_.at(number) : nullptr;
    if (update != nullptr) value_.apply(update);
    if (!is_kept) return;
    step.update = given_position(place_ ? *place_ : numbering_of_updates_.position(number));
    if (entry) step.entry = entries_.position(*entry);
    if (update != nullptr) add_values(step, update);
    history_.steps.push_back(std::move(step));
  }

  History finish(Position position) {
    data_.check();
    updates_.check();
    history_.position = std::move(position);
    if (!history_.has_values) return std::move(history_);
    if (history_.writers > 0) {
      history_.divisor = value_.divisor_after(history_.writers);
      history_.takes_root = value_.takes_root();
      value_.divide(history_.divisor);
    }
    if (value_.is_wide()) history_.met.assign(value_.met().begin(), value_.met().end());
    history_.after = history_.writers == 0 ? history_.before : shown(value_.rounded().data());
    return std::move(history_);
  }

 private:
  // The position in updates as they were given of what is at `at` where they were fitted.
  Position given_position(const Position& at) const {
    if (!repeats_) return position_as_given(updates_shape_, fitted_shape_, at);
    const std::int64_t number = row_major_number(fitted_shape_, at);
    return position_of(updates_shape_, number % element_count(updates_shape_));
  }

  std::vector<std::byte> shown(const std::byte* element) const {
    return {element, element + shown_bytes(type_)};
  }

  void add_values(HistoryStep& step, const std::byte* update) {
    step.value = shown(update);
    step.after = shown(value_.rounded().data());
    if (value_.is_wide()) step.met.assign(value_.met().begin(), value_.met().end());
  }

  ElementType type_;
  orders::InOrderValue value_;
  EntryAxes entries_;
  NativeElements data_;
  NativeElements updates_;
  Numbering numbering_of_updates_;
  std::int64_t head_;
  std::int64_t tail_;
  std::int64_t kept_;
  bool repeats_;                   // updates in row-major order
  std::optional<Position> place_;  // the element, where updates are for all of them
  Shape fitted_shape_;
  Shape updates_shape_;
  std::int64_t first_of_tail_ = 0;
  History history_;
};

void record(const ListedWrites& writes, std::int64_t number, StopFlag stop,
            HistoryRecorder& recorder) {
  constexpr std::size_t piece = std::size_t{1} << 16U;
  const ElementPlace place = ElementPlace::of(writes, number);
  const std::int64_t part = place.part_of_entries(writes);
  writes.destination_of_entry.visit([&](auto destinations) {
    using Destination = typename decltype(destinations)::value_type;
    const auto wanted = static_cast<std::remove_const_t<Destination>>(place.destination);
    recorder.begin(number, std::ranges::count(destinations, wanted));
    for (std::size_t begin = 0; begin < destinations.size(); begin += piece) {
      check_stop(stop);
      const std::size_t end = std::min(begin + piece, destinations.size());
      for (std::size_t i = begin; i < end; ++i) {
        const auto entry = static_cast<std::int64_t>(i);
        if (destinations[i] == wanted) recorder.update(entry, part + writes.update_of(entry));
      }
    }
  });
}

void record(const LatticeWrites& writes, std::int64_t number, HistoryRecorder& recorder) {
  const auto update = writes.update_at(number);
  recorder.begin(number, update ? 1 : 0);
  if (update) recorder.update(std::nullopt, *update);
}

}  // namespace

Position checked_position(const Shape& shape, const Position& position, std::string_view where) {
  // explain.e1
  if (position.size() != shape.size()) {
    fail(ErrorKind::usage, "explain.e1", where,
         "must have one index for each axis of data of shape {}, got {}", to_string(shape),
         to_string(position));
  }
  Position checked = position;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    // explain.e2
    if (position[axis] < -shape[axis] || position[axis] >= shape[axis]) {
      fail(ErrorKind::usage, "explain.e2", where,
           "index {0} must be in [-{1}, {1}) for data axis {0}, got {2}", axis, shape[axis],
           position[axis]);
    }
    if (position[axis] < 0) checked[axis] += shape[axis];
  }
  return checked;
}

void require_short_elements(const Tensor& data) {
  // explain.e4
  if (data.type().size > longest_examined) {
    fail(ErrorKind::usage, "explain.e4", data.name(),
         "an element that is explained must be at most {} bytes long, got {}", longest_examined,
         data.type().size);
  }
}

History history(const LoweredPlan& lowered, const Tensor& data, const Tensor& updates,
                const Position& position, const HistoryOptions& options) {
  const Position checked = checked_position(data.shape(), position, "position");
  const std::vector<std::int64_t> strides = strides_of(data.shape(), data.order());
  const std::int64_t number =
      std::inner_product(checked.begin(), checked.end(), strides.begin(), std::int64_t{0});
  HistoryRecorder recorder(lowered, data, updates, checked, options);
  if (const auto* listed = std::get_if<ListedWrites>(&lowered.plan.writes)) {
    record(*listed, number, options.stop, recorder);
  } else {
    record(std::get<LatticeWrites>(lowered.plan.writes), number, recorder);
  }
  return recorder.finish(checked);
}

History history(const Operation& operation, const Arguments& given, const Position& position,
                const HistoryOptions& options) {
  const Arguments arguments = prepared(operation, given);
  const Tensor& data = arguments.operand("data");
  require_short_elements(data);
  const Position checked = checked_position(data.shape(), position, "position");
  const LoweredPlan lowered = operation.lower(
      arguments, {.parallelism = {.threads = worker_count(options.threads), .stop = options.stop}});
  HistoryOptions own = options;
  own.updates_shape = given.operand("updates").shape();
  own.row = &operation;
  return history(lowered, data, arguments.operand("updates"), checked, own);
}

}  // namespace tscatter
