// How a long call is run: by how many threads, what stops it, and how far it is.
#pragma once

#include <atomic>
#include <cstdint>

#include "tscatter/core/error.hpp"

namespace tscatter {

// When it becomes true, what watches it throws Cancelled. nullptr: nothing stops the call.
using StopFlag = const std::atomic<bool>*;

inline void check_stop(StopFlag stop) {
  if (stop != nullptr && *stop) throw Cancelled();
}

// The library moves it; the caller reads it from another thread, or is told of each move.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  virtual ~Progress() = default;

  // Begins a phase of `total` bytes; 0: the number is not known. Called by one thread.
  void begin(std::int64_t total) {
    done_ = 0;
    total_ = total;
    begun();
  }
  // Called by any thread.
  void add(std::int64_t bytes) {
    done_.fetch_add(bytes, std::memory_order_relaxed);
    moved();
  }

  // Of the present phase, in bytes.
  std::int64_t done() const { return done_.load(std::memory_order_relaxed); }
  std::int64_t total() const { return total_.load(std::memory_order_relaxed); }

 protected:
  // Called after each begin() and add(), by their threads.
  virtual void begun() {}
  virtual void moved() {}

 private:
  std::atomic<std::int64_t> done_{0};
  std::atomic<std::int64_t> total_{0};
};

// How a loop over much data is run.
struct Parallelism {
  int threads = 1;  // at most; 0: one per core
  StopFlag stop = nullptr;
  Progress* progress = nullptr;  // nullptr: nobody asks
};

// A phase inside another one, whose figures come back at its end. `progress` may be nullptr.
class InnerPhase {
 public:
  InnerPhase(Progress* progress, std::int64_t total) : progress_{progress} {
    if (progress_ == nullptr) return;
    outer_done_ = progress_->done();
    outer_total_ = progress_->total();
    progress_->begin(total);
  }
  InnerPhase(const InnerPhase&) = delete;
  InnerPhase& operator=(const InnerPhase&) = delete;
  ~InnerPhase() {
    if (progress_ == nullptr) return;
    progress_->begin(outer_total_);
    if (outer_done_ > 0) progress_->add(outer_done_);
  }

  void add(std::int64_t bytes) const {
    if (progress_ != nullptr) progress_->add(bytes);
  }

 private:
  Progress* progress_;
  std::int64_t outer_done_ = 0;
  std::int64_t outer_total_ = 0;
};

}  // namespace tscatter
