// diagnose(): what explains the wrong elements of a result. docs/verify.md says what is tried.
#pragma once

#include <vector>

#include "tscatter/diagnose/examination.hpp"
#include "tscatter/orders/verdict.hpp"

namespace tscatter::diagnose {

// Names what explains most of the elements, then what explains most of the rest, and so on; with
// all that explain as many. `wrong`: numbers of elements. They are examined in their order, as many
// as there is room for. Throws Error (file) and Cancelled.
orders::Diagnoses diagnose(const Call& call, const LoweredPlan& lowered,
                           std::vector<std::int64_t> wrong, const ReadActual& read,
                           const ExamineOptions& options);

}  // namespace tscatter::diagnose
