// The flag behind tsc_stop.
#pragma once

#include <atomic>

#include "c/tscatter.h"

struct tsc_stop {
  std::atomic<bool> is_raised = false;
};

namespace tscatter::app {

// One that is never raised for NULL.
const std::atomic<bool>* flag_of(const tsc_stop* stop);

}  // namespace tscatter::app
