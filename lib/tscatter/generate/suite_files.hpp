// The folders and small files of a suite. Not part of the installed interface.
#pragma once

#include <filesystem>
#include <string>

namespace tscatter::generate {

// If there is none, with those above it. Throws Error (file.f4).
void make_directory(const std::filesystem::path& directory);

// Throws Error (file).
void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace tscatter::generate
