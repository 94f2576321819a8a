#include "tscatter/ops/forms/forms.hpp"

#include "tscatter/core/fail.hpp"
#include "tscatter/core/unreachable.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/unique.hpp"

namespace tscatter {
namespace {

void validate_form(const Operation& operation, const Arguments& arguments) {
  switch (operation.form) {
    case Form::rows: return forms::validate_rows(operation, arguments);
    case Form::nd: return forms::validate_nd(operation, arguments);
    case Form::elements: return forms::validate_elements(operation, arguments);
    case Form::slice: return forms::validate_slice(operation, arguments);
    case Form::batched_rows: return forms::validate_batched_rows(operation, arguments);
  }
  unreachable();
}

LoweredPlan lower_form(const Operation& operation, const Arguments& arguments,
                       const Parallelism& parallelism) {
  switch (operation.form) {
    case Form::rows: return forms::lower_rows(operation, arguments, parallelism);
    case Form::nd: return forms::lower_nd(operation, arguments, parallelism);
    case Form::elements: return forms::lower_elements(operation, arguments, parallelism);
    case Form::slice: return forms::lower_slice(operation, arguments);
    case Form::batched_rows: return forms::lower_batched_rows(operation, arguments, parallelism);
  }
  unreachable();
}

}  // namespace

void Operation::validate(const Arguments& arguments) const {
  validate_form(*this, arguments);
  require_data_dtype(rule_of(*this, Check::data_dtype), *this, arguments.operand("data"));
  require_reduction(rule_of(*this, Check::reduction_dtype), *this, arguments);
}

LoweredPlan Operation::lower(const Arguments& arguments, const Parallelism& parallelism) const {
  LoweredPlan lowered = lower_form(*this, arguments, parallelism);
  lowered.plan.reduction = reduction(arguments.attributes);
  lowered.plan.initial = initial_value(arguments.attributes);
  lowered.plan.accumulation = policies.accumulation;
  require_unique(*this, arguments, lowered);
  return lowered;
}

}  // namespace tscatter
