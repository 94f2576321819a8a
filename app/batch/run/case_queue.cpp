#include "batch/run/case_queue.hpp"

#include <fmt/format.h>

#include <utility>

#include "tscatter/core/error.hpp"

namespace tscatter::app {

CaseQueue::CaseQueue(CaseFiles& files, const std::atomic<bool>* stop, Selection selection,
                     FilePlan& plan, const RunState& state)
    : files_{files},
      lines_{files, stop},
      selection_{std::move(selection)},
      plan_{plan},
      state_{state} {}

bool CaseQueue::plan_files() {
  const auto read_all = [this](const auto& take) {
    CaseReader reader;
    digest_ = {};
    while (const std::optional<Line> line = lines_.next()) {
      digest_.add(line->text);
      if (!plan_.concerns(line->text)) {
        reader.pass_over(*line);
      } else if (const auto each = reader.read(*line)) {
        take(*each);
      }
    }
    const bool is_whole = lines_.has_ended();
    if (is_whole) lines_.rewind();
    return is_whole;
  };
  const bool is_whole = read_all([this](const BatchCase& each) {
    plan_.add(each);
    golden_files_.add(each);
  });
  if (!is_whole || !plan_.has_met()) return is_whole;
  return read_all([this](const BatchCase& each) { plan_.judge(each); });
}

std::optional<CaseTicket> CaseQueue::next(std::int64_t enough) {
  if (std::optional<CaseTicket> ready = take_ready()) return ready;
  const std::scoped_lock reading(reading_);
  if (std::optional<CaseTicket> ready = take_ready()) return ready;
  return read_next(enough);
}

void CaseQueue::read_ahead(std::int64_t enough) {
  const std::unique_lock reading(reading_, std::try_to_lock);
  if (!reading) return;
  while (has_room()) {
    std::optional<CaseTicket> ticket = read_next(enough);
    if (!ticket) return;
    const std::scoped_lock lock(mutex_);
    ready_.push_back(*std::move(ticket));
  }
}

bool CaseQueue::has_room() {
  constexpr std::size_t most = 8;
  constexpr std::size_t longest = 4096;  // of a line: a longer one takes memory, and long to run
  const std::scoped_lock lock(mutex_);
  return ready_.empty() || (ready_.size() < most && ready_.back().text.size() <= longest);
}

std::optional<CaseTicket> CaseQueue::take_ready() {
  const std::scoped_lock lock(mutex_);
  if (ready_.empty()) return std::nullopt;
  std::optional<CaseTicket> ticket(std::move(ready_.front()));
  ready_.pop_front();
  return ticket;
}

std::optional<CaseTicket> CaseQueue::read_next(std::int64_t enough) {
  while (std::optional<Line> line = lines_.next()) {
    std::optional<BatchCase> each = reader_.read(*line);
    if (!each) continue;
    ++cases_;
    require_unique(*each);
    require_separate(*each);
    const Admission admission = selection_.admit(*each, state_);
    if (admission == Admission::left_out) continue;
    return CaseTicket{.number = numbers_++,
                      .each = *std::move(each),
                      .text = std::move(line->text),
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
                       fmt::format("a name must be unique in a batch, got {} again", each.name));
  }
}

void CaseQueue::require_separate(BatchCase& each) const {
  if (each.error) return;
  if (auto refusal = plan_.refusal(each)) each.error = std::move(refusal);
}

std::optional<int> CaseQueue::percent() const {
  constexpr std::int64_t whole = 100;
  const std::int64_t size = lines_.size();
  if (size == 0) return std::nullopt;
  return static_cast<int>(lines_.bytes_read() * whole / size);
}

}  // namespace tscatter::app
