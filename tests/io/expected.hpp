// What the scripts that made the files of testdata/npy, npz and pb wrote about them.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tscatter {

inline nlohmann::json expected_in(const std::filesystem::path& directory) {
  return nlohmann::json::parse(std::ifstream(directory / "expected.json"));
}

inline nlohmann::json expected_in(const std::filesystem::path& directory, const char* kind) {
  return expected_in(directory).at(kind);
}

}  // namespace tscatter
