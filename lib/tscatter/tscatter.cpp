#include "tscatter/tscatter.hpp"

#include <utility>

#include "tscatter/io/files/owned_source.hpp"

namespace tscatter {

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

Report scatter_update_3(const Tensor& data, const Tensor& indices, const Tensor& updates,
                        const Tensor& axis, Output& output, const RunOptions& options) {
  const Arguments arguments{
      .operands = {{"data", data}, {"indices", indices}, {"updates", updates}, {"axis", axis}},
      .attributes = {}};
  return apply(*find_operation("ScatterUpdate-3"), arguments, output, options);
}

Report scatter_nd_update_3(const Tensor& data, const Tensor& indices, const Tensor& updates,
                           Output& output, const RunOptions& options) {
  const Arguments arguments{
      .operands = {{"data", data}, {"indices", indices}, {"updates", updates}}, .attributes = {}};
  return apply(*find_operation("ScatterNDUpdate-3"), arguments, output, options);
}

Report scatter_nd_update_15(const Tensor& data, const Tensor& indices, const Tensor& updates,
                            Reduction reduction, Output& output, const RunOptions& options) {
  const Arguments arguments{
      .operands = {{"data", data}, {"indices", indices}, {"updates", updates}},
      .attributes = {{"reduction", reduction}}};
  return apply(*find_operation("ScatterNDUpdate-15"), arguments, output, options);
}

Report slice_scatter_15(const Tensor& data, const Tensor& updates, const Tensor& start,
                        const Tensor& stop, const Tensor& step, const Tensor* axes, Output& output,
                        const RunOptions& options) {
  Arguments arguments{.operands = {{"data", data},
                                   {"updates", updates},
                                   {"start", start},
                                   {"stop", stop},
                                   {"step", step}},
                      .attributes = {}};
  if (axes != nullptr) arguments.operands.emplace("axes", *axes);
  return apply(*find_operation("SliceScatter-15"), arguments, output, options);
}

}  // namespace tscatter
