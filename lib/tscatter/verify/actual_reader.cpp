#include "tscatter/verify/actual_reader.hpp"

#include <algorithm>
#include <memory>

#include "tscatter/core/byte_order.hpp"
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

std::shared_ptr<const Source> row_major_copy(const Tensor& tensor, std::int64_t box_bytes,
                                             const std::filesystem::path& directory,
                                             const std::atomic<bool>* stop) {
  const auto size = static_cast<std::int64_t>(tensor.type().size);
  const RowMajorBoxes boxes(tensor.shape(), std::max<std::int64_t>(box_bytes / size, 1));
  auto spool = std::make_shared<Spool>(directory, tensor.name());
  BoxReader reader(tensor);
  std::vector<std::byte> bytes;
  for (std::int64_t first = 0; first < tensor.count();) {
    if (stop != nullptr && *stop) throw Cancelled();
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

Tensor in_order_of(const Tensor& actual, MemoryOrder order, std::int64_t box_bytes,
                   const std::filesystem::path& directory, const std::atomic<bool>* stop) {
  if (actual.order() == order || is_contiguous_both_ways(actual.shape()) || actual.count() == 0)
    return actual;
  const Tensor walked = order == MemoryOrder::c ? actual : with_reversed_axes(actual);
  TensorHeader header = actual.header();
  header.order = order;
  return {std::move(header), row_major_copy(walked, box_bytes, directory, stop), actual.name()};
}

}  // namespace

void make_canonical_bools(std::span<std::byte> bools) {
  for (std::byte& each : bools) each = each == std::byte{0} ? std::byte{0} : std::byte{1};
}

ActualReader::ActualReader(const Tensor& actual, const TensorHeader& data, std::int64_t box_bytes,
                           const std::filesystem::path& spool_directory,
                           const std::atomic<bool>* stop)
    : tensor_{in_order_of(actual, data.order, box_bytes, spool_directory, stop)},
      byte_order_{data.type.byte_order} {
  if (data.type.dtype == DType::opaque) turned_words_ = words_to_turn(actual.type(), data.type);
}

void ActualReader::read(std::int64_t element, std::span<std::byte> into) const {
  read_elements(tensor_, element, into, byte_order_);
  if (!turned_words_.empty()) turn_words(into, tensor_.type().size, turned_words_);
  if (tensor_.type().dtype == DType::boolean) make_canonical_bools(into);
}

}  // namespace tscatter
