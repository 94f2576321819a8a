#include "jobs/job_json.hpp"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/json_mistake.hpp"
#include "tscatter/io/formats/json_text_buffer.hpp"

namespace tscatter::app {
namespace {

using nlohmann::json;

// The place of what follows `before`.
std::string place_after(std::string_view before) {
  JsonPlace place;
  place.pass(before);
  return to_string(place);
}

class JobBuilder final : public json::json_sax_t {
 public:
  JobBuilder(const std::string& text, const std::string& name) : text_{text}, name_{name} {}

  json take() { return std::move(root_); }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  // The parser calls it for what begins with a minus. -0 is kept as text: it is -0.0 as a real.
  bool number_integer(std::int64_t value) override {
    return value == 0 ? put(json::binary({'-', '0'})) : put(value);
  }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string& text) override {
    if (text.find_first_of(".eE") != std::string::npos) return put(value);
    return put(json::binary({text.begin(), text.end()}));
  }
  bool string(std::string& value) override { return put(std::move(value)); }
  bool binary(json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_array() override { return close(); }

  bool key(std::string& key) override {
    // job.j1
    if (open_.back()->contains(key)) {
      fail(ErrorKind::usage, "job.j1", name_, "a job must have each key once, got {} twice",
           json(key).dump());
    }
    key_ = std::move(key);
    return true;
  }

  // `end`: how many bytes precede what follows the token.
  bool parse_error(std::size_t end, const std::string& token,
                   const json::exception& error) override {
    constexpr int number_overflow = 406;
    // json.f4
    if (error.id == number_overflow) {
      fail(ErrorKind::usage, "json.f4", name_, "a finite number must fit float64, got {} at {}",
           token, place_after(std::string_view(text_).substr(0, end - token.size())));
    }
    const auto [hint, got] =
        json_mistake(SpanSource(std::as_bytes(std::span(text_))), end, error.what());
    // job.j1
    fail(ErrorKind::usage, "job.j1", name_, "a job must be a JSON object{}, got {}", hint, got);
  }

 private:
  // Puts the value in its place in the open object or list.
  json& placed(json value) {
    constexpr std::size_t most_nested = 256;
    // job.j1
    if (open_.size() > most_nested) {
      fail(ErrorKind::usage, "job.j1", name_, "a job must be nested at most {} deep, got more",
           most_nested);
    }
    if (open_.empty()) return root_ = std::move(value);
    json& parent = *open_.back();
    if (parent.is_object()) return parent[key_] = std::move(value);
    parent.push_back(std::move(value));
    return parent.back();
  }

  bool put(json value) {
    placed(std::move(value));
    return true;
  }

  bool open(json value) {
    open_.push_back(&placed(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& text_;
  const std::string& name_;
  json root_;
  std::vector<json*> open_;  // a parent does not grow while its child is open
  std::string key_;
};

bool has_text_integer(const json& value) {
  if (!value.is_structured()) return value.is_binary();
  return std::any_of(value.begin(), value.end(), has_text_integer);
}

std::string integer_text(const json::binary_t& integer) { return {integer.begin(), integer.end()}; }

}  // namespace

json parse_job_object(const std::string& text, const std::string& name) {
  const std::size_t nul = text.find('\0');
  // job.j1
  if (nul != std::string::npos) {
    fail(ErrorKind::usage, "job.j1", name, "a job must be a JSON object, got a NUL byte at {}",
         place_after(std::string_view(text).substr(0, nul)));
  }
  JobBuilder builder(text, name);
  json::sax_parse(text, &builder);
  json object = builder.take();
  // job.j1
  if (!object.is_object()) {
    fail(ErrorKind::usage, "job.j1", name, "a job must be a JSON object, got {}",
         object.is_binary() ? "number" : object.type_name());
  }
  return object;
}

std::string json_text(const json& value) {
  if (!has_text_integer(value)) return value.dump();
  if (value.is_binary()) return integer_text(value.get_binary());
  std::string text;
  for (const auto& [key, member] : value.items()) {
    if (!text.empty()) text += ',';
    if (value.is_object()) text += json(key).dump() + ':';
    text += json_text(member);
  }
  return value.is_object() ? '{' + text + '}' : '[' + text + ']';
}

std::optional<double> number_of(const json& value) {
  if (value.is_binary()) return std::strtod(integer_text(value.get_binary()).c_str(), nullptr);
  if (value.is_number()) return value.get<double>();
  return std::nullopt;
}

}  // namespace tscatter::app
