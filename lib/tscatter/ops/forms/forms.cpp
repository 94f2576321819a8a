#include "tscatter/ops/forms/forms.hpp"

#include "tscatter/core/fail.hpp"
#include "tscatter/core/number.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/unique.hpp"

namespace tscatter {

Arguments prepared(const Operation& operation, Arguments arguments) {
  check_arguments(operation, arguments);
  const auto prepare = forms::info(operation.form).prepare;
  if (prepare != nullptr) arguments = prepare(operation, std::move(arguments));
  operation.validate(arguments);
  return arguments;
}

void Operation::validate(const Arguments& arguments) const {
  forms::require_operands_of_form(*this, arguments);
  forms::info(form).validate(*this, arguments);
  require_data_dtype(rule_of(*this, Check::data_dtype), *this, arguments.operand("data"));
  require_reduction(rule_of(*this, Check::reduction_dtype), *this, arguments);
}

namespace {

// In data's dtype.
InitialValue fitted_initial(const Operation& operation, const Arguments& arguments) {
  const InitialValue initial = operation.initial_value(arguments.attributes);
  const Tensor& data = arguments.operand("data");
  const bool is_used = initial.kind == InitialValue::Kind::number &&
                       operation.reduction(arguments.attributes) != Reduction::none;
  if (!is_used) return initial;
  const std::optional<Number> number = fitted(initial.number, data.type().dtype);
  // operation.o7
  if (!number) {
    fail(ErrorKind::usage, "operation.o7", operation.id,
         "self must be a number that fits {}, got {}", info(data.type().dtype).name,
         to_string(initial.number));
  }
  return {.kind = InitialValue::Kind::number, .number = *number};
}

using Lower = LoweredPlan (*)(const Operation&, const Arguments&, const Parallelism&);

LoweredPlan lower_by(Lower lower, const Operation& operation, const Arguments& arguments,
                     const Parallelism& parallelism) {
  const InitialValue initial = fitted_initial(operation, arguments);
  LoweredPlan lowered = lower(operation, arguments, parallelism);
  lowered.plan.reduction = operation.reduction(arguments.attributes);
  lowered.plan.initial = initial;
  lowered.plan.accumulation = operation.policies.accumulation;
  require_unique(operation, arguments, lowered, parallelism.stop);
  return lowered;
}

}  // namespace

LoweredPlan Operation::lower(const Arguments& arguments, const Parallelism& parallelism) const {
  return lower_by(forms::info(form).lower, *this, arguments, parallelism);
}

LoweredPlan Operation::lower_for_run(const Arguments& arguments,
                                     const Parallelism& parallelism) const {
  const forms::FormInfo& row = forms::info(form);
  return lower_by(row.lower_for_run == nullptr ? row.lower : row.lower_for_run, *this, arguments,
                  parallelism);
}

}  // namespace tscatter
