#include "property/random_calls.hpp"

#include <algorithm>
#include <array>
#include <limits>

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
    if (takes_data_of(operation, type.dtype) && is_defined(operation.fixed, type.dtype)) return type;
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

std::optional<std::int64_t> random_bound(Random& random, std::int64_t size) {
  if (random.chance(40)) return std::nullopt;
  return random.between(-size - 2, size + 2);
}

SliceItem random_slice_item(Random& random, std::int64_t size) {
  SliceItem slice{.start = random_bound(random, size), .stop = random_bound(random, size)};
  const std::int64_t step = random.among({0, 1, 1, 2, -1, -2, 3});
  if (step != 0) slice.step = step;
  return slice;
}

// Draws items for all axes of data, whose positions broadcast to `together`.
class RandomIndex {
 public:
  RandomIndex(Random& random, const Operation& operation, const Shape& data)
      : random_{random}, operation_{operation}, data_{data} {
    together_.resize(static_cast<std::size_t>(random.between(0, 2)));
    for (std::int64_t& size : together_) size = random.between(random.chance(10) ? 0 : 1, 3);
  }

  void put(Call& call) {
    while (axis_ < data_.size()) {
      if (random_.chance(8)) add(call, NewAxisItem{});
      if (!has_ellipsis_ && random_.chance(10)) add_ellipsis(call);
      if (axis_ < data_.size()) add_item(call);
      if (axis_ < data_.size() && random_.chance(10)) return add_ellipsis(call);
    }
    if (call.index.empty()) add(call, EllipsisItem{});
  }

 private:
  template <class Item>
  void add(Call& call, const Item& item) {
    call.index.push_back({item, "item"});
  }

  void add_ellipsis(Call& call) {
    if (has_ellipsis_) return add_slices(call);
    has_ellipsis_ = true;
    add(call, EllipsisItem{});
    axis_ += static_cast<std::size_t>(
        random_.between(0, static_cast<std::int64_t>(data_.size() - axis_)));
    add_slices(call);
  }

  void add_slices(Call& call) {
    for (; axis_ < data_.size(); ++axis_) add(call, random_slice_item(random_, data_[axis_]));
  }

  void add_item(Call& call) {
    const std::int64_t size = data_[axis_];
    const auto kind = random_.between(0, 9);
    if (kind < 3) {
      add(call, random_slice_item(random_, size));
      ++axis_;
    } else if (kind == 3 && size > 0) {
      add(call, IntegerItem{random_.between(wraps(operation_) ? -size : 0, size - 1)});
      ++axis_;
    } else if (kind == 4 && !has_mask_ && together_.size() == 1) {
      add_mask(call);
    } else {
      add_positions(call, size);
    }
  }

  void add_tensor(Call& call, oracle::Dense tensor) {
    const std::string name = operand_of_item(call.index.size());
    call.index.push_back({OperandItem{name}, name});
    call.operands[name] = std::move(tensor);
  }

  // As long as the positions beside it are, or one is true.
  void add_mask(Call& call) {
    has_mask_ = true;
    const auto axes = static_cast<std::size_t>(
        random_.between(1, static_cast<std::int64_t>(data_.size() - axis_)));
    const auto first = data_.begin() + static_cast<std::ptrdiff_t>(axis_);
    const Shape shape(first, first + static_cast<std::ptrdiff_t>(axes));
    oracle::Dense mask = oracle::Dense::zeros(ElementType::of(DType::boolean), shape);
    std::int64_t left = random_.chance(50) ? 1 : together_.front();
    for (std::size_t i = 0; i < mask.count() && left > 0; ++i) {
      if (random_.chance(40) || static_cast<std::int64_t>(mask.count() - i) <= left) {
        mask.bytes[i] = std::byte{1};
        --left;
      }
    }
    if (left > 0) return add_slices(call);
    axis_ += axes;
    add_tensor(call, std::move(mask));
  }

  void add_positions(Call& call, std::int64_t size) {
    Shape shape(together_.begin() + random_.between(0, static_cast<std::int64_t>(together_.size())),
                together_.end());
    for (std::int64_t& each : shape) {
      if (random_.chance(25)) each = 1;
    }
    if (size == 0 && oracle::product(shape) > 0) return add_slices(call);
    const ElementType type = random_index_type(random_, operation_);
    const auto positions =
        random_entries(random_, type.dtype, oracle::product(shape), {size}, wraps(operation_));
    add_tensor(call, integers(type, shape, positions));
    ++axis_;
  }

  Random& random_;
  const Operation& operation_;
  const Shape& data_;
  Shape together_;
  std::size_t axis_ = 0;
  bool has_ellipsis_ = false;
  bool has_mask_ = false;
};

// Updates have the shape of the result: how they broadcast is tested beside NumPy.
Call random_index(Random& random, const Operation& operation, std::int64_t limit) {
  const ElementType type = random_data_type(random, operation);
  const Shape data = random_data_shape(random, limit);
  while (true) {
    Call call = call_of(operation);
    call.attributes = random_attributes(random, operation, type.dtype);
    call.operands["data"] = random_values(random, type, data);
    RandomIndex(random, operation, data).put(call);
    const Shape updates = oracle::updates_shape(call);
    if (oracle::product(updates) > 4 * limit) continue;
    call.operands["updates"] = random_values(random, type, updates);
    return call;
  }
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

const Operation& random_operation(Random& random) {
  while (true) {
    const Operation& operation = *operations()[random.bits() % operations().size()];
    if (operation.unanswered.empty()) return operation;
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
