#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/ops/integers.hpp"
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
