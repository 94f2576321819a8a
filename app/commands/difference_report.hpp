// What compare and verify report alike: words or JSON, the worst elements, and a picture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "jobs/result.hpp"
#include "jobs/written_file.hpp"
#include "pictures/picture.hpp"
#include "text/document.hpp"

namespace tscatter::app {

// --heatmap: the file, or stdout, that takes a picture of where two tensors differ.
struct HeatmapFile {
  std::optional<std::string> word;  // - is stdout; nullopt: there is no picture
  Replacing replacing = Replacing::same_kind;

  bool is_stdout() const { return word == "-"; }
  WordsGo words_go() const { return is_stdout() ? WordsGo::to_stderr : WordsGo::to_stdout; }
};

// Throws Error (usage; cli.c14, cli.c16, cli.c17) if the picture must not go there. `read`
// is what else the command names.
void require_place(const HeatmapFile& file, const std::vector<NamedFile>& read);

// REQUIRES: there is a picture. Throws Error (file).
void write_heatmap(const HeatmapFile& file, const Picture& drawing);

struct DifferenceReport {
  ReportForm form = ReportForm::words;
  HeatmapFile heatmap = {};
};

// --worst, --heatmap, --force, --json and --threads. `what`: "the census".
std::vector<Flag> difference_flags(DifferenceReport& report, const std::string& what,
                                   std::int64_t& listed, int& threads);

// Prints what goes to stdout, or to stderr beside a picture on stdout.
void print_differences(const Document& document, const DifferenceReport& report);

}  // namespace tscatter::app
