// tscatter batch merge CASES… SHARD.jsonl…: one report of many shards.
#pragma once

#include "commands/batch_flags.hpp"

namespace tscatter::app {

// Whether the words after `batch` are those of a merge.
bool is_merge(const BatchFlags& flags);

// Writes the reports, whatever is missing. Returns the exit code. Throws Error.
int merge_batch(const BatchFlags& flags, const Messages& messages);

}  // namespace tscatter::app
