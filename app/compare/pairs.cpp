#include "compare/pairs.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>

#include "text/shell_text.hpp"
#include "tscatter/core/ascii.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& word) {
  std::error_code ignored;  // the attempt to open it reports what is wrong
  return fs::is_directory(word, ignored);
}

std::size_t begin_of_pattern(const std::string& word) { return word.find_first_of("*?["); }

// A [ alone is rather that of a list or an index.
bool is_pattern(const std::string& word) {
  std::error_code ignored;
  const bool is_list = word.starts_with('[') || word.starts_with('{');
  return !is_list && word.find_first_of("*?") != std::string::npos && !fs::exists(word, ignored);
}

// What a word stands for: the files below the folder that match the pattern; without one, those of
// tensors.
struct Files {
  fs::path folder;
  std::optional<std::string> pattern = {};
};

Files files_of(const std::string& word) {
  if (is_folder(word)) return {.folder = word};
  if (!is_pattern(word)) {
    const fs::path file(word);
    std::error_code error;
    // file.f1
    if (!fs::exists(file, error)) {
      fail(ErrorKind::file, "file.f1", word, "must be a folder, or a file in one, got {}",
           errno_text(ENOENT));
    }
    return {.folder = file.parent_path(), .pattern = escaped_glob(file.filename().native())};
  }
  const std::size_t slash = word.rfind('/', begin_of_pattern(word));
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return {.folder = word.substr(0, begin), .pattern = word.substr(begin)};
}

// Folder by folder, as a shell does.
bool matches_path(std::string_view pattern, std::string_view name) {
  const std::size_t end = std::min(pattern.find('/'), pattern.size());
  const std::string_view first = pattern.substr(0, end);
  const std::size_t slash = name.find('/');
  const bool is_last = end == pattern.size();
  if (first == "**" && !is_last && matches_path(pattern.substr(end + 1), name)) return true;
  if (slash == std::string_view::npos)
    return is_last && matches_glob(first == "**" ? "*" : first, name);
  const std::string_view rest = name.substr(slash + 1);
  if (first == "**") return matches_path(pattern, rest);
  return !is_last && matches_glob(first, name.substr(0, slash)) &&
         matches_path(pattern.substr(end + 1), rest);
}

// Of JSON and text most files are no tensors.
bool is_of_tensors(const std::string& name) {
  constexpr std::array<std::string_view, 6> endings{".npy", ".npz", ".safetensors",
                                                    ".pb",  ".csv", ".tsv"};
  return std::ranges::any_of(
      endings, [&](std::string_view each) { return ends_with_ignoring_case(name, each); });
}

[[noreturn]] void refuse_folder(const fs::path& folder, const std::error_code& error) {
  // file.f1
  fail(ErrorKind::file, "file.f1", folder.native(), "must be a folder that can be read, got {}",
       error.message());
}

// Whether it is a link to a folder that it lies in.
bool is_loop(const fs::directory_entry& entry) {
  std::error_code error;
  if (!entry.is_symlink(error) || !entry.is_directory(error)) return false;
  const fs::path target = fs::canonical(entry.path(), error);
  const fs::path parent = fs::canonical(entry.path().parent_path(), error);
  return std::ranges::mismatch(target, parent).in1 == target.end();
}

// Calls take(path relative to the folder) for all files.
template <class Take>
void visit_files(const Files& files, const Take& take) {
  const fs::path folder = files.folder.empty() ? "." : files.folder;
  std::error_code error;
  fs::recursive_directory_iterator each(folder, fs::directory_options::follow_directory_symlink,
                                        error);
  for (; !error && each != fs::recursive_directory_iterator(); each.increment(error)) {
    if (is_loop(*each))
      refuse_folder(each->path(), std::make_error_code(std::errc::too_many_symbolic_link_levels));
    std::error_code ignored;  // what is not there any more is no file
    if (!each->is_regular_file(ignored)) continue;
    take(each->path().lexically_relative(folder).native());
  }
  if (error) refuse_folder(folder, error);
}

}  // namespace

bool names_folder(const std::string& word) { return is_folder(word) || is_pattern(word); }

FilePairs pair_files(const std::string& actual, const std::string& expected) {
  FilePairs all;
  std::map<std::string, FilePair> pairs;
  const auto collect = [&](const Files& files, bool FilePair::*has) {
    visit_files(files, [&](const std::string& name) {
      const bool is_chosen =
          files.pattern ? matches_path(*files.pattern, name) : is_of_tensors(name);
      if (is_chosen) pairs[name].*has = true;
      if (!is_chosen && !files.pattern) all.others.push_back((files.folder / name).native());
    });
  };
  Files ours = files_of(actual);
  Files theirs = files_of(expected);
  if (!ours.pattern) ours.pattern = theirs.pattern;
  if (!theirs.pattern) theirs.pattern = ours.pattern;
  collect(ours, &FilePair::has_actual);
  collect(theirs, &FilePair::has_expected);
  std::ranges::sort(all.others);
  for (auto& [name, pair] : pairs) {
    pair.name = name;
    pair.actual = (ours.folder / name).native();
    pair.expected = (theirs.folder / name).native();
    all.pairs.push_back(std::move(pair));
  }
  return all;
}

}  // namespace tscatter::app
