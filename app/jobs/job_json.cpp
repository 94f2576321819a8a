#include "jobs/job_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/text/json_parser.hpp"

namespace tscatter::app {
namespace {

using nlohmann::json;

constexpr std::size_t most_nested = 256;
constexpr std::size_t most_keys = 256;  // of an object

// What becomes of the lists and objects in the outermost object.
enum class Inner : std::uint8_t { texts, trees };

json binary(std::string_view text) { return json::binary({text.begin(), text.end()}); }
bool is_text(const json& value) { return value.is_binary(); }
std::string_view text_in(const json& value) {
  const json::binary_t& text = value.get_binary();
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

bool is_bracketed(const json& value) {
  return is_text(value) && (text_in(value).starts_with('[') || text_in(value).starts_with('{'));
}

class JobBuilder final : public JsonEvents {
 public:
  JobBuilder(std::string_view text, const JsonNaming& naming, Inner inner)
      : text_{text}, naming_{naming}, inner_{inner}, parser_{text, text.size(), *this} {}

  json built() {
    parser_.run();
    return std::move(root_);
  }

  void null() override { put(nullptr); }
  void boolean(bool value) override { put(value); }
  void string(std::string_view text) override {
    if (!is_in_text()) put(std::string(text));
  }
  void number(std::string_view text) override {
    // A number that stays text is only looked at if it may be too large for float64.
    const bool is_short = text.size() < std::numeric_limits<double>::max_exponent10;
    if (is_in_text() && is_short && text.find_first_of("eE") == std::string_view::npos) return;
    const std::optional<ElementValue> value = json_number(text);
    // json.f4
    if (!value) {
      fail(ErrorKind::usage, "json.f4", naming_.name,
           "a finite number must fit float64, got {} at {}", text,
           to_string(parser_.token_place()));
    }
    put(number_as_json(*value, text));
  }

  void start(char bracket) override {
    // job.j1
    if (keys_.size() == most_nested) {
      refuse("{} must be nested at most {} deep, got more", naming_.subject, most_nested);
    }
    keys_.emplace_back();
    const bool is_inner = !open_.empty() || bracket == '[';
    if (is_in_text() || (inner_ == Inner::texts && is_inner)) {
      if (text_levels_++ == 0) text_begin_ = parser_.token_begin();
    } else {
      open_.push_back(&placed(bracket == '{' ? json::object() : json::array()));
    }
  }

  void end(char /*bracket*/) override {
    keys_.pop_back();
    if (!is_in_text()) return open_.pop_back();
    if (--text_levels_ > 0) return;
    const auto begin = static_cast<std::size_t>(text_begin_);
    placed(binary(text_.substr(begin, static_cast<std::size_t>(parser_.token_end()) - begin)));
  }

  void key(std::string_view key) override {
    std::vector<std::string>& keys = keys_.back();
    // job.j1
    if (std::ranges::count(keys, key) > 0) {
      refuse("the key {1} occurs twice in {0}", naming_.subject, json(key).dump());
    }
    // job.j1
    if (keys.size() == most_keys) {
      refuse("{} must have at most {} keys in an object, got more", naming_.subject, most_keys);
    }
    keys.emplace_back(key);
  }

  [[noreturn]] void refuse(const JsonFault& fault) override {
    const auto [hint, got] = json_mistake(SpanSource(std::as_bytes(std::span(text_))), fault);
    // job.j1
    refuse("{} must be a JSON object{}, got {}", naming_.subject, hint, got);
  }

 private:
  template <class... Parts>
  [[noreturn]] void refuse(fmt::format_string<Parts...> text, Parts&&... parts) const {
    fail(ErrorKind::usage, naming_.label, naming_.name, text, std::forward<Parts>(parts)...);
  }

  bool is_in_text() const { return text_levels_ > 0; }

  // -0 is kept as text: it is -0.0 as a real.
  static json number_as_json(const ElementValue& value, std::string_view text) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      if (*integer < 0) return *integer;
      return text == "-0" ? binary(text) : json(static_cast<std::uint64_t>(*integer));
    }
    if (const auto* integer = std::get_if<std::uint64_t>(&value)) return *integer;
    const auto* real = std::get_if<double>(&value);
    return real != nullptr && std::isfinite(*real) ? json(*real) : binary(text);
  }

  void put(json value) {
    if (!is_in_text()) placed(std::move(value));
  }

  // Puts the value in its place in the open object or list.
  json& placed(json value) {
    if (open_.empty()) return root_ = std::move(value);
    json& parent = *open_.back();
    if (parent.is_object()) return parent[keys_[open_.size() - 1].back()] = std::move(value);
    parent.push_back(std::move(value));
    return parent.back();
  }

  std::string_view text_;
  const JsonNaming& naming_;
  Inner inner_;
  JsonParser parser_;
  json root_;
  std::vector<json*> open_;                     // a parent does not grow while its child is open
  std::vector<std::vector<std::string>> keys_;  // of each open object so far; none of a list
  std::size_t text_levels_ = 0;                 // open brackets of a text
  std::int64_t text_begin_ = 0;
};

bool has_text(const json& value) {
  if (!value.is_structured()) return is_text(value);
  return std::any_of(value.begin(), value.end(), has_text);
}

std::string text_of_tree(const json& value) {
  if (!has_text(value)) return value.dump();
  if (is_text(value)) return std::string(text_in(value));
  std::string text;
  for (const auto& [key, member] : value.items()) {
    if (!text.empty()) text += ',';
    if (value.is_object()) text += json(key).dump() + ':';
    text += text_of_tree(member);
  }
  return value.is_object() ? '{' + text + '}' : '[' + text + ']';
}

// REQUIRES: the text is a part of a job that was parsed.
json tree_in(std::string_view text) { return json_tree(text, {.name = {}}); }

std::string_view type_name(const json& value) {
  if (!is_text(value)) return value.type_name();
  return is_bracketed(value) ? "array" : "number";
}

}  // namespace

std::string text_of_job(const File& file) {
  constexpr std::size_t largest_job = std::size_t{64} << 20U;
  std::string text;
  std::vector<char> piece(std::size_t{64} * 1024);
  for (;;) {
    const std::size_t got = file.read_some(std::as_writable_bytes(std::span(piece)));
    text.append(piece.data(), got);
    if (got < piece.size()) return text;
    // job.j1
    if (text.size() > largest_job) {
      fail(ErrorKind::usage, "job.j1", file.name(), "a job must be at most {} bytes long, got more",
           largest_job);
    }
  }
}

json json_tree(std::string_view text, const JsonNaming& naming) {
  return JobBuilder(text, naming, Inner::trees).built();
}

json parse_job_object(const std::string& text, const std::string& name) {
  json object = JobBuilder(text, {.name = name}, Inner::texts).built();
  // job.j1
  if (!object.is_object()) {
    fail(ErrorKind::usage, "job.j1", name, "a job must be a JSON object, got {}",
         type_name(object));
  }
  return object;
}

std::string source_text(const json& value) {
  return is_text(value) ? std::string(text_in(value)) : value.dump();
}

std::string json_text(const json& value) {
  if (!is_bracketed(value)) return text_of_tree(value);
  const std::string_view text = text_in(value);
  const bool is_short = text.size() <= longest_tree;
  return is_short ? text_of_tree(tree_in(text)) : std::string(text.substr(0, longest_tree)) + "…";
}

json tree_of(const json& value, const std::string& where) {
  if (!is_bracketed(value)) return value;
  // job.j1
  if (text_in(value).size() > longest_tree) {
    fail(ErrorKind::usage, "job.j1", where,
         "a list or an object that is no tensor must be at most {} bytes long, got more",
         longest_tree);
  }
  return tree_in(text_in(value));
}

std::optional<double> number_of(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!is_text(value) || is_bracketed(value)) return std::nullopt;
  const ElementValue number = *json_number(text_in(value));
  if (const auto* huge = std::get_if<HugeInteger>(&number)) return huge->value;
  const auto* real = std::get_if<double>(&number);
  return real == nullptr ? -0.0 : *real;
}

}  // namespace tscatter::app
