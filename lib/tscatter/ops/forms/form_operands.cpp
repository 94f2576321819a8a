#include "tscatter/core/unreachable.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::forms {
namespace {

// Whether the form has the operand, which is not required of every call.
bool has_operand(Form form, std::string_view operand) {
  switch (form) {
    case Form::rows:
    case Form::elements: return operand == "axis";
    case Form::window: return operand != "axis";
    case Form::nd:
    case Form::start:
    case Form::slice:
    case Form::batched_rows:
    case Form::index:
    case Form::flat:
    case Form::mask:
    case Form::section:
    case Form::diagonal:
    case Form::segment:
    case Form::block: return false;
  }
  unreachable();
}

std::string_view word_of_form(const Operation& operation) {
  const PolicyInfo& policy = info(Policy::form);
  return policy.words[policy.word(operation)].word;
}

}  // namespace

void require_operands_of_form(const Operation& operation, const Arguments& arguments) {
  if (!operation.unanswered.contains(Policy::form)) return;
  for (const OperandInfo& operand : operation.operands) {
    if (operand.presence == Presence::required) continue;
    const bool is_given = arguments.find(operand.name) != nullptr;
    const bool is_wanted = has_operand(operation.form, operand.name);
    // operation.o1
    if (is_wanted && !is_given) {
      fail(ErrorKind::usage, "operation.o1", operation.id, "{} is missing", operand.name);
    }
    // operation.o2
    if (is_given && !is_wanted) {
      fail(ErrorKind::usage, "operation.o2", operation.id,
           "{} must be left out: the form {} has none", operand.name, word_of_form(operation));
    }
  }
}

}  // namespace tscatter::forms
