#include <fmt/format.h>

#include <array>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::forms {
namespace {

void require_rank_of_data(const Operation& operation, const Tensor& indices, const Tensor& data) {
  if (indices.rank() != data.rank()) {
    refuse(operation, Check::indices_rank, "{} must have rank {}, the rank of {}, got rank {}",
           operation.called("indices"), data.rank(), operation.called("data"), indices.rank());
  }
}

// The shape of indices, broadcast off the axis where the operation does so.
Shape shape_of_entries(const Operation& operation, const Arguments& arguments) {
  const Shape& indices = arguments.operand("indices").shape();
  if (!operation.broadcasts_indices) return indices;
  Shape shape = arguments.operand("data").shape();
  const std::size_t axis = axis_of(operation, arguments);
  shape[axis] = indices[axis];
  return shape;
}

void broadcast_indices(const Operation& operation, Arguments& arguments) {
  Tensor& indices = arguments.operands.find("indices")->second;
  const Shape shape = shape_of_entries(operation, arguments);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t size = indices.shape()[axis];
    if (size == 1 || size == shape[axis]) continue;
    refuse(operation, Check::indices_shape,
           "the size of {} along axis {} must be 1 or {}, that of {}, got {}",
           operation.called("indices"), axis, shape[axis], operation.called("data"), size);
  }
  indices = broadcast_to(indices, shape);
}

// Where the operation has a rule for it.
void require_size_within_data(const Operation& operation, Check check, const Arguments& arguments,
                              std::size_t axis) {
  const std::int64_t data = arguments.operand("data").shape()[axis];
  const std::int64_t indices = arguments.operand("indices").shape()[axis];
  if (operation.label(check).empty() || indices <= data) return;
  refuse(operation, check, "the size of {} along axis {} must be at most {}, that of {}, got {}",
         operation.called("indices"), axis, data, operation.called("data"), indices);
}

void require_sizes_within_data(const Operation& operation, const Arguments& arguments) {
  const std::size_t indexed = axis_of(operation, arguments);
  for (std::size_t axis = 0; axis < arguments.operand("data").rank(); ++axis) {
    if (axis == indexed)
      require_size_within_data(operation, Check::indices_length, arguments, axis);
    else
      require_size_within_data(operation, Check::indices_shape, arguments, axis);
  }
}

// Indices without elements, of any shape and dtype, are no entries; of data of rank 1 one index may
// have rank 0, and one update, too.
void take_any_index(Arguments& arguments) {
  Tensor& indices = arguments.operands.find("indices")->second;
  Tensor& updates = arguments.operands.find("updates")->second;
  if (arguments.operand("data").rank() == 1 && indices.rank() == 0) {
    indices = reshaped(indices, {1});
    if (updates.rank() == 0) updates = reshaped(updates, {1});
  }
  if (indices.count() > 0) return;
  const Shape none(arguments.operand("data").rank(), 0);
  indices = Tensor({.type = ElementType::of(DType::int64), .shape = none},
                   std::span<const std::byte>(), indices.name());
  updates =
      Tensor({.type = updates.type(), .shape = none}, std::span<const std::byte>(), updates.name());
}

}  // namespace

Shape updates_of_elements(const Operation& operation, const Arguments& arguments) {
  return shape_of_entries(operation, arguments);
}

void prepare_elements(const Operation& operation, Arguments& arguments) {
  require_data_rank(operation, arguments);
  if (operation.takes_any_index) take_any_index(arguments);
  const Tensor& data = arguments.operand("data");
  const Tensor& indices = arguments.operand("indices");
  require_rank_of_data(operation, indices, data);
  require_axis(operation, arguments);
  require_index_dtype(operation, indices);
  if (operation.broadcasts_indices)
    broadcast_indices(operation, arguments);
  else
    require_sizes_within_data(operation, arguments);
  fit_updates(
      operation, arguments,
      {.shape = indices.shape(),
       .formula = fmt::format("the shape of {}{}", operation.called("indices"),
                              operation.broadcasts_indices ? " broadcast off the axis" : "")});
}

LoweredPlan lower_elements(const Operation& operation, const Arguments& arguments,
                           const Lowering& lowering) {
  const Shape& indices = arguments.operand("indices").shape();
  return lower_entries(operation, arguments,
                       {.named = {.first = 0, .depth = indices.size(), .shape = indices},
                        .along = axis_of(operation, arguments)},
                       lowering);
}

LoweredPlan lower_elements_indexed(const Operation& operation, const Arguments& arguments,
                                   const Lowering& lowering) {
  auto indexed = lower_indexed(operation, arguments, axis_of(operation, arguments), lowering);
  return indexed ? *std::move(indexed) : lower_elements(operation, arguments, lowering);
}

namespace {

// Without values to repeat, nothing is written to places that data has, and no index is read.
void take_no_values(const Operation& operation, Arguments& arguments) {
  const bool has_values =
      operation.updates_shape != UpdatesShape::repeat || arguments.operand("updates").count() > 0;
  if (has_values || arguments.operand("data").count() == 0) return;
  Tensor& indices = arguments.operands.find("indices")->second;
  indices = strided_view(indices, 0, std::array{ViewAxis{.count = 0, .stride = 1}}, indices.name());
}

}  // namespace

Shape updates_of_flat(const Operation&, const Arguments& arguments) {
  return arguments.operand("indices").shape();
}

void prepare_flat(const Operation& operation, Arguments& arguments) {
  require_data_rank(operation, arguments);
  require_index_dtype(operation, arguments.operand("indices"));
  take_no_values(operation, arguments);
  const std::string called(operation.called("indices"));
  arguments.index = {{OperandItem{"indices"}, called}};
  fit_updates(operation, arguments,
              {.shape = updates_of_flat(operation, arguments), .formula = called});
}

}  // namespace tscatter::forms
