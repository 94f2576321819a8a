// The header of a .npy file, format versions 1.0, 2.0 and 3.0. Format and rules: docs/formats.md,
// npy.*
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

struct NpyHeader {
  TensorHeader tensor;
  std::int64_t data_offset = 0;  // bytes before the first element
};

// Whether a file that begins with these bytes is a .npy file; false for fewer than 6 bytes.
bool begins_as_npy(std::span<const std::byte> first_bytes);

// Reads the header that `file` begins with, and ignores how many bytes follow it. Throws Error
// (format, npy.f1 to npy.f6) and what file.read throws. `name` is used in messages.
NpyHeader read_npy_header(const Source& file, const std::string& name);

// How many bytes follow the array: 0, or another .npy file, as np.save writes several arrays into
// one. Throws Error (format, npy.f7 or npy.f8).
std::int64_t bytes_after_npy(const NpyHeader& header, const Source& file, const std::string& name);

// Throws Error (format, npy.f7 or npy.f8) when the file is not as long as the header says.
void require_npy_size(const NpyHeader& header, std::int64_t file_size, const std::string& name);

// The header that NumPy 2 writes for the same array, to the byte.
std::vector<std::byte> npy_header_bytes(const TensorHeader& tensor);

std::span<const Rule> npy_rules();

}  // namespace tscatter
