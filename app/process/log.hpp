// What the program says of its work on stderr, with -v. stdout carries results only.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace tscatter::app {

// Nothing is logged where verbosity is 0 or less.
void set_up_log(int verbosity, const std::string& color);

void log_line(const std::string& text);

template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  log_line(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tscatter::app
