#include "batch/run/case_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "batch/plan/path_scan.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {

CaseQueue::CaseQueue(const CaseFiles& files, StopFlag stop, Selection selection, FilePlan& plan,
                     const RunState& state)
    : files_{files},
      list_{files, stop},
      plan_{plan},
      state_{state},
      selection_{std::move(selection)} {}

bool CaseQueue::plan_files() {
  CaseReader reader;
  if (!list_.read_all([&](const Line& line) { return plan_line(line, reader); })) return false;
  plan_.judge(list_);
  names_ = {};
  if (twice_.size() > 0) find_repeated_names();
  is_planned_ = true;
  return true;
}

// False if the line gives defaults.
bool CaseQueue::plan_line(const Line& line, CaseReader& reader) {
  digest_.add(line.text);
  const LineScan scan = scan_of(line.text);
  if (!scan.may_need_plan && !plan_.concerns_all()) {
    reader.pass_over(line);
    note_name(scan.name ? std::string(*scan.name) : name_without_one(*line.file, line.number));
    return true;
  }
  std::optional<BatchCase> each = reader.read(line);
  if (!each) {
    defaults_[line.file] = reader.defaults();
    return false;
  }
  each->number = static_cast<std::uint32_t>(list_.size() + 1);
  plan_.add(*each);
  golden_files_.add(*each);
  note_name(each->name);
  return true;
}

void CaseQueue::note_name(std::string_view name) {
  const std::uint64_t hash = hash_of(name);
  if (!names_.insert(hash)) twice_.insert(hash);
}

// A scan takes the name of a line that is no case for a name, too.
void CaseQueue::find_repeated_names() {
  HashSet known;
  for (std::size_t at = 0; at < list_.size(); ++at) {
    const Line line = list_.line(at);
    const LineScan scan = scan_of(line.text);
    if (!scan.may_need_plan && scan.name && !twice_.contains(hash_of(*scan.name))) continue;
    const std::uint64_t name = hash_of(case_of(line, at).name);
    if (twice_.contains(name) && !known.insert(name))
      repeated_.push_back(static_cast<std::uint32_t>(at + 1));
  }
}

// REQUIRES: the line is a case.
BatchCase CaseQueue::case_of(const Line& line, std::size_t at) const {
  const auto defaults = defaults_.find(line.file);
  CaseReader reader(line.file, defaults == defaults_.end() ? nullptr : defaults->second);
  BatchCase each = reader.read(line).value();
  each.number = static_cast<std::uint32_t>(at + 1);
  return each;
}

std::optional<CaseTicket> CaseQueue::next() {
  std::unique_lock lock(mutex_);
  while (next_ < list_.size()) {
    const std::size_t at = next_;
    std::optional<Line> line = list_.line_unless_stopped(at);
    if (!line) return std::nullopt;
    ++next_;
    // If some are left out, the number is known once those before have been decided on.
    const bool takes_all = selection_.takes_all();
    if (takes_all) lock.unlock();
    BatchCase each = case_of(*line, at);
    require_unique(each);
    require_separate(each);
    if (takes_all) lock.lock();
    const Admission admission = selection_.admit(each, state_);
    if (admission == Admission::left_out) continue;
    const std::int64_t place = selected_++;
    return CaseTicket{.number = takes_all ? static_cast<std::int64_t>(at) : place,
                      .each = std::move(each),
                      .text = std::move(line->text),
                      .is_resumed = admission == Admission::resumed,
                      .left = static_cast<std::int64_t>(list_.size() - at - 1)};
  }
  return std::nullopt;
}

void CaseQueue::require_unique(BatchCase& each) const {
  if (!std::ranges::binary_search(repeated_, each.number)) return;
  each.repeats_name = true;
  // batch.b3
  each.error.emplace(ErrorKind::usage, "batch.b3", each.place,
                     fmt::format("an earlier case has the name {}, too", each.name));
}

void CaseQueue::require_separate(BatchCase& each) const {
  if (each.error) return;
  if (auto refusal = plan_.refusal(each, list_)) each.error = std::move(refusal);
}

std::optional<int> CaseQueue::percent() const {
  constexpr std::size_t whole = 100;
  if (!is_planned_ || list_.size() == 0) return std::nullopt;
  return static_cast<int>(next_ * whole / list_.size());
}

}  // namespace tscatter::app
