// A tensor of the oracle as users write tensors: the bytes of a .npy file, JSON, a typed literal.
// Shares no code with the library's readers and writers.
#pragma once

#include <string>

#include "oracle/dense.hpp"

namespace tscatter::soak {

// "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
std::string npy_dict(const oracle::Dense& dense, oracle::Layout layout);
std::string npy_bytes(const oracle::Dense& dense, oracle::Layout layout);

// The bytes after the header. REQUIRES: `file` is a .npy file that begins with npy_dict().
std::vector<std::byte> npy_elements(const std::string& file);

// Whether the elements can be written as text and read back to the same bits.
bool has_text(const oracle::Dense& dense);

// {"dtype": "int32", "shape": [2, 3], "data": [1, 2, …]}. REQUIRES: has_text().
std::string json_text(const oracle::Dense& dense);

// "2x3xi32=1,2,…". REQUIRES: has_text(), and no infinities.
std::string literal_text(const oracle::Dense& dense);
bool has_infinities(const oracle::Dense& dense);

}  // namespace tscatter::soak
