// How long the tests run: TSCATTER_SEED and similar variables, and ./dev test --whole.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace tscatter::property {

// What slows the program that is tested: the sanitizers that it was built with, or an emulator;
// empty: nothing does. The variable is for a program that was not built beside the tests
// (TSCATTER_BINARY).
inline std::string_view slowed_by() {
  const char* given = std::getenv("TSCATTER_SANITIZED");
  return given == nullptr ? TSCATTER_SANITIZED : given;
}
inline const bool is_slowed = !slowed_by().empty();

// The number in the environment variable; `otherwise` if there is none.
inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

// How much of a long test is run: all of it, in ./dev test, and where programs are slow.
struct Extent {
  std::uint64_t whole;
  std::uint64_t sample;
  std::uint64_t slowed;
};

// The number in the environment variable, else this run's extent.
inline std::uint64_t extent(const char* name, const Extent& extent) {
  if (std::getenv("TSCATTER_WHOLE") != nullptr) return from_environment(name, extent.whole);
  return from_environment(name, is_slowed ? extent.slowed : extent.sample);
}

}  // namespace tscatter::property
