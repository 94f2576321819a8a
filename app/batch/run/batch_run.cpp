#include "batch/run/batch_run.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "batch/reports/reports.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "text/figure.hpp"
#include "tscatter/core/parallel.hpp"

namespace tscatter::app {
namespace {

CaseResult unrun(const CaseTicket& ticket, CaseState state, std::string message) {
  CaseResult result{.state = state, .message = std::move(message)};
  set_case(result, ticket.each);
  return result;
}

bool changes_data(const BatchCase& each) {
  const bool is_run =
      !each.error && !each.job_error && !each.skip && !each.expected_error && !each.actual;
  return is_run && each.job.placement == Placement::in_place;
}

}  // namespace

void BatchLog::ended(const CaseResult& result) {
  constexpr std::size_t most = 3;
  log_debug("case {} ({}): {} in {:.6f} s", result.name, result.place, name_of(result.state),
            result.seconds);
  if (!is_logged(LogLevel::info)) return;
  const std::scoped_lock lock(mutex_);
  ++cases_;
  const auto at = std::ranges::find_if(
      slowest_, [&](const Slow& slow) { return slow.seconds < result.seconds; });
  slowest_.insert(at, {.seconds = result.seconds, .name = result.name});
  if (slowest_.size() > most) slowest_.pop_back();
}

BatchLog::Span::~Span() {
  if (!is_logged(LogLevel::info)) return;
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin_;
  const std::scoped_lock lock(log_.mutex_);
  log_.seconds_[static_cast<std::size_t>(part_)] += time.count();
}

void BatchLog::end() const {
  if (!is_logged(LogLevel::info)) return;
  const auto [reading, waiting, running] = seconds_;
  log_info(
      "batch: {} cases run by {} workers, whose time went to cases {:.6f} s, reading {:.6f} s, "
      "waiting {:.6f} s",
      cases_, workers_, running, reading, waiting);
  std::vector<std::string> slowest;
  for (const Slow& slow : slowest_)
    slowest.push_back(fmt::format("{} {:.6f} s", slow.name, slow.seconds));
  if (!slowest.empty()) log_info("slowest cases: {}", fmt::join(slowest, ", "));
}

void BatchRun::run() {
  for_each_task(options_.workers, {.threads = options_.workers}, [this, host = Host::present()] {
    return [this, host](std::int64_t /*worker*/) {
      const HostScope scope(host);
      try {
        work();
      } catch (...) {
        is_over_ = true;
        results_.give_up();
        throw;
      }
    };
  });
  log_.end();
}

void BatchRun::work() {
  for (;;) {
    {
      const BatchLog::Span waiting(log_, BatchLog::Part::waiting);
      results_.wait_for_room();
    }
    if (is_over_) return;
    const std::optional<Begun> begun = begin_next();
    if (!begun) return;
    run_ticket(begun->ticket, begun->turn);
  }
}

std::optional<BatchRun::Begun> BatchRun::begin_next() {
  const BatchLog::Span reading(log_, BatchLog::Part::reading);
  std::unique_lock lock(order_, std::defer_lock);
  if (runner_.takes_turns()) lock.lock();
  std::optional<CaseTicket> ticket = queue_.next();
  if (!ticket) return std::nullopt;
  if (ticket->is_resumed) return Begun{.ticket = *std::move(ticket), .turn = {}};
  GoldenTurn turn = runner_.announce(ticket->each);
  return Begun{.ticket = *std::move(ticket), .turn = std::move(turn)};
}

void BatchRun::run_ticket(const CaseTicket& ticket, const GoldenTurn& turn) {
  if (ticket.is_resumed) {
    add(ticket, unrun(ticket, CaseState::resumed, {}), std::nullopt);
    return;
  }
  if (*InterruptScope::stop() || (options_.fails_fast && has_failed_)) {
    const bool is_interrupted = *InterruptScope::stop();
    const std::string reason = is_interrupted ? "interrupted" : "another case failed before";
    const CaseRecord record{.name = hash_of(ticket.each.name), .state = CaseState::not_run};
    add(ticket, unrun(ticket, CaseState::not_run, reason), record);
    return;
  }
  {
    const BatchLog::Span waiting(log_, BatchLog::Part::waiting);
    turn.wait();
  }
  std::optional<std::int64_t> place;
  if (!options_.is_dry && changes_data(ticket.each)) {
    try {
      place = state_.reserve(hash_of(ticket.each.name));
    } catch (const Error& error) {
      refuse(ticket, error);
      return;
    }
  }
  std::optional<CasePrint> print;
  if (options_.remembers) print.emplace(ticket.each);
  CaseResult result = run_case(ticket);
  if (is_failure(result.state)) has_failed_ = true;
  std::optional<CaseRecord> record;
  if (print) record = print->record(ticket.each, result.state);
  // A change in place must not be made twice: its record does not wait for the lines before it.
  if (record && place) {
    state_.fill(*place, *record);
    record.reset();
  }
  add(ticket, std::move(result), record);
}

void BatchRun::add(const CaseTicket& ticket, CaseResult result, std::optional<CaseRecord> record) {
  if (is_failure(result.state)) result.repeat = repeat_command(queue_.files(), result);
  if (options_.is_dry) record.reset();
  results_.add(ticket.number, std::move(result), record);
}

void BatchRun::refuse(const CaseTicket& ticket, const Error& error) {
  CaseResult result = unrun(ticket, CaseState::failed, error.where() + ": " + error.message());
  result.label = error.label();
  has_failed_ = true;
  add(ticket, std::move(result), std::nullopt);
}

CaseResult BatchRun::run_case(const CaseTicket& ticket) {
  const BatchLog::Span running(log_, BatchLog::Part::running);
  const int threads = threads_for(ticket, ++running_);
  log_debug("case {} ({}): begins, {}", ticket.each.name, ticket.each.place,
            several(threads, "thread"));
  CaseResult result = options_.run_case ? options_.run_case(runner_, ticket, threads)
                                        : runner_.run(ticket.each, threads);
  --running_;
  log_.ended(result);
  return result;
}

// A case gets more threads when fewer cases are left than there are workers.
int BatchRun::threads_for(const CaseTicket& ticket, int running) const {
  const std::int64_t sharers = std::min<std::int64_t>(running + ticket.left, options_.workers);
  return static_cast<int>(options_.workers / std::max<std::int64_t>(sharers, 1));
}

namespace {

constexpr std::size_t most_bytes = std::size_t{8} << 20U;

std::size_t size_of(const CaseResult& result) {
  constexpr std::size_t record = 256;
  constexpr std::size_t fact = 256;
  return record + fact * result.facts.size() + result.repeat.size() + result.name.size() +
         result.message.size() + result.census_text.size() + result.census_json.text.size() +
         result.verdict_json.text.size() + result.heatmap.size();
}

}  // namespace

void OrderedResults::add(std::int64_t number, CaseResult&& result,
                         const std::optional<CaseRecord>& record) {
  const std::size_t bytes = size_of(result);
  const std::scoped_lock lock(mutex_);
  held_.emplace(number, Held{.result = std::move(result), .record = record, .bytes = bytes});
  bytes_ += bytes;
  while (!held_.empty() && held_.begin()->first == next_) {
    const auto first = held_.extract(held_.begin());
    bytes_ -= first.mapped().bytes;
    ++next_;
    hand_out(first.mapped());
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
