// The row of the index of a checkpoint in several safetensors files: which file has which tensor.
#pragma once

#include <string_view>

#include "tscatter/io/formats/format.hpp"

namespace tscatter {

extern const Format shards_format;

// ".safetensors.index.json", or that of a variant, as transformers and diffusers name it:
// ".safetensors.index.fp16.json", ".safetensors.fp16.index.json". Empty if the name has none.
std::string_view shards_ending_of(std::string_view file_name);

}  // namespace tscatter
