#include "batch/reports/report_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "jobs/result.hpp"
#include "process/environment.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

std::vector<ReportPlace> report_places(const std::optional<std::string>& junit,
                                       const std::optional<std::string>& html) {
  std::vector<ReportPlace> reports;
  const auto add = [&](const char* name, const std::optional<std::string>& word,
                       std::string_view ending) {
    if (word) reports.push_back({.name = name, .word = *word, .kind = kind_with_ending(ending)});
  };
  add("--junit", junit, ".xml");
  add("XML_OUTPUT_FILE", variable("XML_OUTPUT_FILE"), ".xml");
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

Console::Console(ShowProgress show, std::function<std::string()> progress, WordsGo words)
    : words_{words} {
  if (show == ShowProgress::on_terminals && host_ == nullptr && can_show_progress())
    progress_ = std::move(progress);
  try {
    keeper_ = std::jthread([this](const std::stop_token& stop) { keep_up(stop); });
  } catch (const std::system_error&) {
    // The system has no more threads: output is not flushed in between, and there is no progress
    // line.
  }
}

Console::~Console() {
  keeper_.request_stop();
  if (keeper_.joinable()) keeper_.join();
  clear_progress();
}

void Console::print(std::string_view text) {
  constexpr std::size_t enough = std::size_t{64} << 10U;
  const std::scoped_lock lock(mutex_);
  pending_ += text;
  if (pending_.size() >= enough) flush_locked();
}

void Console::flush() {
  const std::scoped_lock lock(mutex_);
  flush_locked();
}

void Console::flush_locked() {
  if (pending_.empty()) return;
  const std::string text = std::exchange(pending_, {});
  app::print(text, words_);
}

void Console::keep_up(const std::stop_token& stop) {
  const HostScope scope(host_);
  constexpr auto pause = std::chrono::milliseconds(100);
  constexpr auto patience = std::chrono::seconds(1);
  const Clock::time_point begin = Clock::now();
  std::unique_lock lock(mutex_);
  while (!woken_.wait_for(lock, stop, pause, [] { return false; }) && !stop.stop_requested()) {
    try {
      flush_locked();
    } catch (const Error&) {
      return;  // the next print() meets it too
    }
    if (progress_ == nullptr || Clock::now() - begin < patience) continue;
    draw_progress(progress_());
  }
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
  constexpr std::int64_t piece = std::int64_t{256} << 10U;
  const Spool& spool = *spool_;
  std::vector<char> buffer(static_cast<std::size_t>(std::min(piece, spool.size())));
  for (std::int64_t offset = 0; offset < spool.size(); offset += piece) {
    const auto part =
        std::span(buffer).first(static_cast<std::size_t>(std::min(piece, spool.size() - offset)));
    spool.read(offset, std::as_writable_bytes(part));
    take(std::string_view(part.data(), part.size()));
  }
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
