// Typed literals: 2x2xf32=1,2,3,4. One value fills the shape. Form and rules: docs/formats.md,
// literal.*
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

// nullopt if the text is not a typed literal: it does not begin with sizes, a dtype and '='. Throws
// Error (usage, literal.f1 to literal.f3) if it begins as one but is wrong. `name` is used in
// messages.
std::optional<Tensor> literal_tensor(std::string_view text, const std::string& name);

// "2x3xf32" -> float32 (or a float8), shape [2, 3]; nullopt if the text is something else. The
// shape may be too large.
std::optional<TensorHeader> literal_header(std::string_view text);

extern const std::span<const Rule> literal_rules;

}  // namespace tscatter
