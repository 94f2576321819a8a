// Dimension numbers as MLIR prints them: "#stablehlo.scatter<update_window_dims = [1], …>"; and as
// HLO does: "update_window_dims={1}".
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <utility>

#include "jobs/job_index.hpp"
#include "tscatter/core/ascii.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {
namespace {

constexpr std::string_view vector_dim = "index_vector_dim";

bool is_dims(const OperandInfo& operand) {
  return operand.role == OperandRole::list || operand.name == vector_dim;
}

// What stands between the brackets of an attribute of MLIR, or the whole text.
std::string between_brackets(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  const std::size_t open = text.find('<');
  const std::size_t close = text.rfind('>');
  if (begin == std::string::npos || text[begin] != '#' || open >= close) return text;
  return text.substr(open + 1, close - open - 1);
}

bool is_left_open(std::string_view text) {
  return text.starts_with('#') && text.find('<') != std::string_view::npos && !text.ends_with('>');
}

// The numbers of "[0, 1]", "dense<[0, 1]> : tensor<2xi64>" and "{0, 1}" as a list; of "3".
std::string numbers_of(const std::smatch& found) {
  if (found[4].matched) return found[4].str();
  return "[" + (found[2].matched ? found[2].str() : found[3].str()) + "]";
}

}  // namespace

bool takes_dims(const Operation& operation) {
  return operation.find_operand("update_window_dims") != nullptr;
}

void set_dims(Job& job, const std::string& text, const std::string& where) {
  constexpr std::size_t longest = 1024;
  static const std::regex entry(
      R"(\s*(\w+)\s*=\s*)"
      R"((?:(?:dense<)?\[([\d,\s]*)\](?:>\s*:\s*tensor<\w+>)?|\{([\d,\s]*)\}|(\d+)))"
      R"(\s*(?:,|$))");
  // job.j18
  if (is_left_open(trimmed(text))) {
    fail(ErrorKind::usage, "job.j18", where, "the < is not closed by a > at the end, got {}",
         text.substr(0, 200));
  }
  std::string rest = between_brackets(text.substr(0, longest));
  std::map<std::string, std::string, std::less<>> dims;
  std::smatch found;
  while (std::regex_search(rest, found, entry, std::regex_constants::match_continuous)) {
    const OperandInfo* operand = job.operation->find_operand(found[1].str());
    const bool is_new = operand != nullptr && is_dims(*operand) &&
                        dims.emplace(operand->name, numbers_of(found)).second;
    if (!is_new) {
      std::vector<std::string_view> names;
      for (const OperandInfo& each : job.operation->operands)
        if (is_dims(each)) names.push_back(each.word());
      // job.j18
      fail(ErrorKind::usage, "job.j18", where,
           "each name must be one of {}{}, and stand once, got {}", fmt::join(names, ", "),
           operand == nullptr ? nearest_hint(found[1].str(), {names.begin(), names.end()}) : "",
           found[1].str());
    }
    rest = found.suffix();
  }
  const bool is_read = rest.find_first_not_of(" \t\n") == std::string::npos;
  // job.j18
  if (!is_read || text.size() > longest) {
    fail(ErrorKind::usage, "job.j18", where,
         "must be dimension numbers as MLIR has them, update_window_dims = [1, 2], "
         "index_vector_dim = 1, got {}",
         text.substr(0, 200));
  }
  job.dims = std::move(dims);
}

std::map<std::string, OperandWord, std::less<>> operands_with_dims(const Job& job) {
  if (!job.dims) return job.operands;
  auto operands = job.operands;
  for (const OperandInfo& operand : job.operation->operands) {
    if (!is_dims(operand)) continue;
    const auto found = job.dims->find(operand.name);
    std::string word = operand.name == vector_dim ? "0" : "[]";
    if (found != job.dims->end()) word = found->second;
    const bool is_new = operands.emplace(operand.name, OperandWord{.text = std::move(word)}).second;
    // job.j18
    if (!is_new) {
      fail(ErrorKind::usage, "job.j18", job.name_of(operand.word()),
           "dimension numbers must be given as lists, or all together as {}", job.name_of("dims"));
    }
  }
  return operands;
}

}  // namespace tscatter::app
