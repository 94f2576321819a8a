// Every label occurs in the docs, above a check, and in a test's name. An operation's labels need
// not: docs/ops.md has each check of its form, and `tscatter ops NAME` prints the labels.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "property/environment.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/knobs.hpp"
#include "tscatter/ops/names/numpy.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {
namespace {

const std::filesystem::path source = TSCATTER_SOURCE_DIR;

// The text of every file below `folder` with one of the endings.
std::string all_text(const std::filesystem::path& folder, const Strings& endings) {
  std::string text;
  if (!std::filesystem::exists(folder)) return text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           folder, std::filesystem::directory_options::follow_directory_symlink)) {
    const std::string name = entry.path().native();
    for (const std::string& ending : endings) {
      if (entry.is_regular_file() && name.ends_with(ending)) text += read_file(entry.path()) + "\n";
    }
  }
  return text;
}

std::string docs() {
  std::string text;
  for (const char* page :
       {"ops.md", "formats.md", "errors.md", "compare.md", "verify.md", "explain.md", "generate.md",
        "batch.md", "journal.md", "scale.md", "indexing.md"}) {
    const std::filesystem::path path = source / "docs" / page;
    if (std::filesystem::exists(path)) text += read_file(path);
  }
  return text;
}

// Whether `text` has the label as a whole: npy.f1 is not in npy.f10.
bool has_label(const std::string& text, const std::string& before, const std::string& label) {
  const std::string wanted = before + label;
  for (std::size_t at = text.find(wanted); at != std::string::npos;
       at = text.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    if (end == text.size() || std::isdigit(static_cast<unsigned char>(text[end])) == 0) return true;
  }
  return false;
}

Strings all_labels() {
  Strings labels;
  const std::string text = output_of({"help", "rules"});
  for (std::size_t at = text.find("\n  "); at != std::string::npos;
       at = text.find("\n  ", at + 1)) {
    if (text[at + 3] == ' ') continue;  // a rule that goes on
    labels.push_back(text.substr(at + 3, text.find(' ', at + 3) - at - 3));
  }
  return labels;
}

// The labels that `text` does not have after `before`, joined; empty if it has all.
std::string missing_labels(const std::string& text, const std::string& before) {
  std::string names;
  for (const std::string& label : all_labels()) {
    if (!has_label(text, before, label)) names += label + " ";
  }
  return names;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The label of a line that is a comment with just a label; "" for other lines.
std::string label_in(const std::string& line) {
  static const std::regex comment("^ *// ([a-z0-9_.]+\\.[a-z]+[0-9]+)$");
  std::smatch match;
  return std::regex_match(line, match, comment) ? match[1].str() : "";
}

// Whether the lines after `at` begin with a check: within a few lines, something is refused. If
// another label follows at once, that is a stack of labels, not a check.
bool is_above_check(const std::vector<std::string>& lines, std::size_t at) {
  constexpr std::size_t few = 7;
  static const std::regex refuses("fail|refuse|require|Error");
  const std::size_t end = std::min(lines.size(), at + 1 + few);
  for (std::size_t i = at + 1; i < end && label_in(lines[i]).empty(); ++i) {
    const std::string code = lines[i].substr(0, lines[i].find("//"));
    if (std::regex_search(code, refuses)) return true;
  }
  return false;
}

// The values of an enumeration of operation.hpp, in order: "Check::data_rank" and so on.
Strings values_of(const std::string& enumeration) {
  static const std::regex value("\n  ([a-z0-9_]+),");
  const std::string text = read_file(source / "lib/tscatter/ops/operation.hpp");
  const std::size_t begin = text.find("enum class " + enumeration + " ");
  const std::string body = text.substr(begin, text.find("};", begin) - begin);
  Strings values;
  for (std::sregex_iterator at(body.begin(), body.end(), value), end; at != end; ++at)
    values.push_back(enumeration + "::" + (*at)[1].str());
  return values;
}

// Those of calls, and the one that reads an index.
std::vector<const Operation*> all_operations() {
  std::vector<const Operation*> all(operations().begin(), operations().end());
  all.push_back(&names::getitem);
  return all;
}

const Operation& operation_of(const std::string& label) {
  const std::string name = label.substr(0, label.rfind('.'));
  return name == names::getitem.id ? names::getitem : *find_operation(name);
}

// The rules of operations, each with the name of its check.
std::map<std::string, std::string> checks_of_rules() {
  const Strings names = values_of("Check");
  std::map<std::string, std::string> checks;
  for (const Operation* operation : all_operations()) {
    for (const OperationRule& rule : operation->rules)
      checks.emplace(rule.label, names.at(static_cast<std::size_t>(rule.check)));
  }
  return checks;
}

// "batched rows"
std::string word_of(Form form) {
  Operation operation{};
  operation.form = form;
  const std::string text = form_of(operation);
  return text.substr(0, text.find(':'));
}

// The first group of each match.
Strings matches(const std::string& text, const std::regex& pattern) {
  Strings found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

// Whether a cell with "all", or with forms and commas between them, names the form.
bool names_form(const std::string& cell, Form form) {
  return cell == "all" || (", " + cell + ",").find(", " + word_of(form) + ",") != std::string::npos;
}

// "index_range of batched rows": the checks of each row of the table of rules in docs/ops.md, for
// each form in it.
std::set<std::string> checks_on_page() {
  static const std::regex row("\n\\| ([a-z_`, ]+ \\| [a-z, ]+) \\| [^|\n]+ \\|(?=\n)");
  static const std::regex check("`([a-z_]+)`");
  const std::string page = read_file(source / "docs/ops.md");
  const std::string rules = page.substr(page.find("\n## Rules\n"));
  std::set<std::string> checks;
  for (const std::string& cells : matches(rules.substr(0, rules.find("\n## ", 1)), row)) {
    const std::string forms = cells.substr(cells.find(" | ") + 3);
    for (const forms::FormInfo& form : forms::form_table) {
      if (!names_form(forms, form.form)) continue;
      for (const std::string& name : matches(cells, check))
        checks.insert(fmt::format("{} of {}", name, word_of(form.form)));
    }
  }
  return checks;
}

// The same of the rows of operations; those of generic.scatter have the checks of several forms.
std::set<std::string> checks_of_forms() {
  const Strings names = values_of("Check");
  std::set<std::string> checks;
  const auto add = [&](Form form, Check check) {
    const std::string& name = names.at(static_cast<std::size_t>(check));
    checks.insert(fmt::format("{} of {}", name.substr(name.rfind(':') + 1), word_of(form)));
  };
  for (const forms::FormInfo& each : forms::form_table) {
    for (const Check check : each.checks) add(each.form, check);
  }
  for (const Operation* operation : all_operations()) {
    if (operation->unanswered.contains(Policy::form)) continue;
    for (const OperationRule& rule : operation->rules) add(operation->form, rule.check);
  }
  return checks;
}

// The tests with a table of refused calls of operations of this form: those that name the form, and
// those that name none.
std::string tables_of(Form form) {
  const std::string wanted = "== " + values_of("Form").at(static_cast<std::size_t>(form));
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(source / "tests/ops")) {
    const std::string test = read_file(entry.path());
    const bool names_form = test.find("== Form::") != std::string::npos;
    if (!names_form || test.find(wanted) != std::string::npos) text += test;
  }
  return text;
}

// Adds the rules whose check a form makes, by passing the check on to what refuses.
void add_rules_of_forms(std::set<std::string>& labels) {
  const std::string forms = all_text(source / "lib/tscatter/ops", {".cpp"});
  for (const auto& [label, check] : checks_of_rules()) {
    if (forms.find("rule_of(operation, " + check + ")") != std::string::npos ||
        forms.find("rule_of(*this, " + check + ")") != std::string::npos ||
        forms.find("rule_of(operation_, " + check + ")") != std::string::npos ||
        forms.find(" rule(" + check + ")") != std::string::npos)
      labels.insert(label);
  }
}

std::set<std::string> labels_above_checks() {
  std::set<std::string> labels;
  const std::vector<std::string> lines = lines_of(all_text(source / "lib", {".cpp", ".hpp"}) +
                                                  all_text(source / "app", {".cpp", ".hpp"}));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string label = label_in(lines[i]);
    if (!label.empty() && is_above_check(lines, i)) labels.insert(label);
  }
  add_rules_of_forms(labels);
  return labels;
}

}  // namespace

TEST_CASE("no label is given twice", "[app]") {
  const Strings labels = all_labels();
  CHECK(labels.size() > 70);
  CHECK(std::set<std::string>(labels.begin(), labels.end()).size() == labels.size());
}

TEST_CASE("every label stands in the docs, or its check in the table of rules", "[app][docs]") {
  std::string text = docs();
  for (const auto& [label, check] : checks_of_rules()) text += "\n" + label;
  CHECK(missing_labels(text, "") == "");
  const std::set<std::string> on_page = checks_on_page();
  Strings left_out;
  std::ranges::set_difference(checks_of_forms(), on_page, std::back_inserter(left_out));
  CHECK(left_out == Strings{});
}

TEST_CASE("docs/ops.md has a section for each form", "[app][docs]") {
  const std::string page = read_file(source / "docs/ops.md");
  for (const forms::FormInfo& each : forms::form_table) {
    INFO(word_of(each.form));
    CHECK(page.find("\n### " + word_of(each.form) + "\n") != std::string::npos);
  }
}

TEST_CASE("every label stands above the check that it is for", "[app]") {
  const std::set<std::string> checked = labels_above_checks();
  std::string names;
  for (const std::string& label : all_labels()) {
    if (!checked.contains(label)) names += label + " ";
  }
  CHECK(names == "");
}

// A form's rule may instead be in a table of refused calls, by the name of its check.
TEST_CASE("every label stands in a test's name, or its check in a table of refused calls",
          "[app]") {
  const std::string tests = all_text(source / "tests", {"_test.cpp"});
  std::string names;
  for (std::size_t at = tests.find("TEST_CASE("); at != std::string::npos;
       at = tests.find("TEST_CASE(", at + 1)) {
    const std::size_t quote = tests.find('"', at);
    names += tests.substr(quote, tests.find(':', quote) - quote) + "\n";
  }
  for (const auto& [label, check] : checks_of_rules()) {
    const Form form = operation_of(label).form;
    if (tables_of(form).find("{" + check + ",") != std::string::npos) names += "\"" + label + "\n";
  }
  CHECK(missing_labels(names, "\"") == "");
}

TEST_CASE("every label can be asked for", "[app]") {
  const std::string_view ending = property::is_slowed ? "11" : "1";
  for (const std::string& label : all_labels()) {
    if (label.ends_with(ending))
      CHECK(output_of({"ops", "--rule", label}).starts_with(label + ": "));
  }
}

}  // namespace tscatter
