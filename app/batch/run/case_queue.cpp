#include "batch/run/case_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "batch/cases/batch_case.hpp"
#include "batch/cases/case_reader.hpp"
#include "jobs/job_keys.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

bool is_operand(std::string_view key) {
  return std::ranges::any_of(operations(), [&](const Operation* each) {
    return std::ranges::any_of(each->operands,
                               [&](const OperandInfo& operand) { return operand.has_name(key); });
  });
}

// Keys of a case whose strings are not paths.
std::vector<std::string_view> find_plain_keys() {
  std::vector<std::string_view> plain{"op"};
  for (const JobKey& key : job_keys()) {
    if (!key.is_path) plain.push_back(key.name);
  }
  for (const std::string_view key : batch_keys) {
    if (std::ranges::count(tensor_keys, key) == 0) plain.push_back(key);
  }
  for (const Operation* operation : operations()) {
    for (const AttributeInfo& attribute : operation->attributes) {
      std::vector<std::string_view> names = other_names(attribute);
      names.push_back(attribute.word());
      std::ranges::copy_if(names, std::back_inserter(plain),
                           [](std::string_view name) { return !is_operand(name); });
    }
  }
  return plain;
}

}  // namespace

LineScan scan_of(std::string_view line) {
  constexpr LineScan needed{.may_need_plan = true};
  if (line.find('\\') != std::string_view::npos)
    return needed;  // a key may be written with escapes
  LineScan scan;
  static const std::vector<std::string_view> plain_keys = find_plain_keys();
  int depth = 0;
  bool is_value = false;
  std::string_view key;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char character = line[at];
    if (character == '{' || character == '[') ++depth;
    if (character == '}' || character == ']') --depth;
    if (depth == 1 && character == ':') is_value = true;
    if (depth == 1 && character == ',') is_value = false;
    if (character != '"') continue;
    const std::size_t end = std::min(line.find('"', at + 1), line.size());
    if (depth == 1 && !is_value) key = line.substr(at + 1, end - at - 1);
    if (key == defaults_key) return needed;
    const bool is_in_object = depth > 1;
    if (is_in_object && line.substr(at + 1, end - at - 1) == "raw") return needed;
    if (depth == 1 && is_value && std::ranges::count(plain_keys, key) == 0) return needed;
    if (depth == 1 && is_value && key == "name") scan.name = line.substr(at + 1, end - at - 1);
    at = end;
  }
  return scan;
}

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
