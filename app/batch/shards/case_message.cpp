#include "batch/shards/case_message.hpp"

#include <array>
#include <cstring>
#include <mutex>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

namespace tscatter::app {
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
