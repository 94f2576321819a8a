// The row of safetensors in the table of formats.
#pragma once

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

extern const Format safetensors_format;

}  // namespace tscatter
