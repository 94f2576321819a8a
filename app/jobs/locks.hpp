// The locks that a run takes, and how long it waits for those that other processes hold: --wait.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/job.hpp"
#include "tscatter/io/files/output_lock.hpp"
#include "tscatter/io/files/waiting.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {

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
