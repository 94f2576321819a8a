#include "tscatter/ops/forms/index_range.hpp"

#include <fmt/format.h>

#include <string>

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter {
namespace {

std::string negative_hint(const std::string& index, std::int64_t size) {
  if (!index.starts_with('-') || std::stoll(index) < -size) return {};
  const PolicyInfo& policy = info(Policy::negative);
  const auto word = static_cast<std::size_t>(NegativeIndex::from_the_end);
  return fmt::format(" (--{} {} counts it from the end)", policy.flag, policy.words[word].word);
}

}  // namespace

void refuse_index(RuleOf rule, const Tensor& indices, std::int64_t at, const IndexRange& range,
                  std::string_view hint) {
  fail(ErrorKind::rule, rule.label, rule.operation,
       "{} must be in [{}, {}) for {} axis {}{}, got {}", place_text(rule.indices, indices, at),
       range.low, range.high, rule.data, range.axis, hint, integer_text(indices, at));
}

void refuse_outside(RuleOf rule, const Tensor& indices, std::int64_t at, std::size_t axis,
                    std::int64_t size, NegativeIndex negative) {
  const bool wraps = negative == NegativeIndex::from_the_end;
  const std::string hint = wraps ? std::string() : negative_hint(integer_text(indices, at), size);
  refuse_index(rule, indices, at, {.axis = axis, .low = wraps ? -size : 0, .high = size}, hint);
}

}  // namespace tscatter
