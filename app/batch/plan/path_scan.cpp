#include "batch/plan/path_scan.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "batch/cases/batch_case.hpp"
#include "batch/cases/case_reader.hpp"
#include "jobs/job_keys.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

bool is_operand(std::string_view key) {
  return std::ranges::any_of(operations(), [&](const Operation* each) {
    return std::ranges::any_of(each->operands,
                               [&](const OperandInfo& operand) { return operand.has_name(key); });
  });
}

// Keys of a case whose strings are not paths.
std::vector<std::string_view> find_plain_keys() {
  std::vector<std::string_view> plain{"op"};
  for (const JobKey& key : job_keys()) {
    if (!key.is_path) plain.push_back(key.name);
  }
  for (const std::string_view key : batch_keys) {
    if (std::ranges::count(tensor_keys, key) == 0) plain.push_back(key);
  }
  for (const Operation* operation : operations()) {
    for (const AttributeInfo& attribute : operation->attributes) {
      std::vector<std::string_view> names = other_names(attribute);
      names.push_back(attribute.word());
      std::ranges::copy_if(names, std::back_inserter(plain),
                           [](std::string_view name) { return !is_operand(name); });
    }
  }
  return plain;
}

}  // namespace

LineScan scan_of(std::string_view line) {
  constexpr LineScan needed{.may_need_plan = true};
  if (line.find('\\') != std::string_view::npos)
    return needed;  // a key may be written with escapes
  LineScan scan;
  static const std::vector<std::string_view> plain_keys = find_plain_keys();
  int depth = 0;
  bool is_value = false;
  std::string_view key;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char character = line[at];
    if (character == '{' || character == '[') ++depth;
    if (character == '}' || character == ']') --depth;
    if (depth == 1 && character == ':') is_value = true;
    if (depth == 1 && character == ',') is_value = false;
    if (character != '"') continue;
    const std::size_t end = std::min(line.find('"', at + 1), line.size());
    if (depth == 1 && !is_value) key = line.substr(at + 1, end - at - 1);
    if (key == defaults_key) return needed;
    const bool is_in_object = depth > 1;
    if (is_in_object && line.substr(at + 1, end - at - 1) == "raw") return needed;
    if (depth == 1 && is_value && std::ranges::count(plain_keys, key) == 0) return needed;
    if (depth == 1 && is_value && key == "name") scan.name = line.substr(at + 1, end - at - 1);
    at = end;
  }
  return scan;
}

}  // namespace tscatter::app
