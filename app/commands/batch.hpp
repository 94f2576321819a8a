// tscatter batch CASES.jsonl: many jobs, with golden comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tscatter::app {

enum class Unreferenced : std::uint8_t { ignore, warn, fail };  // goldens that no case refers to

struct BatchFlags {
  std::string path;  // the batch; - is stdin
  int threads = 0;   // 0: one per core
  bool fails_fast = false;
  std::optional<std::string> filter;
  bool lists = false;
  std::optional<std::string> shard;  // "2/3"
  bool only_last_failed = false;
  bool resumes = false;
  bool updates_golden = false;
  bool is_forced = false;  // updates, although CI is set
  std::string failed_dir;
  std::optional<std::string> junit;
  std::optional<std::string> html;
  bool wants_json = false;
  bool is_quiet = false;
  std::string color;  // auto, always or never
  Unreferenced unreferenced = Unreferenced::warn;
};

// Returns the exit code: 0, or 1 where a case failed. Throws Error (usage: cli.c40 to cli.c44,
// batch.b1; file).
int run_batch(const BatchFlags& flags);

}  // namespace tscatter::app
