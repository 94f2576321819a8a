// Feeds a tensor's JSON text to the parser in pieces, and refuses a string or number so long that
// the parser would need more than a few kilobytes for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <streambuf>
#include <string_view>
#include <vector>

#include "tscatter/io/formats/json_tensor.hpp"

namespace tscatter {

// Counts the bytes of strings and numbers, for which the parser takes memory.
class JsonTokenLength {
 public:
  // How many bytes of `text`, which continues what was seen before, precede the first byte that
  // makes a token too long.
  std::size_t allowed(std::string_view text);

 private:
  // Both return how many bytes they saw.
  std::size_t see_string(std::string_view text);
  std::size_t see_numbers(std::string_view text);
  void end_token();

  std::size_t length_ = 0;
  bool is_in_quotes_ = false;
  bool is_escaped_ = false;
};

// Throws Error (json.f1) when the parser reads into a token that is too long. REQUIRES: both
// arguments outlive it.
class JsonTextBuffer final : public std::streambuf {
 public:
  JsonTextBuffer(const Source& text, const JsonReading& reading);

 protected:
  int_type underflow() override;

 private:
  [[noreturn]] void refuse_token() const;

  const Source& text_;
  const JsonReading& reading_;
  std::vector<char> piece_;
  std::int64_t offset_ = 0;
  JsonTokenLength token_;
  bool is_cut_ = false;
};

}  // namespace tscatter
