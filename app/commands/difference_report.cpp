#include "commands/difference_report.hpp"

#include <cstddef>
#include <span>
#include <string_view>

#include "cli/targets.hpp"
#include "commands/apply.hpp"
#include "jobs/result.hpp"
#include "pictures/picture.hpp"
#include "process/host.hpp"
#include "text/document.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

constexpr std::string_view ending = ".svg";

void require_ending(const std::string& word) {
  const std::string_view got = ending_of(word);
  // cli.c16
  if (!got.empty() && !is_passed_through(word) && !equal_ignoring_case(got, ending)) {
    fail(ErrorKind::usage, "cli.c16", "--heatmap",
         "must end in {}, or have no ending (rsvg-convert and browsers make a PNG of it), got {}",
         ending, word);
  }
}

}  // namespace

std::vector<Flag> difference_flags(DifferenceReport& report, const std::string& what,
                                   std::int64_t& listed, int& threads) {
  const auto json_help = [what] { return what + " as one JSON object"; };
  return in_group(
      "Output",
      {value_flag("worst", "N", "list the N worst elements (default 5)", worst(listed)),
       value_flag("heatmap", "PATH", "write a picture of the differences, too, as SVG; - is stdout",
                  text(report.heatmap.word)),
       beside("heatmap", force_flag(report.heatmap.replacing)), json_flag(json_help, report.form),
       threads_flag(threads)});
}

void print_differences(const Document& document, const DifferenceReport& report) {
  print(report_text(document, report.form), report.heatmap.words_go());
}

void require_place(const HeatmapFile& file, const std::vector<NamedFile>& read) {
  if (!file.word) return;
  if (!file.is_stdout()) require_separate({{"--heatmap", *file.word}}, read);
  require_ending(*file.word);
  if (file.is_stdout()) return;
  require_replaceable({.name = "--heatmap", .word = *file.word, .kind = *kind_with_ending(ending)},
                      file.replacing);
}

void write_heatmap(const HeatmapFile& file, const Picture& drawing) {
  const InterruptScope scope;
  const std::string picture = svg_file(drawing);
  const auto place = open_report(*file.word);
  place->reserve(static_cast<std::int64_t>(picture.size()));
  place->write(0, std::as_bytes(std::span(picture)));
  place->commit();
}

}  // namespace tscatter::app
