#include "tscatter/ops/scatter_update_3.hpp"

#include <array>

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"

namespace tscatter {
namespace {

constexpr std::string_view id = "scatter_update_3";

constexpr std::array operands{
    OperandInfo{"data", 'd', OperandRole::data, Presence::required,
                "the tensor that is updated, of rank 1 or more"},
    OperandInfo{"indices", 'i', OperandRole::integers, Presence::required,
                "positions along the axis, of any rank"},
    OperandInfo{"updates", 'u', OperandRole::updates, Presence::required,
                "data.shape[:axis] + indices.shape + data.shape[axis+1:]"},
    OperandInfo{"axis", 'a', OperandRole::integers, Presence::required,
                "an integer, or a tensor of rank 0 or shape [1], in [-r, r)"},
};

constexpr std::array rules{
    Rule{"scatter_update_3.c1", "data has rank r >= 1"},
    Rule{"scatter_update_3.c2", "axis is of an integer dtype and has rank 0 or shape [1]"},
    Rule{"scatter_update_3.c3", "axis is in [-r, r), where r is the rank of data"},
    Rule{"scatter_update_3.c4", "each index is in [0, s), where s is the size of data along axis"},
    Rule{"scatter_update_3.c5", "indices are of an integer dtype"},
    Rule{"scatter_update_3.c6",
         "updates has shape data.shape[:axis] + indices.shape + data.shape[axis+1:]"},
    Rule{"scatter_update_3.c7", "updates has the dtype of data"},
};

constexpr std::array<std::string_view, 2> examples{
    "tscatter ScatterUpdate-3 -d data.npy -i indices.npy -u updates.npy -a 1 -o out.npy",
    "tscatter ScatterUpdate-3 -d 4xf32=0 -i '[1, 3]' -u '[10, 30]' -a 0",
};

// REQUIRES: c2 and c3 hold.
std::size_t axis_of(const Arguments& arguments) {
  return *normalize_axis(read_integers(arguments.operand("axis")).front(),
                         arguments.operand("data").rank());
}

void require_axis(const Tensor& axis, std::size_t rank) {
  // scatter_update_3.c2
  const bool is_scalar = axis.rank() == 0 || axis.shape() == Shape{1};
  if (!is_integer(axis.type().dtype) || !is_scalar) {
    fail(ErrorKind::rule, "scatter_update_3.c2", id,
         "axis must be an integer of rank 0 or shape [1], got {} of shape {}",
         to_string(axis.type()), to_string(axis.shape()));
  }
  // scatter_update_3.c3
  if (!normalize_axis(read_integers(axis).front(), rank)) {
    fail(ErrorKind::rule, "scatter_update_3.c3", id,
         "axis must be in [-{0}, {0}) for data of rank {0}, got {1}", rank, integer_text(axis, 0));
  }
}

Shape updates_shape(const Shape& data, const Shape& indices, std::size_t axis) {
  const auto at = static_cast<std::ptrdiff_t>(axis);
  Shape shape(data.begin(), data.begin() + at);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + at + 1, data.end());
  return shape;
}

void validate(const Arguments& arguments) {
  const Tensor& data = arguments.operand("data");
  const Tensor& indices = arguments.operand("indices");
  const Tensor& updates = arguments.operand("updates");
  // scatter_update_3.c1
  require_rank_at_least_1({id, "scatter_update_3.c1"}, "data", data);
  require_axis(arguments.operand("axis"), data.rank());
  // scatter_update_3.c5
  require_integers({id, "scatter_update_3.c5"}, "indices", indices);
  // scatter_update_3.c6
  require_shape({id, "scatter_update_3.c6"}, "updates", updates,
                updates_shape(data.shape(), indices.shape(), axis_of(arguments)),
                "data.shape[:axis] + indices.shape + data.shape[axis+1:]");
  // scatter_update_3.c7
  require_dtype_of_data({id, "scatter_update_3.c7"}, updates, data);
}

TensorHeader infer_output(const Arguments& arguments) { return arguments.operand("data").header(); }

LoweredPlan lower(const Arguments& arguments, const Parallelism& parallelism) {
  const Tensor& data = arguments.operand("data");
  const Tensor& indices = arguments.operand("indices");
  const Tensor& updates = arguments.operand("updates");
  const std::size_t axis = axis_of(arguments);
  ListedWrites writes = listed_writes(data.header(), axis, 1, updates.header(), indices.rank());
  // scatter_update_3.c4
  writes.slot_of_entry =
      read_slots({id, "scatter_update_3.c4"}, data, indices,
                 {.first = axis, .depth = 1, .entries = indices.count()}, parallelism);
  return {.plan = {.reduction = Reduction::none, .writes = std::move(writes)},
          .index_entries = indices.count(),
          .entries = {.first = axis, .depth = 1, .shape = indices.shape()}};
}

}  // namespace

const Operation scatter_update_3_operation{
    .name = "ScatterUpdate-3",
    .id = id,
    .summary = "write updates to the places of one axis that indices names",
    .operands = operands,
    .attributes = {},
    .rules = rules,
    .examples = examples,
    .validate = validate,
    .infer_output = infer_output,
    .lower = lower,
};

}  // namespace tscatter
