// What the program says of its work on stderr, with -v. stdout carries results only.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace tscatter::app {

enum class Verbosity : signed char { quiet = -1, normal = 0, verbose = 1, very_verbose = 2 };

void set_up_log(int verbosity, const std::string& color);

void log_line(Verbosity level, const std::string& text);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_line(Verbosity::verbose, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tscatter::app
