// One tensor from a word of the command line, for show and convert.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/float8.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::app {

inline constexpr const char* tensor_help = "a file, x.npz:name, -, inline JSON or a typed literal";

// --dtype: the dtype of values without one, and of opaque records to be reinterpreted. V1 or V2:
// elements become opaque records of so many bytes.
struct RecordSize {
  std::size_t bytes;
};
// A float8 name: opaque records of one byte, and uint8, become that.
using ElementsAs = std::variant<DType, RecordSize, const Float8*>;

// Throws Error (usage, cli.c4).
ElementsAs parse_elements(const std::string& text, const std::string& where);

// `name` is used in messages. Throws Error (usage, cli.c7) if the elements are of another dtype.
Tensor open_tensor(const std::string& word, const std::string& name,
                   const std::optional<ElementsAs>& elements);

}  // namespace tscatter::app
