#include "batch/plan/golden_files.hpp"

#include <algorithm>
#include <iterator>

#include "jobs/operand.hpp"
#include "jobs/written_file.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

// In small letters: ".npy"
std::string ending_of(const fs::path& file) {
  std::string ending = file.extension().native();
  std::ranges::transform(ending, ending.begin(), lower);
  return ending;
}

// nullptr if no format has this ending.
const Format* format_with_ending(const std::string& ending) {
  const auto found = std::ranges::find(formats(), ending, &Format::ending);
  return found == formats().end() ? nullptr : *found;
}

// The members of an archive; none if it is not one, which the cases that read it report.
std::vector<ArchiveMember> members_of(const fs::path& path, const Format& format) {
  try {
    auto file = std::make_shared<FileSource>(open_settled(path, path.native()));
    return format.open_archive(std::move(file), {.name = path.native()})->members();
  } catch (const Error&) {
    return {};
  }
}

std::vector<fs::path> files_in(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> files;
  // A directory that cannot be listed has no unreferenced goldens.
  fs::directory_iterator entry(directory, error);
  while (error == std::errc::interrupted) entry = fs::directory_iterator(directory, error);
  for (; entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->is_regular_file(error)) files.push_back(entry->path().filename());
  }
  return files;
}

}  // namespace

void GoldenFiles::add(const BatchCase& each) {
  const fs::path& base = each.job.base;
  if (base_.value_or(base) != base) base_ = fs::path();
  if (!base_) base_ = base;
  for (const auto& [name, word] : each.job.operands) add_word(base, word);
  if (each.job.output) add_tensor(base, *each.job.output);
  if (each.actual) add_word(base, *each.actual);
  if (!each.expected || each.expected->form != WordForm::path) return;
  add_word(base, *each.expected);
  const std::string word = word_behind(base, each.expected->text);
  const std::optional<MemberName> member = member_name(base, word);
  const fs::path golden = base / (member ? member->archive : word);
  const std::string ending = ending_of(golden);
  if (format_with_ending(ending) == nullptr) return;
  const fs::path directory = resolved_file(golden.parent_path());
  const auto [known, is_new] = directories_.try_emplace(directory);
  if (is_new) known->second.spelling = golden.parent_path();
  known->second.endings.insert(ending);
}

void GoldenFiles::add_word(const fs::path& base, const OperandWord& word) {
  if (word.form == WordForm::path) add_tensor(base, word_behind(base, word.text));
}

void GoldenFiles::add_tensor(const fs::path& base, const std::string& text) {
  TensorPlace place = place_of(base, text);
  tensors_.insert(hash_of(place));
  if (place.member.empty()) files_.insert(hash_of(place));
  place.member.clear();
  tensors_.insert(hash_of(place));
  if (const std::string index = index_of(text); !index.empty())
    tensors_.insert(hash_of(TensorPlace{.file = resolved_file(base / index), .member = {}}));
}

std::vector<std::string> GoldenFiles::unreferenced() const {
  std::vector<std::string> found;
  for (const auto& [directory, goldens] : directories_) {
    for (const fs::path& file : files_in(directory)) {
      if (!goldens.endings.contains(ending_of(file))) continue;
      std::ranges::move(unreferenced_of(directory / file, shown(goldens.spelling / file)),
                        std::back_inserter(found));
    }
  }
  std::ranges::sort(found);
  return found;
}

// The file itself if no case names it; for an archive, the members that no case names.
std::vector<std::string> GoldenFiles::unreferenced_of(const fs::path& file,
                                                      const std::string& name) const {
  const fs::path target = resolved_file(file);
  const std::uint64_t whole = hash_of(TensorPlace{.file = target, .member = {}});
  if (!tensors_.contains(whole)) return {name};
  std::vector<std::string> found;
  if (files_.contains(whole)) return found;
  const Format* format = format_with_ending(ending_of(file));
  if (format == nullptr || !format->has_members()) return found;
  for (const ArchiveMember& member : members_of(file, *format)) {
    if (!tensors_.contains(hash_of(member_place(target, *format, member.name))))
      found.push_back(name + ":" + member.name);
  }
  return found;
}

// Relative to the batch's file, if it has one and the cases write it so.
std::string GoldenFiles::shown(const fs::path& path) const {
  const fs::path normal = path.lexically_normal();
  const fs::path base = base_.value_or("");
  const fs::path relative = normal.lexically_relative(base.lexically_normal());
  return base.empty() || relative.empty() ? normal.native() : relative.native();
}

}  // namespace tscatter::app
