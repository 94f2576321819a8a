#include "commands/heatmap_file.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "cli/targets.hpp"
#include "commands/apply.hpp"
#include "pictures/picture_format.hpp"
#include "process/signals.hpp"
#include "tscatter/core/ascii.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

// The first one is that of stdout, and of names without an ending.
const PictureFormat& format_of_picture(const std::string& word) {
  const std::span<const PictureFormat> all = picture_formats();
  const std::string_view ending = ending_of(word);
  if (ending.empty() || is_passed_through(word)) return all.front();
  const auto found = std::ranges::find_if(
      all, [&](const PictureFormat& each) { return equal_ignoring_case(each.ending, ending); });
  // cli.c16
  if (found == all.end()) {
    std::vector<std::string_view> endings(all.size());
    std::ranges::transform(all, endings.begin(), &PictureFormat::ending);
    fail(ErrorKind::usage, "cli.c16", "--heatmap", "must end in {}, or have no ending, got {}",
         fmt::join(endings, " or "), word);
  }
  return *found;
}

}  // namespace

std::vector<Flag> heatmap_flags(HeatmapFile& file) {
  return {{.name = "heatmap",
           .group = "Output",
           .value = "PATH",
           .help = "write a picture of the differences, too: PNG, or SVG in a .svg; - is stdout",
           .into = text(file.word)},
          beside("heatmap", force_flag(file.replacing))};
}

void require_place(const HeatmapFile& file, const std::vector<NamedFile>& read) {
  if (!file.word) return;
  if (!file.is_stdout()) require_separate({{"--heatmap", *file.word}}, read);
  const PictureFormat& format = format_of_picture(*file.word);
  // cli.c19
  if (file.is_stdout() && !format.is_text && ::isatty(STDOUT_FILENO) == 1) {
    fail(ErrorKind::usage, "cli.c19", "--heatmap",
         "a picture on stdout must go to a file or a pipe (write x{}), got a terminal",
         format.ending);
  }
  if (file.is_stdout()) return;
  require_replaceable(
      {.name = "--heatmap", .word = *file.word, .kind = *kind_with_ending(format.ending)},
      file.replacing);
}

void write_heatmap(const HeatmapFile& file, const Picture& drawing) {
  const InterruptScope scope;
  const std::string picture = format_of_picture(*file.word).drawn(drawing);
  const auto place = open_report(*file.word);
  place->reserve(static_cast<std::int64_t>(picture.size()));
  place->write(0, std::as_bytes(std::span(picture)));
  place->commit();
}

}  // namespace tscatter::app
