#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/axis_operand.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"

namespace tscatter::forms {

Shape updates_of_rows(const Operation& operation, const Arguments& arguments) {
  const Shape& data = arguments.operand("data").shape();
  const Shape& indices = arguments.operand("indices").shape();
  const auto at = static_cast<std::ptrdiff_t>(axis_of(operation, arguments));
  Shape shape(data.begin(), data.begin() + at);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + at + 1, data.end());
  return shape;
}

void validate_rows(const Operation& operation, const Arguments& arguments) {
  const Tensor& data = arguments.operand("data");
  const Tensor& indices = arguments.operand("indices");
  const Tensor& updates = arguments.operand("updates");
  require_rank_at_least_1(rule_of(operation, Check::data_rank), "data", data);
  require_axis(operation, arguments);
  require_index_dtype(rule_of(operation, Check::indices_dtype), operation, indices);
  require_shape(rule_of(operation, Check::updates_shape), "updates", updates,
                updates_of_rows(operation, arguments),
                "data.shape[:axis] + indices.shape + data.shape[axis+1:]");
  require_dtype_of_data(rule_of(operation, Check::updates_dtype), updates, data);
}

LoweredPlan lower_rows(const Operation& operation, const Arguments& arguments,
                       const Parallelism& parallelism) {
  return lower_entries(operation, arguments,
                       {.named = {.first = axis_of(operation, arguments),
                                  .depth = 1,
                                  .shape = arguments.operand("indices").shape()}},
                       parallelism);
}

}  // namespace tscatter::forms
