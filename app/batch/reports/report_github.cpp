#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <span>

#include "batch/reports/reports.hpp"
#include "jobs/result.hpp"
#include "process/errors.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_annotations = 10;                    // that GitHub shows of a step
constexpr std::size_t longest_summary = std::size_t{1} << 20U;  // bytes, of a step
constexpr std::size_t longest_cell = 1000;                      // bytes

// Replaces each of `characters` by its code: "%0A".
std::string percent_encoded(std::string_view text, std::string_view characters) {
  std::string encoded;
  for (const char c : text) {
    const bool is_special = characters.find(c) != std::string_view::npos;
    encoded +=
        is_special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return encoded;
}

// A message, and the lines after it.
std::string annotation(std::string_view kind, const std::string& properties,
                       std::string_view message) {
  return fmt::format("::{} {}::{}\n", kind, properties, command_value(message));
}

std::string cell(std::string_view text) {
  const std::string all = escape_control(text);
  std::string_view rest = all;
  std::string shown;
  while (!rest.empty() && shown.size() < longest_cell) shown += take_character(rest);
  return markdown_text(shown) + (rest.empty() ? "" : "…");
}

// "| `sum`<br>cases.jsonl:3 | … |": name and place, message, details, command.
std::string row_of(const CaseResult& result) {
  std::vector<std::string> details;
  for (const auto& [name, text] : result.facts)
    details.push_back(fmt::format("{} {}", name, cell(text)));
  return fmt::format("| **{}**<br>{} | {} | {} | <code>{}</code> |\n", cell(result.name),
                     cell(result.place), cell(labelled_message(result)), fmt::join(details, "<br>"),
                     cell(result.repeat));
}

File open_to_append(const fs::path& path) {
  const int descriptor = system_files().open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  // file.f4
  if (descriptor < 0) {
    fail(ErrorKind::file, "file.f4", path.native(), "cannot be opened for writing: {}",
         errno_text(errno));
  }
  return {descriptor, path.native()};
}

}  // namespace

std::string command_value(std::string_view text) { return percent_encoded(text, "%\r\n"); }

std::string command_property(std::string_view text) { return percent_encoded(text, "%\r\n:,"); }

std::string markdown_text(std::string_view text) {
  std::string markdown;
  for (const char c : text) {
    const bool is_special =
        std::string_view("\\`*_{}[]<>()#|&~@:$!").find(c) != std::string_view::npos;
    markdown += is_special ? fmt::format("&#{};", static_cast<int>(c)) : std::string(1, c);
  }
  return markdown;
}

// As a property: the file as the repository has it, and the line.
std::string GithubReport::place_of(const CaseResult& result) const {
  if (result.file->path == "-") return {};
  const bool is_pair = result.file->source == CaseSource::pairs;
  fs::path path = is_pair ? result.place : result.file->path;
  if (step_.workspace) {
    const fs::path inside = fs::absolute(path).lexically_normal().lexically_relative(
        step_.workspace->lexically_normal());
    if (!inside.empty() && *inside.begin() != "..") path = inside;
  }
  const std::string file = command_property(escape_control(path.native()));
  return is_pair ? fmt::format("file={},", file)
                 : fmt::format("file={},line={},", file, result.line);
}

void GithubReport::case_ended(const CaseResult& result) {
  if (!is_failure(result.state)) return;
  if (annotations_.size() < most_annotations) {
    annotations_.push_back(annotation(
        "error",
        place_of(result) + fmt::format("title={}", command_property(escape_control(result.name))),
        fmt::format("{}\n{}", labelled_message(result), result.repeat)));
  }
  if (!step_.summary || row_bytes_ > longest_summary) return;
  rows_.push_back(row_of(result));
  row_bytes_ += rows_.back().size();
}

void GithubReport::batch_ended(const BatchSummary& summary) {
  std::string text = fmt::format("{}", fmt::join(annotations_, ""));
  if (!summary.unreferenced.empty()) {
    text += annotation(summary.fails_unreferenced ? "error" : "warning",
                       fmt::format("title={}", command_property(escape_control(title_))),
                       unreferenced_message(summary) + " [batch.b11]");
  }
  print_commands(text);
  if (step_.summary) append_summary(summary);
}

// The batch is not made to fail by a summary that it was not asked for.
void GithubReport::append_summary(const BatchSummary& summary) const {
  try {
    const File file = open_to_append(*step_.summary);
    const auto size = static_cast<std::size_t>(file.status().st_size);
    const std::string text =
        summary_text(summary, longest_summary - std::min(size, longest_summary));
    file.write_on(std::as_bytes(std::span(text)));
  } catch (const Error& error) {
    print_error(warning_line(error.what()));
  }
}

// At most `room` bytes: the last failures are left out.
std::string GithubReport::summary_text(const BatchSummary& summary, std::size_t room) const {
  constexpr std::size_t longest_end = 200;
  std::string text = fmt::format("### tscatter {} {}\n\n{} in {:.2f} s\n",
                                 summary.is_of_pairs ? "compare" : "batch", cell(title_),
                                 cell(summary_line(summary)), summary.seconds);
  if (!summary.unreferenced.empty())
    text += fmt::format("\n{}\n", cell(unreferenced_message(summary)));
  if (!rows_.empty())
    text += "\n| case | failure | details | run it again |\n| --- | --- | --- | --- |\n";
  if (text.size() + longest_end > room) return {};
  std::int64_t shown = 0;
  for (const std::string& row : rows_) {
    if (text.size() + row.size() + longest_end > room) break;
    text += row;
    ++shown;
  }
  const std::int64_t more = summary.failures() - shown;
  if (more > 0) text += fmt::format("\n{} more failed: GitHub takes 1 MiB of a step\n", more);
  return text + "\n";
}

}  // namespace tscatter::app
