#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"

namespace tscatter::forms {
namespace {

constexpr std::size_t data_rank = 3;
constexpr std::size_t indices_rank = 2;

void require_rank(RuleOf rule, std::string_view operand, const Tensor& tensor, std::size_t rank) {
  if (tensor.rank() != rank) {
    fail(ErrorKind::rule, rule.label, rule.operation, "{} must have rank {}, got rank {}", operand,
         rank, tensor.rank());
  }
}

void require_batches(RuleOf rule, const Tensor& indices, const Tensor& data) {
  if (indices.shape().front() != data.shape().front()) {
    fail(ErrorKind::rule, rule.label, rule.operation,
         "the size of indices along axis 0 must be {}, that of data, got {}", data.shape().front(),
         indices.shape().front());
  }
}

}  // namespace

Shape updates_of_batched_rows(const Operation&, const Arguments& arguments) {
  const Shape& indices = arguments.operand("indices").shape();
  return {indices[0], indices[1], arguments.operand("data").shape()[2]};
}

void prepare_batched_rows(const Operation& operation, Arguments& arguments) {
  const Tensor& data = arguments.operand("data");
  const Tensor& indices = arguments.operand("indices");
  const Tensor& updates = arguments.operand("updates");
  require_rank(rule_of(operation, Check::data_rank), "data", data, data_rank);
  require_rank(rule_of(operation, Check::indices_rank), "indices", indices, indices_rank);
  require_index_dtype(rule_of(operation, Check::indices_dtype), operation, indices);
  require_batches(rule_of(operation, Check::indices_shape), indices, data);
  require_shape(rule_of(operation, Check::updates_shape), "updates", updates,
                updates_of_batched_rows(operation, arguments), "indices.shape + data.shape[2:]");
  require_dtype_of_data(operation, arguments);
}

// An entry goes where it stands in indices along axis 0, as in the form elements.
LoweredPlan lower_batched_rows(const Operation& operation, const Arguments& arguments,
                               const Lowering& lowering) {
  return lower_entries(
      operation, arguments,
      {.named = {.first = 0, .depth = indices_rank, .shape = arguments.operand("indices").shape()},
       .along = 1},
      lowering);
}

}  // namespace tscatter::forms
