#include "tscatter/ops/integers.hpp"

#include <algorithm>
#include <cstring>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/memory.hpp"
#include "tscatter/core/visit_dtype.hpp"

namespace tscatter {
namespace {

std::int64_t storage_index(const Tensor& tensor, std::int64_t row_major) {
  const Position position = position_of(tensor.shape(), row_major);
  const std::vector<std::int64_t> strides = strides_of(tensor.shape(), tensor.order());
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < position.size(); ++axis)
    index += position[axis] * strides[axis];
  return index;
}

}  // namespace

void read_native(const Tensor& tensor, std::int64_t first, std::int64_t count,
                 std::vector<std::byte>& into) {
  const auto size = static_cast<std::int64_t>(tensor.type().size);
  into.resize(static_cast<std::size_t>(count * size));
  read_elements(tensor, first, into);
}

void read_row_major(const Tensor& tensor, std::int64_t first, std::int64_t count,
                    std::vector<std::byte>& into) {
  if (tensor.order() == MemoryOrder::c) return read_native(tensor, first, count, into);
  const std::size_t size = tensor.type().size;
  const auto view = tensor.source().view();
  into.resize(static_cast<std::size_t>(count) * size);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto offset = static_cast<std::size_t>(storage_index(tensor, first + i)) * size;
    const auto place = std::span(into).subspan(static_cast<std::size_t>(i) * size, size);
    if (view) {
      std::ranges::copy(view->subspan(offset, size), place.begin());
    } else {
      tensor.source().read(static_cast<std::int64_t>(offset), place);
    }
  }
  tensor.source().check_view();
  turn_elements(into, tensor.type());
}

std::vector<std::int64_t> read_integers(const Tensor& tensor) {
  std::vector<std::int64_t> all(memory_size(tensor.count(), sizeof(std::int64_t)));
  const bool is_fortran = tensor.order() == MemoryOrder::fortran;
  FortranOdometer odometer(tensor.shape());
  std::int64_t in_order = 0;
  for_each_value(tensor, [&](const auto value) {
    const std::int64_t at = is_fortran ? odometer.row_major() : in_order++;
    all[static_cast<std::size_t>(at)] = saturated(value);
    if (is_fortran) odometer.next();
  });
  return all;
}

std::string integer_text(const Tensor& tensor, std::int64_t index) {
  std::vector<std::byte> bytes;
  read_native(tensor, storage_index(tensor, index), 1, bytes);
  return visit_integer_dtype(tensor.type().dtype, [&]<class T>() {
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return std::to_string(value);
  });
}

std::string place_text(std::string_view operand, const Tensor& tensor, std::int64_t index) {
  if (tensor.rank() == 0) return std::string(operand);
  return std::string(operand) + to_string(position_of(tensor.shape(), index));
}

}  // namespace tscatter
