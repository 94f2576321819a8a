#include "tscatter/verify/actual_reader.hpp"

#include <cstring>

#include "tscatter/core/buffer.hpp"
#include "tscatter/core/byte_order.hpp"
#include "tscatter/io/formats/memory_order.hpp"

namespace tscatter {
void make_canonical_bools(std::span<std::byte> bools) {
  for (std::byte& each : bools) each = each == std::byte{0} ? std::byte{0} : std::byte{1};
}

ActualReader::ActualReader(const Tensor& actual, const TensorHeader& data, std::int64_t box_bytes,
                           const std::filesystem::path& spool_directory, StopFlag stop)
    : tensor_{in_memory_order(
          actual, data.order,
          {.box_bytes = box_bytes, .directory = spool_directory, .stop = stop})},
      byte_order_{data.type.byte_order} {
  if (data.type.dtype == DType::opaque) turned_words_ = words_to_turn(actual.type(), data.type);
}

void ActualReader::read(std::int64_t element, std::span<std::byte> into) const {
  read_elements(tensor_, element, into, byte_order_);
  if (!turned_words_.empty()) turn_words(into, tensor_.type().size, turned_words_);
  if (tensor_.type().dtype == DType::boolean) make_canonical_bools(into);
}

bool ActualReader::equals(std::int64_t element, std::span<const std::byte> bytes) const {
  const ElementType& type = tensor_.type();
  const auto view = tensor_.source().view();
  const bool is_turned = type.byte_order != byte_order_ || !turned_words_.empty();
  if (view && !is_turned && type.dtype != DType::boolean) {
    const std::int64_t offset = element * static_cast<std::int64_t>(type.size);
    return std::memcmp(view->data() + offset, bytes.data(), bytes.size()) == 0;
  }
  Buffer<std::byte> own(bytes.size());
  read(element, own.span());
  return std::memcmp(own.data(), bytes.data(), bytes.size()) == 0;
}

}  // namespace tscatter
