// .npy files as tensors and as outputs. Format: docs/formats.md.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tscatter/core/output.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

// The tensor in a .npy file; only the header is read now. Throws Error (file or format).
Tensor open_npy(const std::filesystem::path& path);

}  // namespace tscatter
