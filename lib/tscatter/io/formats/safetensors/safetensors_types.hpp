// The dtypes of safetensors: their names, bits, our dtypes, and the order in which files have them.
// Source: safetensors/src/tensor.rs, Dtype.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tscatter/core/dtype.hpp"

namespace tscatter {

struct SafetensorsType {
  std::string_view name;         // in the header
  std::int64_t bits;             // of an element
  std::optional<DType> dtype;    // opaque: a float8; nullopt: of less than a byte, not read
  std::string_view float8 = {};  // its name, of an opaque one
};

// nullptr if there is none.
const SafetensorsType* safetensors_type(std::string_view name);
const SafetensorsType* safetensors_type_of(const ElementType& type);  // of any byte order

// Little-endian elements; nullopt if they are not read.
std::optional<ElementType> element_type_of(const SafetensorsType& type);

// The place in the reference's order of dtypes, in which a file has the last first; -1 for a name
// that is not known.
int safetensors_rank(std::string_view name);

}  // namespace tscatter
