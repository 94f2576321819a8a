#include "tscatter/core/parallel.hpp"

#include <pthread.h>
#include <sched.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <vector>

#include "tscatter/core/error.hpp"

namespace tscatter {
namespace {

// The processors of this thread. A worker is sent to one of its own when it begins, and may go
// anywhere from then on: where a virtual machine has halted a processor, the system does not see
// that it is idle, and leaves a new thread behind the one that made it until the next tick, which
// takes milliseconds.
class Processors {
 public:
  Processors() {
    if (::sched_getaffinity(0, sizeof(all_), &all_) != 0) CPU_ZERO(&all_);
  }

  // The worker of that number, which has not begun.
  void send(std::jthread& worker, int number) const {
    const int count = CPU_COUNT(&all_);
    const int here = ::sched_getcpu();
    if (count < 2 || here < 0) return;
    int processor = here;
    for (int skipped = number % (count - 1) + 1; skipped > 0; --skipped) {
      do processor = (processor + 1) % CPU_SETSIZE;
      while (!CPU_ISSET(processor, &all_));
    }
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(processor, &own);
    ::pthread_setaffinity_np(worker.native_handle(), sizeof(own), &own);
  }
  // The worker that calls it.
  void release() const {
    if (CPU_COUNT(&all_) > 1) ::pthread_setaffinity_np(::pthread_self(), sizeof(all_), &all_);
  }

 private:
  cpu_set_t all_;
};

}  // namespace

class KeptWorkers::Crew {
 public:
  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    {
      const std::scoped_lock lock(mutex_);
      has_ended_ = true;
    }
    call_.notify_all();
  }

  // Calls work() in this thread and in at most so many others at the same time.
  void run(int others, const std::function<void()>& work) {
    hire(others);
    {
      const std::scoped_lock lock(mutex_);
      work_ = &work;
      const int wanted = std::min(others, static_cast<int>(threads_.size()));
      for (int i = 0; i < wanted; ++i) processors_.send(threads_[static_cast<std::size_t>(i)], i);
      wanted_ = wanted;
    }
    call_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    wanted_ = 0;  // who has not begun finds nothing to do
    done_.wait(lock, [&] { return working_ == 0; });
    work_ = nullptr;
  }
  // Whether a loop is under way.
  bool is_busy() const { return work_ != nullptr; }

 private:
  void hire(int count) {
    try {
      while (static_cast<int>(threads_.size()) < count) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      // The system has no more threads: the existing ones do the work.
    }
  }

  bool is_called() const { return wanted_ > 0 || has_ended_; }

  // The next loop, or the end, often follows at once: to sleep and to be woken takes longer.
  void look_out() const {
    constexpr auto how_long = std::chrono::microseconds(50);
    const auto begin = std::chrono::steady_clock::now();
    while (!is_called() && std::chrono::steady_clock::now() - begin < how_long)
      std::this_thread::yield();
  }

  void serve() {
    while (true) {
      look_out();
      std::unique_lock lock(mutex_);
      call_.wait(lock, [&] { return is_called(); });
      if (has_ended_) return;
      --wanted_;
      ++working_;
      const std::function<void()>& work = *work_;
      lock.unlock();
      processors_.release();
      work();
      lock.lock();
      if (--working_ == 0) done_.notify_one();
    }
  }

  Processors processors_;
  std::mutex mutex_;
  std::condition_variable call_;
  std::condition_variable done_;
  const std::function<void()>* work_ = nullptr;  // changed by the thread that made the crew alone
  std::atomic<int> wanted_ = 0;                  // who shall begin
  int working_ = 0;
  std::atomic<bool> has_ended_ = false;
  std::vector<std::jthread> threads_;
};

namespace {

thread_local KeptWorkers* kept_workers = nullptr;

}  // namespace

KeptWorkers::KeptWorkers() : outer_{kept_workers} {
  if (outer_ == nullptr) kept_workers = this;
}

KeptWorkers::~KeptWorkers() { kept_workers = outer_; }

KeptWorkers::Crew* KeptWorkers::idle_crew() {
  if (kept_workers == nullptr) return nullptr;
  std::unique_ptr<Crew>& crew = kept_workers->crew_;
  if (!crew) crew = std::make_unique<Crew>();
  return crew->is_busy() ? nullptr : crew.get();
}

void run_tasks(std::int64_t tasks, const Parallelism& parallelism, std::int64_t bytes,
               const std::function<std::unique_ptr<TaskWorker>()>& make_worker) {
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> failed_task{std::numeric_limits<std::int64_t>::max()};
  std::mutex mutex;
  std::exception_ptr failure;
  Progress* const progress = tasks == 0 || bytes == 0 ? nullptr : parallelism.progress;
  if (progress != nullptr) progress->begin(bytes);

  const auto work = [&]() noexcept {
    std::int64_t task = 0;
    try {
      const auto worker = make_worker();
      for (task = next++; task < tasks && task < failed_task; task = next++) {
        check_stop(parallelism.stop);
        worker->run(task);
        if (progress != nullptr) progress->add(bytes / tasks + (task < bytes % tasks ? 1 : 0));
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (task < failed_task) {
        failed_task = task;
        failure = std::current_exception();
      }
    }
  };

  const std::int64_t threads = worker_count(parallelism.threads);
  const auto others = static_cast<int>(std::min(tasks, threads)) - 1;
  if (others < 1) {
    work();
  } else if (KeptWorkers::Crew* const crew = KeptWorkers::idle_crew()) {
    crew->run(others, work);
  } else {
    KeptWorkers::Crew().run(others, work);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tscatter
