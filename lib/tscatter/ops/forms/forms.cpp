#include "tscatter/ops/forms/forms.hpp"

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/form_operands.hpp"
#include "tscatter/ops/unique.hpp"

namespace tscatter {

void Operation::validate(const Arguments& arguments) const {
  forms::require_operands_of_form(*this, arguments);
  forms::info(form).validate(*this, arguments);
  require_data_dtype(rule_of(*this, Check::data_dtype), *this, arguments.operand("data"));
  require_reduction(rule_of(*this, Check::reduction_dtype), *this, arguments);
}

LoweredPlan Operation::lower(const Arguments& arguments, const Parallelism& parallelism) const {
  LoweredPlan lowered = forms::info(form).lower(*this, arguments, parallelism);
  lowered.plan.reduction = reduction(arguments.attributes);
  lowered.plan.initial = initial_value(arguments.attributes);
  lowered.plan.accumulation = policies.accumulation;
  require_unique(*this, arguments, lowered);
  return lowered;
}

}  // namespace tscatter
