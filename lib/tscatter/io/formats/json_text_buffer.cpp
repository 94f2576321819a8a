#include "tscatter/io/formats/json_text_buffer.hpp"

#include <algorithm>
#include <span>

#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

// The longest exact decimal of a float64 has some 1,080 characters.
constexpr std::size_t max_token = 4096;

// A short text takes no more than it needs, since a batch reads thousands.
std::size_t piece_size(const Source& text) {
  constexpr std::int64_t largest = std::int64_t{64} * 1024;
  return static_cast<std::size_t>(std::min(largest, text.size()));
}

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

JsonTextBuffer::JsonTextBuffer(const Source& text, const JsonReading& reading)
    : text_{text}, reading_{reading}, piece_(piece_size(text)) {}

JsonTextBuffer::int_type JsonTextBuffer::underflow() {
  const auto piece = static_cast<std::int64_t>(piece_.size());
  const auto count = static_cast<std::size_t>(std::min(piece, text_.size() - offset_));
  if (is_cut_) refuse_token();
  if (count == 0) return traits_type::eof();
  text_.read(offset_, std::as_writable_bytes(std::span(piece_).first(count)));
  offset_ += static_cast<std::int64_t>(count);
  // What precedes the long token is left to the parser.
  const std::size_t allowed = token_.allowed({piece_.data(), count});
  is_cut_ = allowed < count;
  if (allowed == 0) refuse_token();
  setg(piece_.data(), piece_.data(), piece_.data() + allowed);
  return traits_type::to_int_type(piece_[0]);
}

void JsonTextBuffer::refuse_token() const {
  // json.f1
  fail(reading_.kind, "json.f1", reading_.name,
       "a string or a number must be at most {} bytes long, got more", max_token);
}

}  // namespace tscatter
