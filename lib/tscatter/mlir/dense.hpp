// Constants of MLIR: dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>, and with the elements' bytes in
// hexadecimal digits. Form: docs/formats.md.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::mlir {

// "tensor<2x3xf32>", without blanks; nullopt for a type whose sizes are not all known, whose
// elements are none of a numeric dtype, or that is not addressable.
std::optional<TensorHeader> header_of(std::string_view type);

// REQUIRES: the dtype is numeric.
std::string type_text(DType dtype, const Shape& shape);

// The tensor that the text writes. `name` is used in messages. Throws Error (format, mlir.f2 to
// mlir.f4).
Tensor dense_tensor(std::string_view text, const std::string& name);

// The text that reads back as the same elements, bit for bit: as lists, and from 101 elements on as
// bytes. REQUIRES: the dtype is numeric; the elements are little-endian, in C order.
std::string dense_text(const TensorHeader& header, std::span<const std::byte> elements);

// Whether an element is NaN, or has a part that is. REQUIRES: as for dense_text.
bool has_nan(const TensorHeader& header, std::span<const std::byte> elements);

extern const std::span<const Rule> mlir_rules;

}  // namespace tscatter::mlir
