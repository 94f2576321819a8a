// The elements of integer tensors of any dtype, memory order and byte order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/core/visit_dtype.hpp"

namespace tscatter {

// Values beyond int64 become the largest int64.
template <class T>
std::int64_t saturated(T value) {
  if (std::in_range<std::int64_t>(value)) return static_cast<std::int64_t>(value);
  return std::numeric_limits<std::int64_t>::max();
}

// The remainder of the division by the size, in [0, size). REQUIRES: size > 0.
template <class T>
std::int64_t wrapped(T value, std::int64_t size) {
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<std::int64_t>(value % static_cast<std::uint64_t>(size));
  } else {
    const std::int64_t remainder = value % size;
    return remainder < 0 ? remainder + size : remainder;
  }
}

// The elements, if they are in memory and in native byte order. A file is not mapped for this: its
// pages would enter the page table one by one.
inline std::optional<std::span<const std::byte>> native_view(const Tensor& tensor) {
  const bool is_file = tensor.source().extent().has_value();
  return is_file || !tensor.type().is_native() ? std::nullopt : tensor.source().view();
}

// Elements in the order of the file, in native byte order.
void read_native(const Tensor& tensor, std::int64_t first, std::int64_t count,
                 std::vector<std::byte>& into);

// The same in row-major order, whatever the order of the file. From a Fortran file, elements are
// picked one by one.
void read_row_major(const Tensor& tensor, std::int64_t first, std::int64_t count,
                    std::vector<std::byte>& into);

// Calls visit(value) for each element in the order of the file, with its own type.
template <class Visit>
void for_each_value(const Tensor& tensor, const Visit& visit) {
  constexpr std::int64_t at_once = std::int64_t{64} * 1024;
  std::vector<std::byte> bytes;
  for (std::int64_t first = 0; first < tensor.count(); first += at_once) {
    const std::int64_t count = std::min(at_once, tensor.count() - first);
    read_native(tensor, first, count, bytes);
    visit_integer_dtype(tensor.type().dtype, [&]<class T>() {
      for (std::int64_t i = 0; i < count; ++i) {
        T value;
        std::memcpy(&value, bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
        visit(value);
      }
    });
  }
}

// Walks a Fortran-ordered tensor in the order of its file, and tracks the element's number in
// row-major order.
class FortranOdometer {
 public:
  explicit FortranOdometer(const Shape& shape)
      : shape_{shape}, strides_{strides_of(shape, MemoryOrder::c)}, position_(shape.size(), 0) {}

  std::int64_t row_major() const { return row_major_; }

  void next() {
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      row_major_ += strides_[axis];
      if (++position_[axis] < shape_[axis]) return;
      row_major_ -= strides_[axis] * shape_[axis];
      position_[axis] = 0;
    }
  }

 private:
  const Shape& shape_;
  std::vector<std::int64_t> strides_;
  Position position_;
  std::int64_t row_major_ = 0;
};

// All elements of a short integer tensor in row-major order, saturated.
std::vector<std::int64_t> read_integers(const Tensor& tensor);

// The exact value of one element, for messages. `index` counts in row-major order.
std::string integer_text(const Tensor& tensor, std::int64_t index);

// "indices[3, 0]"; "axis" where the tensor has rank 0.
std::string place_text(std::string_view operand, const Tensor& tensor, std::int64_t index);

}  // namespace tscatter
