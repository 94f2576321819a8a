#include <array>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::forms {
namespace {

// Without values to repeat, nothing is written to places that data has, and no index is read.
void take_no_values(const Operation& operation, Arguments& arguments) {
  const bool has_values =
      operation.updates_shape != UpdatesShape::repeat || arguments.operand("updates").count() > 0;
  if (has_values || arguments.operand("data").count() == 0) return;
  Tensor& indices = arguments.operands.find("indices")->second;
  indices = strided_view(indices, 0, std::array{ViewAxis{.count = 0, .stride = 1}}, indices.name());
}

}  // namespace

Shape updates_of_flat(const Operation&, const Arguments& arguments) {
  return arguments.operand("indices").shape();
}

void prepare_flat(const Operation& operation, Arguments& arguments) {
  require_data_rank(operation, arguments);
  require_index_dtype(operation, arguments.operand("indices"));
  take_no_values(operation, arguments);
  const std::string called(operation.called("indices"));
  arguments.index = {{OperandItem{"indices"}, called}};
  fit_updates(operation, arguments,
              {.shape = updates_of_flat(operation, arguments), .formula = called});
}

}  // namespace tscatter::forms
