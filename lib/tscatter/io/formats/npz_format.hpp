// The row of the .npz format.
#pragma once

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

extern const Format npz_format;

}  // namespace tscatter
