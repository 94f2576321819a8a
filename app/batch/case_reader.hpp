// Reads one line of a batch. Keys: docs/batch.md.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "batch/batch_case.hpp"
#include "batch/line_reader.hpp"

namespace tscatter::app {

// The keys of a line besides a job's own.
extern const std::span<const std::string_view> batch_keys;

struct BatchFile {
  std::string path;            // as the user wrote it; - for stdin
  std::string name;            // for messages: "cases.jsonl", "<stdin>"
  std::filesystem::path base;  // relative paths are relative to it
};

// Does not throw if the line is wrong: that becomes the case's `error`.
BatchCase read_case(const Line& line, const BatchFile& file);

}  // namespace tscatter::app
