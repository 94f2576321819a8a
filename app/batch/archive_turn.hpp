// Cases write members of an archive in turn, since each writer replaces the whole archive, or locks
// it for a change in place.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>

#include "jobs/operand.hpp"

namespace tscatter::app {

// A lock that the case holds while it writes, if `word` names a member ("x.npz:name"), or a tensor
// whose elements are in another file; else empty.
inline std::unique_lock<std::mutex> archive_turn(const std::filesystem::path& base,
                                                 const std::string& word) {
  static std::mutex mutex;
  if (!place_of_elements(base, word)) return {};
  return std::unique_lock(mutex);
}

}  // namespace tscatter::app
