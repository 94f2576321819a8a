// Reads the lines of a batch as cases. Keys: docs/batch.md.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "batch/cases/batch_case.hpp"
#include "batch/cases/case_list.hpp"

namespace tscatter::app {

// What a case without a name is called, "a.jsonl:line-12"; "line-12" where its file is the only
// one.
std::string name_without_one(const BatchFile& file, std::int64_t line);
std::string name_of_line(std::int64_t line);

// The keys of a case besides a job's own.
extern const std::span<const std::string_view> batch_keys;
extern const std::span<const std::string_view> tensor_keys;  // of these, those that name a tensor

// A job, or a line of a batch without what the batch asserts of it. `is_asserted`: whether there is
// such a thing. Throws Error as parse_job().
struct JobOfBatch {
  Job job;
  bool is_asserted = false;
};
JobOfBatch parse_job_of_batch(const std::string& text, const std::string& name);

class CaseReader {
 public:
  CaseReader() = default;
  // For one line of a file whose defaults are known.
  explicit CaseReader(const BatchFile* file, std::shared_ptr<const CaseDefaults> defaults)
      : file_{file}, defaults_{std::move(defaults)} {}

  // Call in the order of the lines. What is wrong with a case becomes its `error`. nullopt: the
  // line gives defaults. Throws Error (usage, job.j5, job.j15, job.j16) if these are wrong.
  std::optional<BatchCase> read(const Line& line);

  // Those of the file of the last line; nullptr if there are none.
  const std::shared_ptr<const CaseDefaults>& defaults() const { return defaults_; }

  // A case that is not looked at.
  void pass_over(const Line& line) { enter(line).has_cases_ = true; }

 private:
  CaseReader& enter(const Line& line);
  void set_defaults(nlohmann::json& object, const Line& line, const std::string& place);

  const BatchFile* file_ = nullptr;  // of the last line
  bool has_cases_ = false;           // it had some
  std::shared_ptr<const CaseDefaults> defaults_;
};

}  // namespace tscatter::app
