#include "tscatter/io/formats/row_major_elements.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/engine/readers.hpp"
#include "tscatter/io/files/spool.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t piece = std::int64_t{512} * 1024;  // bytes

bool is_as_in_file(const TensorHeader& header) {
  const bool is_little = header.type.word() == 1 || header.type.byte_order == std::endian::little;
  return is_little && (header.order == MemoryOrder::c || is_contiguous_both_ways(header.shape));
}

}  // namespace

Sink& RowMajorElements::begin(const TensorHeader& header, Sink& file) {
  if (is_as_in_file(header)) return file;
  header_ = header;
  file_ = &file;
  spool_ = std::make_shared<Spool>(place_.spool_directory, place_.name);
  return spool_sink_.emplace(*spool_);
}

void RowMajorElements::finish() {
  if (spool_ != nullptr) write_row_major(Tensor(header_, spool_, place_.name), *file_, place_);
}

Sink& RowMajorOutput::begin(const TensorHeader& header, const Source&) {
  std::vector<std::byte> front = front_of(header);
  file_ = open_();
  file_->reserve(static_cast<std::int64_t>(front.size()) + header.byte_size());
  return elements_.begin(header, sink_.emplace(*file_, std::move(front)));
}

void RowMajorOutput::commit() {
  elements_.finish();
  file_->commit();
}

void write_row_major(const Tensor& tensor, Sink& to, const RowMajorElements::Place& place) {
  const Tensor ordered =
      in_memory_order(tensor, MemoryOrder::c,
                      {.box_bytes = piece, .directory = place.spool_directory, .stop = place.stop});
  const auto size = static_cast<std::int64_t>(tensor.type().size);
  const std::int64_t most = std::max<std::int64_t>(piece / size, 1);
  std::vector<std::byte> elements;
  for (std::int64_t first = 0; first < ordered.count(); first += most) {
    check_stop(place.stop);
    elements.resize(static_cast<std::size_t>(std::min(most, ordered.count() - first) * size));
    read_elements(ordered, first, elements, std::endian::little);
    to.write(first * size, elements);
  }
}

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
