#include "tscatter/core/parallel.hpp"

#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <vector>

#include "tscatter/core/error.hpp"

namespace tscatter {
namespace {

void add_task(const CountedBytes& counted, std::int64_t tasks, std::int64_t task) {
  if (counted.progress == nullptr) return;
  const bool has_more = task < counted.bytes % tasks;
  counted.progress->add(counted.bytes / tasks + (has_more ? 1 : 0));
}

}  // namespace

void run_tasks(std::int64_t tasks, int threads, const std::atomic<bool>* stop, CountedBytes counted,
               const std::function<std::unique_ptr<TaskWorker>()>& make_worker) {
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> failed_task{std::numeric_limits<std::int64_t>::max()};
  std::mutex mutex;
  std::exception_ptr failure;
  if (tasks == 0) counted.progress = nullptr;
  if (counted.progress != nullptr) counted.progress->begin(counted.bytes);

  const auto work = [&]() noexcept {
    std::int64_t task = 0;
    try {
      const auto worker = make_worker();
      for (task = next++; task < tasks && task < failed_task; task = next++) {
        if (stop != nullptr && *stop) throw Cancelled();
        worker->run(task);
        add_task(counted, tasks, task);
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

}  // namespace tscatter
