// What ends a function that cannot go on: fail(), which throws every Error, and unreachable().
#pragma once

#include <fmt/core.h>

#include <cstdlib>
#include <string_view>

#include "tscatter/core/error.hpp"

namespace tscatter {

// ---- fail(): throws every Error.

[[noreturn]] void fail_formatted(ErrorKind kind, std::string_view label, std::string_view where,
                                 fmt::string_view format, fmt::format_args args);

// The message states the rule, then what was found: "must be in [0, 3), got 5".
template <class... Args>
[[noreturn]] void fail(ErrorKind kind, std::string_view label, std::string_view where,
                       fmt::format_string<Args...> format, Args&&... args) {
  fail_formatted(kind, label, where, format, fmt::make_format_args(args...));
}

// ---- unreachable(): follows a switch over an enum that returns in each case. With a default
// instead, a forgotten enumerator would compile.

[[noreturn]] inline void unreachable() { std::abort(); }

}  // namespace tscatter
