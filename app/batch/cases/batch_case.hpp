// One line of a batch: a job and its assertions, or two tensors or archives that are compared.
// Its file may give tolerances to all cases, by dtype: {"defaults": {"float16": {"rtol": 1e-2}}}.
// docs/batch.md
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/cases/case_files.hpp"
#include "compare/sides.hpp"
#include "jobs/job.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/core/dtype.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

inline constexpr std::array<std::string_view, 4> tolerance_keys{"rtol", "atol", "max_ulp",
                                                                "equal_nan"};

// Each key as it was written, or not.
struct GivenTolerance {
  std::optional<double> rtol = {};
  std::optional<double> atol = {};
  std::optional<std::uint64_t> max_ulp = {};
  std::optional<bool> equal_nan = {};

  bool is_empty() const { return !rtol && !atol && !max_ulp && !equal_nan; }

  // Each key by itself: this one's, or else the other one's.
  Tolerance before(const GivenTolerance& other) const;
};

// Takes the keys out of the object. `where` is the object's place. Throws Error (usage, job.j5).
GivenTolerance take_tolerance(nlohmann::json& object, const std::string& where);

// What one file says before its cases.
struct CaseDefaults {
  std::array<GivenTolerance, dtype_table.size()> tolerances = {};  // by the dtype of the result
  std::string line = {};
  std::uint64_t hash = 0;  // of the line

  bool has(DType dtype) const { return !tolerances.at(static_cast<std::size_t>(dtype)).is_empty(); }
};

inline constexpr std::string_view defaults_key = "defaults";

// Reads the value of the key. `where`: the key's place. Throws Error (usage, job.j5 and job.j16).
CaseDefaults read_defaults(const nlohmann::json& given, const std::string& where);

// The cases of two folders, in the order of their lines.
struct PairedCases {
  std::vector<FilePair> pairs;
  GivenTolerance tolerance = {};
  std::shared_ptr<const CaseDefaults> defaults = {};
  std::string flags = {};  // of a compare of one pair alone: " --rtol 0.001"
};

// REQUIRES: the file is made of pairs. `line`: of the case, from 1.
inline const FilePair& pair_of(const BatchFile& file, std::int64_t line) {
  return file.pairs->pairs[static_cast<std::size_t>(line - 1)];
}

struct BatchCase {
  const BatchFile* file = nullptr;
  std::int64_t line = 0;     // of the file, from 1
  std::uint32_t number = 0;  // among the cases of the batch, from 1; 2^32 would take 100 GB
  std::string place;         // for messages: "cases.jsonl:12"
  std::string name;          // if the line has none: "line-12", "a.jsonl:line-12" of several files
  Job job = {};
  std::optional<OperandWord> expected = {};
  std::optional<OperandWord> actual = {};
  GivenTolerance tolerance = {};
  std::shared_ptr<const CaseDefaults> defaults = {};  // of its file; null if there are none
  NanPolicy nan = NanPolicy::text;                    // these five where actual alone is verified
  Subnormals subnormals = Subnormals::kept;
  OtherBits nan_bits = OtherBits::kept;
  OtherBits zeros = OtherBits::kept;
  std::optional<Blocks> blocks = {};
  std::optional<std::string> expected_error = {};  // a label
  std::optional<std::string> xfail = {};           // the reason
  std::optional<std::string> skip = {};            // the reason
  std::vector<std::string> tags = {};
  bool is_unnamed = true;       // the line has no name
  bool repeats_name = false;    // an earlier case has the name
  std::uint64_t line_hash = 0;  // of the line's text and its defaults

  // Whether it has no operation: actual is compared with expected.
  bool has_no_job() const { return job.operation == nullptr; }
  // Whether --update-golden may rewrite its golden: not if that is inline, for a known failure, or
  // beside a job that is not run.
  bool has_updatable_golden() const {
    return expected && expected->form == WordForm::path && !xfail && (!actual || has_no_job());
  }

  std::optional<Error> error = {};  // what is wrong with the case itself: it is not run
  std::optional<Error> job_error =
      {};  // with the job's own keys: expected_error may name its label
};

}  // namespace tscatter::app
