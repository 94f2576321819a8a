// How long the tests run: TSCATTER_SEED and the like in the environment, and what ./dev test
// --whole asks for.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace tscatter::property {

// Programs under sanitizers and emulators are slow.
inline constexpr bool is_slowed = std::string_view(TSCATTER_SANITIZED) != "";

// The number in the environment variable, `otherwise` where there is none.
inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

// How much of what is long is run: all of it, what ./dev test runs, what is run where programs are
// slow.
struct Extent {
  std::uint64_t whole;
  std::uint64_t sample;
  std::uint64_t slowed;
};

// The number in the environment variable, else the extent that this run has.
inline std::uint64_t extent(const char* name, const Extent& extent) {
  if (std::getenv("TSCATTER_WHOLE") != nullptr) return from_environment(name, extent.whole);
  return from_environment(name, is_slowed ? extent.slowed : extent.sample);
}

}  // namespace tscatter::property
