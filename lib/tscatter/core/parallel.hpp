// for_each_task: several workers take numbered tasks off one counter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <type_traits>

#include "tscatter/core/progress.hpp"

namespace tscatter {

// How many workers were requested; 0 means one per core.
inline int worker_count(int requested) {
  // Asking the system opens a file, which takes as long as a small job.
  static const auto cores = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  return requested > 0 ? requested : cores;
}

// While one exists, the loops of the thread that made it share their workers, which wait between
// two loops: that is faster than to start them anew, and the system has a processor for each.
class KeptWorkers {
 public:
  KeptWorkers();  // without effect where the thread has one already
  KeptWorkers(const KeptWorkers&) = delete;
  KeptWorkers& operator=(const KeptWorkers&) = delete;
  ~KeptWorkers();

  class Crew;
  // nullptr: this thread has none, or a loop of it is under way.
  static Crew* idle_crew();

 private:
  std::unique_ptr<Crew> crew_;  // made for the first loop
  KeptWorkers* outer_;
};

// What one worker does with its tasks.
class TaskWorker {
 public:
  virtual ~TaskWorker() = default;
  virtual void run(std::int64_t task) = 0;
};

// for_each_task(), compiled once for all kinds of workers.
void run_tasks(std::int64_t tasks, const Parallelism& parallelism, std::int64_t bytes,
               const std::function<std::unique_ptr<TaskWorker>()>& make_worker);

template <class MakeWorker>
class TaskWorkerOf final : public TaskWorker {
 public:
  explicit TaskWorkerOf(const MakeWorker& make_worker) : work_(make_worker()) {}
  void run(std::int64_t task) override { work_(task); }

 private:
  std::invoke_result_t<const MakeWorker&> work_;
};

// Calls make_worker() once in each of at most `threads` workers (the caller is one), and calls what
// it returns for the tasks in [0, tasks), in ascending order within a worker. When all workers are
// done, rethrows what the task with the lowest number threw; if tasks check something, the first
// wrong place is the one reported. Throws Cancelled when *stop becomes true. make_worker may throw
// only Error and std::bad_alloc. The progress is told of each task that is done: an equal part of
// `bytes`.
template <class MakeWorker>
void for_each_task(std::int64_t tasks, const Parallelism& parallelism, std::int64_t bytes,
                   const MakeWorker& make_worker) {
  run_tasks(tasks, parallelism, bytes,
            [&make_worker] { return std::make_unique<TaskWorkerOf<MakeWorker>>(make_worker); });
}
template <class MakeWorker>
void for_each_task(std::int64_t tasks, const Parallelism& parallelism,
                   const MakeWorker& make_worker) {
  for_each_task(tasks, parallelism, 0, make_worker);
}

}  // namespace tscatter
