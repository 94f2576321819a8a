#include "explain/naive_writes.hpp"

namespace tscatter::oracle {
namespace {

std::int64_t integer(const Dense& dense, std::size_t i) {
  return static_cast<std::int64_t>(load_integer(dense.type.dtype, dense.element(i)));
}

Shape part(const Shape& shape, std::size_t begin, std::size_t end) {
  const auto first = shape.begin();
  return {first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)};
}

Position joined(Position a, const Position& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void scatter_update(const Call& call, Writes& writes) {
  const Dense& data = call.operand("data");
  const Dense& indices = call.operand("indices");
  const std::int64_t given = integer(call.operand("axis"), 0);
  const auto axis = static_cast<std::size_t>(
      given < 0 ? given + static_cast<std::int64_t>(data.shape.size()) : given);
  writes.first_axis = axis;
  for_each_index(indices.shape, [&](const Position& entry) {
    const std::int64_t to = integer(indices, row_major(indices.shape, entry));
    writes.entries.push_back({entry, {to}});
    for_each_index(part(data.shape, 0, axis), [&](const Position& before) {
      for_each_index(part(data.shape, axis + 1, data.shape.size()), [&](const Position& after) {
        const Position into = joined(joined(before, {to}), after);
        writes.of_element[row_major(data.shape, into)].push_back(
            {entry, joined(joined(before, entry), after)});
      });
    });
  });
}

void scatter_nd(const Call& call, Writes& writes) {
  const Dense& data = call.operand("data");
  const Dense& indices = call.operand("indices");
  const Dense& updates = call.operand("updates");
  const auto depth = static_cast<std::size_t>(indices.shape.back());
  const Shape inner_shape = part(data.shape, depth, data.shape.size());
  for_each_index(part(indices.shape, 0, indices.shape.size() - 1), [&](const Position& entry) {
    Position to;
    for (std::size_t j = 0; j < depth; ++j) {
      const Position at = joined(entry, {static_cast<std::int64_t>(j)});
      const std::int64_t index = integer(indices, row_major(indices.shape, at));
      to.push_back(index < 0 ? index + data.shape[j] : index);
    }
    writes.entries.push_back({entry, to});
    for_each_index(inner_shape, [&](const Position& inner) {
      // One element of another rank: its only position.
      const bool is_single = updates.shape.size() != entry.size() + inner.size();
      const Position update = is_single ? Position(updates.shape.size(), 0) : joined(entry, inner);
      writes.of_element[row_major(data.shape, joined(to, inner))].push_back({entry, update});
    });
  });
}

void slice_scatter(const Call& call, Writes& writes) {
  const Dense& data = call.operand("data");
  const Dense& start = call.operand("start");
  std::vector<std::vector<std::int64_t>> positions;
  for (const std::int64_t size : data.shape) positions.push_back(slice_positions(0, size, 1, size));
  for (std::size_t i = 0; i < start.count(); ++i) {
    const auto axes = call.operands.find("axes");
    std::int64_t axis =
        axes == call.operands.end() ? static_cast<std::int64_t>(i) : integer(axes->second, i);
    if (axis < 0) axis += static_cast<std::int64_t>(data.shape.size());
    const auto at = static_cast<std::size_t>(axis);
    const auto wide = [&](const char* name) {
      const Dense& list = call.operand(name);
      return load_integer(list.type.dtype, list.element(i));
    };
    positions[at] = slice_positions(wide("start"), wide("stop"), wide("step"), data.shape[at]);
  }
  for_each_index(call.operand("updates").shape, [&](const Position& update) {
    Position into;
    for (std::size_t axis = 0; axis < update.size(); ++axis)
      into.push_back(positions[axis][static_cast<std::size_t>(update[axis])]);
    writes.of_element[row_major(data.shape, into)].push_back({std::nullopt, update});
  });
}

}  // namespace

Writes writes_of(const Call& call) {
  Writes writes;
  writes.of_element.resize(call.operand("data").count());
  if (call.operation == "scatter_update_3") {
    scatter_update(call, writes);
  } else if (call.operation == "slice_scatter_15") {
    slice_scatter(call, writes);
  } else {
    scatter_nd(call, writes);
  }
  return writes;
}

}  // namespace tscatter::oracle
