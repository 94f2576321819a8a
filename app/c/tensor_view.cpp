#include <algorithm>
#include <bit>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "c/command_call.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/float8.hpp"
#include "tscatter/io/formats/npy/descr.hpp"

namespace tscatter::app {
namespace {

std::endian endian_of(tsc_byte_order order) {
  switch (order) {
    case TSC_NATIVE: return std::endian::native;
    case TSC_LITTLE: return std::endian::little;
    case TSC_BIG: return std::endian::big;
  }
  return std::endian::native;  // of any other number, which C allows
}

ElementType type_of(const tsc_tensor& tensor, const std::string& name) {
  const std::string text = tensor.dtype == nullptr ? "" : tensor.dtype;
  if (const auto dtype = dtype_from_name(text))
    return ElementType::of(*dtype, endian_of(tensor.byte_order));
  if (const Float8* const format = float8_named(text)) return element_type_of(*format);
  try {
    return type_of_code(text);
  } catch (const DescrError&) {
    // array.a1
    fail(ErrorKind::usage, "array.a1", name,
         "a dtype must be one of fixed size, like float32 or <M8[ns]{}, got {}", dtype_hint(text),
         text.empty() ? "an empty text" : text);
  }
}

Shape shape_of(const tsc_tensor& tensor) {
  // One axis too many is refused as any other number of them.
  const std::size_t rank = std::min(tensor.rank, max_rank + 1);
  return tensor.shape == nullptr ? Shape(rank, 0) : Shape(tensor.shape, tensor.shape + rank);
}

bool has_strides(const tsc_tensor& tensor, const TensorHeader& header) {
  const std::vector<std::int64_t> wanted = strides_of(header.shape, header.order);
  const auto size = static_cast<std::int64_t>(header.type.size);
  for (std::size_t axis = 0; axis < header.shape.size(); ++axis) {
    if (header.shape[axis] > 1 && tensor.strides[axis] != wanted[axis] * size) return false;
  }
  return true;
}

MemoryOrder order_of(const tsc_tensor& tensor, TensorHeader header, const std::string& name) {
  if (tensor.strides == nullptr || header.count() == 0) return MemoryOrder::c;
  for (const MemoryOrder order : {MemoryOrder::c, MemoryOrder::fortran}) {
    header.order = order;
    if (has_strides(tensor, header)) return order;
  }
  // array.a2
  fail(ErrorKind::usage, "array.a2", name,
       "the elements must lie together, in C or Fortran order, got strides of {} bytes",
       tscatter::to_string(Shape(tensor.strides, tensor.strides + header.rank())));
}

void require_memory(const tsc_tensor& tensor, const std::string& name, bool is_empty) {
  const std::string_view device = tensor.device == nullptr ? "cpu" : tensor.device;
  // array.a6
  if (device != "cpu") {
    fail(ErrorKind::usage, "array.a6", name, "must be in the memory of the CPU, got {}", device);
  }
  // array.a6
  if (tensor.bytes == nullptr && !is_empty)
    fail(ErrorKind::usage, "array.a6", name, "has no address");
}

bool is_valid(const TensorHeader& header) {
  return header.rank() <= max_rank &&
         std::ranges::all_of(header.shape, [](std::int64_t size) { return size >= 0; }) &&
         is_addressable(header.shape, header.type.size);
}

}  // namespace

Array array_of(const tsc_tensor& tensor) {
  const std::string name = tensor.name == nullptr ? "tensor" : tensor.name;
  TensorHeader header{.type = type_of(tensor, name), .shape = shape_of(tensor)};
  if (!is_valid(header))  // which the tensor refuses
    return {.tensor = Tensor(header, std::span<const std::byte>(), name), .bytes = {}};
  header.order = order_of(tensor, header, name);
  require_memory(tensor, name, header.byte_size() == 0);
  const std::span bytes(static_cast<std::byte*>(tensor.bytes),
                        static_cast<std::size_t>(header.byte_size()));
  return {.tensor = Tensor(header, bytes, name),
          .bytes = bytes,
          .is_writable = (tensor.flags & TSC_READ_ONLY) == 0};
}

MakeMemory memory_from(tsc_alloc* alloc, void* context) {
  if (alloc == nullptr) fail(ErrorKind::usage, "array.a6", "output", "has no alloc");
  return [alloc, context](const TensorHeader& header) {
    std::vector<std::int64_t> strides = strides_of(header.shape, header.order);
    const auto size = static_cast<std::int64_t>(header.type.size);
    for (std::int64_t& stride : strides) stride *= size;
    const std::string dtype = tscatter::to_string(header.type);
    tsc_tensor output{
        .name = "output",
        .bytes = nullptr,
        .dtype = dtype.c_str(),
        .rank = header.rank(),
        .shape = header.shape.data(),
        .strides = strides.data(),
        .byte_order = header.type.byte_order == std::endian::big ? TSC_BIG : TSC_LITTLE,
        .flags = 0,
        .device = nullptr};
    const auto bytes = static_cast<std::size_t>(header.byte_size());
    if (alloc(context, &output) != 0 || (output.bytes == nullptr && bytes > 0))
      throw std::bad_alloc();
    return std::span(static_cast<std::byte*>(output.bytes), bytes);
  };
}

bool is_same_memory(const Array& output, const Array& operand) {
  return !output.bytes.empty() && output.bytes.data() == operand.bytes.data() &&
         output.bytes.size() == operand.bytes.size();
}

void require_apart(const Array& output, const Array& operand, std::string_view name) {
  const std::less<> before;
  const std::byte* const begin = output.bytes.data();
  const std::byte* const other = operand.bytes.data();
  const bool is_apart = output.bytes.empty() || operand.bytes.empty() ||
                        !before(begin, other + operand.bytes.size()) ||
                        !before(other, begin + output.bytes.size());
  if (is_apart) return;
  // array.a4
  fail(ErrorKind::usage, "array.a4", "output",
       "the memory of the result must be data's own, or overlap no operand, got a part of {}",
       name);
}

}  // namespace tscatter::app
