// The lists of operations in docs/ops.md against the rows of ops/names. A list that differs is
// printed as it must be.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/ops/names/knobs.hpp"
#include "tscatter/ops/names/namespaces.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter {
namespace {

// "[batched rows](#batched-rows)"
std::string form_link(const Operation& operation) {
  const std::string text = form_of(operation);
  const std::string name = text.substr(0, text.find(':'));
  return fmt::format("[{}](#{})", name, std::regex_replace(name, std::regex(" "), "-"));
}

// "`--dim`", "`--axis 0`", "`--mode linear` (linear, circular)"
Strings attribute_items(const Operation& operation) {
  Strings items;
  for (const AttributeInfo& each : operation.attributes) {
    if (each.type() == AttributeType::reduction) continue;
    std::string flag = "--" + std::regex_replace(std::string(each.word()), std::regex("_"), "-");
    if (!each.is_required && !each.is_open()) flag += " " + text_of(each, each.default_value);
    std::string item = fmt::format("`{}`", flag);
    if (each.is_open()) item += " (optional)";
    if (!each.choices.empty()) item += fmt::format(" ({})", values_text(each));
    items.push_back(item);
  }
  return items;
}

std::string updates_item(UpdatesShape shape) {
  switch (shape) {
    case UpdatesShape::exact: return "";
    case UpdatesShape::one_element: return "updates of one element in any shape";
    case UpdatesShape::broadcast: return "updates broadcast";
    case UpdatesShape::broadcast_ones: return "updates broadcast, even from a higher rank";
    case UpdatesShape::box: return "updates may be longer";
    case UpdatesShape::box_or_fill: return "updates may be longer, or one value";
    case UpdatesShape::fill: return "one value for updates";
    case UpdatesShape::as_many: return "updates in any shape";
    case UpdatesShape::at_least: return "updates may be longer";
    case UpdatesShape::repeat: return "updates are repeated";
  }
  unreachable();
}

// What an item says of its operations, but their names, reductions and policies.
std::string facts_text(const Operation& operation) {
  std::string text = form_link(operation);
  for (const std::string& item : attribute_items(operation)) text += "; " + item;
  if (operation.index_dtypes.size() != integer_dtypes.size())
    text += "; indices " + index_dtypes_text(operation);
  if (const std::string item = updates_item(operation.updates_shape); !item.empty())
    text += "; " + item;
  return text;
}

// The operation's answer to each question; empty where it does not have the question.
Strings answers_of(const Operation& operation) {
  Strings answers;
  for (const PolicyInfo& policy : policy_table()) {
    const bool has = policy.policy != Policy::form && can_override(operation, policy.policy);
    answers.push_back(has ? answer_to(policy, operation) : "");
  }
  return answers;
}

// Operations that differ in no more than name, reductions, and dtypes of data.
struct Family {
  std::string facts;
  Strings answers;  // of those that have the question
  std::vector<const Operation*> operations;

  // Adds the operation, unless it differs in more.
  bool take(const Operation& operation) {
    const Strings own = answers_of(operation);
    if (facts_text(operation) != facts) return false;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i] != answers[i] && !own[i].empty() && !answers[i].empty()) return false;
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (answers[i].empty()) answers[i] = own[i];
    }
    operations.push_back(&operation);
    return true;
  }
};

std::vector<Family> families_of(std::span<const Operation> operations) {
  std::vector<Family> families;
  for (const Operation& each : operations) {
    const auto takes = [&](Family& family) { return family.take(each); };
    if (!std::ranges::any_of(families, takes))
      families.push_back({facts_text(each), answers_of(each), {&each}});
  }
  return families;
}

// "**onnx.ScatterND-16** (none, add, mul)"
std::string name_text(const Operation& operation) {
  Strings words;
  for (const Reduction each : operation.reductions()) words.emplace_back(operation.word_of(each));
  std::string inner = fmt::format("{}", fmt::join(words, ", "));
  if (operation.data_dtypes.size() != all_dtypes.size())
    inner += (inner.empty() ? "" : "; ") + data_dtypes_text(operation);
  return fmt::format("**{}**{}", operation.name, inner.empty() ? "" : " (" + inner + ")");
}

// "- **tosa.scatter** (…): [batched rows](#batched-rows); indices int32 or int64; `--unique true`"
std::string item_of(const Family& family) {
  Strings names;
  for (const Operation* each : family.operations) names.push_back(name_text(*each));
  std::string text = fmt::format("- {}: {}", fmt::join(names, ", "), family.facts);
  for (std::size_t i = 0; i < family.answers.size(); ++i) {
    const PolicyInfo& policy = policy_table()[i];
    const std::string& answer = family.answers[i];
    if (!answer.empty() && answer != answer_to(policy, Operation{}))
      text += fmt::format("; `--{} {}`", policy.flag, answer);
  }
  return text + "\n";
}

std::string list_of(std::span<const Operation> operations) {
  std::string list;
  for (const Family& each : families_of(operations)) list += item_of(each);
  return list;
}

// Items may be broken into lines on the page.
std::string joined_lines(const std::string& page) {
  return std::regex_replace(page, std::regex("\n  "), " ");
}

}  // namespace

TEST_CASE("docs/ops.md has each operation, as it is in ops/names", "[app][docs]") {
  const std::string page =
      joined_lines(read_file(std::filesystem::path(TSCATTER_SOURCE_DIR) / "docs" / "ops.md"));
  for (const names::Namespace* space : names::all) {
    if (space == &names::generic) continue;  // has no answers
    const std::string list = list_of(space->operations);
    const bool stands = page.find("\n\n" + list + "\n") != std::string::npos;
    // Catch would break the lines.
    if (!stands) fmt::print("The list of {} in docs/ops.md must be\n\n{}\n", space->name, list);
    INFO(space->name);
    CHECK(stands);
  }
}

}  // namespace tscatter
