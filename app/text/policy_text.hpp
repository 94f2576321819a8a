// The policies that a call overrides, in reports.
#pragma once

#include <vector>

#include "text/document.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

// Adds nothing without overrides.
void add_overrides(Document& document, const std::vector<PolicyAnswer>& overridden);

}  // namespace tscatter::app
