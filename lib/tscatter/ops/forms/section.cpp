#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/axis_operand.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/resolved_index.hpp"
#include "tscatter/ops/forms/updates_shape.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {
namespace {

IndexItem position_item(const Operation& operation, const Tensor& index) {
  const std::string called(operation.called("indices"));
  require_index_dtype(rule_of(operation, Check::indices_dtype), operation, index);
  if (index.rank() > 0) {
    const RuleOf rule = rule_of(operation, Check::indices_rank);
    fail(ErrorKind::rule, rule.label, rule.operation, "{} must have rank 0, got rank {}", called,
         index.rank());
  }
  return {IntegerItem{read_integers(index).front()}, called};
}

IndexItem slice_item(const Operation& operation, const Arguments& arguments) {
  const auto value = [&](std::string_view name) {
    return operation.attribute<std::int64_t>(arguments.attributes, name);
  };
  const SliceItem slice{.start = value("start"), .stop = value("stop"), .step = value("step")};
  if (*slice.step < 1) {
    const RuleOf rule = rule_of(operation, Check::step_not_zero);
    fail(ErrorKind::rule, rule.label, rule.operation, "step must be 1 or more, got {}",
         *slice.step);
  }
  return {slice, "the slice"};
}

// Whole axes, the item and an ellipsis.
std::vector<IndexItem> items_of(const Operation& operation, const Arguments& arguments) {
  std::vector<IndexItem> items(axis_of(operation, arguments), {SliceItem{}, ":"});
  const Tensor* index = arguments.find("indices");
  items.push_back(index == nullptr ? slice_item(operation, arguments)
                                   : position_item(operation, *index));
  items.push_back({EllipsisItem{}, "..."});
  return items;
}

}  // namespace

Shape updates_of_section(const Operation& operation, const Arguments& arguments) {
  Arguments with_index = arguments;
  with_index.index = items_of(operation, arguments);
  return resolve_index(operation, with_index).result;
}

void prepare_section(const Operation& operation, Arguments& arguments) {
  const bool selects = arguments.find("indices") != nullptr;
  require_data_rank(operation, arguments);
  require_axis(operation, arguments);
  arguments.index = items_of(operation, arguments);
  fit_updates(operation, arguments,
              {.shape = resolve_index(operation, arguments).result,
               .formula = selects ? fmt::format("the shape of {} without {}",
                                                operation.called("data"), operation.called("axis"))
                                  : "the shape of the slice"});
  require_dtype_of_data(operation, arguments);
}

}  // namespace tscatter::forms
