// ops --diff: what two operations do differently.
#pragma once

#include <cstdint>
#include <string>

#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

enum class DiffForm : bool { words, json };

// The whole report.
std::string difference_text(const Operation& first, const Operation& second, DiffForm form);

}  // namespace tscatter::app
