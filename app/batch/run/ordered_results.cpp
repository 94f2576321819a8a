#include "batch/run/ordered_results.hpp"

#include <utility>

namespace tscatter::app {
namespace {

constexpr std::size_t most_bytes = std::size_t{8} << 20U;

std::size_t size_of(const CaseResult& result) {
  constexpr std::size_t record = 256;
  constexpr std::size_t detail = 256;
  return record + detail * result.details.parts().size() + result.repeat.size() +
         result.name.size() + result.message.size() + result.census_text.size() +
         result.census_json.text.size() + result.verdict_json.text.size() + result.heatmap.size();
}

}  // namespace

void OrderedResults::add(std::int64_t number, CaseResult result,
                         const std::optional<CaseRecord>& record) {
  const std::size_t bytes = size_of(result);
  const std::scoped_lock lock(mutex_);
  held_.emplace(number, Held{.result = std::move(result), .record = record, .bytes = bytes});
  bytes_ += bytes;
  for (auto first = held_.begin(); first != held_.end() && first->first == next_;
       first = held_.begin()) {
    const Held held = std::move(first->second);
    held_.erase(first);
    bytes_ -= held.bytes;
    ++next_;
    hand_out(held);
  }
  has_room_.notify_all();
}

void OrderedResults::hand_out(const Held& held) {
  ++summary_.counts[static_cast<std::size_t>(held.result.state)];
  if (is_failure(held.result.state)) ++failures_;
  ++done_;
  if (held.record) state_.add(*held.record);
  for (const auto& report : reports_) report->case_ended(held.result);
}

void OrderedResults::wait_for_room() {
  std::unique_lock lock(mutex_);
  has_room_.wait(lock, [&] { return bytes_ < most_bytes || has_given_up_; });
}

void OrderedResults::give_up() {
  const std::scoped_lock lock(mutex_);
  has_given_up_ = true;
  has_room_.notify_all();
}

}  // namespace tscatter::app
