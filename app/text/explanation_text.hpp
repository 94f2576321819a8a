// The report of explain.
#pragma once

#include "text/document.hpp"
#include "tscatter/explain/explain.hpp"

namespace tscatter::app {

// In words the first line says whether the result depends on the order of the
// updates. Keys: docs/explain.md.
Document explanation_document(const Explanation& explanation);

}  // namespace tscatter::app
