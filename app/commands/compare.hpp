// tscatter compare ACTUAL EXPECTED: the differences between two tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tscatter/compare/census.hpp"

namespace tscatter::app {

enum class CensusForm : bool { words, json };

struct CompareFlags {
  std::optional<std::string> dtype;    // how opaque small records and untyped values are read
  std::optional<std::string> heatmap;  // the file that the picture goes to
  CensusForm form = CensusForm::words;
};

// Prints the census. Returns whether the tensors match. Throws Error.
bool compare_tensors(const std::string& actual, const std::string& expected, CompareOptions options,
                     const CompareFlags& flags);

// The options that flags or a job's keys give as text. Throws Error (usage, cli.c20).
double parse_bound(const std::string& text, const std::string& where);
std::uint64_t parse_ulp(const std::string& text, const std::string& where);
std::int64_t parse_worst(const std::string& text, const std::string& where);

}  // namespace tscatter::app
