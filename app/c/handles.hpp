// What stands behind the handles of the C interface: a call's stop flag, and a plan.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "c/tscatter.h"
#include "jobs/array.hpp"
#include "jobs/job.hpp"
#include "tscatter/core/progress.hpp"

// It is raised by tsc_stop_raise(), and says how far its call is.
struct tsc_stop {
  std::atomic<bool> is_raised = false;
  mutable tscatter::Progress progress{};
};

// A call of an operation whose words are read once, for tensors of the same headers.
struct tsc_plan {
  struct Place {
    tscatter::TensorHeader header;
    std::string name;     // as the caller has it
    std::string operand;  // of the job; empty: the output
    bool is_data = false;
    bool is_writable = false;
  };

  tscatter::app::Job job;
  std::vector<Place> places;  // as the request's tensors
  // The arguments but for the caller's tensors; nullopt: they are opened anew in each run, since
  // some are in files, or are made from the caller's.
  std::optional<tscatter::Arguments> others;
};

namespace tscatter::app {

// One that is never raised for NULL.
StopFlag flag_of(const tsc_stop* stop);

// Throws Error (usage) if the request is wrong, or its result does not go to memory.
tsc_plan plan_of(const Operation& operation, const tsc_request& request);

// `bytes`: of each tensor of the request. Throws Error, as the operation does.
void run_plan(const tsc_plan& plan, void* const* bytes);

}  // namespace tscatter::app
