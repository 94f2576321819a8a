#include "oracle/oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tscatter::oracle {
namespace {

constexpr std::string_view scatter_update_3 = "scatter_update_3";
constexpr std::string_view scatter_nd_update_15 = "scatter_nd_update_15";
constexpr std::string_view slice_scatter_15 = "slice_scatter_15";

Int128 integer_at(const Dense& dense, std::size_t i) {
  return load_integer(dense.type.dtype, dense.element(i));
}

std::vector<Int128> integers(const Dense& dense) {
  std::vector<Int128> values;
  for (std::size_t i = 0; i < dense.count(); ++i) values.push_back(integer_at(dense, i));
  return values;
}

Shape slice_of(const Shape& shape, std::size_t begin, std::size_t end) {
  const auto first = shape.begin();
  return {first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)};
}

Shape joined(Shape a, const Shape& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string place_of(const Position& index) {
  return index.empty() ? "indices" : fmt::format("indices[{}]", fmt::join(index, ", "));
}

std::optional<Refusal> broken(const Call& call, std::string_view rule) {
  return Refusal{.label = std::string(call.operation) + "." + std::string(rule), .place = {}};
}

bool is_outside(Int128 value, Int128 low, Int128 high) { return value < low || value >= high; }

// ---- ScatterUpdate-3

std::size_t axis_of(const Call& call) {
  const auto rank = static_cast<Int128>(call.operand("data").shape.size());
  const Int128 axis = integer_at(call.operand("axis"), 0);
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

// The first index, in row-major order, that is not in [low, high) of the axis it counts along.
template <class AxisOf>
std::optional<Refusal> first_wrong_index(const Call& call, const AxisOf& axis_of_index) {
  const Dense& data = call.operand("data");
  const Dense& indices = call.operand("indices");
  std::optional<Refusal> first;
  for_each_index(indices.shape, [&](const Position& index) {
    const Int128 size = data.shape[axis_of_index(index)];
    const Int128 low = call.operation == scatter_nd_update_15 ? -size : 0;
    const Int128 value = load_integer(indices.type.dtype, indices.at(index));
    if (first || !is_outside(value, low, size)) return;
    first = broken(call, "c4");
    first->place = place_of(index);
  });
  return first;
}

Shape scatter_update_shape(const Call& call) {
  const Shape& data = call.operand("data").shape;
  const std::size_t axis = axis_of(call);
  return joined(joined(slice_of(data, 0, axis), call.operand("indices").shape),
                slice_of(data, axis + 1, data.size()));
}

std::optional<Refusal> scatter_update_refusal(const Call& call) {
  const Dense& data = call.operand("data");
  const Dense& axis = call.operand("axis");
  const Dense& updates = call.operand("updates");
  const auto rank = static_cast<Int128>(data.shape.size());
  if (rank == 0) return broken(call, "c1");
  const bool is_one = axis.shape.empty() || axis.shape == Shape{1};
  if (!is_integer(axis.type.dtype) || !is_one) return broken(call, "c2");
  if (is_outside(integer_at(axis, 0), -rank, rank)) return broken(call, "c3");
  if (!is_integer(call.operand("indices").type.dtype)) return broken(call, "c5");
  if (updates.shape != scatter_update_shape(call)) return broken(call, "c6");
  if (!same_dtype(updates.type, data.type)) return broken(call, "c7");
  return first_wrong_index(call, [&](const Position&) { return axis_of(call); });
}

void apply_scatter_update(const Call& call, Result& result) {
  const Dense& indices = call.operand("indices");
  const Dense& updates = call.operand("updates");
  const Shape& shape = result.output.shape;
  const std::size_t axis = axis_of(call);
  std::set<std::int64_t> seen;
  for_each_index(indices.shape, [&](const Position& entry) {
    const auto to = static_cast<std::int64_t>(load_integer(indices.type.dtype, indices.at(entry)));
    if (!seen.insert(to).second) ++result.duplicates;
    for_each_index(slice_of(shape, 0, axis), [&](const Position& before) {
      for_each_index(slice_of(shape, axis + 1, shape.size()), [&](const Position& after) {
        const Position into = joined(joined(before, {to}), after);
        combine(result.output.type, Reduction::none, result.output.at(into),
                updates.at(joined(joined(before, entry), after)));
        result.written[row_major(shape, into)] = true;
      });
    });
  });
  result.index_entries = static_cast<std::int64_t>(indices.count());
}

// ---- ScatterNDUpdate-3 and ScatterNDUpdate-15

std::size_t depth_of(const Call& call) {
  return static_cast<std::size_t>(call.operand("indices").shape.back());
}

Shape entries_shape(const Call& call) {
  const Shape& indices = call.operand("indices").shape;
  return slice_of(indices, 0, indices.size() - 1);
}

Shape scatter_nd_shape(const Call& call) {
  const Shape& data = call.operand("data").shape;
  return joined(entries_shape(call), slice_of(data, depth_of(call), data.size()));
}

std::optional<Refusal> scatter_nd_refusal(const Call& call) {
  const Dense& data = call.operand("data");
  const Dense& indices = call.operand("indices");
  const Dense& updates = call.operand("updates");
  if (data.shape.empty()) return broken(call, "c1");
  if (indices.shape.empty()) return broken(call, "c2");
  if (depth_of(call) > data.shape.size()) return broken(call, "c3");
  if (!is_integer(indices.type.dtype)) return broken(call, "c5");
  const Shape expected = scatter_nd_shape(call);
  const bool is_single = expected.empty() && updates.count() == 1;
  if (updates.shape != expected && !is_single) return broken(call, "c6");
  if (!same_dtype(updates.type, data.type)) return broken(call, "c7");
  if (!is_defined(data.type.dtype, call.reduction)) return broken(call, "c8");
  return first_wrong_index(
      call, [](const Position& index) { return static_cast<std::size_t>(index.back()); });
}

Position destination_of(const Call& call, const Position& entry) {
  const Dense& indices = call.operand("indices");
  const Shape& data = call.operand("data").shape;
  Position destination;
  for (std::int64_t j = 0; j < indices.shape.back(); ++j) {
    const std::int64_t size = data[static_cast<std::size_t>(j)];
    const auto index =
        static_cast<std::int64_t>(load_integer(indices.type.dtype, indices.at(joined(entry, {j}))));
    destination.push_back(index < 0 ? index + size : index);
  }
  return destination;
}

void apply_scatter_nd(const Call& call, Result& result) {
  const Dense& updates = call.operand("updates");
  const Shape& shape = result.output.shape;
  const bool is_single = scatter_nd_shape(call).empty();
  std::set<Position> seen;
  for_each_index(entries_shape(call), [&](const Position& entry) {
    const Position destination = destination_of(call, entry);
    if (!seen.insert(destination).second) ++result.duplicates;
    for_each_index(slice_of(shape, depth_of(call), shape.size()), [&](const Position& inner) {
      const Position into = joined(destination, inner);
      const std::byte* update = is_single ? updates.element(0) : updates.at(joined(entry, inner));
      combine(result.output.type, call.reduction, result.output.at(into), update);
      result.written[row_major(shape, into)] = true;
    });
  });
  result.index_entries = product(entries_shape(call));
}

// ---- SliceScatter-15

std::vector<Int128> axes_of(const Call& call) {
  const auto axes = call.operands.find("axes");
  if (axes != call.operands.end()) return integers(axes->second);
  std::vector<Int128> first(call.operand("start").count());
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<Int128>(i);
  return first;
}

std::vector<std::vector<std::int64_t>> all_positions(const Call& call) {
  const Shape& shape = call.operand("data").shape;
  std::vector<std::vector<std::int64_t>> positions;
  for (const std::int64_t size : shape) positions.push_back(slice_positions(0, size, 1, size));
  const std::vector<Int128> axes = axes_of(call);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Int128 axis = axes[i] < 0 ? axes[i] + static_cast<Int128>(shape.size()) : axes[i];
    const auto at = static_cast<std::size_t>(axis);
    positions[at] =
        slice_positions(integer_at(call.operand("start"), i), integer_at(call.operand("stop"), i),
                        integer_at(call.operand("step"), i), shape[at]);
  }
  return positions;
}

Shape slice_shape(const Call& call) {
  Shape shape;
  for (const auto& positions : all_positions(call)) {
    shape.push_back(static_cast<std::int64_t>(positions.size()));
  }
  return shape;
}

std::optional<Refusal> lists_refusal(const Call& call) {
  for (const std::string_view name : {"start", "stop", "step", "axes"}) {
    const auto list = call.operands.find(name);
    if (list == call.operands.end()) continue;
    if (list->second.shape.size() != 1) return broken(call, "c2");
    if (!is_integer(list->second.type.dtype)) return broken(call, "c3");
    if (list->second.count() != call.operand("start").count()) return broken(call, "c4");
  }
  return std::nullopt;
}

std::optional<Refusal> axes_refusal(const Call& call) {
  const auto rank = static_cast<Int128>(call.operand("data").shape.size());
  std::set<Int128> seen;
  for (const Int128 axis : axes_of(call)) {
    if (is_outside(axis, -rank, rank)) return broken(call, "c6");
    if (!seen.insert(axis < 0 ? axis + rank : axis).second) return broken(call, "c7");
  }
  return std::nullopt;
}

std::optional<Refusal> slice_scatter_refusal(const Call& call) {
  const Dense& updates = call.operand("updates");
  if (call.operand("data").shape.empty()) return broken(call, "c1");
  if (const auto refusal = lists_refusal(call)) return refusal;
  if (std::ranges::count(integers(call.operand("step")), Int128{0}) > 0) return broken(call, "c5");
  if (const auto refusal = axes_refusal(call)) return refusal;
  if (updates.shape != slice_shape(call)) return broken(call, "c8");
  if (!same_dtype(updates.type, call.operand("data").type)) return broken(call, "c9");
  return std::nullopt;
}

void apply_slice_scatter(const Call& call, Result& result) {
  const Dense& updates = call.operand("updates");
  const auto positions = all_positions(call);
  for_each_index(updates.shape, [&](const Position& index) {
    Position into;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      into.push_back(positions[axis][static_cast<std::size_t>(index[axis])]);
    }
    combine(result.output.type, Reduction::none, result.output.at(into), updates.at(index));
    result.written[row_major(result.output.shape, into)] = true;
  });
}

}  // namespace

std::vector<std::int64_t> slice_positions(Int128 start, Int128 stop, Int128 step,
                                          std::int64_t size) {
  const Int128 lower = step < 0 ? -1 : 0;
  const Int128 upper = step < 0 ? size - 1 : size;
  const auto clamped = [&](Int128 value) {
    if (value < 0) return std::max(value + size, lower);
    return std::min(value, upper);
  };
  const Int128 end = clamped(stop);
  std::vector<std::int64_t> positions;
  for (Int128 at = clamped(start); step < 0 ? at > end : at < end; at += step) {
    positions.push_back(static_cast<std::int64_t>(at));
  }
  return positions;
}

std::int64_t Result::elements_written() const { return std::ranges::count(written, true); }

std::optional<Refusal> refusal_of(const Call& call) {
  if (call.operation == scatter_update_3) return scatter_update_refusal(call);
  if (call.operation == slice_scatter_15) return slice_scatter_refusal(call);
  return scatter_nd_refusal(call);
}

Shape updates_shape(const Call& call) {
  if (call.operation == scatter_update_3) return scatter_update_shape(call);
  if (call.operation == slice_scatter_15) return slice_shape(call);
  return scatter_nd_shape(call);
}

Result apply(const Call& call) {
  const Dense& data = call.operand("data");
  Result result{.output = data, .written = std::vector<bool>(data.count(), false)};
  if (call.operation == scatter_update_3) {
    apply_scatter_update(call, result);
  } else if (call.operation == slice_scatter_15) {
    apply_slice_scatter(call, result);
  } else {
    apply_scatter_nd(call, result);
  }
  return result;
}

std::optional<std::size_t> first_difference(const Result& result, Layout layout,
                                            const std::vector<std::byte>& actual) {
  const Dense& output = result.output;
  if (actual.size() != output.bytes.size()) return 0;
  const Dense back = loaded(output, layout, actual);
  for (std::size_t i = 0; i < output.count(); ++i) {
    const std::byte* expected = output.element(i);
    if (!std::equal(expected, expected + output.type.size, back.element(i))) return i;
  }
  return std::nullopt;
}

}  // namespace tscatter::oracle
