// What a run of the random tests is asked for: TSCATTER_SEED and the like.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace tscatter::property {

// The number in the environment variable, `otherwise` where there is none.
inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

}  // namespace tscatter::property
