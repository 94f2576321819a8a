// Names of cases as names of files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tscatter::app {

// Letters, digits and _ - . (not in front) stay; other bytes become %2F and the like. A long one is
// cut, and ends in the hash of the whole.
std::string file_name_of(std::string_view name);

// Where --failed-dir keeps the output of the case.
std::filesystem::path kept_path(const std::filesystem::path& directory, std::string_view name);

}  // namespace tscatter::app
