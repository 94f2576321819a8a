#include "batch/case_queue.hpp"

#include <utility>

#include "tscatter/core/error.hpp"

namespace tscatter::app {

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

std::optional<int> CaseQueue::percent() const {
  constexpr std::int64_t whole = 100;
  if (lines_.size() == 0) return std::nullopt;
  return static_cast<int>(lines_.bytes_read() * whole / lines_.size());
}

}  // namespace tscatter::app
