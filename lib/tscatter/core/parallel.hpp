// for_each_task: several workers take numbered tasks off one counter. Not part of the installed
// interface.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"

namespace tscatter {

// How many workers were requested; 0 means one per core.
inline int worker_count(int requested) {
  // Asking the system opens a file, which takes as long as a small job.
  static const auto cores = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  return requested > 0 ? requested : cores;
}

// Calls make_worker() once in each of at most `threads` workers (the caller is one), and calls what
// it returns for the tasks in [0, tasks), in ascending order within a worker. When all workers are
// done, rethrows what the task with the lowest number threw; if tasks check something, the first
// wrong place is the one reported. Throws Cancelled when *stop becomes true. make_worker may throw
// only Error and std::bad_alloc.
template <class MakeWorker>
void for_each_task(std::int64_t tasks, int threads, const std::atomic<bool>* stop,
                   const MakeWorker& make_worker) {
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> failed_task{std::numeric_limits<std::int64_t>::max()};
  std::mutex mutex;
  std::exception_ptr failure;

  const auto work = [&]() noexcept {
    std::int64_t task = 0;
    try {
      auto worker = make_worker();
      for (task = next++; task < tasks && task < failed_task; task = next++) {
        if (stop != nullptr && *stop) throw Cancelled();
        worker(task);
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (task < failed_task) {
        failed_task = task;
        failure = std::current_exception();
      }
    }
  };

  {
    std::vector<std::jthread> others;
    const auto workers = static_cast<int>(std::min<std::int64_t>(tasks, threads));
    try {
      for (int i = 1; i < workers; ++i) others.emplace_back(work);
    } catch (const std::system_error&) {
      // The system has no more threads: the existing ones do the work.
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

// What a loop over tasks tells of itself: each task is an equal part of `bytes`.
struct CountedBytes {
  Progress* progress = nullptr;  // nullptr: nobody
  std::int64_t bytes = 0;
};

// The same, and `counted.progress` is told.
template <class MakeWorker>
void for_each_task(std::int64_t tasks, int threads, const std::atomic<bool>* stop,
                   CountedBytes counted, const MakeWorker& make_worker) {
  if (counted.progress == nullptr || tasks == 0)
    return for_each_task(tasks, threads, stop, make_worker);
  counted.progress->begin(counted.bytes);
  for_each_task(tasks, threads, stop, [&] {
    return [&, worker = make_worker()](std::int64_t task) mutable {
      worker(task);
      const bool has_more = task < counted.bytes % tasks;
      counted.progress->add(counted.bytes / tasks + (has_more ? 1 : 0));
    };
  });
}

}  // namespace tscatter
