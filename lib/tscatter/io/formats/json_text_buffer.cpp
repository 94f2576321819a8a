#include "tscatter/io/formats/json_text_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

// The longest exact decimal of a float64 has some 1,080 characters.
constexpr std::size_t max_token = 4096;

}  // namespace

std::size_t JsonTokenLength::allowed(std::string_view text) {
  std::size_t seen = 0;
  while (seen < text.size() && length_ <= max_token)
    seen += is_in_quotes_ ? see_string(text.substr(seen)) : see_numbers(text.substr(seen));
  return length_ <= max_token ? seen : seen - 1;
}

std::size_t JsonTokenLength::see_string(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && length_ <= max_token && is_in_quotes_) {
    const char c = text[i++];
    ++length_;
    if (c == '"' && !is_escaped_) end_token();
    is_escaped_ = c == '\\' && !is_escaped_;
  }
  return i;
}

// Jumps from the last separator within reach to the next: what lies between cannot matter.
std::size_t JsonTokenLength::see_numbers(std::string_view text) {
  const std::size_t quote = text.find('"');
  const std::string_view numbers = text.substr(0, quote);
  std::size_t seen = 0;
  while (seen < numbers.size() && length_ <= max_token) {
    const std::string_view reach = numbers.substr(seen, max_token + 1 - length_);
    const std::size_t separator = reach.find_last_of(" \t\n\r,:[]{}");
    const bool is_one_token = separator == std::string_view::npos;
    length_ = is_one_token ? length_ + reach.size() : 0;
    seen += is_one_token ? reach.size() : separator + 1;
  }
  if (quote == std::string_view::npos || length_ > max_token) return seen;
  end_token();
  is_in_quotes_ = true;
  return quote + 1;
}

void JsonTokenLength::end_token() {
  length_ = 0;
  is_in_quotes_ = false;
}

void JsonPlace::pass(std::string_view text) {
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    ++line;
    column = 1;
    text.remove_prefix(end + 1);
  }
  column += static_cast<std::int64_t>(text.size());
}

std::string to_string(const JsonPlace& place) {
  return place.line == 1 ? fmt::format("column {}", place.column)
                         : fmt::format("line {}, column {}", place.line, place.column);
}

JsonTextBuffer::JsonTextBuffer(NextPiece next, std::size_t piece_size, const JsonReading& reading)
    : next_{std::move(next)}, reading_{reading}, piece_(piece_size) {}

bool JsonTextBuffer::fill() {
  if (stop_ != Stop::none) refuse();
  const std::string_view read(piece_.data(), next_(piece_));
  if (read.empty()) return false;
  const std::string_view text = read.substr(0, read.find('\0'));
  const std::size_t allowed = token_.allowed(text);
  if (text.size() < read.size()) stop_ = Stop::nul;
  if (allowed < text.size()) stop_ = Stop::token;
  place_.pass(text.substr(0, allowed));
  // What precedes the stop is left to the parser.
  if (allowed == 0) refuse();
  at_ = 0;
  end_ = allowed;
  return true;
}

void JsonTextBuffer::refuse() const {
  // json.f1
  if (stop_ == Stop::nul) {
    fail(reading_.kind, "json.f1", reading_.name, "the text must be JSON, got a NUL byte at {}",
         to_string(place_));
  }
  // json.f1
  fail(reading_.kind, "json.f1", reading_.name,
       "a string or a number must be at most {} bytes long, got more", max_token);
}

}  // namespace tscatter
