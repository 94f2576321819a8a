// Every label is explained by the program, and stands above a check and in a test's name. Those of
// an operation need not: its row names their checks.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "jobs/rules.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/names/knobs.hpp"
#include "tscatter/ops/names/namespaces.hpp"
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

// "npy.f1" and its rule, in the order of a text of `tscatter help rules`, whose lines are joined.
using ExplainedRules = std::vector<std::pair<std::string, std::string>>;

ExplainedRules explained(const Strings& help) {
  ExplainedRules rules;
  std::istringstream lines(output_of(help));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ")) continue;
    const std::size_t gap = line.find("  ", 2);
    const bool goes_on = line[2] == ' ';
    const std::string text = line.substr(line.find_first_not_of(' ', goes_on ? 0 : gap));
    if (goes_on) {
      rules.back().second += " " + text;
    } else {
      rules.emplace_back(line.substr(2, gap - 2), text);
    }
  }
  return rules;
}

Strings labels_in(const Strings& help) {
  Strings labels;
  for (const auto& [label, text] : explained(help)) labels.push_back(label);
  return labels;
}

Strings all_labels() { return labels_in({"help", "rules"}); }

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

// The tests with a table of refused calls of operations of this form: those that name the form, and
// those that name none.
std::string tables_of(Form form) {
  const std::string name = values_of("Form").at(static_cast<std::size_t>(form));
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(source / "tests/ops")) {
    const std::string test = read_file(entry.path());
    const auto has = [&](const std::string& part) { return test.find(part) != std::string::npos; };
    const bool names_form = has("== Form::") || has("for_each_operation(Form::");
    const bool names_this = has("== " + name) || has("for_each_operation(" + name + ",");
    if (!names_form || names_this) text += test;
  }
  return text;
}

// Adds the rules whose check a form makes: it names the check where it refuses.
void add_rules_of_forms(std::set<std::string>& labels) {
  static const std::regex refuses(
      R"((?:refuse|require_\w+|label_of)\(operation_?,\s+(Check::\w+))");
  const std::string forms = all_text(source / "lib/tscatter/ops", {".cpp"});
  std::set<std::string> made;
  for (std::sregex_iterator at(forms.begin(), forms.end(), refuses), end; at != end; ++at)
    made.insert((*at)[1].str());
  for (const auto& [label, check] : checks_of_rules())
    if (made.contains(check)) labels.insert(label);
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

TEST_CASE("tscatter help rules has each rule, as a short phrase", "[app]") {
  static const std::regex phrase(R"([^A-Z ]\S*( \S+){2,})");
  static const std::regex full_stop(R"((^|[^.])\. |[^.]\.$)");
  const ExplainedRules rules = explained({"help", "rules"});
  CHECK(rules.size() == app::all_rules().size());
  for (const auto& [label, text] : rules) {
    INFO(label << ": " << text);
    CHECK(std::regex_match(text, phrase));
    CHECK_FALSE(std::regex_search(text, full_stop));
    CHECK(app::rule_labelled(label).text == text);  // what ops --rule prints
  }
  CHECK(output_of({"ops", "--rule", rules.back().first}) ==
        rules.back().first + ": " + rules.back().second + "\n");
}

TEST_CASE("tscatter ops NAME has each rule of the operation", "[app]") {
  const ExplainedRules rules = explained({"help", "rules"});
  for (const Operation* operation : operations()) {
    const std::string text = output_of({"ops", std::string(operation->name)});
    INFO(operation->name);
    for (const auto& [label, rule] : rules) {
      if (!label.starts_with(std::string(operation->id) + ".")) continue;
      const std::size_t at = text.find("\n  " + label + " ");
      CHECK(
          (at != std::string::npos && text.find(" " + rule + "\n", at) < text.find('\n', at + 1)));
    }
  }
}

TEST_CASE("tscatter help rules PREFIX has the rules whose labels begin so", "[app]") {
  const Strings all = all_labels();
  for (const char* prefix : {"st", "onnx", "onnx.scatter_nd_18", "scatter_update_3", "cli."}) {
    const std::string front = std::string(prefix) + (std::string(prefix).ends_with('.') ? "" : ".");
    Strings expected;
    std::ranges::copy_if(all, std::back_inserter(expected),
                         [&](const std::string& label) { return label.starts_with(front); });
    INFO(prefix);
    CHECK(expected.size() > 5);
    CHECK(labels_in({"help", "rules", prefix}) == expected);
  }
  for (const char* label : {"file.f1", "numpy.setitem.c6"}) {
    CHECK(labels_in({"help", label}) == Strings{label});
    CHECK(labels_in({"help", "rules", label}) == Strings{label});
  }
}

TEST_CASE("cli.c9: help rules refuses a prefix that no label has, and names those that exist",
          "[app]") {
  const std::string text = refusal_of(2, "help rules stt");
  CHECK(text.starts_with("help rules: a prefix must be one of scatter_elements_update_3, "));
  CHECK(text.ends_with(", memory, internal (nearest: st), got stt [cli.c9]"));
  std::set<std::string> prefixes;
  for (const std::string& label : all_labels()) prefixes.insert(label.substr(0, label.find('.')));
  for (const std::string& prefix : prefixes)
    CHECK_THAT(text, contains((prefix == "scatter_elements_update_3" ? " " : ", ") + prefix));
  CHECK(refusal_of(2, "help rules ''").ends_with(", got an empty one [cli.c9]"));
  CHECK(refusal_of(2, "help operands st") ==
        "help: takes at most TOPIC (rules takes a PREFIX), got st [cli.c5]");
}

TEST_CASE("docs/ops.md has a section for each form", "[app][docs]") {
  const std::string page = read_file(source / "docs/ops.md");
  for (const forms::FormInfo& each : forms::form_table) {
    INFO(word_of(each.form));
    CHECK_THAT(page, contains("\n### " + word_of(each.form) + "\n"));
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

}  // namespace tscatter
