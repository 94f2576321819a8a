#include "property/random_calls.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "oracle/window.hpp"
#include "property/random_operands.hpp"
#include "property/random_windows.hpp"
#include "tscatter/core/unreachable.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::property {
namespace {

using oracle::Call;
using oracle::Dense;
using oracle::Int128;

// The most elements of data and of updates. Some cases are large enough for several buckets of
// writers.
std::int64_t random_limit(Random& random) {
  return random.chance(3) ? 20000 : random.among({30, 200, 600});
}

Shape random_data_shape(Random& random, std::int64_t limit) {
  return random_shape(random, static_cast<std::size_t>(random.between(1, 6)), limit);
}

bool wraps(const Operation& operation) {
  return operation.policies.negative == NegativeIndex::from_the_end;
}

ElementType random_data_type(Random& random, const Operation& operation) {
  while (true) {
    ElementType type = random_type(random);
    if (takes_data_of(operation, type.dtype)) return type;
  }
}

ElementType random_index_type(Random& random, const Operation& operation) {
  while (true) {
    ElementType type = random_integer_type(random);
    if (takes_indices_of(operation, type.dtype)) return type;
  }
}

// Without operands. A row with answers that the table does not have is the call's own.
Call call_of(const Operation& operation) {
  Call call{.operation = operation.id, .operands = {}};
  if (!operation.unanswered.empty()) call.variant = std::make_shared<Operation>(operation);
  return call;
}

Call random_rows(Random& random, const Operation& operation, std::int64_t limit) {
  const ElementType type = random_data_type(random, operation);
  const Shape data = random_data_shape(random, limit);
  const auto rank = static_cast<std::int64_t>(data.size());
  const std::int64_t axis = random.between(0, rank - 1);
  const std::int64_t size = data[static_cast<std::size_t>(axis)];
  const std::int64_t block = oracle::product(data) / std::max<std::int64_t>(size, 1);
  const Shape entries = random_entries_shape(random, block, limit, size == 0);
  const ElementType index_type = random_index_type(random, operation);
  const auto indices =
      random_entries(random, index_type.dtype, oracle::product(entries), {size}, wraps(operation));
  Call call = call_of(operation);
  call.attributes = random_attributes(random, operation, type.dtype);
  call.operands["data"] = random_values(random, type, data);
  call.operands["indices"] = integers(index_type, entries, indices);
  call.operands["axis"] = random_scalar(random, random.chance(50) ? axis : axis - rank);
  call.operands["updates"] = random_values(random, type, oracle::updates_shape(call));
  return call;
}

// Of updates, where rank 0 is expected.
Shape random_single_shape(Random& random, const Operation& operation) {
  Shape shape;
  if (operation.updates_shape == UpdatesShape::exact) return shape;
  shape.assign(static_cast<std::size_t>(random.between(0, 3)), 1);
  return shape;
}

Call random_nd(Random& random, const Operation& operation, std::int64_t limit) {
  const ElementType type = random_data_type(random, operation);
  const Shape data = random_data_shape(random, limit);
  const std::int64_t depth = random.between(0, static_cast<std::int64_t>(data.size()));
  const Shape sizes(data.begin(), data.begin() + depth);
  const std::int64_t block =
      oracle::product(std::span(data).subspan(static_cast<std::size_t>(depth)));
  Shape entries = random_entries_shape(random, block, limit, std::ranges::count(sizes, 0) > 0);
  const ElementType index_type = random_index_type(random, operation);
  const auto indices =
      random_entries(random, index_type.dtype, oracle::product(entries), sizes, wraps(operation));
  entries.push_back(depth);
  Call call = call_of(operation);
  call.attributes = random_attributes(random, operation, type.dtype);
  call.operands["data"] = random_values(random, type, data);
  call.operands["indices"] = integers(index_type, entries, indices);
  const Shape updates = oracle::updates_shape(call);
  call.operands["updates"] = random_values(
      random, type, updates.empty() ? random_single_shape(random, operation) : updates);
  return call;
}

// Sizes at most data's, often the same; along the axis any, or none above data's where a rule says
// so. No entries if no index would be legal.
Shape random_elements_shape(Random& random, const Operation& operation, const Shape& data,
                            std::size_t axis, std::int64_t limit) {
  Shape shape = data;
  for (std::int64_t& size : shape) {
    if (random.chance(40))
      size = random.between(random.chance(10) ? 0 : std::min<std::int64_t>(size, 1), size);
  }
  shape[axis] = 1;
  const std::int64_t lines = std::max<std::int64_t>(oracle::product(shape), 1);
  const bool may_be_longer = operation.label(Check::indices_length).empty();
  const std::int64_t longest = std::min<std::int64_t>(std::max<std::int64_t>(limit / lines, 1),
                                                      may_be_longer ? 3 * data[axis] : data[axis]);
  shape[axis] = data[axis] == 0 ? 0 : random.between(random.chance(10) ? 0 : 1, longest);
  return shape;
}

// As an attribute, or as an operand.
void put_axis(Random& random, Call& call, std::int64_t axis) {
  if (call.row().find_attribute("axis") != nullptr) {
    call.attributes["axis"] = axis;
  } else {
    call.operands["axis"] = random_scalar(random, axis);
  }
}

// Makes indices of data's sizes behind the axis, and the same for all elements there: rows.
void repeat_behind_axis(Call& call, std::size_t axis) {
  Dense& indices = call.operands["indices"];
  const std::int64_t behind = oracle::product(std::span(indices.shape).subspan(axis + 1));
  for (std::size_t i = 0; i < indices.count(); ++i) {
    const std::size_t first = i - i % static_cast<std::size_t>(behind);
    std::copy_n(indices.element(first), indices.type.size, indices.element(i));
  }
}

Call random_elements(Random& random, const Operation& operation, std::int64_t limit) {
  const ElementType type = random_data_type(random, operation);
  const Shape data = random_data_shape(random, limit);
  const auto rank = static_cast<std::int64_t>(data.size());
  const std::int64_t axis = random.between(0, rank - 1);
  const auto at = static_cast<std::size_t>(axis);
  const Shape shape = random_elements_shape(random, operation, data, at, limit);
  const ElementType index_type = random_index_type(random, operation);
  const auto indices = random_entries(random, index_type.dtype, oracle::product(shape), {data[at]},
                                      wraps(operation));
  Call call = call_of(operation);
  call.attributes = random_attributes(random, operation, type.dtype);
  call.operands["data"] = random_values(random, type, data);
  call.operands["indices"] = integers(index_type, shape, indices);
  if (random.chance(20)) repeat_behind_axis(call, at);
  put_axis(random, call, random.chance(50) ? axis : axis - rank);
  call.operands["updates"] = random_values(random, type, shape);
  return call;
}

// The starts of updates of `length`, along an axis of `size`; with wrapping any.
std::vector<Int128> random_starts(Random& random, std::int64_t batches, std::int64_t length,
                                  std::int64_t size, bool is_circular) {
  std::vector<Int128> starts;
  for (std::int64_t i = 0; i < batches; ++i) {
    const bool is_far = is_circular && random.chance(20);
    const std::int64_t far = random.among(
        {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()});
    const std::int64_t near = is_circular ? random.between(-2 * size - 1, 2 * size + 1)
                                          : random.between(0, size - length);
    starts.emplace_back(is_far ? far : near);
  }
  return starts;
}

Call random_start(Random& random, const Operation& operation, std::int64_t limit) {
  const ElementType type = random_data_type(random, operation);
  const Shape data = random_shape(random, static_cast<std::size_t>(random.between(2, 6)), limit);
  const auto rank = static_cast<std::int64_t>(data.size());
  const std::int64_t axis = random.between(1, rank - 1);
  const std::int64_t size = data[static_cast<std::size_t>(axis)];
  Shape shape = data;
  if (random.chance(70)) shape[static_cast<std::size_t>(axis)] = random.between(0, size);
  Call call = call_of(operation);
  call.attributes = random_attributes(random, operation, type.dtype);
  call.attributes["axis"] = random.chance(50) ? axis : axis - rank;
  call.operands["data"] = random_values(random, type, data);
  call.operands["updates"] = random_values(random, type, shape);
  const bool is_circular = std::get<Word>(call.attributes["mode"]) == "circular";
  if (random.chance(85)) {
    call.operands["indices"] =
        integers(random_index_type(random, operation), {data.front()},
                 random_starts(random, data.front(), shape[static_cast<std::size_t>(axis)], size,
                               is_circular));
  }
  return call;
}

Int128 random_step(Random& random, DType dtype, std::int64_t size) {
  const auto small = random.among<Int128>({1, 1, 1, 2, 3, 7, -1, -1, -2, -3});
  const Int128 value = random.chance(80) ? small : random_bound(random, dtype, size);
  if (value == 0 || !oracle::fits(dtype, value)) return 1;
  return value;
}

std::vector<std::int64_t> random_axes(Random& random, std::int64_t rank, std::int64_t count,
                                      bool in_order) {
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  for (std::size_t i = axes.size(); i > 1 && !in_order; --i) {
    std::swap(axes[i - 1],
              axes[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  axes.resize(static_cast<std::size_t>(count));
  return axes;
}

void give_axes(Random& random, Call& call, const std::vector<std::int64_t>& axes,
               std::int64_t rank) {
  const ElementType type = random_integer_type(random);
  std::vector<Int128> values;
  for (const std::int64_t axis : axes) {
    const bool counts_from_the_end = random.chance(40) && oracle::fits(type.dtype, -1);
    values.push_back(counts_from_the_end ? axis - rank : axis);
  }
  call.operands["axes"] = integers(type, {static_cast<std::int64_t>(axes.size())}, values);
}

Call random_slice(Random& random, const Operation& operation, std::int64_t limit) {
  const ElementType type = random_data_type(random, operation);
  const Shape data = random_data_shape(random, limit);
  const auto rank = static_cast<std::int64_t>(data.size());
  const bool has_axes = random.chance(65);
  const auto axes = random_axes(random, rank, random.between(0, rank), !has_axes);
  const Shape length{static_cast<std::int64_t>(axes.size())};
  Call call = call_of(operation);
  call.attributes = random_attributes(random, operation, type.dtype);
  call.operands["data"] = random_values(random, type, data);
  for (const std::string_view name : {"start", "stop", "step"}) {
    const ElementType list_type = random_integer_type(random);
    std::vector<Int128> values;
    for (const std::int64_t axis : axes) {
      const std::int64_t size = data[static_cast<std::size_t>(axis)];
      values.push_back(name == "step" ? random_step(random, list_type.dtype, size)
                                      : random_bound(random, list_type.dtype, size));
    }
    call.operands[std::string(name)] = integers(list_type, length, values);
  }
  if (has_axes) give_axes(random, call, axes, rank);
  call.operands["updates"] = random_values(random, type, oracle::updates_shape(call));
  return call;
}

// The same values in another dtype.
void retype(Random& random, Dense& dense) {
  std::vector<Int128> values;
  for (std::size_t i = 0; i < dense.count(); ++i)
    values.push_back(oracle::load_integer(dense.type.dtype, dense.element(i)));
  dense = integers(random_integer_type(random), dense.shape, values);
}

Call random_windows(Random& random, const Operation& operation, std::int64_t limit) {
  const ElementType type = random_data_type(random, operation);
  const Shape data = random_data_shape(random, limit);
  const WindowShapes shapes = random_window(random, data, 2 * limit);
  Call call = call_of(operation);
  call.attributes = random_attributes(random, operation, type.dtype);
  call.operands["data"] = random_values(random, type, data);
  call.operands["indices"] = random_window_starts(
      random, shapes, data, random_index_type(random, operation), wraps(operation));
  call.operands["updates"] = random_values(random, type, shapes.updates);
  oracle::put_dims(call, shapes.dims);
  for (const std::string_view name : oracle::dims_operands)
    retype(random, call.operands.find(name)->second);
  return call;
}

// Each batch names places in a random order, none twice.
std::vector<Int128> random_batches(Random& random, std::int64_t batches, std::int64_t size,
                                   std::int64_t entries) {
  std::vector<Int128> values;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    for (const std::int64_t place : random_axes(random, size, entries, random.chance(20)))
      values.push_back(place);
  }
  return values;
}

Call random_batched_rows(Random& random, const Operation& operation, std::int64_t limit) {
  const ElementType type = random_data_type(random, operation);
  const Shape data = random_shape(random, 3, limit);
  const Shape entries{data[0], random.chance(20) ? data[1] : random.between(0, data[1])};
  const auto indices = random_batches(random, data[0], data[1], entries[1]);
  Call call = call_of(operation);
  call.operands["data"] = random_values(random, type, data);
  call.operands["indices"] = integers(random_index_type(random, operation), entries, indices);
  call.operands["updates"] = random_values(random, type, oracle::updates_shape(call));
  return call;
}

// ---- NumPy's index

// The items of a call, which are made from the first axis of data on. One mask may have any number
// of true places, others have one; arrays of integers broadcast to `together_`.
class RandomItems {
 public:
  RandomItems(Random& random, Call& call, std::int64_t limit)
      : random_{random}, call_{call}, limit_{limit}, data_{call.operand("data").shape} {}

  void make() {
    choose_kinds();
    choose_together();
    const auto ellipsis = static_cast<std::size_t>(random_.between(0, 12));
    bool has_ellipsis = false;
    for (std::size_t axis = 0; axis < data_.size();) {
      if (random_.chance(8)) add(NewAxisItem{}, "None");
      if (axis >= ellipsis && !has_ellipsis) {
        has_ellipsis = true;
        add(EllipsisItem{}, "...");
        while (axis < data_.size() && kinds_[axis] == Kind::slice && random_.chance(70)) ++axis;
      } else {
        axis += add_for(axis);
      }
    }
    const auto is_whole = [&](const IndexItem& item) { return item.text == ":"; };
    while (!has_ellipsis && call_.index.size() > 1 && is_whole(call_.index.back()) &&
           random_.chance(60))
      call_.index.pop_back();
  }

 private:
  enum class Kind : std::uint8_t { integer, slice, positions, mask };

  void choose_kinds() {
    const bool has_masks = random_.chance(35);
    for (const std::int64_t size : data_) {
      Kind kind = random_.among({Kind::integer, Kind::slice, Kind::slice, Kind::positions,
                                 has_masks ? Kind::mask : Kind::positions});
      const bool fits = size > 0 || kind == Kind::mask || (kind == Kind::positions && !has_masks);
      kinds_.push_back(fits ? kind : Kind::slice);
    }
  }

  std::size_t end_of_mask(std::size_t axis) const {
    std::size_t end = axis;
    while (end < data_.size() && kinds_[end] == Kind::mask) ++end;
    return end;
  }

  void choose_together() {
    std::int64_t block = 1;
    bool must_be_empty = false;
    for (std::size_t axis = 0; axis < data_.size(); ++axis) {
      if (kinds_[axis] == Kind::slice) block *= std::max<std::int64_t>(data_[axis], 1);
      must_be_empty = must_be_empty || (kinds_[axis] == Kind::positions && data_[axis] == 0);
    }
    together_ = random_entries_shape(random_, block, limit_, must_be_empty);
    if (std::ranges::count(kinds_, Kind::mask) == 0) return;
    const auto first = std::ranges::find(kinds_, Kind::mask) - kinds_.begin();
    make_mask(static_cast<std::size_t>(first));
    const bool is_broad = random_.chance(20);
    together_ = is_broad ? Shape{2, trues_} : Shape{trues_};
  }

  void make_mask(std::size_t axis) {
    const auto begin = data_.begin() + static_cast<std::ptrdiff_t>(axis);
    const Shape shape(begin, data_.begin() + static_cast<std::ptrdiff_t>(end_of_mask(axis)));
    first_mask_ = Dense::zeros(ElementType::of(DType::boolean), shape);
    const int share = random_.among({0, 10, 50, 50, 100});
    for (std::byte& each : first_mask_.bytes) {
      if (!random_.chance(share)) continue;
      each = std::byte{1};
      ++trues_;
    }
  }

  template <class What>
  void add(What what, std::string text) {
    call_.index.push_back({std::move(what), std::move(text)});
  }

  void add_tensor(Dense tensor) {
    const std::string name = operand_of_item(call_.index.size());
    call_.operands[name] = std::move(tensor);
    add(OperandItem{name}, name);
  }

  // Returns for how many axes it is.
  std::size_t add_for(std::size_t axis) {
    switch (kinds_[axis]) {
      case Kind::integer: add_integer(data_[axis]); return 1;
      case Kind::slice: add_slice(data_[axis]); return 1;
      case Kind::positions: add_positions(data_[axis]); return 1;
      case Kind::mask: return add_mask(axis);
    }
    unreachable();
  }

  void add_integer(std::int64_t size) {
    const std::int64_t index = random_.between(wraps(call_.row()) ? -size : 0, size - 1);
    add(IntegerItem{index}, std::to_string(index));
  }

  void add_slice(std::int64_t size) {
    if (random_.chance(40)) return add(SliceItem{}, ":");
    const auto bound = [&]() -> std::optional<std::int64_t> {
      if (random_.chance(35)) return std::nullopt;
      return static_cast<std::int64_t>(random_bound(random_, DType::int64, size));
    };
    SliceItem slice{.start = bound(), .stop = bound()};
    if (random_.chance(60))
      slice.step = static_cast<std::int64_t>(random_step(random_, DType::int64, size));
    const auto word = [](const std::optional<std::int64_t>& part) {
      return part ? std::to_string(*part) : "";
    };
    add(slice, word(slice.start) + ":" + word(slice.stop) + ":" + word(slice.step));
  }

  // An axis of data without elements takes none.
  void add_positions(std::int64_t size) {
    Shape shape = together_;
    if (size > 0) {
      const auto fewer = random_.among<std::ptrdiff_t>({0, 0, 0, 1, 2});
      shape.erase(shape.begin(),
                  shape.begin() + std::min(fewer, static_cast<std::ptrdiff_t>(shape.size())));
      for (std::int64_t& each : shape) each = random_.chance(20) ? 1 : each;
    }
    const ElementType type = random_index_type(random_, call_.row());
    add_tensor(integers(
        type, shape,
        random_entries(random_, type.dtype, oracle::product(shape), {size}, wraps(call_.row()))));
  }

  std::size_t add_mask(std::size_t axis) {
    const std::size_t end = end_of_mask(axis);
    const auto begin = data_.begin() + static_cast<std::ptrdiff_t>(axis);
    const Shape shape(begin, data_.begin() + static_cast<std::ptrdiff_t>(end));
    const bool is_first = !has_mask_;
    has_mask_ = true;
    if (is_first) {
      add_tensor(first_mask_);
    } else if (oracle::product(shape) > 0) {
      Dense one = Dense::zeros(ElementType::of(DType::boolean), shape);
      random_.among({&one.bytes.front(), &one.bytes.back()})[0] = std::byte{1};
      add_tensor(std::move(one));
    } else {
      add(SliceItem{}, ":");
      return 1;
    }
    return end - axis;
  }

  Random& random_;
  Call& call_;
  std::int64_t limit_;
  const Shape& data_;
  std::vector<Kind> kinds_;  // of data's axes; several of a mask's beside one another are one mask
  Shape together_;
  Dense first_mask_;
  std::int64_t trues_ = 0;
  bool has_mask_ = false;
};

// A shape that is broadcast to the result.
Shape random_narrower(Random& random, Shape result) {
  if (random.chance(50)) return result;
  const std::int64_t gone = random.between(0, static_cast<std::int64_t>(result.size()));
  if (random.chance(50)) result.erase(result.begin(), result.begin() + gone);
  for (std::int64_t& size : result) size = random.chance(30) ? 1 : size;
  if (random.chance(20)) result.insert(result.begin(), {1, 1});
  return result;
}

Call random_index(Random& random, const Operation& operation, std::int64_t limit) {
  const ElementType type = random_data_type(random, operation);
  Call call = call_of(operation);
  // Sums and so on are defined for some dtypes only.
  const bool is_defined = oracle::is_defined(type.dtype, operation.reduction({}));
  if (!is_defined) return random_index(random, operation, limit);
  call.operands["data"] = random_values(random, type, random_data_shape(random, limit));
  RandomItems(random, call, limit).make();
  call.operands["updates"] =
      random_values(random, type, random_narrower(random, oracle::updates_shape(call)));
  return call;
}

}  // namespace

Call random_call_of(Random& random, const Operation& operation) {
  const std::int64_t limit = random_limit(random);
  switch (operation.form) {
    case Form::rows: return random_rows(random, operation, limit);
    case Form::nd: return random_nd(random, operation, limit);
    case Form::elements: return random_elements(random, operation, limit);
    case Form::window: return random_windows(random, operation, limit);
    case Form::start: return random_start(random, operation, limit);
    case Form::slice: return random_slice(random, operation, limit);
    case Form::batched_rows: return random_batched_rows(random, operation, limit);
    case Form::index: return random_index(random, operation, limit);
    case Form::flat:
    case Form::mask:
    case Form::section:
    case Form::diagonal: break;  // ops/torch_values_test.cpp has generated ones
  }
  unreachable();
}

Operation random_generic(Random& random) {
  Operation row = *find_operation("generic.scatter");
  for (const PolicyInfo& each : policy_table()) {
    const bool is_chosen = each.policy == Policy::negative || each.policy == Policy::extremes ||
                           each.policy == Policy::accumulation || each.policy == Policy::initial;
    override_policy(row, each, is_chosen ? random.bits() % each.words.size() : 0);
  }
  // As many calls of the other forms as before there were windows.
  row.form = random.among(
      {Form::rows, Form::nd, Form::elements, Form::window, Form::window, Form::window});
  return row;
}

bool is_drawn(const Operation& operation) { return namespace_of(operation.name) != "torch"; }

const Operation& random_operation(Random& random) {
  while (true) {
    const Operation& operation = *operations()[random.bits() % operations().size()];
    if (operation.unanswered.empty() && is_drawn(operation)) return operation;
  }
}

Call random_legal_call(Random& random) {
  if (random.chance(12)) return random_call_of(random, random_generic(random));
  const Operation* operation = &random_operation(random);
  const bool wants_reductions = random.chance(30);
  while (wants_reductions && operation->reductions().empty()) operation = &random_operation(random);
  return random_call_of(random, *operation);
}

}  // namespace tscatter::property
