// Tensors whose elements are made while they are read: converted, changed, all of one value, or
// compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/views/element_conversion.hpp"

namespace tscatter {

// ---- The elements of a tensor in another dtype, or changed, while they are read.

// Makes some elements of others, both in native byte order: ElementConverter is one.
using ConvertElements =
    std::function<ConversionCounts(std::span<const std::byte> elements, std::span<std::byte> into)>;

class ConvertedElements : public Source {
 public:
  // REQUIRES: the converter is from the tensor's type to `to`.
  ConvertedElements(Tensor from, ElementType to, ConvertElements converter);

  std::int64_t size() const override;
  void read(std::int64_t offset, std::span<std::byte> into) const override;
  void check_view() const override { from_.source().check_view(); }
  void check_content(const Parallelism& parallelism) const override {
    from_.source().check_content(parallelism);
  }
  std::optional<std::span<const std::byte>> repeated() const override;

  const Tensor& from() const { return from_; }
  const ElementType& to() const { return to_; }

  struct Piece {
    std::int64_t first = 0;  // elements
    std::int64_t count = 0;
    ConversionCounts counts;
  };

  // Converts all elements once, and calls the function with what came of each piece, in no
  // particular order, from several threads. If it returns false, elements behind the piece may be
  // left out. Throws Error (file), and Cancelled when *stop becomes true.
  void convert_all(const Parallelism& parallelism,
                   const std::function<bool(const Piece&)>& visit) const;

  // What becomes of one element.
  ConversionFit fit(std::int64_t number) const;

 protected:
  // Called with what came of a piece that read() has converted. May throw Error.
  virtual void accept(const Piece& /*piece*/) const {}

 private:
  ConversionCounts convert(std::int64_t first, std::span<std::byte> into) const;
  void turn_from_native(std::span<std::byte> elements) const;

  Tensor from_;
  ElementType to_;
  ConvertElements converter_;
  std::vector<std::byte> repeated_;
};

// ---- Tensors whose elements are made: all of one value, or another tensor multiplied.

// `element`: the bytes of one, in the header's byte order. It is held once, however large the
// tensor. REQUIRES: is_addressable(header.shape, header.type.size).
Tensor filled(TensorHeader header, std::vector<std::byte> element, std::string name);

// A product is rounded to the tensor's dtype and computed when it is read. Integers wrap around,
// bools are combined by "and", and the factor of complex elements has the imaginary part 0.
// REQUIRES: the dtype is not opaque; the factor is one of the dtype (fitted()).
Tensor scaled(const Tensor& tensor, const Number& factor);

// ---- computed_mask(): a mask of bools that is computed from a tensor while it is read.

enum class MaskTest : std::uint8_t {
  is_false,  // ~M
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  is_nan,
  is_infinite,
  is_finite,
};

// The elements that pass the test, in the tensor's shape and memory order. Comparisons are with
// `number`, as NumPy compares: of floats it is rounded to their dtype, of integers and bools the
// values are compared. Throws Error (usage, view.m1) if the test is not one of the tensor's dtype.
Tensor computed_mask(const Tensor& tensor, MaskTest test, const Number& number, std::string name);

// Rules of computed_mask().
extern const std::span<const Rule> computed_mask_rules;

}  // namespace tscatter
