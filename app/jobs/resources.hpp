// What a run takes of the machine: memory, and locks of files.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/job.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/io/journal/rollback.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

// ---- The memory that a run may take.

// "512M", "8G", "100000000": in bytes; nullopt for anything else.
std::optional<std::int64_t> memory_in(std::string_view text);

// The same of a flag or key. Throws Error (usage, `label`) for what is none, or less than
// any run needs.
std::int64_t parse_memory(const std::string& text, const std::string& where,
                          std::string_view label);

// RunOptions::entry_memory of a run that may take `wanted` bytes in all; nullopt: 64 MiB and 32
// bytes for each index entry, or three quarters of the machine's memory if that is less.
std::int64_t entry_memory(std::optional<std::int64_t> wanted, const Arguments& arguments);

// ---- The locks that a run takes, and how long it waits for those that other processes hold:
// --wait.

// Set once a call, before a lock is taken; nullopt: without --wait.
void set_lock_wait(std::optional<std::chrono::seconds> longest);

// A line on stderr: what a run waits for.
void tell_wait(const std::string& words);

// As long as --wait says. Without it: for ever, and in place not at all (nullopt).
Waiting waiting_for_lock();
std::optional<Waiting> waiting_in_place();

// Keeps other runs out of the output from before it is read until it has been replaced; nullptr
// unless the output is a file that one of the words in `read` names, too. Relative paths are
// relative to `base`. Throws Error (file.f4, file.f9, undo.u5).
std::shared_ptr<const OutputLock> hold_output(const std::filesystem::path& base,
                                              const std::string& output,
                                              const std::vector<std::string>& read);

// The same for a job; nullptr if it is in place.
std::shared_ptr<const OutputLock> hold_output(const Job& job);

// Messages about what a killed run in place left: for recover, and for the next run in place.
std::string leftover_words(const Leftover& leftover, Recovery recovery);

// Reports on stderr what a run in place found, if anything. `path`: as the user wrote it.
void report_leftover(const std::string& path, const Leftover& leftover, Recovery recovery);

}  // namespace tscatter::app
