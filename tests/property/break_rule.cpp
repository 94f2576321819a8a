#include "property/break_rule.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "oracle/window.hpp"
#include "property/random_calls.hpp"
#include "property/random_operands.hpp"
#include "tscatter/core/unreachable.hpp"

namespace tscatter::property {
namespace {

using oracle::Call;
using oracle::Dense;
using oracle::Int128;

std::string random_list(Random& random, const Call& call) {
  if (call.row().form == Form::window)
    return std::string(oracle::dims_operands[random.bits() % oracle::dims_operands.size()]);
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
  const auto count = static_cast<std::int64_t>(list.count());
  replace_shape(random, list, random.among({Shape{}, Shape{1, 1}, Shape{count, 1}, Shape{2}}));
}

void make_list_of_no_integers(Random& random, Call& call) {
  Dense& list = call.operands[random_list(random, call)];
  list = random_values(random, not_integer(random), list.shape);
}

// The list of dimension numbers, or the one number, and how many axes it may name.
void move_dims_outside(Random& random, Call& call) {
  const std::string name = random_list(random, call);
  Dense& list = call.operands[name];
  const bool is_number = name == oracle::dims_operands.back();
  const bool is_of_indices = is_number || name == "scatter_indices_batching_dims";
  const std::string_view of = is_of_indices                  ? "indices"
                              : name == "update_window_dims" ? "updates"
                                                             : "data";
  if (list.count() == 0) return;
  const auto rank = static_cast<std::int64_t>(call.operand(of).shape.size());
  put_outside(random, list, random.bits() % list.count(), 0, is_number ? rank + 1 : rank);
}

void change_count_of_dims(Random& random, Call& call) {
  Dense& list = call.operands[random_list(random, call)];
  if (list.shape.size() != 1 || list.count() == 0) return;
  list.shape.front() -= 1;
  list.bytes.resize(list.bytes.size() - list.type.size);
}

// A number of one list, in the place of one of another or the same.
void repeat_a_dim(Random& random, Call& call) {
  const Dense from = call.operand(random_list(random, call));
  Dense& into = call.operands[random_list(random, call)];
  if (from.count() == 0 || into.count() == 0) return;
  const Int128 axis =
      oracle::load_integer(from.type.dtype, from.element(random.bits() % from.count()));
  oracle::store_integer(into.type.dtype, axis, into.element(random.bits() % into.count()));
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

}  // namespace

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
    case Check::dims_range: return move_dims_outside(random, call);
    case Check::dims_distinct: return repeat_a_dim(random, call);
    case Check::dims_count: return change_count_of_dims(random, call);
    case Check::batching_sizes: return make_indices_longer(random, call);
  }
}

}  // namespace tscatter::property
