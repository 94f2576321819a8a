// Views: a tensor seen through other strides, as NumPy's basic indexing and broadcasting see it.
// Nothing is copied: elements are read from the base when they are asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tscatter/core/tensor.hpp"

namespace tscatter {

// `count` steps, `stride` elements of the base's file apart: 0 repeats, a negative one runs
// backwards.
struct ViewAxis {
  std::int64_t count;
  std::int64_t stride;
};

// The view in C order whose first element is number `origin` of the base, in the order of its file.
// REQUIRES: all elements of the view are the base's.
Tensor strided_view(const Tensor& base, std::int64_t origin, std::span<const ViewAxis> axes,
                    std::string name);

// Where the elements of the tensor lie: its own source or, for a view, its base's.
const Source& source_behind(const Tensor& tensor);

// The same elements with their row-major order as that of the file; itself, if it is.
Tensor in_c_order(const Tensor& tensor);

// The elements in row-major order in another shape. REQUIRES: it has as many.
Tensor reshaped(const Tensor& tensor, Shape shape);

// The tensor repeated to the shape, as NumPy broadcasts; itself, if it has that shape. REQUIRES:
// broadcasts_to() its shape.
Tensor broadcast_to(const Tensor& tensor, const Shape& shape);

}  // namespace tscatter
