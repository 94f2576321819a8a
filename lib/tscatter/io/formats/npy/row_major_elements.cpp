#include "tscatter/io/formats/npy/row_major_elements.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/io/formats/memory_order.hpp"

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

}  // namespace tscatter
