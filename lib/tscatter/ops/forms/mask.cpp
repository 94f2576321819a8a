#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/resolved_index.hpp"
#include "tscatter/ops/forms/updates_shape.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::forms {
namespace {

void require_bools(const Operation& operation, const Tensor& mask) {
  if (mask.type().dtype == DType::boolean) return;
  const RuleOf rule = rule_of(operation, Check::indices_dtype);
  fail(ErrorKind::rule, rule.label, rule.operation, "mask must be of dtype bool{}, got {}",
       is_integer(mask.type().dtype) ? " (tscatter convert IN OUT --to bool)" : "",
       to_string(mask.type()));
}

// Makes the mask an index of data.
void take_mask(const Operation& operation, Arguments& arguments) {
  Tensor& mask = arguments.operands.find("mask")->second;
  const Shape& data = arguments.operand("data").shape();
  require_bools(operation, mask);
  if (!broadcasts_to(mask.shape(), data)) {
    const RuleOf rule = rule_of(operation, Check::indices_shape);
    fail(ErrorKind::rule, rule.label, rule.operation,
         "mask must broadcast to {}, the shape of {}, got {}", to_string(data),
         operation.called("data"), to_string(mask.shape()));
  }
  mask = broadcast_to(mask, data);
  arguments.index = {{OperandItem{"mask"}, "mask"}};
}

}  // namespace

Shape updates_of_mask(const Operation& operation, const Arguments& arguments) {
  Arguments with_index = arguments;
  take_mask(operation, with_index);
  return resolve_index(operation, with_index).result;
}

void prepare_mask(const Operation& operation, Arguments& arguments) {
  require_data_rank(operation, arguments);
  take_mask(operation, arguments);
  fit_updates(operation, arguments,
              {.shape = resolve_index(operation, arguments).result,
               .formula = "mask has places that are true"});
  require_dtype_of_data(operation, arguments);
}

}  // namespace tscatter::forms
