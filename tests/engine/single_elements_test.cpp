// Rows in Fortran order are single elements, which tiles gather: the result is that of rows in C
// order, bit for bit, wherever tiles end and whatever the size of an element.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t rows = 5003;  // no whole number of buckets
constexpr std::int64_t columns = 7;
constexpr std::int64_t outer_entries = 41;
constexpr std::int64_t inner_entries = 30;
constexpr std::int64_t entries = outer_entries * inner_entries;

using Bytes = std::vector<std::uint8_t>;

// Elements of any dtype. Each byte is small, so that no float is a NaN whose bits an operand chose.
Bytes elements(std::int64_t count, std::size_t size, std::uint64_t seed) {
  Bytes bytes(static_cast<std::size_t>(count) * size);
  for (std::uint8_t& byte : bytes) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::uint8_t>(seed >> 59U);
  }
  return bytes;
}

// From row-major order to that of Fortran, for any shape.
Bytes in_fortran_order(const Bytes& bytes, const Shape& shape, std::size_t size) {
  Bytes turned(bytes.size());
  const auto count = static_cast<std::size_t>(element_count(shape));
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i;
    std::size_t place = 0;
    std::size_t stride = count;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const auto length = static_cast<std::size_t>(shape[axis]);
      stride /= length;
      place += rest % length * stride;
      rest /= length;
    }
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(i * size), size,
                turned.begin() + static_cast<std::ptrdiff_t>(place * size));
  }
  return turned;
}

struct Operands {
  ElementType type;
  Bytes data = elements(rows * columns, type.size, 1);
  Bytes updates = elements(entries * columns, type.size, 2);
  std::vector<std::int64_t> indices = {};

  explicit Operands(DType dtype) : type{ElementType::of(dtype)} {
    // On few places, so that most meet others.
    for (std::int64_t i = 0; i < entries; ++i) indices.push_back(i * i * 7919 % rows / 16 * 16);
  }

  Bytes written(MemoryOrder order, Reduction reduction, const RunOptions& options) const {
    const Shape data_shape{rows, columns};
    const Shape updates_shape{outer_entries, inner_entries, columns};
    const bool turns = order == MemoryOrder::fortran;
    const Bytes before = turns ? in_fortran_order(data, data_shape, type.size) : data;
    const Bytes laid = turns ? in_fortran_order(updates, updates_shape, type.size) : updates;
    const TensorHeader data_header{.type = type, .shape = data_shape, .order = order};
    const TensorHeader updates_header{.type = type, .shape = updates_shape, .order = order};
    Bytes result(before.size());
    RunOptions grouped = options;
    grouped.entry_order = EntryOrder::grouped;
    MemoryOutput output{std::as_writable_bytes(std::span(result))};
    scatter_nd_update_15({data_header, std::as_bytes(std::span(before))},
                         view(std::span(indices), {outer_entries, inner_entries, 1}),
                         {updates_header, std::as_bytes(std::span(laid))}, reduction, output,
                         grouped);
    return result;
  }
};

}  // namespace

TEST_CASE("rows in Fortran order are written as rows in C order are", "[engine]") {
  for (const DType dtype : {DType::int8, DType::float16, DType::bfloat16, DType::float32,
                            DType::int64, DType::complex64, DType::complex128}) {
    const Operands operands(dtype);
    for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::prod}) {
      const Bytes expected = in_fortran_order(operands.written(MemoryOrder::c, reduction, {}),
                                              {rows, columns}, operands.type.size);
      for (const std::int64_t tile_bytes : {512, 8192, 30000, 1 << 20}) {
        INFO(fmt::format("{} {} {}", info(dtype).name, to_string(reduction), tile_bytes));
        const Bytes written = operands.written(MemoryOrder::fortran, reduction,
                                               {.threads = 2, .tile_bytes = tile_bytes});
        CHECK(std::ranges::equal(written, expected));
      }
    }
  }
}

}  // namespace tscatter
