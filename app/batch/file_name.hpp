// Names of cases as names of files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tscatter::app {

// Letters, digits and _ - . (not first) stay; other bytes are escaped as %2F. A long name is
// truncated and ends in the hash of the whole.
std::string file_name_of(std::string_view name);

// Where --failed-dir keeps the output of the case.
std::filesystem::path kept_path(const std::filesystem::path& directory, std::string_view name);

}  // namespace tscatter::app
