// One line of a batch: a job and its assertions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "batch/case_files.hpp"
#include "batch/given_tolerance.hpp"
#include "jobs/job.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

struct BatchCase {
  const BatchFile* file = nullptr;
  std::int64_t line = 0;  // of the file, from 1
  std::string place;      // for messages: "cases.jsonl:12"
  std::string name;       // if the line has none: "line-12", "a.jsonl:line-12" of several files
  Job job = {};
  std::optional<OperandWord> expected = {};
  std::optional<OperandWord> actual = {};
  GivenTolerance tolerance = {};
  std::shared_ptr<const CaseDefaults> defaults = {};  // of its file; null if there are none
  NanPolicy nan = NanPolicy::text;                    // these two where actual alone is verified
  Subnormals subnormals = Subnormals::kept;
  std::optional<std::string> expected_error = {};  // a label
  std::optional<std::string> xfail = {};           // the reason
  std::optional<std::string> skip = {};            // the reason
  std::vector<std::string> tags = {};
  bool is_unnamed = true;       // the line has no name
  bool repeats_name = false;    // an earlier case has the name
  std::uint64_t line_hash = 0;  // of the line's text and its defaults

  std::optional<Error> error = {};  // what is wrong with the case itself: it is not run
  std::optional<Error> job_error =
      {};  // with the job's own keys: expected_error may name its label

  // The number of its line in the whole batch.
  std::int64_t line_of_batch() const { return file->lines_before + line; }
};

}  // namespace tscatter::app
