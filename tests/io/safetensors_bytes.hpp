// Safetensors files made by hand: any header, any bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/files.hpp"
#include "tscatter/core/byte_order.hpp"

namespace tscatter {

inline std::string safetensors_length(std::uint64_t length) {
  std::array<std::byte, sizeof length> bytes{};
  store_little_endian(length, bytes.data());
  return text_of(bytes);
}

inline std::string safetensors_bytes(std::string_view header, std::string_view data) {
  return safetensors_length(header.size()) + std::string(header) + std::string(data);
}

}  // namespace tscatter
