#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {
namespace {

void require_vector(const Operation& operation, const Tensor& indices) {
  if (!operation.label(Check::indices_rank).empty())
    require_rank(operation, Check::indices_rank, operation.called("indices"), indices, 1);
}

// Of a vector.
void require_order(const Operation& operation, const Tensor& indices) {
  if (operation.label(Check::index_order).empty()) return;
  std::int64_t before = 0;
  std::int64_t at = 0;
  for_each_value(indices, [&](const auto index) {
    const std::int64_t value = saturated(index);
    if (at > 0 && value < before) {
      refuse(operation, Check::index_order, "{} must be at least the one before, {}, got {}",
             place_text(operation.called("indices"), indices, at), before, value);
    }
    before = value;
    ++at;
  });
}

std::string formula_of(const Operation& operation, std::size_t rank) {
  const std::string_view indices = operation.called("indices");
  if (operation.base == BaseFrom::counts) return fmt::format("{}.shape", indices);
  return fmt::format("{}.shape + {}.shape[{}:]", indices, operation.called("updates"), rank);
}

}  // namespace

Shape updates_of_segment(const Operation&, const Arguments& arguments) {
  const Shape& data = arguments.operand("data").shape();
  Shape shape = arguments.operand("indices").shape();
  shape.insert(shape.end(), data.begin() + 1, data.end());
  return shape;
}

void prepare_segment(const Operation& operation, Arguments& arguments) {
  const Tensor& indices = arguments.operand("indices");
  require_vector(operation, indices);
  require_index_dtype(operation, indices);
  require_order(operation, indices);
  fit_updates(operation, arguments,
              {.shape = updates_of_segment(operation, arguments),
               .formula = formula_of(operation, indices.rank())});
}

LoweredPlan lower_segment(const Operation& operation, const Arguments& arguments,
                          const Lowering& given) {
  Lowering lowering = given;
  if (arguments.has_all_indices) lowering.check = EntryCheck::by_reader;
  return lower_entries(
      operation, arguments,
      {.named = {.first = 0, .depth = 1, .shape = arguments.operand("indices").shape()}}, lowering);
}

}  // namespace tscatter::forms
