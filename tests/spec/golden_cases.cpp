#include "spec/golden_cases.hpp"

#include <fstream>

namespace tscatter {

using nlohmann::json;

std::map<std::string, json> GoldenCase::inputs() const {
  std::map<std::string, json> operands;
  for (const auto& [key, value] : job.items()) {
    if (value.is_object() && key != "expected") operands.emplace(key, value);
  }
  return operands;
}

std::vector<GoldenCase> golden_cases() {
  std::vector<GoldenCase> cases;
  std::map<std::string, std::string> notes;
  std::ifstream file(TSCATTER_SPEC_DIR "/cases.jsonl");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.empty()) {
      notes.clear();
    } else if (line[0] != '#') {
      cases.push_back({.job = json::parse(line), .notes = notes});
    } else if (colon != std::string::npos) {
      notes[line.substr(2, colon - 2)] = line.substr(colon + 2);
    }
  }
  return cases;
}

}  // namespace tscatter
