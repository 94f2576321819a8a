#include "tscatter/ops/forms/forms.hpp"

#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/number.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/views/converted_elements.hpp"

namespace tscatter {
namespace {

// The row as the call's attributes answer its policies.
Operation answered(const Operation& row, const Arguments& arguments) {
  Operation operation = row;
  operation.policies = row.policies_of_call(arguments.attributes);
  return operation;
}

// In data's dtype; nullopt: updates are taken as they are.
std::optional<Number> factor_of(const Operation& operation, const Arguments& arguments) {
  if (operation.find_attribute("alpha") == nullptr) return std::nullopt;
  const auto alpha = operation.attribute<Number>(arguments.attributes, "alpha");
  if (std::visit([](auto number) { return number == decltype(number){1}; }, alpha))
    return std::nullopt;
  const DType dtype = arguments.operand("data").type().dtype;
  const std::optional<Number> number = fitted(alpha, dtype);
  // operation.o7
  if (!number) {
    fail(ErrorKind::usage, "operation.o7", operation.id,
         "alpha must be a number that fits {}, got {}", info(dtype).name, to_string(alpha));
  }
  return number;
}

}  // namespace

Arguments prepared(const Operation& row, Arguments given, int threads) {
  Arguments arguments = with_base(row, std::move(given), threads);
  const Operation operation = answered(row, arguments);
  forms::require_operands_of_form(operation, arguments);
  forms::info(operation.form).prepare(operation, arguments);
  require_dtype_of_data(operation, arguments);
  require_data_dtype(operation, arguments.operand("data"));
  require_reduction(operation, arguments);
  if (arguments.is_prepared) return arguments;
  if (const std::optional<Number> factor = factor_of(operation, arguments)) {
    Tensor& updates = arguments.operands.find("updates")->second;
    arguments.unscaled = updates;
    updates = scaled(updates, *factor);
  }
  arguments.is_prepared = true;
  return arguments;
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

// REQUIRES: the operation is answered().
LoweredPlan lower_by(forms::Lower* lower, const Operation& operation, const Arguments& arguments,
                     const Lowering& lowering) {
  const InitialValue initial = fitted_initial(operation, arguments);
  LoweredPlan lowered = lower(operation, arguments, lowering);
  lowered.plan.reduction = operation.reduction(arguments.attributes);
  lowered.plan.initial = initial;
  lowered.plan.accumulation = operation.policies.accumulation;
  lowered.plan.mean = operation.policies.mean;
  require_unique(operation, arguments, lowered, lowering.parallelism.stop);
  return lowered;
}

}  // namespace

LoweredPlan Operation::lower(const Arguments& arguments, const Lowering& lowering) const {
  return lower_by(forms::info(form).lower, answered(*this, arguments), arguments, lowering);
}

LoweredPlan Operation::lower_for_run(const Arguments& arguments, const Lowering& lowering) const {
  const forms::FormInfo& row = forms::info(form);
  const Operation operation = answered(*this, arguments);
  Lowering for_run = lowering;
  for_run.needs_list = operation.policies.duplicates == DuplicatePolicy::forbidden;
  return lower_by(row.lower_for_run == nullptr ? row.lower : row.lower_for_run, operation,
                  arguments, for_run);
}

}  // namespace tscatter
