#include "tscatter/explain/history.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/unreachable.hpp"
#include "tscatter/engine/updates_reader.hpp"
#include "tscatter/explain/places.hpp"
#include "tscatter/explain/shown_bytes.hpp"
#include "tscatter/kernels/accumulate.hpp"
#include "tscatter/kernels/identity.hpp"
#include "tscatter/kernels/quotient.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter {
namespace {

// Single elements in native byte order.
class ElementReader {
 public:
  explicit ElementReader(const Tensor& tensor)
      : tensor_{tensor}, reader_{tensor, std::endian::native} {}

  std::span<const std::byte> read(std::int64_t number) {
    return {reader_.fetch({.updates = number, .count = 1}), tensor_.type().size};
  }

  void check() const { tensor_.source().check_view(); }

 private:
  const Tensor& tensor_;
  UpdatesReader reader_;
};

// Takes the updates of one element, in order.
class HistoryRecorder {
 public:
  HistoryRecorder(const Tensor& data, const Tensor& updates, const ScatterPlan& plan,
                  const Places& places, const HistoryOptions& options)
      : type_{data.type()},
        combiner_{combiner(type_.dtype, plan.reduction, plan.accumulation)},
        start_{start_value(type_.dtype, plan.reduction, plan.initial)},
        plan_{plan},
        data_{data},
        updates_{updates},
        places_{places},
        head_{options.most_steps - options.most_steps / 2},
        tail_{options.most_steps / 2},
        kept_{options.kept} {
    history_.has_values = options.values == UpdateValues::read;
  }

  // `writers`: how many updates will follow.
  void begin(std::int64_t number, std::int64_t writers) {
    first_of_tail_ = std::max(writers - tail_, head_);
    const std::span<const std::byte> element = data_.read(number);
    history_.position = places_.in_data(number);
    history_.before = shown(element);
    if (!history_.has_values) return;
    if (combiner_.is_wide()) history_.accumulator = combiner_.accumulator;
    put(element);
    if (writers == 0 || start_.empty()) return;
    put(start_);
    history_.initial = start_;
  }

  void update(std::optional<std::int64_t> entry, std::int64_t number) {
    std::span<const std::byte> update;
    if (history_.has_values) {
      update = updates_.read(number);
      meet(update);
    }
    keep(entry, number, update);
    ++history_.writers;
  }

  History finish() {
    data_.check();
    updates_.check();
    if (!history_.has_values) return std::move(history_);
    divide();
    if (combiner_.is_wide()) history_.met = value_;
    history_.after = history_.writers == 0 ? history_.before : shown(rounded());
    return std::move(history_);
  }

 private:
  void meet(std::span<const std::byte> update) {
    if (combiner_.reduce == nullptr) {
      std::ranges::copy(update, value_.begin());
    } else {
      combiner_.reduce(value_.data(), update.data(), 1);
    }
  }

  void divide() {
    const DivideLoop loop = divide_loop(combiner_.accumulator, plan_.reduction);
    if (loop == nullptr || history_.writers == 0) return;
    history_.divisor = divisor_of(plan_.reduction, plan_.initial, history_.writers);
    loop(value_.data(), &history_.divisor, 1);
  }

  void put(std::span<const std::byte> element) {
    if (!combiner_.is_wide()) return value_.assign(element.begin(), element.end());
    value_.resize(info(combiner_.accumulator).size);
    combiner_.widen(element.data(), value_.data(), 1);
  }

  // The value in data's dtype.
  std::vector<std::byte> rounded() const {
    if (!combiner_.is_wide()) return value_;
    std::vector<std::byte> narrow(type_.size);
    combiner_.narrow(value_.data(), narrow.data(), 1);
    return narrow;
  }

  std::vector<std::byte> shown(std::span<const std::byte> element) const {
    element = element.first(shown_bytes(type_));
    return {element.begin(), element.end()};
  }

  void keep(std::optional<std::int64_t> entry, std::int64_t number,
            std::span<const std::byte> update) {
    const bool is_between = history_.writers >= head_ && history_.writers < first_of_tail_;
    if (is_between && history_.writers != kept_) return;
    HistoryStep step{
        .writer = history_.writers, .entry = std::nullopt, .update = places_.in_updates(number)};
    if (entry) step.entry = places_.entry(*entry);
    if (history_.has_values) add_values(step, update);
    history_.steps.push_back(std::move(step));
  }

  void add_values(HistoryStep& step, std::span<const std::byte> update) const {
    step.value = shown(update);
    step.after = shown(rounded());
    if (combiner_.is_wide()) step.met = value_;
  }

  ElementType type_;
  Combiner combiner_;
  std::vector<std::byte> start_;
  const ScatterPlan& plan_;
  ElementReader data_;
  ElementReader updates_;
  const Places& places_;
  std::int64_t head_;
  std::int64_t tail_;
  std::int64_t kept_;
  std::int64_t first_of_tail_ = 0;
  std::vector<std::byte> value_;  // in the accumulator's dtype
  History history_;
};

void require_going_on(const std::atomic<bool>* stop) {
  if (stop != nullptr && *stop) throw Cancelled();
}

void record(const ListedWrites& writes, std::int64_t number, const std::atomic<bool>* stop,
            HistoryRecorder& recorder) {
  constexpr std::size_t piece = std::size_t{1} << 16U;
  const std::int64_t block = writes.blocks.count();
  const std::int64_t destination = number / block % writes.destinations;
  const std::int64_t batch = number / block / writes.destinations;
  const std::int64_t origin = writes.batches.offset(batch) + writes.blocks.offset(number % block);
  writes.destination_of_entry.visit([&](auto destinations) {
    using Destination = typename decltype(destinations)::value_type;
    const auto wanted = static_cast<std::remove_const_t<Destination>>(destination);
    recorder.begin(number, std::ranges::count(destinations, wanted));
    for (std::size_t begin = 0; begin < destinations.size(); begin += piece) {
      require_going_on(stop);
      const std::size_t end = std::min(begin + piece, destinations.size());
      for (std::size_t i = begin; i < end; ++i) {
        const auto entry = static_cast<std::int64_t>(i);
        if (destinations[i] == wanted) recorder.update(entry, origin + writes.update_of(entry));
      }
    }
  });
}

void record(const LatticeWrites& writes, std::int64_t number, const std::atomic<bool>*,
            HistoryRecorder& recorder) {
  const auto update = writes.update_at(number);
  recorder.begin(number, update ? 1 : 0);
  if (update) recorder.update(std::nullopt, *update);
}

// Operation::lower() lists entries.
void record(const IndexedWrites&, std::int64_t, const std::atomic<bool>*, HistoryRecorder&) {
  unreachable();
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
  const Places places(data.header(), updates.header(), lowered.entries());
  const std::int64_t number = number_of(data.header(), checked);
  HistoryRecorder recorder(data, updates, lowered.plan, places, options);
  std::visit([&](const auto& writes) { record(writes, number, options.stop, recorder); },
             lowered.plan.writes);
  return recorder.finish();
}

History history(const Operation& operation, const Arguments& arguments, const Position& position,
                const HistoryOptions& options) {
  check_arguments(operation, arguments);
  operation.validate(arguments);
  const Tensor& data = arguments.operand("data");
  require_short_elements(data);
  const Position checked = checked_position(data.shape(), position, "position");
  const LoweredPlan lowered =
      operation.lower(arguments, {.threads = worker_count(options.threads), .stop = options.stop});
  return history(lowered, data, arguments.operand("updates"), checked, options);
}

}  // namespace tscatter
