// A number that no other process has, for names and marks.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>

namespace tscatter {

// Opens no file, as std::random_device of some libraries does: a process may have none left.
inline std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getentropy(&number, sizeof number) == 0) return number;
  constexpr unsigned half = 32;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return static_cast<std::uint64_t>(now) ^ static_cast<std::uint64_t>(::getpid()) << half;
}

}  // namespace tscatter
