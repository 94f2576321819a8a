// One line of a batch: a job and its assertions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobs/job.hpp"
#include "tscatter/compare/tolerance.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/verify/verify.hpp"

namespace tscatter::app {

struct BatchCase {
  std::int64_t line = 0;  // from 1
  std::string place;      // for messages: "cases.jsonl:12"
  std::string name;       // "line-12" if the line has none
  Job job = {};
  std::optional<OperandWord> expected = {};
  std::optional<OperandWord> actual = {};
  Tolerance tolerance = {};
  NanPolicy nan = NanPolicy::text;  // these two where actual alone is verified
  Subnormals subnormals = Subnormals::kept;
  std::optional<std::string> expected_error = {};  // a label
  std::optional<std::string> xfail = {};           // the reason
  bool repeats_name = false;                       // an earlier case has the name
  std::uint64_t line_hash = 0;                     // of the line's text

  std::optional<Error> error = {};  // what is wrong with the case itself: it is not run
  std::optional<Error> job_error =
      {};  // with the job's own keys: expected_error may name its label
};

}  // namespace tscatter::app
