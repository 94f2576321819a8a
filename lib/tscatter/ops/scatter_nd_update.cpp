#include "tscatter/ops/scatter_nd_update.hpp"

#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

std::size_t index_depth(const Tensor& indices) {
  return static_cast<std::size_t>(indices.shape().back());
}

Shape updates_shape(const Shape& data, const Shape& indices) {
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), data.begin() + indices.back(), data.end());
  return shape;
}

void require_depth(const ScatterNdRules& rules, const Tensor& data, const Tensor& indices) {
  if (indices.shape().back() > static_cast<std::int64_t>(data.rank())) {
    fail(ErrorKind::rule, rules.index_depth, rules.id,
         "the last dimension of indices must be at most {}, the rank of data, got {}", data.rank(),
         indices.shape().back());
  }
}

void require_updates_shape(const ScatterNdRules& rules, const Tensor& data, const Tensor& indices,
                           const Tensor& updates) {
  const Shape expected = updates_shape(data.shape(), indices.shape());
  if (expected.empty() && updates.count() == 1) return;
  require_shape({rules.id, rules.updates_shape}, "updates", updates, expected,
                fmt::format("indices.shape[:-1] + data.shape[{}:]", indices.shape().back()));
}

}  // namespace

void validate_scatter_nd(const Arguments& arguments, const ScatterNdRules& rules) {
  const Tensor& data = arguments.operand("data");
  const Tensor& indices = arguments.operand("indices");
  const Tensor& updates = arguments.operand("updates");
  require_rank_at_least_1({rules.id, rules.data_rank}, "data", data);
  require_rank_at_least_1({rules.id, rules.indices_rank}, "indices", indices);
  require_depth(rules, data, indices);
  require_integers({rules.id, rules.indices_dtype}, "indices", indices);
  require_updates_shape(rules, data, indices, updates);
  require_dtype_of_data({rules.id, rules.updates_dtype}, updates, data);
}

LoweredPlan lower_scatter_nd(const Arguments& arguments, const ScatterNdRules& rules,
                             NegativeIndices negative, const Parallelism& parallelism) {
  const Tensor& data = arguments.operand("data");
  const Tensor& indices = arguments.operand("indices");
  const std::size_t depth = index_depth(indices);
  const Shape shape(indices.shape().begin(), indices.shape().end() - 1);
  const std::int64_t entries = element_count(shape);
  ListedWrites writes = listed_writes(data.header(), 0, depth,
                                      arguments.operand("updates").header(), indices.rank() - 1);
  // Without coordinates and without elements there is nothing to check and nothing to write,
  // however many entries.
  if (depth > 0 || data.count() > 0) {
    writes.slot_of_entry = read_slots(
        {rules.id, rules.index_range}, data, indices,
        {.first = 0, .depth = depth, .entries = entries, .negative = negative}, parallelism);
  }
  return {.plan = {.reduction = arguments.reduction(), .writes = std::move(writes)},
          .index_entries = entries,
          .entries = {.first = 0, .depth = depth, .shape = shape}};
}

}  // namespace tscatter
