#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {
namespace {

void require_vector(const Operation& operation, const Tensor& indices) {
  const RuleOf rule = rule_of(operation, Check::indices_rank);
  if (!rule.label.empty() && indices.rank() != 1) {
    fail(ErrorKind::rule, rule.label, rule.operation, "{} must have rank 1, got rank {}",
         rule.indices, indices.rank());
  }
}

// Of a vector.
void require_order(const Operation& operation, const Tensor& indices) {
  const RuleOf rule = rule_of(operation, Check::index_order);
  if (rule.label.empty()) return;
  std::int64_t before = 0;
  for_each_chunk(indices, [&](std::int64_t first, std::span<const std::int64_t> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t at = first + static_cast<std::int64_t>(i);
      if (at > 0 && values[i] < before) {
        fail(ErrorKind::rule, rule.label, rule.operation,
             "{} must be at least the one before, {}, got {}",
             place_text(rule.indices, indices, at), before, values[i]);
      }
      before = values[i];
    }
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
  require_index_dtype(rule_of(operation, Check::indices_dtype), operation, indices);
  require_order(operation, indices);
  require_shape(rule_of(operation, Check::updates_shape), operation.called("updates"),
                arguments.operand("updates"), updates_of_segment(operation, arguments),
                formula_of(operation, indices.rank()));
  require_dtype_of_data(operation, arguments);
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
