// The golden cases in testdata/spec/cases.jsonl: the jobs, and the comments above each.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tscatter {

struct GoldenCase {
  nlohmann::json job;                        // op, inputs, reduction and expected
  std::map<std::string, std::string> notes;  // source, printed, note
  std::string name() const { return job.at("name").get<std::string>(); }

  // The operands by name.
  std::map<std::string, nlohmann::json> inputs() const;
};

std::vector<GoldenCase> golden_cases();

}  // namespace tscatter
