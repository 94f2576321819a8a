// The row of the JSON format.
#pragma once

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

extern const Format json_format;

}  // namespace tscatter
