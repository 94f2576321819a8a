// The tables of operations in docs/ops.md against the rows of ops/names. A table that differs is
// printed as it must be.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <regex>
#include <set>
#include <utility>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "tscatter/ops/names/knobs.hpp"
#include "tscatter/ops/names/namespaces.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter {
namespace {

// A column of the tables of operations.
struct PageColumn {
  std::string title;
  std::function<Strings(const Operation&)> items;  // of a cell; none: the usual answer
  std::string usual = {};                          // a column with no other items is left out
};

Strings no_item_or(std::string text) { return text.empty() ? Strings{} : Strings{text}; }

// "[batched rows](#batched-rows)"
Strings form_items(const Operation& operation) {
  const std::string text = form_of(operation);
  const std::string name = text.substr(0, text.find(':'));
  return {fmt::format("[{}](#{})", name, std::regex_replace(name, std::regex(" "), "-"))};
}

// "none, add, mul"
Strings reduction_items(const Operation& operation) {
  Strings words;
  for (const Reduction each : operation.reductions()) words.emplace_back(operation.word_of(each));
  return no_item_or(fmt::format("{}", fmt::join(words, ", ")));
}

// "`axis` = 0", "`mode` = linear (linear, circular)"
Strings attribute_items(const Operation& operation) {
  Strings items;
  for (const AttributeInfo& each : operation.attributes) {
    if (each.type() == AttributeType::reduction) continue;
    std::string item = fmt::format("`{}`", each.word());
    if (!each.is_required && !each.is_open()) item += " = " + text_of(each, each.default_value);
    if (!each.choices.empty()) item += fmt::format(" ({})", values_text(each));
    items.push_back(item);
  }
  return items;
}

Strings policy_items(const PolicyInfo& policy, const Operation& operation) {
  if (!can_override(operation, policy.policy)) return {};
  return no_item_or(answer_to(policy, operation));
}

Strings index_dtype_items(const Operation& operation) {
  const bool takes_all = operation.index_dtypes.size() == integer_dtypes.size();
  return takes_all ? Strings{} : Strings{index_dtypes_text(operation)};
}

Strings data_dtype_items(const Operation& operation) {
  const bool takes_all = operation.data_dtypes.size() == all_dtypes.size();
  return takes_all ? Strings{} : Strings{data_dtypes_text(operation)};
}

Strings updates_items(const Operation& operation) {
  const bool is_exact = operation.updates_shape == UpdatesShape::exact;
  return is_exact ? Strings{} : Strings{answer_of(operation, Knob::updates_shape)};
}

// "data `past_cache`"
template <class Info>
void add_names(const Info& info, Strings& items) {
  Strings names;
  for (const std::string_view each : {info.own, info.aliases[0], info.aliases[1]}) {
    if (!each.empty()) names.push_back(fmt::format("`{}`", each));
  }
  if (!names.empty()) items.push_back(fmt::format("{} {}", info.name, fmt::join(names, ", ")));
}

Strings name_items(const Operation& operation) {
  Strings items;
  for (const OperandInfo& each : operation.operands) add_names(each, items);
  for (const AttributeInfo& each : operation.attributes) add_names(each, items);
  return items;
}

// "min, max, sums and products: as ONNX's reference". The order of duplicates has a section.
Strings decision_items(const Operation& operation) {
  const std::set<std::string_view> elsewhere{"duplicates", "unit of order"};
  const std::set<std::string_view> texts{"the text", "no text"};
  std::vector<std::pair<std::string, Strings>> reasons;
  for (const KnobLine& line : knobs_of(operation)) {
    if (texts.contains(line.source) || elsewhere.contains(line.question)) continue;
    auto reason = std::ranges::find(reasons, line.source, &std::pair<std::string, Strings>::first);
    if (reason == reasons.end()) reason = reasons.insert(reason, {line.source, {}});
    reason->second.emplace_back(line.question);
  }
  Strings items;
  for (const auto& [reason, questions] : reasons)
    items.push_back(fmt::format("{}: {}", fmt::join(questions, ", "), reason));
  return items;
}

std::vector<PageColumn> page_columns() {
  std::vector<PageColumn> columns{
      {"form", form_items}, {"reductions", reduction_items}, {"attributes", attribute_items}};
  for (const PolicyInfo& policy : policy_table()) {
    if (policy.policy == Policy::form) continue;
    columns.push_back({fmt::format("`--{}`", policy.flag),
                       [&policy](const Operation& each) { return policy_items(policy, each); },
                       answer_to(policy, Operation{})});
  }
  columns.push_back({"indices", index_dtype_items});
  columns.push_back({"data", data_dtype_items});
  columns.push_back({"updates", updates_items});
  columns.push_back({"names in the text", name_items});
  columns.push_back({"left open by the text", decision_items});
  return columns;
}

std::string table_row(const Strings& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

// The items that each of several cells has; they are taken out of the cells.
Strings take_shared(std::vector<Strings>& cells) {
  if (cells.size() < 2) return {};
  Strings shared = cells.front();
  std::erase_if(shared, [&](const std::string& item) {
    return !std::ranges::all_of(
        cells, [&](const Strings& cell) { return std::ranges::count(cell, item) > 0; });
  });
  for (Strings& cell : cells)
    std::erase_if(cell, [&](const auto& item) { return std::ranges::count(shared, item) > 0; });
  return shared;
}

bool is_usual(const PageColumn& column, const std::vector<Strings>& cells) {
  return std::ranges::all_of(
      cells, [&](const Strings& cell) { return cell.empty() || cell == Strings{column.usual}; });
}

// A namespace's rows, line by line, and below them what is the same in each.
std::string table_of(std::span<const Operation> operations) {
  std::vector<Strings> lines{{"operation"}, {"---"}};
  for (const Operation& each : operations) lines.push_back({std::string(each.name)});
  std::string shared_text;
  for (const PageColumn& column : page_columns()) {
    std::vector<Strings> cells;
    for (const Operation& each : operations) cells.push_back(column.items(each));
    if (is_usual(column, cells)) continue;
    if (const Strings shared = take_shared(cells); !shared.empty())
      shared_text += fmt::format("- {}: {}\n", column.title, fmt::join(shared, "; "));
    if (is_usual(column, cells)) continue;
    lines[0].push_back(column.title);
    lines[1].emplace_back("---");
    for (std::size_t i = 0; i < cells.size(); ++i)
      lines[i + 2].push_back(fmt::format("{}", fmt::join(cells[i], "; ")));
  }
  std::string table;
  for (const Strings& line : lines) table += table_row(line);
  return shared_text.empty() ? table : table + "\nAll of them:\n\n" + shared_text;
}

}  // namespace

TEST_CASE("docs/ops.md has a row for each operation, as it is in ops/names", "[app][docs]") {
  const std::string page =
      read_file(std::filesystem::path(TSCATTER_SOURCE_DIR) / "docs" / "ops.md");
  for (const names::Namespace* space : names::all) {
    if (space == &names::generic) continue;  // has no answers
    const std::string table = table_of(space->operations);
    const bool stands = page.find("\n\n" + table + "\n") != std::string::npos;
    // Catch would break the lines.
    if (!stands) fmt::print("The table of {} in docs/ops.md must be\n\n{}\n", space->name, table);
    INFO(space->name);
    CHECK(stands);
  }
}

}  // namespace tscatter
