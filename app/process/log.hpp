// The log on stderr: decisions with -v, each step with -vv. stdout carries results only.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tscatter::app {

enum class LogLevel : std::uint8_t {
  info,   // -v
  debug,  // -vv
};

// Logs nothing if verbosity is 0 or less.
void set_up_log(int verbosity, const std::string& color);

bool is_logged(LogLevel level);

// Text for stdout or stderr: in a step of GitHub Actions no line of it is a workflow command, "::x"
// becomes "\\x3a:x". Elsewhere the text as it is.
std::string in_log_of_step(std::string_view text);

// The same, wherever it is printed. A piece of a line counts as a whole one.
std::string without_commands(std::string_view lines);

// Safe to call from several threads. Control characters are escaped.
void log_line(LogLevel level, const std::string& text);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  if (is_logged(LogLevel::info))
    log_line(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  if (is_logged(LogLevel::debug))
    log_line(LogLevel::debug, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tscatter::app
