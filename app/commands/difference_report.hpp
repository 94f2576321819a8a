// What compare and verify report alike: words or JSON, the worst elements, and a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "commands/heatmap_file.hpp"
#include "text/document.hpp"

namespace tscatter::app {

enum class ReportForm : bool { words, json };

struct DifferenceReport {
  ReportForm form = ReportForm::words;
  HeatmapFile heatmap = {};
};

// --worst, --heatmap, --force, --json and --threads. `what`: "the census".
std::vector<Flag> difference_flags(DifferenceReport& report, const std::string& what,
                                   std::int64_t& listed, int& threads);

std::string report_text(const Document& document, ReportForm form);

// Prints what goes to stdout, or to stderr beside a picture on stdout.
void print_differences(const Document& document, const DifferenceReport& report);

}  // namespace tscatter::app
