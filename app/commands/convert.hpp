// tscatter convert IN OUT: between .npy, members of archives and JSON, lossless or refused.
#pragma once

#include <optional>
#include <string>

#include "result.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::app {

// One tensor from a word of the command line; `name` stands in messages. `dtype` is that of values
// that name none, and how opaque records are viewed; V1 or V2: as opaque records.
Tensor open_tensor(const std::string& word, const std::string& name,
                   const std::optional<std::string>& dtype);

void convert(const std::string& in, const OutputWanted& out,
             const std::optional<std::string>& dtype);

}  // namespace tscatter::app
