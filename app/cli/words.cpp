#include "cli/words.hpp"

#include <charconv>

#include "tscatter/core/fail.hpp"

namespace tscatter::app {

int Words::thread_count() const {
  constexpr int most = 1024;
  return threads.empty() ? 0 : whole_number(threads, "--threads", 0, most);
}

const Format* Words::stdout_format() const { return find_format(format); }

ApplyFlags Words::apply_flags() const {
  return {.format = stdout_format(), .is_dry_run = is_dry_run, .wants_report = wants_json};
}

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

int whole_number(const std::string& text, const std::string& flag, int least, int most) {
  int value = least - 1;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  // cli.c4
  if (result.ec != std::errc{} || result.ptr != end || value < least || value > most) {
    fail(ErrorKind::usage, "cli.c4", flag, "must be an integer from {} to {}, got {}", least, most,
         text);
  }
  return value;
}

}  // namespace tscatter::app
