// The log on stderr: decisions with -v, each step with -vv. stdout carries results only.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

namespace tscatter::app {

enum class LogLevel : std::uint8_t {
  info,   // -v
  debug,  // -vv
};

// Logs nothing if verbosity is 0 or less.
void set_up_log(int verbosity, const std::string& color);

bool is_logged(LogLevel level);

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
