// A call of an operation whose words are read once, for tensors of the same headers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "c/tscatter.h"
#include "jobs/array.hpp"
#include "jobs/job.hpp"

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

// Throws Error (usage) if the request is wrong, or its result does not go to memory.
tsc_plan plan_of(const Operation& operation, const tsc_request& request);

// `bytes`: of each tensor of the request. Throws Error, as the operation does.
void run_plan(const tsc_plan& plan, void* const* bytes);

}  // namespace tscatter::app
