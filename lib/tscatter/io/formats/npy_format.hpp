// The row of the .npy format.
#pragma once

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

extern const Format npy_format;

}  // namespace tscatter
