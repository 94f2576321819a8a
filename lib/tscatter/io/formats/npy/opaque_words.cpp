#include "tscatter/io/formats/npy/opaque_words.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <string_view>

#include "tscatter/core/float8.hpp"
#include "tscatter/io/formats/npy/descr.hpp"
#include "tscatter/io/formats/npy/python_literal.hpp"

namespace tscatter {
namespace {

constexpr std::size_t most_bytes = std::size_t{256} * 1024;
constexpr std::size_t most_runs = 16384;

struct MarkedRun {
  WordRun words;
  bool is_big = false;
};

// The layout of a descr: its text without byte order marks, and its words.
class Layout {
 public:
  explicit Layout(const PythonValue& descr) { add(descr); }

  const std::string& text() const { return text_; }
  const std::vector<MarkedRun>& runs() const { return runs_; }

 private:
  void add(const PythonValue& descr) {
    if (const auto* record = descr.as<PythonList>()) {
      for (const PythonValue& field : record->items) add_field(*field.as<PythonTuple>());
    } else {
      add_plain(field_type_of(descr), descr.as<PythonString>()->text);
    }
  }

  // The text has lengths before names, so that different records have different texts.
  void add_field(const PythonTuple& field) {
    const auto* titled = field.items[0].as<PythonTuple>();
    for (const PythonValue& word :
         titled != nullptr ? std::span(titled->items) : std::span(field.items).first(1)) {
      const std::string& name = word.as<PythonString>()->text;
      text_ += std::to_string(name.size()) + ":" + name;
    }
    text_ += "(";
    std::int64_t repeats = 1;
    if (field.items.size() == 3) {
      for (const PythonValue& dim : field.items[2].as<PythonTuple>()->items) {
        repeats *= *dim.as<std::int64_t>();
        text_ += std::to_string(*dim.as<std::int64_t>()) + ",";
      }
    }
    const std::string before = text_;
    const std::size_t begin = offset_;
    for (std::int64_t i = 0; i < repeats && runs_.size() <= most_runs; ++i) {
      text_ = before;
      add(field.items[1]);
      if (offset_ == begin) break;  // elements of no bytes
    }
    text_ += ")";
  }

  void add_plain(const ElementType& type, std::string_view text) {
    const bool has_mark = std::string_view("<>=|").find(text[0]) != std::string_view::npos;
    text_ += has_mark ? text.substr(1) : text;
    const std::size_t word = word_of(type, text[has_mark ? 1 : 0]);
    if (word > 1) {
      runs_.push_back({.words = {.offset = offset_, .size = word, .count = type.size / word},
                       .is_big = type.byte_order == std::endian::big});
    }
    offset_ += type.size;
  }

  static std::size_t word_of(const ElementType& type, char kind) {
    if (type.dtype != DType::opaque) return type.word();
    switch (kind) {
      case 'M':
      case 'm':
      case 'f': return type.size;
      case 'U': return 4;
      case 'c': return type.size / 2;
      default: return 1;
    }
  }

  std::string text_;
  std::vector<MarkedRun> runs_;
  std::size_t offset_ = 0;
};

Layout layout_of(const ElementType& type) { return Layout(parse_python_literal(type.descr)); }

}  // namespace

bool is_same_but_for_byte_order(const ElementType& a, const ElementType& b) {
  if (same_dtype(a, b)) return true;
  const bool are_opaque = a.dtype == DType::opaque && b.dtype == DType::opaque;
  const bool has_float8 = float8_of(a) != nullptr || float8_of(b) != nullptr;
  if (!are_opaque || has_float8 || a.size != b.size || a.size > most_bytes) return false;
  const Layout one = layout_of(a);
  const Layout other = layout_of(b);
  return one.text() == other.text() && one.runs().size() <= most_runs;
}

std::vector<WordRun> words_to_turn(const ElementType& from, const ElementType& to) {
  std::vector<WordRun> words;
  if (from.descr == to.descr) return words;
  const Layout one = layout_of(from);
  const Layout other = layout_of(to);
  for (std::size_t i = 0; i < one.runs().size(); ++i) {
    if (one.runs()[i].is_big != other.runs()[i].is_big) words.push_back(one.runs()[i].words);
  }
  return words;
}

void turn_words(std::span<std::byte> elements, std::size_t element_size,
                std::span<const WordRun> words) {
  for (; !elements.empty(); elements = elements.subspan(element_size)) {
    for (const WordRun& run : words) {
      for (std::size_t i = 0; i < run.count; ++i)
        std::ranges::reverse(elements.subspan(run.offset + i * run.size, run.size));
    }
  }
}

}  // namespace tscatter
