// The flag behind tsc_stop, and how far the call is that has it.
#pragma once

#include <atomic>

#include "c/tscatter.h"
#include "tscatter/core/progress.hpp"

struct tsc_stop {
  std::atomic<bool> is_raised = false;
  mutable tscatter::Progress progress{};
};

namespace tscatter::app {

// One that is never raised for NULL.
const std::atomic<bool>* flag_of(const tsc_stop* stop);

}  // namespace tscatter::app
