// A place in JSON text that is read front to back, token by token, for text of known keys that may
// be too long to be held: the header of a safetensors file, the index of its shards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/io/formats/text/text_window.hpp"

namespace tscatter {

// Whether the byte is ASCII that stands for itself in a string.
constexpr bool is_plain_in_json(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return code >= 0x20U && code < 0x80U && byte != '"' && byte != '\\';
}

class JsonCursor {
 public:
  struct Naming {
    std::string name;        // of the file, for messages
    std::string_view what;   // "the header", for messages
    std::string_view label;  // of the rule that it is JSON
  };

  // Reads the bytes [text.begin, text.end) of the source, which outlives it. `more`: of a source
  // that is still coming.
  JsonCursor(const Source& source, ByteRange text, Naming naming, MoreText more = {})
      : source_{source},
        text_{text},
        more_{std::move(more)},
        piece_begin_{text.begin},
        naming_{std::move(naming)} {}

  // The byte of the source that is read next.
  std::int64_t at() const { return piece_begin_ + static_cast<std::int64_t>(index_); }
  // REQUIRES: the place is in the text.
  void move_to(std::int64_t at);

  // The next byte that is not blank; -1 at the end. It stays the next.
  int next();
  bool takes(char token);
  // All of these throw Error (format, the label) if something else is next.
  void expect(char token);
  void expect_end();

  // Appends the string to `into`, its escapes decoded. It has at most `longest` bytes.
  void read_string(std::string& into, std::size_t longest);
  void skip_string();
  // From 0 to 2^63 - 1, written as digits without leading zeros; nullopt if something else is next,
  // which word() then gives.
  std::optional<std::int64_t> read_integer();
  // What is next, for messages: up to 24 characters of it.
  std::string word();
  // Any value, in at most 16 levels.
  void skip_value();

  // {"a": …, "b": …}: member() is called after each key's colon; key_at() is where the key begins.
  template <class Member>
  void read_object(std::string& key, std::size_t longest_key, const Member& member) {
    expect('{');
    if (takes('}')) return;
    do {
      read_key(key, longest_key);
      member();
    } while (takes(','));
    expect('}');
  }
  std::int64_t key_at() const { return key_at_; }
  // [a, b]
  template <class Element>
  void read_list(const Element& element) {
    expect('[');
    if (takes(']')) return;
    do {
      element();
    } while (takes(','));
    expect(']');
  }

  // Throws Error (format, the label): what belongs here is not there.
  [[noreturn]] void refuse(std::string_view wanted);
  [[noreturn]] void refuse(std::string_view wanted, std::int64_t at, std::string_view got) const;

 private:
  using Take = std::function<void(std::string_view)>;

  int peek();  // the next byte, blank or not; -1 at the end
  int pass();
  void read_key(std::string& key, std::size_t longest);
  void read_characters(const Take& take);
  void read_escape(const Take& take);
  void read_character(const Take& take);
  char32_t read_unit();
  void skip_scalar();
  // Whether such a thing is there; if not, some of it may have been passed.
  bool skip_word();
  bool skip_number();
  bool skip_digits();
  void skip_value(int levels);

  static constexpr std::size_t longest_piece = std::size_t{64} * 1024;

  const Source& source_;
  ByteRange text_;
  MoreText more_;  // nothing: all of the text is there
  std::int64_t piece_begin_;
  std::size_t index_ = 0;
  std::size_t piece_end_ = 0;
  std::size_t next_piece_ = 64;
  std::string piece_;
  std::int64_t key_at_ = 0;
  Naming naming_;
};

// The text as a string of JSON, as serde and Python's json.dumps(ensure_ascii=False) write it.
std::string json_string(std::string_view text);

// ---- Finds repeated JSON keys without holding them: keeps each key's hash and offset.

struct SeenKey {
  std::uint64_t hash;
  std::uint32_t at;
};

// Returns a key that is repeated; nullopt if none is. key_at(at) reads a key; only keys with equal
// hashes are read. Sorts by hash, then by key, so that equal keys become neighbours.
template <class KeyAt>
std::optional<std::string> repeated_key(std::vector<SeenKey>& keys, const KeyAt& key_at) {
  std::ranges::sort(keys, [&](const SeenKey& one, const SeenKey& other) {
    if (one.hash != other.hash) return one.hash < other.hash;
    return one.at != other.at && key_at(one.at) < key_at(other.at);
  });
  const auto same = std::ranges::adjacent_find(keys, [&](const auto& one, const auto& other) {
    return one.hash == other.hash && key_at(one.at) == key_at(other.at);
  });
  return same == keys.end() ? std::nullopt : std::optional<std::string>(key_at(same->at));
}

}  // namespace tscatter
