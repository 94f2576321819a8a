// TEMPORARY
#pragma once
#include "tscatter/core/tensor.hpp"
namespace tscatter {
struct ViewAxis { std::int64_t count; std::int64_t stride; };
Tensor strided_view(const Tensor& base, std::int64_t origin, std::span<const ViewAxis> axes, std::string name);
Tensor broadcast_to(const Tensor& tensor, const Shape& shape);
}  // namespace tscatter
