#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/updates_shape.hpp"

namespace tscatter::forms {

Shape updates_of_flat(const Operation&, const Arguments& arguments) {
  return arguments.operand("indices").shape();
}

void prepare_flat(const Operation& operation, Arguments& arguments) {
  require_data_rank(operation, arguments);
  require_index_dtype(rule_of(operation, Check::indices_dtype), operation,
                      arguments.operand("indices"));
  const std::string called(operation.called("indices"));
  arguments.index = {{OperandItem{"indices"}, called}};
  fit_updates(operation, arguments,
              {.shape = updates_of_flat(operation, arguments), .formula = called});
  require_dtype_of_data(operation, arguments);
}

}  // namespace tscatter::forms
