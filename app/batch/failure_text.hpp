// What reports say of a failed case besides its message.
#pragma once

#include <filesystem>

#include "batch/batch_case.hpp"
#include "batch/case_outcome.hpp"
#include "text/document.hpp"

namespace tscatter::app {

// Operation, reduction, dtype, shape, tolerance, the error beside what is allowed, where, and the
// files, as far as they are known. Paths are those from the working directory.
Document failure_document(const BatchCase& each, const CaseOutcome& came);

// The tables of its census or verification; empty if it has none.
Document failure_tables(const CaseOutcome& came);

// The operands and the result of a case, if they are small enough to be read: nested lists.
Document values_of(const Arguments& arguments, const Tensor& actual);

}  // namespace tscatter::app
