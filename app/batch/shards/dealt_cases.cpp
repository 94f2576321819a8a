#include "batch/shards/dealt_cases.hpp"

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "batch/cases/case_reader.hpp"
#include "jobs/operand.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FailureWanted, details, tables, json, heatmap, words)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CaseRequest, number, threads, file, line, wanted, defaults, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WrittenJson, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CaseResult, line, place, name, is_unnamed, judge, words, reason,
                                   reasons, why, elements, state, seconds, label, message, facts,
                                   details, census_text, census_json, heatmap, values, verdict_json)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CaseReply, number, result)

namespace {

bool is_member(const BatchCase& each, const std::string& word) {
  return place_of_elements(each.job.base, word).has_value();
}

bool changes_archive(const BatchCase& each) {
  const auto data = each.job.operands.find("data");
  const bool is_in_place =
      each.job.placement == Placement::in_place && data != each.job.operands.end();
  return (each.job.output && is_member(each, *each.job.output)) ||
         (is_in_place && is_member(each, data->second.text));
}

// Messages one after another.
void append_message(std::vector<std::byte>& to, const nlohmann::json& message) {
  const std::vector<std::uint8_t> coded = nlohmann::json::to_cbor(message);
  const auto bytes = std::as_bytes(std::span(coded));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <class Message>
std::vector<Message> messages_in(std::span<const std::byte> bytes) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::vector<Message> messages;
  while (in.peek() != std::istringstream::traits_type::eof())
    messages.push_back(nlohmann::json::from_cbor(in, false).get<Message>());
  return messages;
}

}  // namespace

DealtCases::DealtCases(int processes, int workers, const FailureWanted& wanted)
    : workers_{workers},
      wanted_{wanted},
      left_(static_cast<std::size_t>(processes), workers),
      requests_(left_.size()) {}

void append(std::vector<std::byte>& to, const CaseReply& reply) { append_message(to, reply); }

std::vector<CaseReply> replies_in(std::span<const std::byte> bytes) {
  return messages_in<CaseReply>(bytes);
}

std::size_t DealtCases::choose(const CaseTicket& ticket) const {
  constexpr std::size_t longest = std::size_t{1} << 20U;  // line that is sent
  // What is wrong with it is known here.
  const BatchCase& each = ticket.each;
  if (each.error || changes_archive(each) || ticket.text.size() > longest) return 0;
  std::size_t most = 0;
  for (std::size_t i = 1; i < left_.size(); ++i)
    if (left_[i] >= left_[most]) most = i;
  return most;
}

std::future<CaseResult> DealtCases::send(std::size_t to, const CaseTicket& ticket, int threads) {
  const BatchCase& each = ticket.each;
  append_message(requests_[to],
                 CaseRequest{.number = ticket.number,
                             .threads = threads,
                             .file = static_cast<std::int64_t>(each.file->number) - 1,
                             .line = each.line,
                             .wanted = wanted_,
                             .defaults = each.defaults ? each.defaults->line : "",
                             .text = ticket.text});
  return awaited_[ticket.number].get_future();
}

CaseResult DealtCases::run(CaseRunner& here, const CaseTicket& ticket, int threads) {
  std::unique_lock lock(mutex_);
  if (is_closed_) throw Cancelled();
  const std::size_t to = choose(ticket);
  --left_[to];
  std::future<CaseResult> reply;
  if (to > 0) reply = send(to, ticket, threads);
  lock.unlock();
  CaseResult result = to > 0 ? reply.get() : here.run(ticket.each, std::min(threads, workers_));
  set_case(result, ticket.each);
  lock.lock();
  ++left_[to];
  return result;
}

std::vector<std::vector<std::byte>> DealtCases::take_requests() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(requests_, std::vector<std::vector<std::byte>>(left_.size()));
}

void DealtCases::give_replies(std::span<const std::byte> replies) {
  for (CaseReply& reply : replies_in(replies)) {
    const std::scoped_lock lock(mutex_);
    awaited_.extract(reply.number).mapped().set_value(std::move(reply.result));
  }
}

void DealtCases::close() {
  const std::scoped_lock lock(mutex_);
  is_closed_ = true;
  for (auto& [number, promise] : awaited_)
    promise.set_exception(std::make_exception_ptr(Cancelled()));
  awaited_.clear();
}

ServedCases::ServedCases(const CaseFiles& files, CaseRunnerOptions options, int workers)
    : files_{files}, options_{std::move(options)}, most_threads_{workers} {
  for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
}

ServedCases::~ServedCases() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  come_.notify_all();
}

void ServedCases::give_requests(std::span<const std::byte> requests) {
  {
    const std::scoped_lock lock(mutex_);
    for (CaseRequest& request : messages_in<CaseRequest>(requests)) {
      options_.wanted = request.wanted;
      if (!runner_) runner_.emplace(options_);
      requests_.push_back(std::move(request));
    }
  }
  come_.notify_all();
}

std::vector<std::byte> ServedCases::take_replies() {
  const std::scoped_lock lock(mutex_);
  if (error_) std::rethrow_exception(error_);
  return std::exchange(replies_, {});
}

void ServedCases::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    come_.wait(lock, [this] { return is_over_ || !requests_.empty(); });
    if (is_over_) return;
    const CaseRequest request = std::move(requests_.front());
    requests_.pop_front();
    lock.unlock();
    try {
      const CaseReply reply{.number = request.number, .result = run(request)};
      lock.lock();
      append(replies_, reply);
      ++done_;
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      error_ = std::current_exception();
    }
  }
}

CaseResult ServedCases::run(const CaseRequest& request) {
  const BatchFile& file = files_[static_cast<std::size_t>(request.file)];
  CaseReader reader;
  if (!request.defaults.empty())
    reader.read({.number = 1, .text = request.defaults, .file = &file});
  const auto each = reader.read({.number = request.line, .text = request.text, .file = &file});
  return runner_->run(each.value(), std::min(static_cast<int>(request.threads), most_threads_));
}

}  // namespace tscatter::app
