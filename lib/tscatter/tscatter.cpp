#include "tscatter/tscatter.hpp"

#include <initializer_list>
#include <string_view>
#include <utility>

#include "tscatter/io/files/sources.hpp"

namespace tscatter {
namespace {

struct NamedOperand {
  std::string_view name;
  const Tensor* tensor;  // nullptr: not given
};

Call call(std::string_view operation, std::initializer_list<NamedOperand> operands) {
  Call made{.operation = find_operation(operation), .arguments = {}};
  for (const auto& [name, tensor] : operands) {
    if (tensor != nullptr) made.arguments.operands.emplace(name, *tensor);
  }
  return made;
}

}  // namespace

Tensor scalar(std::int64_t value) {
  return {{.type = ElementType::of(DType::int64), .shape = {}},
          owned_source(std::vector{value}),
          "scalar"};
}

Tensor list(std::vector<std::int64_t> values) {
  const Shape shape{static_cast<std::int64_t>(values.size())};
  return {{.type = ElementType::of(DType::int64), .shape = shape},
          owned_source(std::move(values)),
          "list"};
}

Call scatter_update_3(const Tensor& data, const Tensor& indices, const Tensor& updates,
                      const Tensor& axis) {
  return call("ScatterUpdate-3",
              {{"data", &data}, {"indices", &indices}, {"updates", &updates}, {"axis", &axis}});
}

Call scatter_nd_update_3(const Tensor& data, const Tensor& indices, const Tensor& updates) {
  return call("ScatterNDUpdate-3", {{"data", &data}, {"indices", &indices}, {"updates", &updates}});
}

Call scatter_nd_update_15(const Tensor& data, const Tensor& indices, const Tensor& updates,
                          Reduction reduction) {
  Call made =
      call("ScatterNDUpdate-15", {{"data", &data}, {"indices", &indices}, {"updates", &updates}});
  made.arguments.attributes.emplace("reduction", reduction);
  return made;
}

Call slice_scatter_15(const Tensor& data, const Tensor& updates, const Tensor& start,
                      const Tensor& stop, const Tensor& step, const Tensor* axes) {
  return call("SliceScatter-15", {{"data", &data},
                                  {"updates", &updates},
                                  {"start", &start},
                                  {"stop", &stop},
                                  {"step", &step},
                                  {"axes", axes}});
}

Report scatter_update_3(const Tensor& data, const Tensor& indices, const Tensor& updates,
                        const Tensor& axis, Output& output, const RunOptions& options) {
  return apply(scatter_update_3(data, indices, updates, axis), output, options);
}

Report scatter_nd_update_3(const Tensor& data, const Tensor& indices, const Tensor& updates,
                           Output& output, const RunOptions& options) {
  return apply(scatter_nd_update_3(data, indices, updates), output, options);
}

Report scatter_nd_update_15(const Tensor& data, const Tensor& indices, const Tensor& updates,
                            Reduction reduction, Output& output, const RunOptions& options) {
  return apply(scatter_nd_update_15(data, indices, updates, reduction), output, options);
}

Report slice_scatter_15(const Tensor& data, const Tensor& updates, const Tensor& start,
                        const Tensor& stop, const Tensor& step, const Tensor* axes, Output& output,
                        const RunOptions& options) {
  return apply(slice_scatter_15(data, updates, start, stop, step, axes), output, options);
}

}  // namespace tscatter
