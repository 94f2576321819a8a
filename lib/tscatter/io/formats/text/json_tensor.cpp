#include "tscatter/io/formats/text/json_tensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/text/element_value.hpp"
#include "tscatter/io/formats/text/json_parser.hpp"
#include "tscatter/io/formats/text/json_walker.hpp"

namespace tscatter {
namespace {

constexpr std::array json_reader_rule_rows{
    Rule{"json.f1", "the text is JSON, with strings and numbers of at most 4096 bytes each"},
    Rule{"json.f2",
         "a tensor is a number, true or false, nested lists of them, or an object with a key data"},
    Rule{"json.f3", "nested lists have one length per axis"},
    Rule{"json.f4",
         "each value fits the dtype: an integer is written without a fraction and in range, a "
         "finite number "
         "does not become an infinity, a complex value is [re, im]"},
    Rule{"json.f5", "the keys of an object are dtype, shape and data, each once"},
    Rule{"json.f6", "dtype is the name of a numeric dtype"},
    Rule{"json.f7",
         "shape is a list of sizes >= 0, and data has it, or is a flat list of as many elements"},
    Rule{"json.f8", "values without a dtype are of one kind, and integers among them fit int64"},
    Rule{"json.f9", "a tensor has at most 64 axes"},
    Rule{"json.f10", "a tensor that is written as JSON is of a numeric dtype"},
};

// A value as the text has it.
struct TextValue {
  ElementValue value;
  std::string text;
};

// First reading: which dtype and shape.
class HeaderWalker final : public TensorWalker {
 public:
  using TensorWalker::TensorWalker;

  TensorHeader header() const {
    const std::optional<DType> named = dtype() ? dtype() : reading().dtype;
    const DType type = named ? *named : inferred();
    TensorHeader header{.type = type_of_text(type), .shape = lists().shape()};
    if (info(type).kind == DTypeKind::complex) drop_parts(header.shape);
    if (given_shape()) header.shape = matched(header.shape, header.type.size);
    // json.f9
    if (header.rank() > max_rank) {
      fail(reading().kind, "json.f9", reading().name, "a tensor must have at most 64 axes, got {}",
           header.rank());
    }
    return header;
  }

  // All values, if they are few: there is no need to read them again then.
  const std::optional<std::vector<TextValue>>& values() const { return values_; }
  const std::string& dtype_word() const { return TensorWalker::dtype_word(); }

 private:
  static constexpr std::size_t most_kept = 256;

  enum Kind : std::size_t { boolean, integer, real, word };

  void on_value(const ElementValue& value, std::string_view text) override {
    if (values_ && values_->size() == most_kept) values_.reset();
    if (values_) values_->push_back({.value = value, .text = std::string(text)});
    if (std::holds_alternative<bool>(value)) {
      kinds_[boolean] = true;
    } else if (const auto* number = std::get_if<double>(&value)) {
      kinds_[std::isfinite(*number) ? real : word] = true;
    } else {
      kinds_[integer] = true;
      if (!std::holds_alternative<std::int64_t>(value) && beyond_int64_.empty())
        beyond_int64_ = text;
    }
  }

  DType inferred() const {
    const bool numbers = kinds_[integer] || kinds_[real] || kinds_[word];
    // json.f8
    if (kinds_[boolean] && numbers) {
      fail(reading().kind, "json.f8", reading().name,
           "values without a dtype must be of one kind, got booleans and numbers");
    }
    // json.f8
    if (!beyond_int64_.empty()) {
      fail(reading().kind, "json.f8", reading().name,
           "integers without a dtype must fit int64 (name a dtype, such as uint64), got {}",
           beyond_int64_);
    }
    if (kinds_[boolean]) return DType::boolean;
    if (kinds_[integer] && !kinds_[real] && !kinds_[word]) return DType::int64;
    return DType::float64;
  }

  // The innermost lists are [re, im].
  void drop_parts(Shape& shape) const {
    if (lists().values() == 0 && (shape.empty() || shape.back() == 0)) return;
    // json.f4
    if (shape.empty() || shape.back() != 2) {
      fail(reading().kind, "json.f4", reading().name,
           "complex values must be written [re, im], got lists of shape {}", to_string(shape));
    }
    shape.pop_back();
  }

  Shape matched(const Shape& shape, std::size_t element_size) const {
    const Shape& given = *given_shape();
    if (shape == given) return given;
    const bool is_valid = given.size() <= max_rank && is_addressable(given, element_size);
    const bool is_flat = shape.size() == 1 && is_valid && element_count(given) == shape.front();
    // json.f7
    if (!is_flat) {
      fail(reading().kind, "json.f7", reading().name,
           "data must have shape {} or be a flat list of its elements, got {}", to_string(given),
           to_string(shape));
    }
    return given;
  }

  std::array<bool, 4> kinds_{};
  std::string beyond_int64_;
  std::optional<std::vector<TextValue>> values_{std::in_place};
};

// Stores the values as elements.
class ElementWriter {
 public:
  // `dtype_word`: as the text names it.
  ElementWriter(const JsonReading& reading, const TensorHeader& header,
                const std::string& dtype_word, Spool& into)
      : reading_{reading},
        header_{header},
        dtype_word_{dtype_word},
        into_{into},
        element_(header.type.size) {}

  void flush() {
    into_.append(buffer_);
    buffer_.clear();
  }

  void add(const ElementValue& value, std::string_view text) {
    if (!is_complex()) return append(value, text);
    std::array<std::byte, sizeof(double)> part{};
    // json.f4
    if (!encode(signed_zero(value, text, DType::float64), ElementType::of(DType::float64), part))
      refuse(text);
    double number = 0;
    std::memcpy(&number, part.data(), sizeof number);
    if (std::exchange(has_real_, !has_real_)) {
      append(std::complex<double>(real_, number), text);
    } else {
      real_ = number;
    }
  }

 private:
  bool is_complex() const { return info(header_.type.dtype).kind == DTypeKind::complex; }

  void append(const ElementValue& value, std::string_view text) {
    if (!encode(signed_zero(value, text, header_.type.dtype), header_.type, element_)) refuse(text);
    buffer_.insert(buffer_.end(), element_.begin(), element_.end());
    ++appended_;
    constexpr std::size_t piece = std::size_t{64} * 1024;
    if (buffer_.size() >= piece) flush();
  }

  [[noreturn]] void refuse(std::string_view text) const {
    const std::string place =
        header_.rank() == 0 ? "the value"
                            : "the value at " + to_string(position_of(header_.shape, appended_));
    // json.f4
    fail(reading_.kind, "json.f4", reading_.name, "{} must fit {}{}, got {}", place,
         to_string(header_.type), hint(text), text);
  }

  std::string hint(std::string_view text) const {
    const bool is_number = text.find_first_of("0123456789") != std::string_view::npos;
    if (is_number && is_integer(header_.type.dtype) &&
        text.find_first_of(".eE") != std::string_view::npos)
      return " (an integer has no point, fraction or exponent)";
    const bool is_mask = header_.rank() > 0 && (text == "true" || text == "false");
    if (is_mask && is_integer(header_.type.dtype))
      return " (numpy.setitem and its like take a mask)";
    return type_code_hint(dtype_word_);
  }

  const JsonReading& reading_;
  const TensorHeader& header_;
  const std::string& dtype_word_;
  Spool& into_;
  std::vector<std::byte> element_;
  std::vector<std::byte> buffer_;
  std::int64_t appended_ = 0;
  double real_ = 0;  // of the complex value that has begun
  bool has_real_ = false;
};

// Second reading: the elements.
class ElementWalker final : public TensorWalker {
 public:
  ElementWalker(const Source& text, const JsonReading& reading, ElementWriter& writer)
      : TensorWalker(text, reading), writer_{writer} {}

 private:
  void on_value(const ElementValue& value, std::string_view text) override {
    writer_.add(value, text);
  }

  ElementWriter& writer_;
};

constexpr std::int64_t largest_piece = std::int64_t{64} * 1024;

// From front to back.
class SourcePieces {
 public:
  SourcePieces(const Source& text, const InnerPhase& phase) : text_{text}, phase_{phase} {}

  std::size_t operator()(std::span<char> into) {
    const auto count = static_cast<std::size_t>(
        std::min(static_cast<std::int64_t>(into.size()), text_.size() - offset_));
    text_.read(offset_, std::as_writable_bytes(into.first(count)));
    offset_ += static_cast<std::int64_t>(count);
    phase_.add(static_cast<std::int64_t>(count));
    return count;
  }
  bool is_at_end() const { return offset_ == text_.size(); }

 private:
  const Source& text_;
  const InnerPhase& phase_;
  std::int64_t offset_ = 0;
};

// A short text takes no more than it needs, since a batch reads thousands.
void walk(const Source& text, const JsonReading& reading, TensorWalker& walker) {
  const InnerPhase phase(reading.progress, text.size());
  SourcePieces pieces(text, phase);
  if (text.size() > largest_piece)
    return JsonParser(pieces, largest_piece, longest_json_token, walker).run();
  std::string whole(static_cast<std::size_t>(text.size()), '\0');
  pieces(whole);
  JsonParser(whole, longest_json_token, walker).run();
}

// The second reading, where there must be one.
Tensor tensor_of(const Source& text, const JsonReading& reading, const HeaderWalker& first) {
  const TensorHeader header = first.header();
  auto elements = std::make_shared<Spool>(reading.spool_directory, reading.name);
  ElementWriter writer(reading, header, first.dtype_word(), *elements);
  if (const auto& values = first.values()) {
    for (const auto& [value, words] : *values) writer.add(value, words);
  } else {
    ElementWalker second(text, reading, writer);
    walk(text, reading, second);
  }
  writer.flush();
  return {header, std::move(elements), reading.name};
}

}  // namespace

std::span<const Rule> json_rules() { return json_reader_rule_rows; }

Tensor json_tensor(const Source& text, const JsonReading& reading) {
  HeaderWalker first(text, reading);
  walk(text, reading, first);
  return tensor_of(text, reading, first);
}

Tensor json_tensor_in_pipe(Spool& text, const File& pipe, const JsonReading& reading) {
  const InnerPhase phase(reading.progress, 0);
  SourcePieces spooled(text, phase);
  bool may_go_on = true;
  const auto next = [&](std::span<char> into) {
    if (may_go_on && spooled.is_at_end())
      may_go_on = text.fill_from(pipe, text.size() + largest_piece);
    return spooled(into);
  };
  HeaderWalker first(text, reading);
  JsonParser(next, largest_piece, longest_json_token, first).run();
  return tensor_of(text, reading, first);
}

Tensor json_tensor(std::string_view text, const JsonReading& reading) {
  return json_tensor(SpanSource(std::as_bytes(std::span(text))), reading);
}

namespace {

bool begins_as_json(std::span<const std::byte> first_bytes) {
  return begins_with_one_of(first_bytes, "[{-0123456789tf\"");
}

bool surely_begins_as_json(std::span<const std::byte> first_bytes) {
  return begins_as_json(first_bytes) && is_plain_text(characters_of(first_bytes));
}

JsonReading json_reading(const FormatReading& reading) {
  return {.name = reading.name,
          .dtype = reading.dtype,
          .spool_directory = reading.spool_directory,
          .progress = reading.progress};
}

Tensor open_pipe(Spool& spool, const File& pipe, const FormatReading& reading) {
  return json_tensor_in_pipe(spool, pipe, json_reading(reading));
}

Tensor open_tensor(const std::shared_ptr<const Source>& file, const FormatReading& reading) {
  return json_tensor(*file, json_reading(reading));
}

std::unique_ptr<Output> create_file(const OutputPlace& place) {
  return std::make_unique<JsonOutput>([place] { return open_output_file(place); }, place.name,
                                      JsonForm::object, place.spool_directory, place.stop,
                                      place.progress);
}

}  // namespace

constinit const Format json_format{
    .name = "json",
    .ending = ".json",
    .kind = "a JSON file",
    .ending_role = EndingRole::sufficient,
    .begins_as = begins_as_json,
    .may_be_other = true,
    .surely_begins_as = surely_begins_as_json,
    .open_pipe = open_pipe,
    .open = open_tensor,
    .create = create_file,
    .rules = json_rules,
    .help =
        "nested lists, or {\"dtype\": ..., \"shape\": ..., \"data\": ...}. What is written is the "
        "object, so that it reads back unchanged.",
};

}  // namespace tscatter
