#include "property/random_calls.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "oracle/base.hpp"
#include "oracle/window.hpp"
#include "property/random_operands.hpp"
#include "property/random_windows.hpp"
#include "tscatter/core/fail.hpp"
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

// Whether the operation has a reduction that is defined for the dtype.
bool combines(const Operation& operation, DType dtype) {
  const std::vector<Reduction> reductions = operation.reductions();
  const auto is_defined = [&](Reduction each) { return oracle::is_defined(dtype, each); };
  return reductions.empty() || std::ranges::any_of(reductions, is_defined);
}

ElementType random_data_type(Random& random, const Operation& operation) {
  while (true) {
    ElementType type = random_type(random);
    if (takes_data_of(operation, type.dtype) && combines(operation, type.dtype)) return type;
  }
}

ElementType random_index_type(Random& random, const Operation& operation) {
  while (true) {
    ElementType type = random_integer_type(random);
    if (takes_indices_of(operation, type.dtype)) return type;
  }
}

// With data and attributes alone. A row with answers that the table does not have is the call's
// own.
Call call_with_data(Random& random, const Operation& operation, const Shape& data) {
  Call call{.operation = operation.id, .operands = {}};
  if (!operation.unanswered.empty()) call.variant = std::make_shared<Operation>(operation);
  const ElementType type = random_data_type(random, operation);
  call.attributes = random_attributes(random, operation, type.dtype);
  call.operands["data"] = random_values(random, type, data);
  return call;
}

// A shape that is broadcast to `shape`.
Shape random_narrower(Random& random, Shape shape) {
  if (random.chance(50)) return shape;
  const std::int64_t gone = random.between(0, static_cast<std::int64_t>(shape.size()));
  if (random.chance(50)) shape.erase(shape.begin(), shape.begin() + gone);
  for (std::int64_t& size : shape) size = random.chance(30) ? 1 : size;
  return shape;
}

Shape random_shape_of(Random& random, std::int64_t elements) {
  const auto divisor = random.among<std::int64_t>({1, 2, 3});
  return elements % divisor == 0 ? Shape{divisor, elements / divisor} : Shape{elements};
}

// One that the operation takes where `required` is.
Shape random_updates_shape(Random& random, const Operation& operation, Shape required) {
  switch (operation.updates_shape) {
    case UpdatesShape::exact: break;
    case UpdatesShape::one_element:
      if (required.empty()) required.assign(static_cast<std::size_t>(random.between(0, 3)), 1);
      break;
    case UpdatesShape::broadcast: return random_narrower(random, std::move(required));
    case UpdatesShape::broadcast_ones: {
      Shape narrower = random_narrower(random, std::move(required));
      if (random.chance(10)) narrower.insert(narrower.begin(), {1, 1});
      return narrower;
    }
    case UpdatesShape::box_or_fill:
      if (random.chance(20)) return {};
      [[fallthrough]];
    case UpdatesShape::box:
      for (std::int64_t& size : required) size += random.chance(20) ? random.between(1, 2) : 0;
      break;
    case UpdatesShape::fill: return {};
    case UpdatesShape::as_many: return random_shape_of(random, oracle::product(required));
    case UpdatesShape::at_least:
      return random_shape_of(random, oracle::product(required) + random.between(0, 3));
    case UpdatesShape::repeat: {
      const std::int64_t count = oracle::product(required);
      if (random.chance(10)) return {};
      // Then nothing is written.
      if (operation.form == Form::flat && random.chance(5)) return {2, 0};
      return random_shape_of(random, random.chance(50) ? random.between(1, count + 3) : count);
    }
  }
  return required;
}

// REQUIRES: the call has all other operands.
Call with_updates(Random& random, Call call) {
  const Shape shape = random_updates_shape(random, call.row(), oracle::updates_shape(call));
  call.operands["updates"] = random_values(random, call.operand("data").type, shape);
  return call;
}

// As an attribute, or as an operand; counted from the end, or not.
void put_axis(Random& random, Call& call, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(call.operand("data").shape.size());
  const std::int64_t given = random.chance(50) ? axis : axis - rank;
  if (call.row().find_attribute("axis") != nullptr) {
    call.attributes["axis"] = given;
  } else {
    call.operands["axis"] = random_scalar(random, given);
  }
}

Call random_rows(Random& random, const Operation& operation, std::int64_t limit) {
  const Shape data = random_data_shape(random, limit);
  const std::int64_t axis = random.between(0, static_cast<std::int64_t>(data.size()) - 1);
  const std::int64_t size = data[static_cast<std::size_t>(axis)];
  const std::int64_t block = oracle::product(data) / std::max<std::int64_t>(size, 1);
  Shape entries = random_entries_shape(random, block, limit, size == 0);
  const bool is_vector = operation.index_rank == IndexRank::vector;
  if (is_vector && entries.size() > 1) entries = {oracle::product(entries)};
  const ElementType index_type = random_index_type(random, operation);
  Call call = call_with_data(random, operation, data);
  call.operands["indices"] = integers(
      index_type, entries,
      random_entries(random, index_type.dtype, oracle::product(entries), {size}, wraps(operation)));
  put_axis(random, call, axis);
  return with_updates(random, std::move(call));
}

Call random_nd(Random& random, const Operation& operation, std::int64_t limit) {
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
  Call call = call_with_data(random, operation, data);
  call.operands["indices"] = integers(index_type, entries, indices);
  return with_updates(random, std::move(call));
}

// Sizes at most data's, often the same; along the axis any, or none above data's where a rule says
// so. No entries if no index would be legal.
Shape random_elements_shape(Random& random, const Operation& operation, const Shape& data,
                            std::size_t axis, std::int64_t limit) {
  Shape shape = data;
  for (std::int64_t& size : shape) {
    if (!random.chance(40)) continue;
    size = operation.broadcasts_indices
               ? 1
               : random.between(random.chance(10) ? 0 : std::min<std::int64_t>(size, 1), size);
  }
  shape[axis] = 1;
  const std::int64_t lines = std::max<std::int64_t>(oracle::product(shape), 1);
  const bool may_be_longer = operation.label(Check::indices_length).empty();
  const std::int64_t longest = std::min<std::int64_t>(std::max<std::int64_t>(limit / lines, 1),
                                                      may_be_longer ? 3 * data[axis] : data[axis]);
  shape[axis] = data[axis] == 0 ? 0 : random.between(random.chance(10) ? 0 : 1, longest);
  return shape;
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

// Without entries indices may have any shape, and one of a vector rank 0.
Shape random_free_shape(Random& random, const Operation& operation, Shape shape) {
  if (!operation.takes_any_index || !random.chance(20)) return shape;
  if (oracle::product(shape) == 0) {
    shape.assign(static_cast<std::size_t>(random.between(1, 4)), 0);
    return shape;
  }
  return shape == Shape{1} ? Shape{} : shape;
}

Call random_elements(Random& random, const Operation& operation, std::int64_t limit) {
  const Shape data = random_data_shape(random, limit);
  const std::int64_t axis = random.between(0, static_cast<std::int64_t>(data.size()) - 1);
  const auto at = static_cast<std::size_t>(axis);
  const Shape shape = random_free_shape(random, operation,
                                        random_elements_shape(random, operation, data, at, limit));
  const ElementType index_type = random_index_type(random, operation);
  const auto indices = random_entries(random, index_type.dtype, oracle::product(shape), {data[at]},
                                      wraps(operation));
  Call call = call_with_data(random, operation, data);
  call.operands["indices"] = integers(index_type, shape, indices);
  if (!shape.empty() && oracle::product(shape) > 0 && random.chance(20))
    repeat_behind_axis(call, at);
  put_axis(random, call, axis);
  return with_updates(random, std::move(call));
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
  const Shape data = random_shape(random, static_cast<std::size_t>(random.between(2, 6)), limit);
  const std::int64_t axis = random.between(1, static_cast<std::int64_t>(data.size()) - 1);
  const auto at = static_cast<std::size_t>(axis);
  Shape shape = data;
  if (random.chance(70)) shape[at] = random.between(0, data[at]);
  Call call = call_with_data(random, operation, data);
  put_axis(random, call, axis);
  call.operands["updates"] = random_values(random, call.operand("data").type, shape);
  const bool is_circular = std::get<Word>(call.attributes["mode"]) == "circular";
  if (random.chance(85)) {
    call.operands["indices"] =
        integers(random_index_type(random, operation), {data.front()},
                 random_starts(random, data.front(), shape[at], data[at], is_circular));
  }
  return call;
}

Int128 random_step(Random& random, DType dtype, std::int64_t size) {
  const auto small = random.among<Int128>({1, 1, 1, 2, 3, 7, -1, -1, -2, -3});
  const Int128 value = random.chance(80) ? small : random_bound(random, dtype, size);
  if (value == 0 || !oracle::fits(dtype, value)) return 1;
  return value;
}

Call random_block(Random& random, const Operation& operation, std::int64_t limit) {
  const Shape data = random_data_shape(random, limit);
  const ElementType type = random_index_type(random, operation);
  Shape shape = data;
  std::vector<Int128> starts;
  for (std::int64_t& length : shape) {
    const std::int64_t size = length;
    if (random.chance(70)) length = random.between(0, size);
    const Int128 start = random.chance(20) ? random_bound(random, type.dtype, size)
                                           : Int128{random.between(-2 * size - 1, 2 * size + 1)};
    starts.push_back(oracle::fits(type.dtype, start) ? start : Int128{0});
  }
  Call call = call_with_data(random, operation, data);
  call.operands["indices"] = integers(type, {static_cast<std::int64_t>(shape.size())}, starts);
  call.operands["updates"] = random_values(random, call.operand("data").type, shape);
  return call;
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
  const Shape data = random_data_shape(random, limit);
  const auto rank = static_cast<std::int64_t>(data.size());
  const bool has_axes = random.chance(65);
  const auto axes = random_axes(random, rank, random.between(0, rank), !has_axes);
  const Shape length{static_cast<std::int64_t>(axes.size())};
  Call call = call_with_data(random, operation, data);
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
  return with_updates(random, std::move(call));
}

// The same values in another dtype.
void retype(Random& random, Dense& dense) {
  std::vector<Int128> values;
  for (std::size_t i = 0; i < dense.count(); ++i)
    values.push_back(oracle::load_integer(dense.type.dtype, dense.element(i)));
  dense = integers(random_integer_type(random), dense.shape, values);
}

Call random_windows(Random& random, const Operation& operation, std::int64_t limit) {
  const Shape data = random_data_shape(random, limit);
  const bool is_last = operation.find_operand(oracle::dims_operands.back()) == nullptr;
  const WindowShapes shapes = random_window(random, data, 2 * limit, is_last);
  Call call = call_with_data(random, operation, data);
  call.operands["indices"] = random_window_starts(
      random, shapes, data, random_index_type(random, operation), wraps(operation));
  call.operands["updates"] = random_values(random, call.operand("data").type, shapes.updates);
  oracle::put_dims(call, shapes.dims);
  for (const std::string_view name : oracle::dims_operands) {
    const auto dims = call.operands.find(name);
    if (dims == call.operands.end()) continue;
    retype(random, dims->second);
    // What is left out says the same.
    const bool may_leave_out = operation.unanswered.empty() && random.chance(50);
    if (may_leave_out && dims->second.shape == Shape{0}) call.operands.erase(dims);
  }
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
  const Shape data = random_shape(random, 3, limit);
  const Shape entries{data[0], random.chance(20) ? data[1] : random.between(0, data[1])};
  const auto indices = random_batches(random, data[0], data[1], entries[1]);
  Call call = call_with_data(random, operation, data);
  call.operands["indices"] = integers(random_index_type(random, operation), entries, indices);
  return with_updates(random, std::move(call));
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
      if (call_.row().takes_new_axes && random_.chance(8)) add(NewAxisItem{}, "None");
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

Call random_index(Random& random, const Operation& operation, std::int64_t limit) {
  Call call = call_with_data(random, operation, random_data_shape(random, limit));
  RandomItems(random, call, limit).make();
  return with_updates(random, std::move(call));
}

// ---- flat, mask, section and diagonal

Call random_flat(Random& random, const Operation& operation, std::int64_t limit) {
  const Shape data = random_data_shape(random, limit);
  const std::int64_t size = oracle::product(data);
  const Shape entries = random_entries_shape(random, 1, limit, size == 0);
  const ElementType type = random_index_type(random, operation);
  Call call = call_with_data(random, operation, data);
  std::vector<Int128> indices =
      random_entries(random, type.dtype, oracle::product(entries), {size}, wraps(operation));
  const bool is_any_legal = call.policies().outside != OutsideIndex::error;
  for (Int128& each : indices) {
    if (is_any_legal && random.chance(30)) each = random_bound(random, type.dtype, size);
  }
  call.operands["indices"] = integers(type, entries, indices);
  return with_updates(random, std::move(call));
}

Call random_mask(Random& random, const Operation& operation, std::int64_t limit) {
  const Shape data = random_data_shape(random, limit);
  const Shape shape = operation.reshapes_mask && random.chance(50)
                          ? random_shape_of(random, oracle::product(data))
                      : operation.reshapes_mask ? data
                                                : random_narrower(random, data);
  Dense mask = Dense::zeros(ElementType::of(DType::boolean), shape);
  const int share = random.among({0, 10, 50, 100});
  for (std::byte& each : mask.bytes) each = std::byte{random.chance(share)};
  Call call = call_with_data(random, operation, data);
  if (operation.find_operand("mask")->presence == Presence::required || random.chance(80))
    call.operands["mask"] = std::move(mask);
  return with_updates(random, std::move(call));
}

// One position, or a slice by attributes.
Call random_section(Random& random, const Operation& operation, std::int64_t limit) {
  const bool is_position = operation.find_operand("indices") != nullptr;
  Shape data = random_data_shape(random, limit);
  const std::int64_t axis = random.between(0, static_cast<std::int64_t>(data.size()) - 1);
  std::int64_t& size = data[static_cast<std::size_t>(axis)];
  if (is_position) size = std::max<std::int64_t>(size, 1);
  Call call = call_with_data(random, operation, data);
  put_axis(random, call, axis);
  if (is_position) {
    const ElementType type = random_index_type(random, operation);
    call.operands["indices"] =
        integers(type, {}, random_entries(random, type.dtype, 1, {size}, wraps(operation)));
  } else {
    for (const std::string name : {"start", "stop"}) {
      if (random.chance(70))
        call.attributes[name] = static_cast<std::int64_t>(random_bound(random, DType::int64, size));
    }
    call.attributes["step"] = random.chance(90) ? random.between(1, 3) : open_end;
  }
  return with_updates(random, std::move(call));
}

Call random_diagonal(Random& random, const Operation& operation, std::int64_t limit) {
  const Shape data = random_shape(random, static_cast<std::size_t>(random.between(2, 6)), limit);
  const auto rank = static_cast<std::int64_t>(data.size());
  const auto axes = random_axes(random, rank, 2, false);
  Call call = call_with_data(random, operation, data);
  call.attributes["dim1"] = random.chance(50) ? axes[0] : axes[0] - rank;
  call.attributes["dim2"] = random.chance(50) ? axes[1] : axes[1] - rank;
  call.attributes["offset"] = static_cast<std::int64_t>(
      random_bound(random, DType::int64, data[static_cast<std::size_t>(axes[0])]));
  return with_updates(random, std::move(call));
}

// ---- segment

// Half of the calls that need not say how many rows data has leave it to the indices.
Call random_segment(Random& random, const Operation& operation, std::int64_t limit) {
  const bool is_counted = operation.base == BaseFrom::counts;
  const Shape data = is_counted ? Shape{random.between(0, 9)} : random_data_shape(random, limit);
  const Shape block(data.begin() + 1, data.end());
  Shape entries = random_entries_shape(random, oracle::product(block), limit, data.front() == 0);
  const bool is_vector = !operation.label(Check::indices_rank).empty();
  if (is_vector) entries = {oracle::product(entries)};
  const ElementType type = random_index_type(random, operation);
  std::vector<Int128> indices = random_entries(random, type.dtype, oracle::product(entries),
                                               {data.front()}, wraps(operation));
  if (!operation.label(Check::index_order).empty()) std::ranges::sort(indices);
  const DType dtype = is_counted ? DType::float64 : random_data_type(random, operation).dtype;
  Call call{.operation = operation.id, .operands = {}};
  call.attributes = random_attributes(random, operation, dtype);
  for (const AttributeInfo& each : operation.attributes) {
    const bool is_rows = each.name == "num_segments" || each.name == "minlength";
    if (is_rows && (each.is_required || random.chance(50)))
      call.attributes[std::string(each.name)] = data.front();
  }
  call.operands["indices"] = integers(type, entries, indices);
  Shape updates = entries;
  updates.insert(updates.end(), block.begin(), block.end());
  call.operands["updates"] = random_values(random, ElementType::of(dtype), updates);
  return oracle::based(call);
}

// Data is made: the operand shape says its shape in its place.
Call with_shape_of_data(Random& random, Call call) {
  const Shape shape = call.operand("data").shape;
  const std::vector<Int128> sizes(shape.begin(), shape.end());
  call.operands["shape"] = integers(random_index_type(random, call.row()),
                                    {static_cast<std::int64_t>(shape.size())}, sizes);
  return oracle::based(call);
}

Call random_call_of_form(Random& random, const Operation& operation) {
  const std::int64_t limit = random_limit(random);
  switch (operation.form) {
    case Form::rows: return random_rows(random, operation, limit);
    case Form::nd: {
      Call call = random_nd(random, operation, limit);
      return is_made(operation.base) ? with_shape_of_data(random, std::move(call)) : call;
    }
    case Form::elements: return random_elements(random, operation, limit);
    case Form::window: return random_windows(random, operation, limit);
    case Form::start: return random_start(random, operation, limit);
    case Form::slice: return random_slice(random, operation, limit);
    case Form::batched_rows: return random_batched_rows(random, operation, limit);
    case Form::index: return random_index(random, operation, limit);
    case Form::flat: return random_flat(random, operation, limit);
    case Form::mask: return random_mask(random, operation, limit);
    case Form::section: return random_section(random, operation, limit);
    case Form::diagonal: return random_diagonal(random, operation, limit);
    case Form::segment: return random_segment(random, operation, limit);
    case Form::block: return random_block(random, operation, limit);
  }
  unreachable();
}

}  // namespace

Call random_call_of(Random& random, const Operation& operation) {
  Call call = random_call_of_form(random, operation);
  const auto unique = call.attributes.find("unique_indices");
  // A promise that does not hold is refused.
  if (unique != call.attributes.end() && oracle::refusal_of(call)) unique->second = false;
  return call;
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
