// The row of raw bytes: a file without a header, whose dtype and shape stand in the operand.
#pragma once

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

extern const Format raw_format;

}  // namespace tscatter
