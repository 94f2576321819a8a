// Shared by the fuzz targets: the fuzzer's bytes as a source. A parser may return a result or throw
// an Error with a label; anything else is a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::fuzz {

inline std::span<const std::byte> as_bytes(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the run: libFuzzer keeps the input.
[[noreturn]] inline void report(std::string_view finding) {
  std::fprintf(stderr, "finding: %.*s\n", static_cast<int>(finding.size()), finding.data());
  std::abort();
}

inline void require(bool holds, std::string_view finding) {
  if (!holds) report(finding);
}

// Whether `parse` gave a result. A refusal must name its rule, in one line.
template <class Parse>
bool is_accepted(const Parse& parse) {
  try {
    parse();
    return true;
  } catch (const Error& error) {
    require(!error.label().empty(), "an error without a label");
    require(std::string_view(error.what()).find('\n') == std::string_view::npos,
            "a message of two lines");
    return false;
  }
}

// Reads all bytes of the tensor in pieces, if they are few enough to be read often.
void read_all(const Tensor& tensor);

// Whether both have the same dtype, shape and elements, bit for bit. REQUIRES: the same memory
// order, native byte order.
bool are_equal(const Tensor& one, const Tensor& other);

}  // namespace tscatter::fuzz
