#include "process/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "process/environment.hpp"
#include "process/progress_line.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/unreachable.hpp"

namespace tscatter::app {
namespace {

// Created only when something is logged: a tiny job should not wait for it.
std::shared_ptr<spdlog::logger> logger;

spdlog::color_mode color_mode(const std::string& color) {
  if (color == "always") return spdlog::color_mode::always;
  if (color == "never") return spdlog::color_mode::never;
  return spdlog::color_mode::automatic;
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::debug: return spdlog::level::debug;
  }
  unreachable();
}

}  // namespace

std::string in_log_of_step(std::string_view text) {
  return github_step() ? without_commands(text) : std::string(text);
}

// A line is a command if it begins with ::, or has ##[ anywhere. GitHub ignores white space and
// invisible characters before the ::, so everything beyond ASCII counts as such here.
std::string without_commands(std::string_view lines) {
  constexpr std::string_view mark = "##[";
  std::string harmless;
  bool begins_line = true;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const char c = lines[at];
    const std::string_view rest = lines.substr(at, mark.size());
    const bool is_command = (begins_line && c == ':') || (c == '#' && mark.starts_with(rest));
    harmless += is_command ? fmt::format("\\x{:02x}", c) : std::string(1, c);
    const bool is_passed_over = c == ' ' || c == '\t' || static_cast<unsigned char>(c) >= 0x80;
    begins_line = c == '\n' || (begins_line && is_passed_over);
  }
  return harmless;
}

void set_up_log(int verbosity, const std::string& color) {
  if (verbosity <= 0) return;
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(color_mode(color));
  logger = std::make_shared<spdlog::logger>("tscatter", std::move(sink));
  logger->set_pattern("[%H:%M:%S.%f] %^%-5l%$ %v");
  logger->set_level(level_of(verbosity == 1 ? LogLevel::info : LogLevel::debug));
}

bool is_logged(LogLevel level) { return logger != nullptr && logger->should_log(level_of(level)); }

void log_line(LogLevel level, const std::string& text) {
  if (logger == nullptr) return;
  clear_progress();
  logger->log(level_of(level), in_log_of_step(escape_control(text)));
}

}  // namespace tscatter::app
