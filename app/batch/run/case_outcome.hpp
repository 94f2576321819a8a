// How a case came out, before it is written down, and what reports say of a failed one besides its
// message.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "batch/cases/batch_case.hpp"
#include "batch/cases/case_result.hpp"
#include "compare/archives.hpp"
#include "text/document.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

struct CaseOutcome {
  CaseState state = CaseState::passed;
  std::string label = {};
  std::string reason = {};   // of a failure: reason_of()
  std::string message = {};  // of a failure, after the reason
  std::optional<Census> census = {};
  std::optional<ArchiveComparison> archives = {};  // where they differ
  std::optional<Verification> verification = {};
  std::optional<DType> dtype = {};  // of data, where the case was compared or verified
  Document values = {};             // of a small case that is not legal: its operands
  bool is_about_case = false;       // the case itself is wrong, which no xfail excuses
};

// Why a case failed, in two or three words: "values differ", "file is cut", "refused".
std::string_view reason_of(const Census& census);
std::string_view reason_of(const Error& error);

// Operation, reduction, dtype, shape, tolerance, the error beside what is allowed, where, and the
// files, as far as they are known. Paths are those from the working directory.
Document failure_document(const BatchCase& each, const CaseOutcome& came);

// The tables of its census or verification; empty if it has none.
Document failure_tables(const CaseOutcome& came);

// The operands and the result of a case, if they are small enough to be read: nested lists.
Document values_of(const Arguments& arguments, const Tensor& actual);

}  // namespace tscatter::app
