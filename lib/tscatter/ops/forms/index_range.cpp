#include "tscatter/ops/forms/index_range.hpp"

#include <string>

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/newest_operation.hpp"

namespace tscatter {
namespace {

// The newest operation of the namespace that takes negative indices, of the same form if there is
// one.
const Operation* taker_of_negatives(std::string_view id) {
  const Form form = find_operation(id)->form;
  const auto wraps = [](const Operation& each) {
    return each.policies.negative == NegativeIndex::from_the_end;
  };
  const Operation* of_form =
      newest_operation(id, [&](const Operation& each) { return wraps(each) && each.form == form; });
  return of_form != nullptr ? of_form : newest_operation(id, wraps);
}

std::string negative_hint(std::string_view operation, const std::string& index, std::int64_t size) {
  if (!index.starts_with('-') || std::stoll(index) < -size) return {};
  const Operation* other = taker_of_negatives(operation);
  return other == nullptr ? std::string() : fmt::format(" ({} takes negative ones)", other->name);
}

}  // namespace

void refuse_index(RuleOf rule, const Tensor& indices, std::int64_t at, const IndexRange& range,
                  std::string_view hint) {
  fail(ErrorKind::rule, rule.label, rule.operation,
       "{} must be in [{}, {}) for data axis {}{}, got {}", place_text("indices", indices, at),
       range.low, range.high, range.axis, hint, integer_text(indices, at));
}

void refuse_outside(RuleOf rule, const Tensor& indices, std::int64_t at, std::size_t axis,
                    std::int64_t size, NegativeIndex negative) {
  const bool wraps = negative == NegativeIndex::from_the_end;
  const std::string hint =
      wraps ? std::string() : negative_hint(rule.operation, integer_text(indices, at), size);
  refuse_index(rule, indices, at, {.axis = axis, .low = wraps ? -size : 0, .high = size}, hint);
}

}  // namespace tscatter
