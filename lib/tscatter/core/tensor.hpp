// Tensor: a header (dtype, shape, memory order) and a source for its bytes, which are read in
// ranges.
#pragma once

#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/shape.hpp"

namespace tscatter {

struct TensorHeader {
  ElementType type;
  Shape shape = {};  // [] for rank 0
  MemoryOrder order = MemoryOrder::c;

  std::size_t rank() const { return shape.size(); }
  // Elements and bytes. REQUIRES: is_addressable(shape, type.size).
  std::int64_t count() const { return element_count(shape); }
  std::int64_t byte_size() const { return count() * static_cast<std::int64_t>(type.size); }

  friend bool operator==(const TensorHeader&, const TensorHeader&) = default;
};

class Tensor {
 public:
  // Throws Error (usage, tensor.t1 or tensor.t2) when the shape is not addressable or the source's
  // size does not match. `name` is used in messages: a path, a flag.
  Tensor(TensorHeader header, std::shared_ptr<const Source> source, std::string name = "tensor");

  // Over the caller's memory, without a copy. REQUIRES: `bytes` outlives the tensor.
  Tensor(TensorHeader header, std::span<const std::byte> bytes, std::string name = "tensor");

  const TensorHeader& header() const { return header_; }
  const ElementType& type() const { return header_.type; }
  const Shape& shape() const { return header_.shape; }
  MemoryOrder order() const { return header_.order; }
  std::size_t rank() const { return header_.rank(); }
  std::int64_t count() const { return header_.count(); }
  std::int64_t byte_size() const { return header_.byte_size(); }
  const Source& source() const { return *source_; }
  const std::shared_ptr<const Source>& shared_source() const { return source_; }
  const std::string& name() const { return name_; }

 private:
  TensorHeader header_;
  std::shared_ptr<const Source> source_;
  std::string name_;
};

// Rules of the Tensor constructors.
extern const std::span<const Rule> tensor_rules;

namespace detail {
template <class T>
consteval DType dtype_of() {
  if constexpr (std::same_as<T, bool>) return DType::boolean;
  if constexpr (std::same_as<T, float>) return DType::float32;
  if constexpr (std::same_as<T, double>) return DType::float64;
  if constexpr (std::same_as<T, std::complex<float>>) return DType::complex64;
  if constexpr (std::same_as<T, std::complex<double>>) return DType::complex128;
  if constexpr (std::signed_integral<T>) {
    return sizeof(T) == 1   ? DType::int8
           : sizeof(T) == 2 ? DType::int16
           : sizeof(T) == 4 ? DType::int32
                            : DType::int64;
  }
  if constexpr (std::unsigned_integral<T>) {
    return sizeof(T) == 1   ? DType::uint8
           : sizeof(T) == 2 ? DType::uint16
           : sizeof(T) == 4 ? DType::uint32
                            : DType::uint64;
  }
}
}  // namespace detail

// A contiguous range that outlives the call: a vector, an array, a span.
template <class T>
concept ElementRange = std::ranges::contiguous_range<T> && std::ranges::sized_range<T> &&
    std::ranges::borrowed_range<T>;

// view(values, {2, 3}): the caller's elements as a tensor, in row-major order, not copied; or their
// bytes with a dtype. Throws Error (usage, tensor.t1 or tensor.t2). REQUIRES: the elements outlive
// the tensor.
Tensor view(std::span<const std::byte> bytes, DType dtype, Shape shape,
            std::endian byte_order = std::endian::native);
template <ElementRange Range>
Tensor view(Range&& elements, Shape shape) {
  using Element = std::ranges::range_value_t<Range>;
  return view(std::as_bytes(std::span(elements)), detail::dtype_of<Element>(), std::move(shape));
}

// ---- Output: where a result goes. A file shows nothing of it before commit().

// What a result survives.
enum class Durability : bool {
  kill,       // the death of the process
  power_cut,  // the death of the machine, too
};

// Whether a change in place keeps the old bytes until it is complete.
enum class Journaling : bool { left_out, done };

class Output {
 public:
  virtual ~Output() = default;

  // Called once, after every rule was checked. `data` holds the bytes that the result starts from.
  // The sink takes the result's bytes, from 0 to header.byte_size(). Throws Error (file or usage).
  virtual Sink& begin(const TensorHeader& header, const Source& data) = 0;

  // Called once, after every byte was written. Throws Error (file).
  virtual void commit() = 0;

  // The present name of the file that becomes the output, for a log; empty if it has none.
  virtual std::string temporary_name() const { return {}; }

  // What an uncommitted output leaves behind.
  enum class Remains : std::uint8_t {
    nothing,  // everything is as before
    journal,  // a partly changed file, and a journal from which it can be rolled back
    change,   // a partly changed file
  };

  // Undoes what was written since begin(). REQUIRES: nothing is written afterwards.
  virtual Remains take_back() noexcept { return Remains::nothing; }
};

// The caller's memory, which may be data's own: then only what is touched is written.
// REQUIRES: it is data's memory from its first byte on, or does not overlap any operand.
class MemoryOutput final : public Output {
 public:
  explicit MemoryOutput(std::span<std::byte> bytes) : bytes_{bytes} {}
  template <class T>
  explicit MemoryOutput(std::span<T> elements) : MemoryOutput(std::as_writable_bytes(elements)) {}
  template <class Range>
  requires ElementRange<Range&>
  explicit MemoryOutput(Range& elements) : MemoryOutput(std::span(elements)) {}

  // Throws Error (usage, tensor.t3) when the memory's size is not the result's.
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override {}

 private:
  std::span<std::byte> bytes_;
  std::optional<SpanSink> sink_;
};

}  // namespace tscatter
