#include "batch/cases/case_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "batch/cases/made_lines.hpp"
#include "jobs/separate_files.hpp"
#include "text/shell_text.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_in_folders = "cases.jsonl";
constexpr std::string_view stdin_word = "-";
constexpr std::string_view stdin_name = "<stdin>";

bool has_cases(const fs::path& file) {
  return file.filename() == name_in_folders || is_module(file) ||
         (file.filename() == model_of_node_test && !data_sets_beside(file).empty());
}

CaseSource source_of(const fs::path& file) {
  if (is_model(file)) return CaseSource::node_test;
  return is_module(file) ? CaseSource::module : CaseSource::lines;
}

std::vector<fs::path> cases_below(const std::string& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator each(folder, error);
  for (; !error && each != fs::recursive_directory_iterator(); each.increment(error)) {
    std::error_code ignored;  // what is not there any more is no file
    if (each->is_regular_file(ignored) && has_cases(each->path())) found.push_back(each->path());
  }
  // file.f1
  if (error) {
    fail(ErrorKind::file, "file.f1", folder, "cannot be read: {}", error.message());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

CaseFiles::CaseFiles(std::vector<std::string> words) : words_{std::move(words)} {
  for (const std::string& word : words_) {
    std::error_code ignored;  // the attempt to open it reports what is wrong
    const bool is_folder = word != stdin_word && fs::is_directory(word, ignored);
    is_folder ? add_folder(word) : add(word);
  }
  const bool is_alone = files_.size() == 1 && files_[0].path == words_[0];
  for (BatchFile& file : files_) {
    file.is_alone = is_alone;
    file.is_one_of_several = files_.size() > 1;
  }
}

CaseFiles::CaseFiles(std::vector<std::string> words, std::shared_ptr<const PairedCases> pairs)
    : words_{std::move(words)} {
  files_.push_back({.path = words_.back(),
                    .name = fmt::format("{} and {}", as_text(words_[0]), as_text(words_[1])),
                    .source = CaseSource::pairs,
                    .pairs = std::move(pairs)});
}

void CaseFiles::add(const fs::path& path) {
  const bool is_stdin = path == stdin_word;
  const auto identity = is_stdin ? hash_of(stdin_word) : identity_of(path);
  if (identity && !known_.insert(*identity)) return;
  files_.push_back({.path = path.native(),
                    .name = is_stdin ? std::string(stdin_name) : unique_name(path),
                    .base = is_stdin ? fs::path() : path.parent_path(),
                    .number = files_.size() + 1,
                    .source = source_of(path)});
}

// Where another file is called what this one's name is escaped to, its number is added.
std::string CaseFiles::unique_name(const fs::path& path) {
  const std::string text = as_text(path.native());
  std::string name = text;
  for (std::size_t n = files_.size() + 1; !names_.insert(hash_of(name)); ++n)
    name = fmt::format("{} ({})", text, n);
  return name;
}

void CaseFiles::add_folder(const std::string& folder) {
  const std::vector<fs::path> found = cases_below(folder);
  // batch.b15
  if (found.empty()) {
    fail(
        ErrorKind::usage, "batch.b15", folder,
        "neither a file {}, a node test of ONNX nor a module of MLIR (*.mlir) is in this folder or "
        "below it",
        name_in_folders);
  }
  for (const fs::path& path : found) add(path);
}

bool CaseFiles::is_of_pairs() const { return files_[0].source == CaseSource::pairs; }

std::string CaseFiles::name() const {
  if (files_[0].is_alone) return files_[0].name;
  if (words_.size() == 1) return words_[0];
  return fmt::format("{} and {} more", words_[0], words_.size() - 1);
}

std::string CaseFiles::suite() const {
  if (is_of_pairs()) return "compare";
  if (words_.size() > 1) return "batch";
  if (words_[0] == stdin_word) return "stdin";
  const fs::path first(words_[0]);
  return (first.has_filename() ? first : first.parent_path()).stem().native();
}

}  // namespace tscatter::app
