#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"

namespace tscatter::forms {
namespace {

constexpr std::size_t data_rank = 3;
constexpr std::size_t indices_rank = 2;

void require_batches(const Operation& operation, const Tensor& indices, const Tensor& data) {
  if (indices.shape().front() != data.shape().front()) {
    refuse(operation, Check::indices_shape,
           "the size of indices along axis 0 must be {}, that of data, got {}",
           data.shape().front(), indices.shape().front());
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
  require_rank(operation, Check::data_rank, "data", data, data_rank);
  require_rank(operation, Check::indices_rank, "indices", indices, indices_rank);
  require_index_dtype(operation, indices);
  require_batches(operation, indices, data);
  fit_updates(operation, arguments,
              {.shape = updates_of_batched_rows(operation, arguments),
               .formula = "indices.shape + data.shape[2:]"});
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
