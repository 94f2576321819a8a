#include "batch/case_queue.hpp"

#include <utility>

#include "batch/tensor_place.hpp"
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
    require_own_output(each);
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

// Which of two such cases comes first is not said, so what they see would not be either.
void CaseQueue::require_own_output(BatchCase& each) {
  if (each.error || each.job_error || each.expected_error) return;
  const auto refuse = [&](const char* key, const std::string& message) {
    // batch.b12
    each.error.emplace(ErrorKind::usage, "batch.b12", each.place + ": " + key, message);
  };
  if (each.expected && each.expected->form == WordForm::path) {
    const std::uint64_t golden = hash_of(place_of(each.job.base, each.expected->text));
    goldens_.insert(golden);
    if (outputs_.contains(golden))
      refuse("expected", "must not be the output of another case, got " + each.expected->text);
  }
  if (!each.job.output) return;
  const std::uint64_t output = hash_of(place_of(each.job.base, *each.job.output));
  if (goldens_.contains(output))
    refuse("output", "must not be what another case expects, got " + *each.job.output);
  if (!outputs_.insert(output))
    refuse("output", "must be that of one case only, got " + *each.job.output + " again");
}

std::optional<int> CaseQueue::percent() const {
  constexpr std::int64_t whole = 100;
  if (lines_.size() == 0) return std::nullopt;
  return static_cast<int>(lines_.bytes_read() * whole / lines_.size());
}

}  // namespace tscatter::app
