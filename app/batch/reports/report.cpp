#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "batch/cases/case_reader.hpp"
#include "batch/reports/reports.hpp"
#include "jobs/result.hpp"
#include "process/environment.hpp"
#include "process/errors.hpp"
#include "text/document.hpp"
#include "text/figure.hpp"
#include "text/quoting.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/sources.hpp"

namespace tscatter::app {
namespace {

template <class IsSaid>
std::string counts_line(const BatchSummary& summary, const IsSaid& is_said) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < summary.counts.size(); ++i) {
    const auto state = static_cast<CaseState>(i);
    if (summary.counts[i] > 0 && is_said(state))
      parts.push_back(fmt::format("{} {}", grouped(summary.counts[i]).text, words_of(state)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// As a word of a command line that is no flag.
std::string path_word(const std::string& path) {
  const bool is_flag = path.starts_with('-') && path != "-";
  return shell_word(is_flag ? "./" + path : path);
}

std::string path_words(const std::vector<std::string>& paths) {
  std::vector<std::string> words(paths.size());
  std::ranges::transform(paths, words.begin(), path_word);
  return fmt::format("{}", fmt::join(words, " "));
}

// The flag for a case of its file. A name that begins like a flag is not a flag's next word; where
// it cannot be printed, its line is named.
std::string case_words(const std::string& name, std::int64_t line) {
  if (is_control(name)) return "--case " + name_of_line(line);
  return name.starts_with('-') ? shell_word("--case=" + name) : "--case " + shell_word(name);
}

// Rules that a case breaks together with another one, which may be in another file.
bool is_of_two_cases(std::string_view label) {
  return label == "batch.b3" || label == "batch.b10" || label == "batch.b12";
}

}  // namespace

std::string summary_line(const BatchSummary& summary) {
  const std::string of_these =
      summary.selected == summary.cases ? "" : grouped(summary.selected).text + " of ";
  std::string text = of_these + counted(summary.cases, summary.is_of_pairs ? "file" : "case");
  const std::string counts = counts_line(summary, [](CaseState) { return true; });
  if (!counts.empty()) text += ": " + counts;
  if (summary.is_all_done) text += ": nothing failed the last time";
  if (summary.is_interrupted) text += "; interrupted";
  if (!summary.is_all_read) text += ", the rest was not read";
  return text;
}

std::string failures_line(const BatchSummary& summary) { return counts_line(summary, is_failure); }

std::string unreferenced_message(const BatchSummary& summary) {
  constexpr std::size_t most = 20;
  const std::vector<std::string>& files = summary.unreferenced;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(files.size(), most); ++i)
    names.push_back(escape_control(files[i]));
  if (files.size() > most) names.push_back(fmt::format("and {} more", files.size() - most));
  return fmt::format("no case refers to these goldens: {}", fmt::join(names, ", "));
}

void say_unreferenced(const BatchSummary& summary, const std::string& batch) {
  if (summary.unreferenced.empty()) return;
  // batch.b11
  const Error error(ErrorKind::usage, "batch.b11", batch, unreferenced_message(summary));
  print_error(summary.fails_unreferenced ? error_line(error, ErrorForm::text)
                                         : warning_line(error.what()));
}

std::string repeat_command(const CaseFiles& files, const CaseResult& result) {
  if (const PairedCases* all = result.file->pairs.get()) {
    const FilePair& pair = pair_of(*result.file, result.line);
    return fmt::format("tscatter compare {} {}{}", path_word(pair.actual), path_word(pair.expected),
                       all->flags);
  }
  const bool is_alone = !is_of_two_cases(result.label);
  const std::string batch = is_alone ? path_word(result.file->path) : path_words(files.words());
  const std::string name = is_alone && result.is_unnamed ? name_of_line(result.line) : result.name;
  const bool has_verdict = !result.judge.empty() && !result.repeats_name;
  if (has_verdict && result.file->source != CaseSource::node_test)
    return fmt::format("tscatter {} {} {}", result.judge, case_words(name, result.line), batch);
  // Two cases disagree there: one alone would write the golden.
  if (result.label == "batch.b10") return fmt::format("tscatter batch {} --update-golden", batch);
  return fmt::format("tscatter batch {} --filter {}", batch, shell_word(escaped_glob(name)));
}

std::string labelled_message(const CaseResult& result) {
  const std::string message = escape_control(result.message);
  return result.label.empty() ? message : fmt::format("{} [{}]", message, result.label);
}

std::string facts_text(const Facts& facts) {
  TextTable table;
  for (const auto& [name, text] : facts) table.add({name, text});
  return table.text();
}

std::vector<ReportPlace> report_places(const std::optional<std::string>& junit,
                                       const std::optional<std::string>& html, bool is_of_batch) {
  std::vector<ReportPlace> reports;
  const auto add = [&](const char* name, const std::optional<std::string>& word,
                       std::string_view ending) {
    if (word) reports.push_back({.name = name, .word = *word, .kind = kind_with_ending(ending)});
  };
  add("--junit", junit, ".xml");
  if (is_of_batch) add("XML_OUTPUT_FILE", variable("XML_OUTPUT_FILE"), ".xml");
  add("--html", html, ".html");
  return reports;
}

void require_one_on_stdout(const std::vector<ReportPlace>& reports) {
  const ReportPlace* first = nullptr;
  for (const ReportPlace& each : reports) {
    if (!each.is_stdout()) continue;
    // cli.c14
    if (first != nullptr) {
      fail(ErrorKind::usage, "cli.c14", each.name, "must be another file than {}, got -",
           first->name);
    }
    first = &each;
  }
}

void require_place(const ReportPlace& report, Replacing replacing) {
  if (report.is_stdout()) return;
  const WrittenFile file{
      .name = report.name, .word = report.word, .kind = *report.kind, .options = {.format = {}}};
  require_ending(file);
  require_replaceable(file, replacing);
}

WordsGo words_beside(const std::vector<ReportPlace>& reports) {
  const bool is_taken = std::ranges::any_of(reports, &ReportPlace::is_stdout);
  return is_taken ? WordsGo::to_stderr : WordsGo::to_stdout;
}

SpooledText::SpooledText(std::string user)
    : user_{std::move(user)},
      spool_{std::in_place, temporary_directory(), temporary_directory().native()} {}

void SpooledText::append(std::string_view text) {
  constexpr std::size_t enough = std::size_t{64} << 10U;
  if (trouble_) return;
  pending_ += text;
  if (pending_.size() < enough) return;
  try {
    spool_->append(std::as_bytes(std::span(pending_)));
  } catch (const Error& error) {
    trouble_ = Error(error.kind(), error.label(), fmt::format("{} (for {})", error.where(), user_),
                     error.message());
    spool_.reset();
  }
  pending_.clear();
}

void SpooledText::read(const std::function<void(std::string_view)>& take) {
  if (trouble_) throw Error(*trouble_);
  read_pieces(*spool_, nullptr, [&](std::int64_t, const auto& bytes) {
    take({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
  take(pending_);
}

ReportFile::ReportFile(std::string path) : path_{std::move(path)} {
  std::error_code ignored;  // the attempt to open it reports what is wrong
  const std::filesystem::file_status status = std::filesystem::status(path_, ignored);
  const bool can_be_tried = !std::filesystem::exists(status) || !std::filesystem::is_other(status);
  if (can_be_tried) open_report(path_);
}

OutputFile& ReportFile::file() {
  if (file_ == nullptr) file_ = open_report(path_);
  return *file_;
}

void ReportFile::write(std::string_view text) {
  file().write(size_, std::as_bytes(std::span(text)));
  size_ += static_cast<std::int64_t>(text.size());
}

void ReportFile::commit() { file().commit(); }

}  // namespace tscatter::app
