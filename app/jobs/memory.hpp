// The memory that a run may take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

// "512M", "8G", "100000000": in bytes; nullopt for anything else.
std::optional<std::int64_t> memory_in(std::string_view text);

// The same of a flag or key. Throws Error (usage, `label`) for what is none, or less than
// any run needs.
std::int64_t parse_memory(const std::string& text, const std::string& where,
                          std::string_view label);

// RunOptions::entry_memory of a run that may take `wanted` bytes in all; nullopt: 64 MiB and 32
// bytes for each index entry, or three quarters of the machine's memory if that is less.
std::int64_t entry_memory(std::optional<std::int64_t> wanted, const Arguments& arguments);

}  // namespace tscatter::app
