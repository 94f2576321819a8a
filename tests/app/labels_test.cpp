// Every label stands in the docs, above a check, and in a test's name.
#include <filesystem>
#include <set>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"

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
  for (const char* page : {"ops.md", "formats.md", "errors.md", "compare.md", "verify.md",
                           "explain.md", "generate.md", "batch.md", "journal.md"}) {
    const std::filesystem::path path = source / "docs" / page;
    if (std::filesystem::exists(path)) text += read_file(path);
  }
  return text;
}

// Whether the label stands in `text` and does not go on there: npy.f1 is not in npy.f10.
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

// The labels that `text` does not have behind `before`, joined: empty when it has all.
std::string missing(const std::string& text, const std::string& before) {
  std::string names;
  for (const std::string& label : all_labels()) {
    if (!has_label(text, before, label)) names += label + " ";
  }
  return names;
}

}  // namespace

TEST_CASE("no label is given twice", "[app]") {
  const Strings labels = all_labels();
  CHECK(labels.size() > 70);
  CHECK(std::set<std::string>(labels.begin(), labels.end()).size() == labels.size());
}

TEST_CASE("every label stands in the docs", "[app][docs]") { CHECK(missing(docs(), "") == ""); }

TEST_CASE("every label stands above a check", "[app]") {
  const std::string code =
      all_text(source / "lib", {".cpp", ".hpp"}) + all_text(source / "app", {".cpp", ".hpp"});
  CHECK(missing(code, "// ") == "");
}

TEST_CASE("every label stands in a test's name", "[app]") {
  const std::string tests = all_text(source / "tests", {"_test.cpp"});
  std::string names;
  for (std::size_t at = tests.find("TEST_CASE("); at != std::string::npos;
       at = tests.find("TEST_CASE(", at + 1)) {
    const std::size_t quote = tests.find('"', at);
    names += tests.substr(quote, tests.find(':', quote) - quote) + "\n";
  }
  CHECK(missing(names, "\"") == "");
}

TEST_CASE("every label can be asked for", "[app]") {
  for (const std::string& label : all_labels()) {
    if (label.ends_with("1")) CHECK(output_of({"ops", "--rule", label}).starts_with(label + ": "));
  }
}

}  // namespace tscatter
