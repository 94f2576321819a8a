// fail(): where every Error is thrown from. Not part of the installed interface.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "tscatter/core/error.hpp"

namespace tscatter {

// The message states the rule first, then what came: "must be in [0, 3), got 5".
template <class... Args>
[[noreturn]] void fail(ErrorKind kind, std::string_view label, std::string_view where,
                       fmt::format_string<Args...> format, Args&&... args) {
  throw Error(kind, label, where, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tscatter
