#include <fmt/format.h>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::forms {

namespace {

// Of a vector of indices, which may be a single one.
void take_vector(const Operation& operation, Arguments& arguments) {
  Tensor& indices = arguments.operands.find("indices")->second;
  if (indices.rank() == 0) indices = reshaped(indices, {1});
  if (indices.rank() == 1) return;
  refuse(operation, Check::indices_rank, "{} must have rank 1 or 0, got rank {}",
         operation.called("indices"), indices.rank());
}

}  // namespace

Shape updates_of_rows(const Operation& operation, const Arguments& arguments) {
  const Shape& data = arguments.operand("data").shape();
  Shape indices = arguments.operand("indices").shape();
  if (operation.index_rank == IndexRank::vector && indices.empty()) indices = {1};
  const auto at = static_cast<std::ptrdiff_t>(axis_of(operation, arguments));
  Shape shape(data.begin(), data.begin() + at);
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), data.begin() + at + 1, data.end());
  return shape;
}

namespace {

std::string formula_of(const Operation& operation, const Arguments& arguments) {
  const std::string_view data = operation.called("data");
  const std::string_view axis = operation.called("axis");
  const std::string_view indices = operation.called("indices");
  if (operation.index_rank == IndexRank::vector) {
    return fmt::format("{}.shape, but {} along {}: one for each {}", data,
                       arguments.operand("indices").count(), axis, indices);
  }
  return fmt::format("{0}.shape[:{1}] + {2}.shape + {0}.shape[{1}+1:]", data, axis, indices);
}

}  // namespace

void prepare_rows(const Operation& operation, Arguments& arguments) {
  require_data_rank(operation, arguments);
  require_axis(operation, arguments);
  if (operation.index_rank == IndexRank::vector) take_vector(operation, arguments);
  require_index_dtype(operation, arguments.operand("indices"));
  fit_updates(operation, arguments,
              {.shape = updates_of_rows(operation, arguments),
               .formula = formula_of(operation, arguments)});
}

LoweredPlan lower_rows(const Operation& operation, const Arguments& arguments,
                       const Lowering& lowering) {
  return lower_entries(operation, arguments,
                       {.named = {.first = axis_of(operation, arguments),
                                  .depth = 1,
                                  .shape = arguments.operand("indices").shape()}},
                       lowering);
}

}  // namespace tscatter::forms
