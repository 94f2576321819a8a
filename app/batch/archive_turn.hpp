// Members of an archive are written one after another, since each writer puts a new archive in the
// place of the old one: a case takes its turn before it writes one.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>

#include "jobs/operand.hpp"

namespace tscatter::app {

// Held until it is destroyed, where `word` names a member ("x.npz:name"); else it holds nothing.
inline std::unique_lock<std::mutex> archive_turn(const std::filesystem::path& base,
                                                 const std::string& word) {
  static std::mutex mutex;
  if (!member_name(base, word)) return {};
  return std::unique_lock(mutex);
}

}  // namespace tscatter::app
