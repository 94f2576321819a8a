#include "batch/golden_files.hpp"

#include <algorithm>

#include "tscatter/core/error.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

// The file of "x.npz:name" is x.npz.
std::string file_of(const std::string& text) {
  const std::size_t member = text.find(".npz:");
  return member == std::string::npos ? text : text.substr(0, member + 4);
}

std::string key_of(const fs::path& path) { return path.lexically_normal().native(); }

bool is_tensor_ending(const std::string& ending) {
  return ending == ".npy" || ending == ".npz" || ending == ".json";
}

}  // namespace

void GoldenFiles::add(const BatchCase& each) {
  base_ = each.job.base;
  for (const auto& [name, word] : each.job.operands) add_file(each.job.base, word);
  if (each.job.output) files_.insert(hash_of(key_of(each.job.base / file_of(*each.job.output))));
  if (each.actual) add_file(each.job.base, *each.actual);
  if (!each.expected || each.expected->form != WordForm::path) return;
  add_file(each.job.base, *each.expected);
  const fs::path golden = each.job.base / file_of(each.expected->text);
  const std::string ending = golden.extension().native();
  if (is_tensor_ending(ending)) endings_[key_of(golden.parent_path() / "")].insert(ending);
}

void GoldenFiles::add_file(const fs::path& base, const OperandWord& word) {
  if (word.form == WordForm::path) files_.insert(hash_of(key_of(base / file_of(word.text))));
}

std::vector<std::string> GoldenFiles::unreferenced() const {
  std::vector<std::string> found;
  for (const auto& [directory, endings] : endings_) {
    std::error_code error;
    const fs::path folder = directory.empty() ? fs::path(".") : fs::path(directory);
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const fs::path path = fs::path(directory) / entry.path().filename();
      const bool is_like_golden =
          entry.is_regular_file(error) && endings.contains(path.extension().native());
      if (is_like_golden && !files_.contains(hash_of(key_of(path))))
        found.push_back(base_.empty() ? path.native() : path.lexically_relative(base_).native());
    }
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace tscatter::app
