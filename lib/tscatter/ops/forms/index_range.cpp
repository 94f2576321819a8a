#include "tscatter/ops/forms/index_range.hpp"

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter {

void refuse_index(RuleOf rule, const Tensor& indices, std::int64_t at, const IndexRange& range,
                  std::string_view hint) {
  fail(ErrorKind::rule, rule.label, rule.operation,
       "{} must be in [{}, {}) for data axis {}{}, got {}", place_text("indices", indices, at),
       range.low, range.high, range.axis, hint, integer_text(indices, at));
}

}  // namespace tscatter
