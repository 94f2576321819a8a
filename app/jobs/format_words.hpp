// The table of formats in words, for messages and help.
#pragma once

#include <string>
#include <vector>

namespace tscatter::app {

std::string output_forms();               // "x.npy, x.npz:name, x.json"
std::string output_kinds();               // "x.npy, x.npz:name or -"
std::string in_place_kinds();             // "a .npy file"
std::vector<std::string> stdout_names();  // "npy", "json": what --format takes

struct OperandForm {
  std::string form;  // "path.npz:name"
  std::string help;
};

// For each format, how a file of it is named as an operand.
std::vector<OperandForm> file_operand_forms();

// The text of tscatter help formats: a line for each format, then the lines about outputs.
std::string formats_help();

}  // namespace tscatter::app
