#include <algorithm>
#include <vector>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"

namespace tscatter::forms {
namespace {

// The places of two axes on a diagonal: (row + i, column + i).
struct Diagonal {
  std::size_t dim1;
  std::size_t dim2;
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t count = 0;

  bool has(std::size_t axis) const { return axis == dim1 || axis == dim2; }
};

std::size_t axis_named(const Operation& operation, const Arguments& arguments,
                       std::string_view name) {
  const auto axis = operation.attribute<std::int64_t>(arguments.attributes, name);
  const std::size_t rank = arguments.operand("data").rank();
  const std::optional<std::size_t> normalized = normalize_axis(axis, rank);
  if (!normalized) {
    refuse(operation, Check::axis_range, "{0} must be in [-{1}, {1}) for {2} of rank {1}, got {3}",
           operation.called(name), rank, operation.called("data"), axis);
  }
  return *normalized;
}

Diagonal diagonal_of(const Operation& operation, const Arguments& arguments) {
  Diagonal made{.dim1 = axis_named(operation, arguments, "dim1"),
                .dim2 = axis_named(operation, arguments, "dim2")};
  if (made.dim1 == made.dim2) {
    refuse(operation, Check::axes_distinct, "dim1 and dim2 must be different axes, got {} for both",
           made.dim1);
  }
  const Shape& data = arguments.operand("data").shape();
  const std::int64_t rows = data[made.dim1];
  const std::int64_t columns = data[made.dim2];
  const auto offset =
      std::clamp(operation.attribute<std::int64_t>(arguments.attributes, "offset"), -rows, columns);
  made.row = std::max<std::int64_t>(-offset, 0);
  made.column = std::max<std::int64_t>(offset, 0);
  made.count = std::min(rows - made.row, columns - made.column);
  return made;
}

}  // namespace

Shape updates_of_diagonal(const Operation& operation, const Arguments& arguments) {
  const Diagonal diagonal = diagonal_of(operation, arguments);
  const Shape& data = arguments.operand("data").shape();
  Shape shape;
  for (std::size_t axis = 0; axis < data.size(); ++axis) {
    if (!diagonal.has(axis)) shape.push_back(data[axis]);
  }
  shape.push_back(diagonal.count);
  return shape;
}

void prepare_diagonal(const Operation& operation, Arguments& arguments) {
  require_data_rank(operation, arguments);
  fit_updates(operation, arguments,
              {.shape = updates_of_diagonal(operation, arguments),
               .formula = "the other axes, then the diagonal"});
}

LoweredPlan lower_diagonal(const Operation& operation, const Arguments& arguments,
                           const Lowering&) {
  const Diagonal diagonal = diagonal_of(operation, arguments);
  const TensorHeader& data = arguments.operand("data").header();
  const TensorHeader& updates = arguments.operand("updates").header();
  const std::vector<std::int64_t> output = strides_of(data.shape, data.order);
  const std::vector<std::int64_t> along = strides_of(updates.shape, updates.order);
  std::vector<LatticeWrites::Axis> axes;
  for (std::size_t axis = 0; axis < data.rank(); ++axis) {
    if (diagonal.has(axis)) continue;
    axes.push_back({.count = data.shape[axis],
                    .output_stride = output[axis],
                    .updates_stride = along[axes.size()]});
  }
  axes.push_back({.count = diagonal.count,
                  .output_stride = output[diagonal.dim1] + output[diagonal.dim2],
                  .updates_stride = along.back()});
  // In the order of data's file.
  std::ranges::stable_sort(axes, std::ranges::greater(), &LatticeWrites::Axis::output_stride);
  LatticeBuilder lattice;
  if (diagonal.count > 0) {
    lattice.shift_output(diagonal.row * output[diagonal.dim1] +
                         diagonal.column * output[diagonal.dim2]);
  }
  for (const LatticeWrites::Axis& axis : axes) lattice.append(axis);
  return {.plan = {.writes = lattice.build()}};
}

}  // namespace tscatter::forms
