#include "batch/plan/file_plan.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <utility>

#include "batch/cases/case_names.hpp"
#include "batch/plan/path_scan.hpp"
#include "batch/plan/tensor_place.hpp"
#include "jobs/file_identity.hpp"
#include "jobs/operand.hpp"
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

// Where two uses agree, the later one in FileUse stands for both: what agrees with it agrees with
// the other. Neither of these two can stand for the other.
bool are_apart(FileUse one, FileUse other) {
  return std::min(one, other) == FileUse::compares && std::max(one, other) == FileUse::reads_member;
}

FileUse use_of_archive(FileUse of_member) {
  return is_write(of_member) ? FileUse::writes_member : FileUse::reads_member;
}

// Raw bytes of a file, which no archive keeps in their place: who reads some reads the file.
bool is_raw(const std::optional<MemberName>& member) {
  return member && !member->format->has_members();
}

std::uint32_t line_of(const BatchCase& each) {
  return static_cast<std::uint32_t>(each.line_of_batch());
}

}  // namespace

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

bool FilePlan::is_of_command(Place place) {
  return place.use == FileUse::keeps || (place.line == 0 && is_write(place.use));
}

std::uint8_t FilePlan::role_of(std::string_view name) {
  const auto found = std::ranges::find(roles_, name, &Role::name);
  const auto index = static_cast<std::size_t>(found - roles_.begin());
  if (found == roles_.end()) roles_.push_back({.name = std::string(name), .word = {}});
  assert(index < 256);
  return static_cast<std::uint8_t>(index);
}

FilePlan::Place FilePlan::place_of_command(const std::string& name, const std::string& path,
                                           FileUse use) {
  const std::uint8_t role = role_of(name);
  roles_[role].word = path;
  return {.role = role, .use = use};
}

void FilePlan::add(const std::string& name, const std::string& path, FileUse use) {
  if (const auto key = identity_of(path)) add(*key, place_of_command(name, path, use), path);
}

void FilePlan::add_open(const std::string& name, const std::string& path, int descriptor,
                        FileUse use) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  add(identity_of(status), place_of_command(name, path, use), path);
}

bool FilePlan::concerns(std::string_view line) const {
  return !options_.failed_dir.empty() || may_need_plan(line);
}

std::vector<FilePlan::CaseFile> FilePlan::files_of(const BatchCase& each) const {
  std::vector<CaseFile> files;
  if (each.error || each.job_error || each.skip) return files;
  const auto add = [&](std::string_view role, const std::optional<OperandWord>& word, FileUse use) {
    if (word && word->form == WordForm::path)
      files.push_back({.role = role, .word = word->text, .use = use, .base = each.job.base});
  };
  const bool is_run = !each.expected_error;
  const bool is_golden_test = each.expected && !each.actual && !each.xfail;
  const bool is_changed = is_run && each.job.placement == Placement::in_place;
  for (const auto& [key, word] : each.job.operands)
    add(key, word, is_changed && key == "data" ? FileUse::writes : FileUse::reads);
  if (is_changed && each.job.journaling == Journaling::done) files.push_back(journal_of(each.job));
  add("actual", each.actual, FileUse::reads);
  add("expected", each.expected,
      is_golden_test && options_.updates_golden ? FileUse::updates : FileUse::compares);
  if (is_run && each.job.output) {
    files.push_back({.role = "output",
                     .word = *each.job.output,
                     .use = FileUse::writes,
                     .base = each.job.base});
  }
  if (is_golden_test && !options_.failed_dir.empty()) {
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

// A member of an archive has two keys: its own and that of the archive.
void FilePlan::for_each_use(const BatchCase& each, const Take& take) {
  for (CaseFile& file : files_of(each)) {
    Place place{.line = line_of(each), .role = role_of(file.role), .use = file.use};
    const bool is_tensor = file.use != FileUse::keeps;
    const auto member = is_tensor ? place_used(file) : std::nullopt;
    const auto key = identity_of(file.base / (member ? member->archive : file.word));
    if (!key) continue;
    const bool is_in_place = member && file.use == FileUse::writes && file.role == "data";
    if (is_in_place) file.member = member;
    if (member && !is_raw(member)) {
      take(identity_of_member(*key, *member), place, file);
      place.use = use_of_archive(file.use);
    }
    if (member) take_naming_file(file, *key, place, take);
    if (is_in_place) place.use = FileUse::changes_member;
    if (is_raw(member) && is_of_golden(place.use)) place.use = FileUse::reads;
    take(*key, place, file);
  }
}

void FilePlan::take_naming_file(CaseFile file, std::uint64_t key, Place place, const Take& take) {
  const auto named = split_member_name(file.word);
  const auto naming = identity_of(file.base / (named ? named->archive : file.word));
  if (!naming || *naming == key) return;
  // A change elsewhere goes with changes of the file's own members, and of no other bytes of it.
  place.use = file.member ? FileUse::changes_member : FileUse::reads;
  if (file.member) {
    const Format& format = named ? *named->format : in_place_format(file.word);
    file.member = MemberName{.format = &format, .archive = file.word, .member = {}};
  }
  take(*naming, place, file);
}

void FilePlan::add(const BatchCase& each) {
  for_each_use(each, [&](std::uint64_t key, Place place, const CaseFile& file) {
    add(key, place, file.word);
    if (file.member) add_change(key, place, file);
  });
}

// Changes of one file are made in turn, in any order.
void FilePlan::add_change(std::uint64_t key, Place place, const CaseFile& file) {
  const auto line = changed_.meet(key, *file.member, place.line);
  if (!line) return;
  Place other = place;
  other.line = *line;
  refusals_.try_emplace(place.line, Refusal{.own = place, .other = other, .is_of_bytes = true});
}

void FilePlan::add(std::uint64_t key, Place place, const std::string& word) {
  const auto [known, is_new] = files_.insert(key);
  if (is_new) {
    *known = place;
    return;
  }
  const bool do_agree = agree(known->use, place.use);
  if (!do_agree && is_of_command(place)) refuse_command(place, *known, word);
  if (!do_agree && is_of_command(*known)) refuse_command(*known, place, word);
  if (!known->is_met && do_agree && !are_apart(known->use, place.use)) {
    if (place.use > known->use) *known = place;
    return;
  }
  Met& met = met_[key];
  for (const Place& each : {*known, place}) {
    auto& first = met.at(static_cast<std::size_t>(each.use));
    if (!first) first = each;
  }
  known->is_met = true;
}

void FilePlan::refuse_command(Place one, Place other, const std::string& word) const {
  const Role& role = roles_[one.role];
  // cli.c14
  fail(ErrorKind::usage, "cli.c14", role.name, "must be another file than {}, got {}",
       described(other), role.word.empty() ? word : role.word);
}

// Where two uses write, the second gives way, or the one that writes more.
bool FilePlan::keeps_from(Place own, Place other) {
  if (!is_write(own.use) || agree(own.use, other.use)) return false;
  if (!is_write(other.use) || other.use == FileUse::updates) return true;
  if (other.use == FileUse::writes_member || other.use == FileUse::changes_member) return true;
  const bool is_same = own.line == other.line && own.role == other.role;
  return own.use == FileUse::writes && !is_same;
}

void FilePlan::judge(const BatchCase& each) {
  for_each_use(each, [&](std::uint64_t key, Place place, const CaseFile& /*file*/) {
    const auto met = met_.find(key);
    if (met == met_.end()) return;
    for (const std::optional<Place>& other : met->second) {
      if (other && keeps_from(place, *other))
        refusals_.try_emplace(place.line, Refusal{.own = place, .other = *other});
    }
  });
}

std::optional<Error> FilePlan::refusal(const BatchCase& each) const {
  const auto found = refusals_.find(line_of(each));
  if (found == refusals_.end()) return std::nullopt;
  const auto& [own, other, is_of_bytes] = found->second;
  const std::string& name = roles_[own.role].name;
  const auto files = files_of(each);
  const auto file = std::ranges::find(files, name, &CaseFile::role);
  const std::string_view rule =
      is_of_bytes ? "must be bytes that one case writes, in a file of one format"
      : is_write(other.use)
          ? "must be a file that one case writes"
          : "must be a file that nothing reads (what reads it belongs in another batch)";
  // batch.b12
  return Error(ErrorKind::usage, "batch.b12", fmt::format("{}: {}", each.place, name),
               fmt::format("{}, got {}, which is {}", rule, file->word, described(other)));
}

std::string FilePlan::described(Place place) const {
  const std::string& name = roles_[place.role].name;
  return place.line == 0 ? name
                         : fmt::format("{} of {}", name, options_.files.place_of(place.line));
}

}  // namespace tscatter::app
