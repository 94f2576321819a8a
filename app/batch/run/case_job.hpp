// The job of a case: its tensors are opened, and it is run for its output or for its refusal.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "batch/cases/batch_case.hpp"
#include "compare/sides.hpp"
#include "jobs/job.hpp"
#include "jobs/operand.hpp"
#include "tscatter/apply/apply.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::app {

// `threads`: for a job that does not set its own.
int threads_of(const Job& job, int threads);
RunOptions run_options(const Job& job, const Arguments& arguments, int threads);

// The dtype of data; nullopt if it is opaque.
std::optional<DType> dtype_of_data(const Arguments& arguments);

// What was given, and else what `defaults` (or nullptr) gives to the dtype.
Tolerance tolerance_of(const GivenTolerance& given, const CaseDefaults* defaults,
                       std::optional<DType> dtype);

// The case's own, and those that its file gives to the dtype.
inline Tolerance tolerance_of(const BatchCase& each, std::optional<DType> dtype) {
  return tolerance_of(each.tolerance, each.defaults.get(), dtype);
}

// Opens `expected` or `actual`, with this dtype if it has none or is opaque.
Tensor open_beside(const BatchCase& each, const OperandWord& word, const std::string& key,
                   std::optional<DType> dtype);

// The golden, or why it is missing. One that exists but cannot be read is not missing: Throws
// Error.
std::variant<Tensor, Error> open_golden(const BatchCase& each, std::optional<DType> dtype);

// Whether its defaults have a tolerance for bfloat16.
inline bool has_bfloat16(const BatchCase& each) {
  return each.defaults && each.defaults->has(DType::bfloat16);
}

// What a case without an operation compares.
struct MissingGolden {
  Error error;
  bool is_archive;  // actual is one
};
using ComparedSides = std::variant<std::pair<Tensor, Tensor>, ArchivePair, MissingGolden>;

// Throws Error.
ComparedSides open_both(const BatchCase& each);

std::unique_ptr<Output> output_of(const Job& job);

// Opens the job; rolls back and reports what a killed run in place left, or only reports it.
OpenedJob open_reported(const Job& job, Recovery recovery);

// Runs a job that asserts nothing, for its output. Returns what it wrote.
std::string write_output(const Job& job, int threads);

// The same without writing: every rule is checked.
std::string tell_output(const Job& job, int threads);

// Throws the job's error, if it has one. Writes nothing either way.
void run_for_refusal(const Job& job, int threads);

// Cases write members of an archive in turn, since each writer replaces the whole archive, or locks
// it for a change in place. A lock that the case holds while it writes, if `word` names a member
// ("x.npz:name"), or a tensor whose elements are in another file; else empty.
inline std::unique_lock<std::mutex> archive_turn(const std::filesystem::path& base,
                                                 const std::string& word) {
  static std::mutex mutex;
  if (!place_of_elements(base, word)) return {};
  return std::unique_lock(mutex);
}

}  // namespace tscatter::app
