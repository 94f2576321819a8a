// The row of the index of a checkpoint in several safetensors files: which file has which tensor.
#pragma once

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

extern const Format shards_format;

}  // namespace tscatter
