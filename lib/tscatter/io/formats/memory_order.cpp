#include "tscatter/io/formats/memory_order.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tscatter/engine/box_reader.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter {
namespace {

// The same elements under the reversed axes: a C array is the Fortran array of its reversed axes.
Tensor with_reversed_axes(const Tensor& tensor) {
  TensorHeader header = tensor.header();
  std::ranges::reverse(header.shape);
  header.order = header.order == MemoryOrder::c ? MemoryOrder::fortran : MemoryOrder::c;
  return {std::move(header), tensor.shared_source(), tensor.name()};
}

// Consecutive boxes in row-major order: a range of one axis, all of the axes after it.
class RowMajorBoxes {
 public:
  RowMajorBoxes(const Shape& shape, std::int64_t most_elements) : sizes_(shape.size(), 1) {
    std::int64_t rest = most_elements;
    for (std::size_t axis = shape.size(); axis-- > 0 && rest > 0;) {
      sizes_[axis] = std::min(shape[axis], std::max<std::int64_t>(rest, 1));
      rest = sizes_[axis] < shape[axis] ? 0 : rest / std::max<std::int64_t>(shape[axis], 1);
    }
  }

  Shape sizes_at(const Shape& shape, const Position& origin) const {
    Shape sizes(sizes_);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      sizes[axis] = std::min(sizes[axis], shape[axis] - origin[axis]);
    return sizes;
  }

 private:
  Shape sizes_;
};

std::shared_ptr<const Source> row_major_copy(const Tensor& tensor, const Reordering& reordering) {
  const auto size = static_cast<std::int64_t>(tensor.type().size);
  const RowMajorBoxes boxes(tensor.shape(), std::max<std::int64_t>(reordering.box_bytes / size, 1));
  auto spool = std::make_shared<Spool>(reordering.directory, tensor.name());
  BoxReader reader(tensor);
  std::vector<std::byte> bytes;
  for (std::int64_t first = 0; first < tensor.count();) {
    check_stop(reordering.stop);
    const Position origin = position_of(tensor.shape(), first);
    const Shape sizes = boxes.sizes_at(tensor.shape(), origin);
    const std::int64_t count = element_count(sizes);
    bytes.resize(static_cast<std::size_t>(count * size));
    reader.read(origin, sizes, bytes);
    spool->append(bytes);
    first += count;
  }
  tensor.source().check_view();
  return spool;
}

}  // namespace

Tensor in_memory_order(const Tensor& tensor, MemoryOrder order, const Reordering& reordering) {
  if (tensor.order() == order || is_contiguous_both_ways(tensor.shape()) || tensor.count() == 0)
    return tensor;
  const Tensor walked = order == MemoryOrder::c ? tensor : with_reversed_axes(tensor);
  TensorHeader header = tensor.header();
  header.order = order;
  return {std::move(header), row_major_copy(walked, reordering), tensor.name()};
}

}  // namespace tscatter
