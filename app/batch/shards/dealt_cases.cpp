#include "batch/shards/dealt_cases.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include "batch/cases/case_reader.hpp"
#include "jobs/operand.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter::app {
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

// A case that was run elsewhere, as its ticket names it.
CaseResult named_as(const BatchCase& each, CaseResult result) {
  result.file = each.file;
  result.line = each.line;
  result.place = each.place;
  result.name = each.name;
  result.is_unnamed = each.is_unnamed;
  return result;
}

}  // namespace

DealtCases::DealtCases(int processes, int workers, const FailureWanted& wanted)
    : workers_{workers},
      wanted_{wanted},
      left_(static_cast<std::size_t>(processes), workers),
      requests_(left_.size()) {}

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
  append(requests_[to], CaseRequest{.number = ticket.number,
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
  CaseResult result = to > 0 ? named_as(ticket.each, reply.get())
                             : here.run(ticket.each, std::min(threads, workers_));
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
    for (CaseRequest& request : requests_in(requests)) {
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

namespace {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// The parts of what is sent, in an order that writing and reading share. `Each` is const for
// writing.
template <class Each, class T>
concept Is = std::is_same_v<std::remove_const_t<Each>, T>;

void fields(auto& message, Is<CaseRequest> auto& request) {
  message(request.number, request.threads, request.file, request.line, request.wanted,
          request.defaults, request.text);
}
void fields(auto& message, Is<FailureWanted> auto& wanted) {
  message(wanted.details, wanted.tables, wanted.json, wanted.heatmap, wanted.words);
}
void fields(auto& message, Is<CaseResult> auto& result) {
  message(result.judge, result.words, result.reason, result.reasons, result.why, result.elements,
          result.state, result.seconds, result.label, result.message, result.details,
          result.census_text, result.census_json, result.heatmap, result.values,
          result.verdict_json);
}
void fields(auto& message, Is<CaseReply> auto& reply) { message(reply.number, reply.result); }
void fields(auto& message, Is<WrittenJson> auto& json) { message(json.text); }
void fields(auto& message, Is<Figure> auto& figure) { message(figure.value, figure.text); }
void fields(auto& message, Is<NamedFigure> auto& named) {
  message(named.name, named.figure, named.align);
}
void fields(auto& message, Is<TextLine> auto& line) { message(line.text, line.is_paragraph); }
void fields(auto& message, Is<Table> auto& table) { message(table.rows, table.form, table.front); }
void fields(auto& message, Is<Document::Part> auto& part) {
  message(part.key, part.said_in, part.content);
}

class MessageWriter {
 public:
  explicit MessageWriter(std::vector<std::byte>& to) : to_{to} {}

  template <class... Each>
  void operator()(const Each&... each) {
    (write(each), ...);
  }

 private:
  void write(const Plain auto& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    to_.insert(to_.end(), bytes.begin(), bytes.end());
  }
  void write(std::string_view text) {
    write(text.size());
    const auto bytes = std::as_bytes(std::span(text));
    to_.insert(to_.end(), bytes.begin(), bytes.end());
  }
  void write(const std::string& text) { write(std::string_view(text)); }
  void write(std::nullptr_t) {}
  void write(const Value& value) { write(value.content()); }
  void write(const Document& document) { write(document.parts()); }
  template <class T>
  void write(const std::vector<T>& all) {
    write(all.size());
    for (const T& each : all) write(each);
  }
  template <class... Each>
  void write(const std::variant<Each...>& one) {
    write(one.index());
    std::visit([this](const auto& content) { this->write(content); }, one);
  }
  void write(const auto& each) { fields(*this, each); }

  std::vector<std::byte>& to_;
};

// Keys live as long as the program.
std::string_view lasting(std::string key) {
  static std::mutex mutex;
  static std::set<std::string> keys;
  const std::scoped_lock lock(mutex);
  return *keys.insert(std::move(key)).first;
}

class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> bytes) : bytes_{bytes} {}

  bool is_at_end() const { return bytes_.empty(); }

  template <class... Each>
  void operator()(Each&... each) {
    (read(each), ...);
  }

 private:
  template <class T>
  T next() {
    T value{};
    read(value);
    return value;
  }
  std::span<const std::byte> take(std::size_t size) {
    const auto front = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return front;
  }
  void read(Plain auto& value) { std::memcpy(&value, take(sizeof(value)).data(), sizeof(value)); }
  void read(std::string& text) {
    const auto bytes = take(next<std::size_t>());
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void read(std::string_view& key) { key = lasting(next<std::string>()); }
  void read(std::nullptr_t&) {}
  void read(Value& value) {
    auto content = next<Value::Content>();
    std::visit([&](auto& each) { value = make_value(std::move(each)); }, content);
  }
  template <class T>
  static Value make_value(T content) {
    if constexpr (std::is_same_v<T, std::nullptr_t>) {
      return {};
    } else {
      return Value(std::move(content));
    }
  }
  void read(Document& document) {
    for (Document::Part& part : next<std::vector<Document::Part>>())
      document.append(std::move(part));
  }
  template <class T>
  void read(std::vector<T>& all) {
    const auto size = next<std::size_t>();
    all.reserve(size);
    for (std::size_t i = 0; i < size; ++i) all.push_back(next<T>());
  }
  template <class... Each>
  void read(std::variant<Each...>& one) {
    const auto index = next<std::size_t>();
    std::size_t at = 0;
    ((at++ == index ? void(one = next<Each>()) : void()), ...);
  }
  void read(auto& each) { fields(*this, each); }

  std::span<const std::byte> bytes_;
};

template <class Message>
std::vector<Message> messages_in(std::span<const std::byte> bytes) {
  std::vector<Message> messages;
  for (MessageReader reader(bytes); !reader.is_at_end();) reader(messages.emplace_back());
  return messages;
}

}  // namespace

void append(std::vector<std::byte>& to, const CaseRequest& request) {
  MessageWriter writer(to);
  writer(request);
}
void append(std::vector<std::byte>& to, const CaseReply& reply) {
  MessageWriter writer(to);
  writer(reply);
}

std::vector<CaseRequest> requests_in(std::span<const std::byte> bytes) {
  return messages_in<CaseRequest>(bytes);
}
std::vector<CaseReply> replies_in(std::span<const std::byte> bytes) {
  return messages_in<CaseReply>(bytes);
}

}  // namespace tscatter::app
