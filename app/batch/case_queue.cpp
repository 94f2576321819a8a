#include "batch/case_queue.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "batch/tensor_place.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {
namespace {

// A file that a case reads or writes.
struct CaseFile {
  std::string key;
  std::string word;
  std::vector<std::uint64_t> hashes;
  bool is_changed = false;  // in place
};

std::vector<CaseFile> files_of(const BatchCase& each) {
  const bool is_in_place = each.job.placement == Placement::in_place && !each.expected_error;
  std::vector<CaseFile> files;
  const auto add = [&](const std::string& key, const std::string& word) {
    files.push_back({.key = key,
                     .word = word,
                     .hashes = file_hashes(place_of(each.job.base, word)),
                     .is_changed = is_in_place && key == "data"});
  };
  const auto add_word = [&](const std::string& key, const std::optional<OperandWord>& word) {
    if (word && word->form == WordForm::path) add(key, word->text);
  };
  for (const auto& [key, word] : each.job.operands) add_word(key, word);
  add_word("expected", each.expected);
  add_word("actual", each.actual);
  if (!each.job.output) return files;
  add("output", *each.job.output);
  files.back().hashes.resize(1);  // it takes the name alone: the inode's other names keep theirs
  return files;
}

bool is_one_in(const HashSet& set, const CaseFile& file) {
  return std::ranges::any_of(file.hashes, [&](std::uint64_t hash) { return set.contains(hash); });
}

void insert(HashSet& set, const CaseFile& file) {
  for (const std::uint64_t hash : file.hashes) set.insert(hash);
}

void refuse(BatchCase& each, const std::string& key, const std::string& message) {
  // batch.b12
  each.error.emplace(ErrorKind::usage, "batch.b12", each.place + ": " + key, message);
}

}  // namespace

CaseQueue::CaseQueue(File lines, const std::atomic<bool>* stop, BatchFile file, Selection selection,
                     const RunState& state)
    : lines_{std::move(lines), stop},
      file_{std::move(file)},
      selection_{std::move(selection)},
      state_{state} {}

std::optional<CaseTicket> CaseQueue::next(std::int64_t enough) {
  const std::scoped_lock lock(mutex_);
  while (const std::optional<Line> line = lines_.next()) {
    ++cases_;
    BatchCase each = read_case(*line, file_);
    require_unique(each);
    require_own_output(each);
    require_own_change(each);
    golden_files_.add(each);
    const Admission admission = selection_.admit(each, state_);
    if (admission == Admission::left_out) continue;
    return CaseTicket{.number = numbers_++,
                      .each = std::move(each),
                      .is_resumed = admission == Admission::resumed,
                      .left = lines_.lines_left(enough)};
  }
  return std::nullopt;
}

void CaseQueue::require_unique(BatchCase& each) {
  // batch.b3
  if (!names_.insert(hash_of(each.name))) {
    each.repeats_name = true;
    each.error.emplace(ErrorKind::usage, "batch.b3", each.place,
                       "a name must stand once in a batch, got " + each.name + " again");
  }
}

// The order of two such cases is undefined, so what they read would be, too.
void CaseQueue::require_own_output(BatchCase& each) {
  if (each.error || each.job_error || each.expected_error) return;
  if (each.expected && each.expected->form == WordForm::path) {
    const std::uint64_t golden = hash_of(place_of(each.job.base, each.expected->text));
    goldens_.insert(golden);
    if (outputs_.contains(golden))
      refuse(each, "expected",
             "must not be the output of another case, got " + each.expected->text);
  }
  if (!each.job.output) return;
  const std::uint64_t output = hash_of(place_of(each.job.base, *each.job.output));
  if (goldens_.contains(output))
    refuse(each, "output", "must not be what another case expects, got " + *each.job.output);
  if (!outputs_.insert(output))
    refuse(each, "output", "must belong to one case only, got " + *each.job.output + " again");
}

// A file that is read while it changes is neither old nor new.
void CaseQueue::require_own_change(BatchCase& each) {
  if (each.error || each.job_error) return;
  const std::vector<CaseFile> files = files_of(each);
  for (const CaseFile& file : files) {
    if (is_one_in(changed_, file))
      refuse(each, file.key, "must not be what another case changes in place, got " + file.word);
    if (file.is_changed && is_one_in(named_, file))
      refuse(each, file.key, "must be changed where no other case names it, got " + file.word);
  }
  if (each.error) return;
  for (const CaseFile& file : files) insert(file.is_changed ? changed_ : named_, file);
}

std::optional<int> CaseQueue::percent() const {
  constexpr std::int64_t whole = 100;
  if (lines_.size() == 0) return std::nullopt;
  return static_cast<int>(lines_.bytes_read() * whole / lines_.size());
}

}  // namespace tscatter::app
