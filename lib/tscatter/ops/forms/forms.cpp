#include "tscatter/ops/forms/forms.hpp"

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/unique.hpp"

namespace tscatter {
namespace {

LoweredPlan finished(const Operation& operation, const Arguments& arguments, LoweredPlan lowered) {
  lowered.plan.reduction = operation.reduction(arguments.attributes);
  lowered.plan.initial = operation.initial_value(arguments.attributes);
  lowered.plan.accumulation = operation.policies.accumulation;
  require_unique(operation, arguments, lowered);
  return lowered;
}

}  // namespace

void Operation::validate(const Arguments& arguments) const {
  forms::info(form).validate(*this, arguments);
  require_data_dtype(rule_of(*this, Check::data_dtype), *this, arguments.operand("data"));
  require_reduction(rule_of(*this, Check::reduction_dtype), *this, arguments);
}

LoweredPlan Operation::lower(const Arguments& arguments, const Parallelism& parallelism) const {
  return finished(*this, arguments, forms::info(form).lower(*this, arguments, parallelism));
}

LoweredPlan Operation::lower_for_run(const Arguments& arguments,
                                     const Parallelism& parallelism) const {
  const auto lower_form = forms::info(form).lower_for_run;
  if (lower_form == nullptr) return lower(arguments, parallelism);
  return finished(*this, arguments, lower_form(*this, arguments, parallelism));
}

}  // namespace tscatter
