// apply(): runs one operation, from checking its arguments to committing the output. The functions
// in tscatter.hpp and the program are both built on it.
#pragma once

#include <string_view>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/run_options.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {

struct Report {
  std::string_view operation;  // "ScatterNDUpdate-15"
  Reduction reduction = Reduction::none;
  TensorHeader output;
  std::int64_t index_entries = 0;
  RunCounts counts;  // bytes_read includes all operands
  std::vector<PolicyAnswer> overridden;
};

// Checks every rule, then runs the operation into `output` and commits it. Throws Error and
// Cancelled, and then commits nothing.
Report apply(const Operation& operation, Arguments arguments, Output& output,
             const RunOptions& options = {});

// Checks every rule and counts what apply() would read and write, without writing anything. Throws
// Error. `log`: what a change in place would tell its own.
Report check(const Operation& operation, const Arguments& arguments, const RunOptions& options = {},
             Placement placement = Placement::copy, UndoLog* log = nullptr);

}  // namespace tscatter
