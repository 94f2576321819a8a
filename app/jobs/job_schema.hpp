// The JSON Schema of a job, and of the lines of a batch.
#pragma once

#include <string>

namespace tscatter::app {

// For every operation of the registry.
std::string job_schema();

}  // namespace tscatter::app
