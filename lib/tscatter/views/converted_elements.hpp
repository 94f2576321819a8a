// The elements of a tensor in another dtype, or changed, while they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/views/element_conversion.hpp"

namespace tscatter {

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

}  // namespace tscatter
