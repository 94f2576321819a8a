// The table of formats in words, for messages and help.
#pragma once

#include <string>
#include <vector>

namespace tscatter::app {

std::string output_forms();               // "x.npy, x.npz:name, x.json"
std::string output_kinds();               // "a .npy file, an archive's member (x.npz:name)"
std::string in_place_kinds();             // "a .npy file"
std::vector<std::string> stdout_names();  // "npy", "json": what --format takes

// The lines of tscatter help operands about files, one for each kind.
std::string file_operands_help();

// The lines of tscatter help formats: one for each format, and those about outputs.
std::string formats_help();

}  // namespace tscatter::app
