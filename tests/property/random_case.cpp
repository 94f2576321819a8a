#include "property/random_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "tscatter/core/unreachable.hpp"

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

Dense integers(const ElementType& type, const Shape& shape, const std::vector<Int128>& values) {
  Dense dense = Dense::zeros(type, shape);
  for (std::size_t i = 0; i < values.size(); ++i) {
    oracle::store_integer(type.dtype, values[i], dense.element(i));
  }
  return dense;
}

Shape random_data_shape(Random& random, std::int64_t limit) {
  return random_shape(random, static_cast<std::size_t>(random.between(1, 6)), limit);
}

// A shape of index entries with `block` elements of updates each; no entries if no index would be
// legal.
Shape random_entries_shape(Random& random, std::int64_t block, std::int64_t limit,
                           bool must_be_empty) {
  const auto rank = static_cast<std::size_t>(random.between(0, 3));
  Shape shape = random_shape(random, rank,
                             std::max<std::int64_t>(limit / std::max<std::int64_t>(block, 1), 1));
  if (must_be_empty && oracle::product(shape) > 0) {
    if (shape.empty()) shape.push_back(0);
    random.among({&shape.front(), &shape.back()})[0] = 0;
  }
  return shape;
}

// A legal index for an axis of `size` elements that the dtype can hold.
Int128 random_index(Random& random, DType dtype, std::int64_t size, bool may_be_negative) {
  std::int64_t index =
      random.chance(20) ? random.among<std::int64_t>({0, size - 1}) : random.between(0, size - 1);
  if (!oracle::fits(dtype, index)) index %= 128;
  const Int128 from_the_end = static_cast<Int128>(index) - size;
  if (may_be_negative && random.chance(40) && oracle::fits(dtype, from_the_end))
    return from_the_end;
  return index;
}

// Index entries of coordinates along axes of `sizes`, often with heavy duplicates.
std::vector<Int128> random_entries(Random& random, DType dtype, std::int64_t count,
                                   const Shape& sizes, bool may_be_negative) {
  const bool repeats = random.chance(50);
  const std::int64_t distinct = repeats ? random.between(1, 4) : count;
  std::vector<std::vector<Int128>> pool;
  for (std::int64_t i = 0; i < std::min(distinct, count); ++i) {
    std::vector<Int128>& entry = pool.emplace_back();
    for (const std::int64_t size : sizes)
      entry.push_back(random_index(random, dtype, size, may_be_negative));
  }
  std::vector<Int128> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto& entry = repeats ? random.among(pool) : pool[static_cast<std::size_t>(i)];
    values.insert(values.end(), entry.begin(), entry.end());
  }
  return values;
}

// A rank-0 or one-element integer.
Dense random_scalar(Random& random, Int128 value) {
  ElementType type = random_integer_type(random);
  while (!oracle::fits(type.dtype, value)) type = random_integer_type(random);
  return integers(type, random.among({Shape{}, Shape{1}}), {value});
}

AttributeValue random_value(Random& random, const AttributeInfo& attribute, DType dtype) {
  switch (attribute.type()) {
    case AttributeType::reduction:
      while (true) {
        const AttributeValue& value = attribute.choices[random.bits() % attribute.choices.size()];
        if (oracle::is_defined(dtype, std::get<Reduction>(value))) return value;
      }
    case AttributeType::word: return attribute.choices[random.bits() % attribute.choices.size()];
    case AttributeType::boolean: return random.chance(50);
    case AttributeType::integer:
    case AttributeType::number: return attribute.default_value;
  }
  unreachable();
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
  Call call{.operation = operation.id, .operands = {}};
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
  Call call{.operation = operation.id, .operands = {}};
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
  Call call{.operation = operation.id, .operands = {}};
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
  Call call{.operation = operation.id, .operands = {}};
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

// A bound or a step: near the axis, beyond it, or the ends of its dtype.
Int128 random_bound(Random& random, DType dtype, std::int64_t size) {
  const int width = static_cast<int>(info(dtype).size) * 8;
  const Int128 half = Int128{1} << (width - 1);
  const auto extreme =
      random.among<Int128>({half - 1, -half, 2 * half - 1, half, -half + 1, 2 * half - 2});
  Int128 value = random.chance(75) ? Int128{random.between(-size - 3, size + 3)} : extreme;
  if (random.chance(5))
    value = random.among<Int128>(
        {std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()});
  return oracle::fits(dtype, value) ? value : random.between(0, 3);
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
  Call call{.operation = operation.id, .operands = {}};
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
  Call call{.operation = operation.id, .operands = {}};
  call.operands["data"] = random_values(random, type, data);
  call.operands["indices"] = integers(random_index_type(random, operation), entries, indices);
  call.operands["updates"] = random_values(random, type, oracle::updates_shape(call));
  return call;
}

Call random_call_of(Random& random, const Operation& operation) {
  const std::int64_t limit = random_limit(random);
  switch (operation.form) {
    case Form::rows: return random_rows(random, operation, limit);
    case Form::nd: return random_nd(random, operation, limit);
    case Form::elements: return random_elements(random, operation, limit);
    case Form::start: return random_start(random, operation, limit);
    case Form::slice: return random_slice(random, operation, limit);
    case Form::batched_rows: return random_batched_rows(random, operation, limit);
  }
  unreachable();
}

// With answers of its own.
const Operation& random_operation(Random& random) {
  while (true) {
    const Operation& operation = *operations()[random.bits() % operations().size()];
    if (operation.unanswered.empty()) return operation;
  }
}

// Picks operations with reductions more often than the others.
Call random_call(Random& random) {
  const Operation* operation = &random_operation(random);
  const bool wants_reductions = random.chance(30);
  while (wants_reductions && operation->reductions().empty()) operation = &random_operation(random);
  return random_call_of(random, *operation);
}

// An index anywhere: near the axis of the size, or at the ends of the dtype.
Int128 random_stray_index(Random& random, DType dtype, std::int64_t size) {
  const Int128 index = random_bound(random, dtype, size);
  return random.chance(30) ? random.among<Int128>({-1, size, -size - 1, 2 * size}) : index;
}

// Moves some indices out of range, and lets another policy answer them.
void let_indices_stray(Random& random, Call& call) {
  auto row = std::make_shared<Operation>(call.row());
  row->policies.outside =
      random.among({OutsideIndex::drop_window, OutsideIndex::drop_elements,
                    OutsideIndex::clip_start, OutsideIndex::clip_index, OutsideIndex::modulo});
  if (call.attributes.contains("mode")) {
    call.attributes["mode"] = Word{"linear"};
    // Two steps of a batch would go to one place, and explain() names batches.
    if (row->policies.outside == OutsideIndex::clip_index)
      row->policies.outside = OutsideIndex::clip_start;
  }
  row->policies.negative = random.among({NegativeIndex::outside, NegativeIndex::from_the_end});
  row->policies.duplicates = DuplicatePolicy::ordered;
  call.variant = std::move(row);
  Dense& indices = call.operands["indices"];
  const int share = random.among({3, 20, 100});
  for (std::size_t i = 0; i < indices.count(); ++i) {
    const Shape& data = call.operand("data").shape;
    const std::int64_t size = data[i % data.size()];
    const Int128 index = random_stray_index(random, indices.type.dtype, size);
    if (random.chance(share) && oracle::fits(indices.type.dtype, index))
      oracle::store_integer(indices.type.dtype, index, indices.element(i));
  }
}

// Other policies for values; and duplicates are refused, if the call has none.
void combine_otherwise(Random& random, Call& call) {
  auto row = std::make_shared<Operation>(call.row());
  Policies& policies = row->policies;
  policies.accumulation =
      random.among({Accumulation::each_step, Accumulation::float32, Accumulation::float64});
  policies.extremes = random.among(
      {Extremes::data, Extremes::update, Extremes::propagate, Extremes::ieee, Extremes::ignore});
  if (random.chance(50))
    policies.initial = random.among({InitialValue::data, InitialValue::identity});
  policies.duplicates = DuplicatePolicy::forbidden;
  call.variant = row;
  if (oracle::refusal_of(call)) policies.duplicates = DuplicatePolicy::ordered;
}

Delivery random_delivery(Random& random, const Call& call) {
  Delivery delivery;
  delivery.entry = random.among({Entry::apply, Entry::typed_function});
  delivery.destination =
      random.among({Destination::memory, Destination::memory, Destination::in_place,
                    Destination::random_access, Destination::sequential});
  for (const auto& [name, dense] : call.operands) {
    delivery.sources[name] = random.chance(30) ? SourceKind::ranges : SourceKind::view;
  }
  if (delivery.destination == Destination::in_place) delivery.sources["data"] = SourceKind::view;
  delivery.options.threads = random.among({1, 2, 7});
  delivery.options.tile_bytes = random.among<std::int64_t>({1, 7, 24, 64, 4096, 524288});
  return delivery;
}

Case with_delivery(Random& random, Call call) {
  Case c{.call = std::move(call), .layouts = {}, .delivery = {}};
  c.delivery = random_delivery(random, c.call);
  // Only operands as they lie in memory are read again box by box.
  const bool is_plain = c.call.row().form == Form::elements && random.chance(50);
  for (const auto& [name, dense] : c.call.operands) {
    if (is_plain) c.delivery.sources[name] = SourceKind::view;
    c.layouts[name] =
        is_plain
            ? oracle::Layout{}
            : oracle::Layout{.order = random.among({MemoryOrder::c, MemoryOrder::fortran}),
                             .byte_order = random.among({std::endian::little, std::endian::big})};
  }
  return c;
}

// ---- Breaking one rule. Each takes a legal call and leaves one that may break the rule; the
// oracle judges.

std::string random_list(Random& random, const Call& call) {
  std::vector<std::string> names{"start", "stop", "step"};
  if (call.operands.contains("axes")) names.emplace_back("axes");
  return random.among(names);
}

void replace_shape(Random& random, Dense& dense, const Shape& shape) {
  dense = random_values(random, dense.type, shape);
}

void make_data_scalar(Random& random, Call& call) {
  replace_shape(random, call.operands["data"], {});
}
void make_indices_scalar(Random& random, Call& call) {
  replace_shape(random, call.operands["indices"], {});
}

// One size of indices, and of updates where they go along.
void make_indices_longer(Random& random, Call& call) {
  Shape shape = call.operand("indices").shape;
  if (shape.empty()) return;
  shape[random.bits() % shape.size()] += random.between(1, 3);
  Dense& indices = call.operands["indices"];
  indices = Dense::zeros(indices.type, shape);
  if (call.row().form == Form::elements) replace_shape(random, call.operands["updates"], shape);
}

void make_axis_malformed(Random& random, Call& call) {
  Dense& axis = call.operands["axis"];
  if (random.chance(50)) {
    replace_shape(random, axis, random.among({Shape{2}, Shape{0}, Shape{1, 1}}));
  } else {
    axis =
        Dense::zeros(ElementType::of(random.among({DType::float32, DType::boolean})), axis.shape);
  }
}

Int128 outside_of(Random& random, std::int64_t low, std::int64_t high) {
  const Int128 near = random.chance(50) ? Int128{low} - 1 : Int128{high};
  return random.among<Int128>(
      {near, near, near, Int128{high} + 5, std::numeric_limits<std::int64_t>::min(),
       std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::uint64_t>::max()});
}

void put_outside(Random& random, Dense& dense, std::size_t at, std::int64_t low,
                 std::int64_t high) {
  const Int128 value = outside_of(random, low, high);
  if (oracle::fits(dense.type.dtype, value))
    oracle::store_integer(dense.type.dtype, value, dense.element(at));
}

void move_axis_outside(Random& random, Call& call) {
  const auto rank = static_cast<std::int64_t>(call.operand("data").shape.size());
  if (call.operands.contains("axis")) {
    put_outside(random, call.operands["axis"], 0, -rank, rank);
  } else {
    call.attributes["axis"] = random.chance(50) ? -rank - 1 : rank;
  }
}

void move_indices_outside(Random& random, Call& call) {
  Dense& indices = call.operands["indices"];
  const Shape& data = call.operand("data").shape;
  call.attributes.erase("mode");
  for (std::int64_t times = random.between(1, 3); times > 0 && indices.count() > 0; --times) {
    const auto at =
        static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(indices.count()) - 1));
    const std::int64_t size = data[at % data.size()];
    put_outside(random, indices, at, random.chance(50) ? -size : 0, size);
  }
}

void make_indices_too_deep(Random& random, Call& call) {
  Dense& indices = call.operands["indices"];
  Shape shape = indices.shape;
  shape.back() =
      static_cast<std::int64_t>(call.operand("data").shape.size()) + random.between(1, 3);
  replace_shape(random, indices, shape);
}

ElementType not_integer(Random& random) {
  while (true) {
    ElementType type = random_type(random);
    if (!is_integer(type.dtype)) return type;
  }
}

void change_indices_dtype(Random& random, Call& call) {
  Dense& indices = call.operands["indices"];
  const ElementType type = random.chance(50) ? random_integer_type(random) : not_integer(random);
  indices = random_values(random, type, indices.shape);
}

void change_updates_shape(Random& random, Call& call) {
  Dense& updates = call.operands["updates"];
  Shape shape = updates.shape;
  const std::int64_t change = random.between(0, 2);
  if (change == 0 || shape.empty()) {
    shape.insert(random.chance(50) ? shape.begin() : shape.end(), random.between(1, 2));
  } else if (change == 1) {
    shape.erase(shape.begin() + random.between(0, static_cast<std::int64_t>(shape.size()) - 1));
  } else {
    std::int64_t& dim = shape[random.bits() % shape.size()];
    dim = std::max<std::int64_t>(dim + random.among({-1, 1}), 0);
  }
  if (oracle::product(shape) < 100000) replace_shape(random, updates, shape);
}

void change_data_dtype(Random& random, Call& call) {
  const ElementType type = random_type(random);
  for (const char* name : {"data", "updates"}) {
    Dense& dense = call.operands[name];
    dense = random_values(random, type, dense.shape);
  }
}

void change_updates_dtype(Random& random, Call& call) {
  Dense& updates = call.operands["updates"];
  updates = random_values(random, random_type(random), updates.shape);
}

void make_reduction_undefined(Random& random, Call& call) {
  call.attributes["reduction"] = random.among(call.row().reductions());
}

void make_list_of_another_rank(Random& random, Call& call) {
  Dense& list = call.operands[random_list(random, call)];
  replace_shape(random, list, random.among({Shape{}, Shape{1, 1}, Shape{list.shape[0], 1}}));
}

void make_list_of_no_integers(Random& random, Call& call) {
  Dense& list = call.operands[random_list(random, call)];
  list = random_values(random, not_integer(random), list.shape);
}

void change_list_length(Random& random, Call& call) {
  Dense& list = call.operands[random_list(random, call)];
  const std::int64_t length = std::max<std::int64_t>(list.shape[0] + random.among({-1, 1}), 0);
  list = integers(list.type, {length}, std::vector<Int128>(static_cast<std::size_t>(length), 1));
}

void make_step_zero(Random& random, Call& call) {
  Dense& step = call.operands["step"];
  if (step.count() == 0) return;
  oracle::store_integer(step.type.dtype, 0, step.element(random.bits() % step.count()));
}

void append_ones(Call& call, std::int64_t length) {
  for (const std::string_view name : {"start", "stop", "step"}) {
    Dense& list = call.operands[std::string(name)];
    list = integers(list.type, {length}, std::vector<Int128>(static_cast<std::size_t>(length), 1));
  }
}

void move_axes_outside(Random& random, Call& call) {
  const auto rank = static_cast<std::int64_t>(call.operand("data").shape.size());
  const auto axes = call.operands.find("axes");
  if (axes == call.operands.end()) return append_ones(call, rank + random.between(1, 2));
  if (axes->second.count() == 0) return;
  put_outside(random, axes->second, random.bits() % axes->second.count(), -rank, rank);
}

void repeat_an_axis(Random& random, Call& call) {
  const auto axes = call.operands.find("axes");
  if (axes == call.operands.end() || axes->second.count() < 2) return;
  const auto rank = static_cast<Int128>(call.operand("data").shape.size());
  Dense& list = axes->second;
  const Int128 axis = oracle::load_integer(list.type.dtype, list.element(0));
  const Int128 other = axis < 0 ? axis + rank : axis - rank;
  const bool writes_other = random.chance(50) && oracle::fits(list.type.dtype, other);
  const auto at =
      static_cast<std::size_t>(random.between(1, static_cast<std::int64_t>(list.count()) - 1));
  oracle::store_integer(list.type.dtype, writes_other ? other : axis, list.element(at));
}

// Of the form batched_rows.
void repeat_an_index(Random& random, Call& call) {
  Dense& indices = call.operands["indices"];
  const std::int64_t entries = indices.shape[1];
  if (indices.shape[0] == 0 || entries < 2) return;
  const std::int64_t begin = random.between(0, indices.shape[0] - 1) * entries;
  const std::int64_t from = begin + random.between(0, entries - 1);
  const std::int64_t to = begin + random.between(0, entries - 1);
  std::copy_n(indices.element(static_cast<std::size_t>(from)), indices.type.size,
              indices.element(static_cast<std::size_t>(to)));
}

void break_rule(Random& random, Call& call, Check check) {
  switch (check) {
    case Check::data_rank: return make_data_scalar(random, call);
    case Check::indices_rank: return make_indices_scalar(random, call);
    case Check::indices_dtype: return change_indices_dtype(random, call);
    case Check::indices_shape:
    case Check::indices_length: return make_indices_longer(random, call);
    case Check::index_depth: return make_indices_too_deep(random, call);
    case Check::index_range: return move_indices_outside(random, call);
    case Check::updates_shape: return change_updates_shape(random, call);
    case Check::updates_dtype: return change_updates_dtype(random, call);
    case Check::data_dtype: return change_data_dtype(random, call);
    case Check::axis_scalar: return make_axis_malformed(random, call);
    case Check::axis_range: return move_axis_outside(random, call);
    case Check::list_rank: return make_list_of_another_rank(random, call);
    case Check::list_dtype: return make_list_of_no_integers(random, call);
    case Check::list_length: return change_list_length(random, call);
    case Check::step_not_zero: return make_step_zero(random, call);
    case Check::axes_range: return move_axes_outside(random, call);
    case Check::axes_distinct: return repeat_an_axis(random, call);
    case Check::reduction_dtype: return make_reduction_undefined(random, call);
    case Check::duplicates: return repeat_an_index(random, call);
  }
}

// ---- Printing

constexpr std::size_t most_printed = 48;

std::string text_of(const Dense& dense, std::size_t i) {
  if (!is_integer(dense.type.dtype)) {
    std::string text = "0x";
    for (std::size_t byte = dense.type.size; byte-- > 0;) {
      text += fmt::format("{:02x}", static_cast<unsigned>(dense.element(i)[byte]));
    }
    return text;
  }
  const Int128 value = oracle::load_integer(dense.type.dtype, dense.element(i));
  if (value > std::numeric_limits<std::int64_t>::max())
    return std::to_string(static_cast<std::uint64_t>(value));
  return std::to_string(static_cast<std::int64_t>(value));
}

std::string text_of(const Dense& dense) {
  if (dense.count() > most_printed) return fmt::format("({} elements)", dense.count());
  std::string text;
  for (std::size_t i = 0; i < dense.count(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ",", text_of(dense, i));
  return fmt::format("{{{}}}", text);
}

std::string text_of(const Delivery& delivery) {
  constexpr std::array<std::string_view, 4> destinations{"memory", "in place", "random access sink",
                                                         "sequential sink"};
  return fmt::format("{} to {}, threads {}, tile_bytes {}",
                     delivery.entry == Entry::apply ? "apply()" : "typed function",
                     destinations[static_cast<std::size_t>(delivery.destination)],
                     delivery.options.threads, delivery.options.tile_bytes);
}

}  // namespace

Attributes random_attributes(Random& random, const Operation& operation, DType dtype) {
  Attributes attributes;
  for (const AttributeInfo& attribute : operation.attributes)
    attributes.emplace(attribute.name, random_value(random, attribute, dtype));
  return attributes;
}

Case random_legal_case(Random& random) {
  Call call = random_call(random);
  if (call.operands.contains("indices") && random.chance(15)) let_indices_stray(random, call);
  if (random.chance(15)) combine_otherwise(random, call);
  return with_delivery(random, std::move(call));
}

IllegalCase random_illegal_case(Random& random) {
  const Operation& operation = random_operation(random);
  const OperationRule& rule = operation.rules[random.bits() % operation.rules.size()];
  while (true) {
    Call call = random_call_of(random, operation);
    const bool lacks_indices = operation.form == Form::start && !call.operands.contains("indices");
    if (lacks_indices) continue;
    break_rule(random, call, rule.check);
    const auto refusal = oracle::refusal_of(call);
    if (!refusal || refusal->label != rule.label) continue;
    return {.broken = with_delivery(random, std::move(call)), .refusal = *refusal};
  }
}

std::string to_string(const Case& c) {
  std::string text(c.call.operation);
  for (const auto& [name, value] : c.call.attributes)
    text += fmt::format(" {} {}", name, tscatter::to_string(value));
  text += "; ";
  for (const auto& [name, dense] : c.call.operands) {
    const oracle::Layout layout = c.layouts.find(name)->second;
    const SourceKind source = c.delivery.sources.find(name)->second;
    text += fmt::format("{} {} {} {} {}{} = {}; ", name, tscatter::to_string(dense.type),
                        tscatter::to_string(dense.shape),
                        layout.order == MemoryOrder::c ? "C" : "Fortran",
                        layout.byte_order == std::endian::little ? "little-endian" : "big-endian",
                        source == SourceKind::ranges ? " without view" : "", text_of(dense));
  }
  return text + text_of(c.delivery);
}

}  // namespace tscatter::property
