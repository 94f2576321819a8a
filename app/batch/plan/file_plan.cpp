#include "batch/plan/file_plan.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <limits>
#include <utility>

#include "batch/cases/case_reader.hpp"
#include "jobs/hash.hpp"
#include "jobs/operand.hpp"
#include "jobs/written_file.hpp"
#include "text/quoting.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/journal/undo_journal.hpp"

namespace tscatter::app {
namespace {

ByteRange range_of(const MemberName& member) {
  if (member.format->range == nullptr) return {};
  try {
    return member.format->range(member.member);
  } catch (const Error&) {
    return {};
  }
}

namespace fs = std::filesystem;

bool is_write(FileUse use) { return use >= FileUse::writes_member; }

bool is_of_member(FileUse use) {
  return use == FileUse::reads_member || use == FileUse::writes_member;
}

bool is_of_golden(FileUse use) { return use == FileUse::compares || use == FileUse::updates; }

bool agree(FileUse one, FileUse other) {
  if (!is_write(one) && !is_write(other)) return true;
  if (is_of_member(one) && is_of_member(other)) return true;
  if (is_of_golden(one) && is_of_golden(other)) return true;
  return one == other &&
         (one == FileUse::keeps || one == FileUse::streams || one == FileUse::changes_member);
}

FileUse use_of_archive(FileUse of_member) {
  return is_write(of_member) ? FileUse::writes_member : FileUse::reads_member;
}

BatchCase case_at(CaseList& cases, std::uint32_t number) {
  const Line line = cases.line(number - 1);
  return CaseReader(line.file, nullptr).read(line).value();
}

// Raw bytes of a file, which no archive keeps in their place: who reads some reads the file.
bool is_raw(const std::optional<MemberName>& member) {
  return member && !member->format->has_members();
}

bool stays(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
         (character >= '0' && character <= '9') ||
         std::string_view("_-.").find(character) != std::string_view::npos;
}

std::string file_name_of(std::string_view name) {
  constexpr std::size_t longest = 200;
  std::string text;
  for (const char character : name) {
    if (stays(character) && !(character == '.' && text.empty())) {
      text += character;
    } else {
      text += fmt::format("%{:02X}", static_cast<unsigned char>(character));
    }
  }
  if (text.size() <= longest) return text;
  return fmt::format("{}%{:016x}", text.substr(0, longest), hash_of(name));
}

}  // namespace

std::filesystem::path kept_path(const std::filesystem::path& directory, std::string_view name) {
  return directory / (file_name_of(name) + ".npy");
}

std::optional<std::uint32_t> ChangedRanges::meet(std::uint64_t file, const MemberName& member,
                                                 std::uint32_t line) {
  ChangedFile& known =
      files_.try_emplace(file, ChangedFile{.format = member.format, .line = line, .changes = {}})
          .first->second;
  if (known.format != member.format) return known.line;
  const ByteRange range = range_of(member);
  if (range.size() <= 0) return std::nullopt;
  const auto next = known.changes.lower_bound(range.begin);
  if (next != known.changes.end() && next->first < range.end) return next->second.line;
  if (next != known.changes.begin()) {
    const Change& before = std::prev(next)->second;
    if (before.end > range.begin) return before.line;
  }
  known.changes.emplace_hint(next, range.begin, Change{.end = range.end, .line = line});
  return std::nullopt;
}

struct FilePlan::CaseFile {
  std::string_view role;
  std::string word;
  FileUse use;
  fs::path base = {};                     // of the word
  std::optional<MemberName> member = {};  // that it names, of data in place
};

// For data that is changed in place. Data that is not a file is refused when it is opened.
FilePlan::CaseFile FilePlan::journal_of(const Job& job) {
  const auto data = job.operands.find("data");
  const std::string word = data == job.operands.end() ? "" : data->second.text;
  const auto place = place_of_elements(job.base, word);
  const fs::path file = resolved_file(job.base / (place ? place->archive : word));
  return {.role = "undo journal",
          .word = undo_journal_path(file).native(),
          .use = place ? FileUse::changes_member : FileUse::writes};
}

bool FilePlan::is_of_command(const Use& use) {
  return use.use == FileUse::keeps || (use.number == 0 && is_write(use.use));
}

std::uint8_t FilePlan::role_of(std::string_view name) {
  const auto found = std::ranges::find(roles_, name, &Role::name);
  const auto index = static_cast<std::size_t>(found - roles_.begin());
  if (found == roles_.end()) roles_.push_back({.name = std::string(name), .word = {}});
  assert(index < 256);
  return static_cast<std::uint8_t>(index);
}

void FilePlan::add(const std::string& name, const std::string& path, FileUse use) {
  if (const auto file = identity_of(path)) add_of_command(*file, name, path, use);
}

void FilePlan::add_open(const std::string& name, const std::string& path, int descriptor,
                        FileUse use) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  add_of_command(identity_of(status), name, path, use);
}

void FilePlan::add_of_command(std::uint64_t file, const std::string& name, const std::string& path,
                              FileUse use) {
  const Use added{.file = file, .role = role_of(name), .use = use};
  roles_[added.role].word = path;
  for (const Use& other : uses_) {
    const bool is_refused = other.file == file && !agree(use, other.use);
    if (is_refused && is_of_command(added)) refuse_command(added, roles_[other.role].name, path);
    if (is_refused && is_of_command(other)) refuse_command(other, name, path);
  }
  add(added);
}

void FilePlan::refuse_command(const Use& own, const std::string& other,
                              const std::string& word) const {
  const Role& role = roles_[own.role];
  // cli.c14
  fail(ErrorKind::usage, "cli.c14", role.name, "must be another file than {}, got {}", other,
       role.word.empty() ? word : role.word);
}

void FilePlan::add(Use use) {
  constexpr std::uint16_t last = std::numeric_limits<std::uint16_t>::max();
  const bool goes_on = !uses_.empty() && uses_.back().number == use.number;
  const int order = goes_on ? uses_.back().order + 1 : 0;
  use.order = static_cast<std::uint16_t>(std::min<int>(order, last));
  uses_.push_back(use);
}

std::vector<FilePlan::CaseFile> FilePlan::files_of(const BatchCase& each) const {
  std::vector<CaseFile> files;
  if (each.error || each.job_error || each.skip) return files;
  const auto add = [&](std::string_view role, const std::optional<OperandWord>& word, FileUse use) {
    if (word && word->form == WordForm::path)
      files.push_back({.role = role,
                       .word = word_behind(each.job.base, word->text),
                       .use = use,
                       .base = each.job.base});
  };
  const bool is_run = !each.expected_error;
  const bool is_changed = is_run && each.job.placement == Placement::in_place;
  for (const auto& [key, word] : each.job.operands)
    add(key, word, is_changed && key == "data" ? FileUse::writes : FileUse::reads);
  if (is_changed && each.job.journaling == Journaling::done) files.push_back(journal_of(each.job));
  add("actual", each.actual, FileUse::reads);
  add("expected", each.expected,
      each.has_updatable_golden() && options_.updates_golden ? FileUse::updates
                                                             : FileUse::compares);
  if (is_run && each.job.output) {
    files.push_back({.role = "output",
                     .word = *each.job.output,
                     .use = FileUse::writes,
                     .base = each.job.base});
  }
  const bool is_kept = each.expected && !each.actual && !each.xfail;
  if (is_kept && !options_.failed_dir.empty()) {
    files.push_back({.role = "--failed-dir",
                     .word = kept_path(options_.failed_dir, each.name).native(),
                     .use = FileUse::keeps});
  }
  return files;
}

// An output replaces the file that is named.
std::optional<MemberName> FilePlan::place_used(const CaseFile& file) {
  return file.role == "output" || file.use == FileUse::updates
             ? member_name(file.base, file.word)
             : place_of_elements(file.base, file.word);
}

// A member of an archive has two keys: its own and the archive's.
void FilePlan::add(const BatchCase& each) {
  for (CaseFile& file : files_of(each)) {
    Use use{.number = each.number, .role = role_of(file.role), .use = file.use};
    const bool is_tensor = file.use != FileUse::keeps;
    const auto member = is_tensor ? place_used(file) : std::nullopt;
    const auto key = identity_of(file.base / (member ? member->archive : file.word));
    if (!key) continue;
    const bool is_in_place = member && file.use == FileUse::writes && file.role == "data";
    if (is_in_place) file.member = member;
    if (member && !is_raw(member)) {
      use.file = identity_of_member(*key, *member);
      add(use, file);
      use.use = use_of_archive(file.use);
    }
    use.file = *key;
    if (member) add_naming_file(file, use);
    if (is_in_place) use.use = FileUse::changes_member;
    if (is_raw(member) && is_of_golden(use.use)) use.use = FileUse::reads;
    add(use, file);
  }
}

void FilePlan::add_naming_file(CaseFile file, Use use) {
  const auto named = split_member_name(file.word);
  const auto naming = identity_of(file.base / (named ? named->archive : file.word));
  if (!naming || *naming == use.file) return;
  // A change elsewhere goes with changes of the file's own members, and of no other bytes of it.
  use.file = *naming;
  use.use = file.member ? FileUse::changes_member : FileUse::reads;
  if (file.member) {
    const Format& format = named ? *named->format : in_place_format(file.word);
    file.member = MemberName{.format = &format, .archive = file.word, .member = {}};
  }
  add(use, file);
}

void FilePlan::add(const Use& use, const CaseFile& file) {
  add(use);
  if (file.member) add_change(use, file);
}

// Changes of one file are made in turn, in any order.
void FilePlan::add_change(const Use& use, const CaseFile& file) {
  const auto first = changed_.meet(use.file, *file.member, use.number);
  if (!first) return;
  Use other = use;
  other.number = *first;
  refusals_.try_emplace(use.number, Refusal{.own = use, .other = other, .is_of_bytes = true});
}

void FilePlan::judge(CaseList& cases) {
  std::ranges::sort(uses_, {}, [](const Use& use) { return std::pair(use.file, place_of(use)); });
  for (auto begin = uses_.begin(); begin != uses_.end();) {
    const auto end = std::ranges::find_if_not(
        begin, uses_.end(), [&](std::uint64_t file) { return file == begin->file; }, &Use::file);
    judge_file({begin, end});
    begin = end;
  }
  uses_ = {};
  if (!of_command_) return;
  const Use& later = of_command_->later();
  refuse_command(of_command_->own, described(of_command_->other, cases),
                 word_of(later, case_at(cases, later.number)));
}

// `uses`: in the order in which they were added.
void FilePlan::judge_file(std::span<const Use> uses) {
  Firsts firsts{};
  for (const Use& use : uses) {
    note_conflicts(use, firsts);
    const Use*& first = firsts.at(static_cast<std::size_t>(use.use));
    if (first == nullptr) first = &use;
  }
  for (const Use& use : uses) note_refusals(use, firsts);
}

void FilePlan::note_conflicts(const Use& use, const Firsts& before) {
  for (std::size_t i = before.size(); i-- > 0;) {
    const Use* other = before.at(i);
    if (other == nullptr || agree(use.use, other->use)) continue;
    if (!is_of_command(use) && !is_of_command(*other)) continue;
    if (of_command_ && place_of(of_command_->later()) <= place_of(use)) continue;
    of_command_ = is_of_command(use) ? Refusal{.own = use, .other = *other}
                                     : Refusal{.own = *other, .other = use};
  }
}

// Of what a case may not do, the first is told.
void FilePlan::note_refusals(const Use& use, const Firsts& firsts) {
  for (const Use* other : firsts) {
    if (other == nullptr || !keeps_from(use, *other)) continue;
    const Refusal refusal{.own = use, .other = *other};
    const auto [known, is_new] = refusals_.try_emplace(use.number, refusal);
    if (!is_new && !known->second.is_of_bytes && use.order < known->second.own.order)
      known->second = refusal;
  }
}

// Where two uses write, the second gives way, or the one that writes more.
bool FilePlan::keeps_from(const Use& own, const Use& other) {
  if (!is_write(own.use) || agree(own.use, other.use)) return false;
  if (!is_write(other.use) || other.use == FileUse::updates) return true;
  if (other.use == FileUse::writes_member || other.use == FileUse::changes_member) return true;
  const bool is_same = own.number == other.number && own.role == other.role;
  return own.use == FileUse::writes && !is_same;
}

std::optional<Error> FilePlan::refusal(const BatchCase& each, const CaseList& cases) const {
  const auto found = refusals_.find(each.number);
  if (found == refusals_.end()) return std::nullopt;
  const auto& [own, other, is_of_bytes] = found->second;
  const std::string_view rule =
      is_of_bytes ? "must be bytes that one case writes, in a file of one format"
      : is_write(other.use)
          ? "must be a file that one case writes"
          : "must be a file that nothing reads (what reads it belongs in another batch)";
  // batch.b12
  return Error(
      ErrorKind::usage, "batch.b12", fmt::format("{}: {}", each.place, roles_[own.role].name),
      fmt::format("{}, got {}, which is {}", rule, word_of(own, each), described(other, cases)));
}

// The file as one would type it here.
std::string FilePlan::word_of(const Use& use, const BatchCase& each) const {
  const std::vector<CaseFile> files = files_of(each);
  const auto file = std::ranges::find(files, roles_[use.role].name, &CaseFile::role);
  return shown_word(file->base, file->word);
}

std::string FilePlan::described(const Use& use, const CaseList& cases) const {
  const std::string& name = roles_[use.role].name;
  return use.number == 0 ? name : fmt::format("{} of {}", name, cases.place_of(use.number - 1));
}

}  // namespace tscatter::app
