// What the scripts that made the files of testdata/npy, npz and pb wrote about them.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace tscatter {

inline nlohmann::json expected_in(const std::filesystem::path& directory) {
  return nlohmann::json::parse(std::ifstream(directory / "expected.json"));
}

inline nlohmann::json expected_in(const std::filesystem::path& directory, const char* kind) {
  return expected_in(directory).at(kind);
}

// The message with which the bad file of the row is refused.
inline std::string refusal_in(const nlohmann::json& row, const std::string& file) {
  auto message = row.at("message").get<std::string>();
  if (const std::size_t at = message.find("@FILE"); at != std::string::npos)
    message.replace(at + 1, 4, file);
  return file + ": " + message + " [" + row.at("label").get<std::string>() + "]";
}

}  // namespace tscatter
