#include "tscatter/mlir/dense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/text/element_value.hpp"
#include "tscatter/views/converted_elements.hpp"

namespace tscatter::mlir {
namespace {

constexpr std::array mlir_rule_rows{
    Rule{"mlir.f1",
         "a module of MLIR has at most 64 MiB of text, whose strings, brackets and functions are "
         "closed; a constant is dense<…> : tensor<…>"},
    Rule{"mlir.f2",
         "the type of a constant is that of a tensor of numbers with known sizes, tensor<2x3xf32>"},
    Rule{"mlir.f3",
         "the lists of dense have the type's shape, or there is one value, or the bytes of all "
         "elements or of one"},
    Rule{"mlir.f4", "each value of dense is a number of the type's elements, as MLIR writes them"},
};

constexpr std::int64_t most_listed = 100;  // elements: MLIR prints more of them as bytes, too

struct TypeWord {
  std::string_view word;
  DType dtype;
};

constexpr std::array type_words{TypeWord{"i1", DType::boolean},
                                TypeWord{"i8", DType::int8},
                                TypeWord{"i16", DType::int16},
                                TypeWord{"i32", DType::int32},
                                TypeWord{"i64", DType::int64},
                                TypeWord{"ui8", DType::uint8},
                                TypeWord{"ui16", DType::uint16},
                                TypeWord{"ui32", DType::uint32},
                                TypeWord{"ui64", DType::uint64},
                                TypeWord{"f16", DType::float16},
                                TypeWord{"bf16", DType::bfloat16},
                                TypeWord{"f32", DType::float32},
                                TypeWord{"f64", DType::float64},
                                TypeWord{"complex<f32>", DType::complex64},
                                TypeWord{"complex<f64>", DType::complex128}};

// Of a number of this dtype, which a complex one has twice.
DType part_of(DType dtype) {
  if (dtype == DType::complex64) return DType::float32;
  return dtype == DType::complex128 ? DType::float64 : dtype;
}

std::optional<std::uint64_t> unsigned_of(std::string_view digits, int base) {
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

// Of "12" and "0x7F".
std::optional<std::uint64_t> magnitude_of(std::string_view text) {
  if (text.empty() || !is_digit(text[0])) return std::nullopt;
  return text.starts_with("0x") ? unsigned_of(text.substr(2), 16) : unsigned_of(text, 10);
}

bool fits(std::uint64_t bits, std::size_t size) {
  return size == sizeof bits || bits >> (8 * size) == 0;
}

void put_bits(std::uint64_t bits, std::span<std::byte> into) {
  for (std::byte& byte : into) {
    byte = static_cast<std::byte>(bits & 0xffU);
    bits >>= 8U;
  }
}

// As MLIR does, one without a sign may have any bits: 255 is -1 in i8.
bool encode_integer(std::string_view text, const ElementType& type, std::span<std::byte> into) {
  const bool is_negative = text.starts_with('-');
  const auto magnitude = magnitude_of(is_negative ? text.substr(1) : text);
  if (!magnitude || !fits(*magnitude, type.size)) return false;
  const std::uint64_t lowest = std::uint64_t{1} << (8 * type.size - 1);
  const bool is_signed = info(type.dtype).kind == DTypeKind::signed_integer;
  if (is_negative && (!is_signed || *magnitude > lowest)) return false;
  put_bits(is_negative ? ~*magnitude + 1 : *magnitude, into);
  return true;
}

bool encode_real(std::string_view text, DType dtype, std::span<std::byte> into) {
  if (text.starts_with("0x")) {
    const auto bits = magnitude_of(text);
    if (!bits || !fits(*bits, into.size())) return false;
    put_bits(*bits, into);
    return true;
  }
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || !is_digit(digits[0]) || digits.find('.') == std::string_view::npos)
    return false;
  const auto number = parse_real(text);
  return number && encode(ElementValue(*number), type_of_text(dtype), into);
}

bool encode_boolean(std::string_view text, std::span<std::byte> into) {
  const bool is_true = text == "true" || text == "1";
  if (!is_true && text != "false" && text != "0") return false;
  into[0] = static_cast<std::byte>(is_true ? 1 : 0);
  return true;
}

// "(1.0, -2.0)"
bool encode_complex(std::string_view text, DType part, std::span<std::byte> into) {
  if (!text.starts_with('(') || !text.ends_with(')')) return false;
  text = text.substr(1, text.size() - 2);
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return false;
  return encode_real(trimmed(text.substr(0, comma)), part, into.first(into.size() / 2)) &&
         encode_real(trimmed(text.substr(comma + 1)), part, into.subspan(into.size() / 2));
}

bool encode_text(std::string_view text, const ElementType& type, std::span<std::byte> into) {
  switch (info(type.dtype).kind) {
    case DTypeKind::boolean: return encode_boolean(text, into);
    case DTypeKind::signed_integer:
    case DTypeKind::unsigned_integer: return encode_integer(text, type, into);
    case DTypeKind::real: return encode_real(text, type.dtype, into);
    case DTypeKind::complex: return encode_complex(text, part_of(type.dtype), into);
    case DTypeKind::opaque: break;
  }
  return false;
}

std::string_view form_of_values(DTypeKind kind) {
  switch (kind) {
    case DTypeKind::boolean: return "true or false";
    case DTypeKind::signed_integer:
    case DTypeKind::unsigned_integer: return "an integer in its range (7, 0x1F)";
    case DTypeKind::real: return "a fraction in its range (7.0, 1.5e+20), or its bits (0x7F80)";
    case DTypeKind::complex: return "two fractions in their range, (1.0, 2.0), or their bits";
    case DTypeKind::opaque: break;
  }
  return "a value";
}

// Reads the lists front to back: their places are counted, not held.
class ListReader {
 public:
  ListReader(std::string_view text, const TensorHeader& header, const std::string& name)
      : text_{text}, header_{header}, name_{name} {}

  // All elements, or one that fills the shape.
  std::vector<std::byte> read() {
    element();
    while (!has_ended()) separator();
    pass_blanks();
    if (at_ < text_.size()) refuse_text("the end of the list");
    return std::move(bytes_);
  }

 private:
  bool has_ended() const { return counts_.empty(); }

  char ahead() {
    pass_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void pass_blanks() { at_ += blanks_at(text_, at_); }

  [[noreturn]] void refuse_text(std::string_view wanted) const {
    constexpr std::size_t few = 40;
    const std::string_view rest = text_.substr(std::min(at_, text_.size()), few);
    // mlir.f3
    fail(ErrorKind::format, "mlir.f3", name_, "the list of dense must have {} at {}, got {}",
         wanted, to_string(place()), rest.empty() ? std::string("its end") : escape_control(rest));
  }
  [[noreturn]] void refuse_shape(std::string_view got) const {
    // mlir.f3
    fail(ErrorKind::format, "mlir.f3", name_,
         "the lists of dense must have the type's shape {}, got {} at {}", to_string(header_.shape),
         got, to_string(place()));
  }

  Position place() const { return {counts_.begin(), counts_.end()}; }

  // An element of the innermost open list: a list, or a value.
  void element() {
    while (ahead() == '[') {
      ++at_;
      if (counts_.size() == header_.rank()) refuse_shape("a list in a value's place");
      counts_.push_back(0);
      if (ahead() == ']') return;  // of an empty list
    }
    value();
  }

  void separator() {
    const char mark = ahead();
    if (mark == ']') {
      ++at_;
      return close();
    }
    if (mark != ',' || !has_element_) refuse_text(", or ]");
    ++at_;
    const std::int64_t wanted = header_.shape[counts_.size() - 1];
    if (++counts_.back() >= wanted) refuse_shape(fmt::format("more than {}", wanted));
    has_element_ = false;
    element();
  }

  void close() {
    const std::int64_t count = counts_.back() + (has_element_ ? 1 : 0);
    counts_.pop_back();
    const std::int64_t wanted = header_.shape[counts_.size()];
    if (count != wanted) refuse_shape(fmt::format("{} instead of {}", count, wanted));
    has_element_ = true;
  }

  void value() {
    const std::string_view word = value_text();
    if (word.empty()) refuse_text("a value");
    if (counts_.size() != header_.rank() && !counts_.empty()) refuse_shape("a value");
    has_element_ = true;
    const std::size_t size = header_.type.size;
    bytes_.resize(bytes_.size() + size);
    if (encode_text(word, header_.type, std::span(bytes_).last(size))) return;
    // mlir.f4
    fail(ErrorKind::format, "mlir.f4", name_, "a value of {} must be {}, got {} at {}",
         to_string(header_.type), form_of_values(info(header_.type.dtype).kind),
         escape_control(word.substr(0, 60)), to_string(place()));
  }

  std::string_view value_text() {
    pass_blanks();
    const std::size_t begin = at_;
    constexpr std::string_view ends = ",[]()\"/ \t\r\n";
    if (ahead() == '(') {
      at_ = std::min(text_.find(')', at_), text_.size() - 1) + 1;
    } else {
      at_ = std::min(text_.find_first_of(ends, at_), text_.size());
    }
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  const TensorHeader& header_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::vector<std::int64_t> counts_;  // elements before this place in each open list
  bool has_element_ = false;          // one stands before this place, in the innermost list
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> bytes_of_digits(std::string_view text, const std::string& name) {
  const bool is_closed = text.size() >= 2 && text.ends_with('"');
  std::string_view digits = is_closed ? text.substr(1, text.size() - 2) : text.substr(1);
  const bool has_front = digits.starts_with("0x");
  digits.remove_prefix(has_front ? 2 : 0);
  std::vector<std::byte> bytes(digits.size() / 2);
  bool is_read = is_closed && has_front && digits.size() % 2 == 0;
  for (std::size_t i = 0; is_read && i < bytes.size(); ++i) {
    const auto byte = unsigned_of(digits.substr(2 * i, 2), 16);
    is_read = byte.has_value();
    if (byte) bytes[i] = static_cast<std::byte>(*byte);
  }
  // mlir.f4
  if (!is_read) {
    fail(ErrorKind::format, "mlir.f4", name,
         R"(the bytes of dense must be pairs of hexadecimal digits, "0x3F80", got {})",
         escape_control(text.substr(0, 60)));
  }
  return bytes;
}

// MLIR had eight of them in a byte, the first in its lowest bit, and has one in each now.
std::vector<std::byte> unpacked(std::vector<std::byte> bytes, std::int64_t count) {
  const auto elements = static_cast<std::size_t>(count);
  const bool is_packed = bytes.size() != elements && bytes.size() == (elements + 7) / 8;
  std::vector<std::byte> all(is_packed ? elements : bytes.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::byte byte = is_packed ? (bytes[i / 8] >> (i % 8)) & std::byte{1} : bytes[i];
    all[i] = static_cast<std::byte>(byte == std::byte{0} ? 0 : 1);
  }
  return all;
}

std::vector<std::byte> elements_of_digits(std::string_view text, const TensorHeader& header,
                                          const std::string& name) {
  std::vector<std::byte> bytes = bytes_of_digits(text, name);
  if (header.type.dtype == DType::boolean) bytes = unpacked(std::move(bytes), header.count());
  const auto size = static_cast<std::int64_t>(bytes.size());
  const auto one = static_cast<std::int64_t>(header.type.size);
  // mlir.f3
  if (size != header.byte_size() && (size != one || header.count() == 0)) {
    fail(ErrorKind::format, "mlir.f3", name,
         "the bytes of dense must be the {} of the type's shape {}, or the {} of one element, got "
         "{}",
         header.byte_size(), to_string(header.shape), one, size);
  }
  return bytes;
}

std::vector<std::byte> elements_of(std::string_view list, const TensorHeader& header,
                                   const std::string& name) {
  list.remove_prefix(blanks_at(list, 0));
  list = trimmed(list);
  if (list.starts_with('"')) return elements_of_digits(list, header, name);
  if (list.empty() && header.count() == 0) return {};
  return ListReader(list, header, name).read();
}

// The little-endian element in this machine's byte order.
std::array<std::byte, 16> native(std::span<const std::byte> element) {
  std::array<std::byte, 16> bytes{};
  std::ranges::copy(element, bytes.begin());
  if (std::endian::native == std::endian::big)
    std::reverse(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(element.size()));
  return bytes;
}

bool is_finite(std::span<const std::byte> part, DType dtype) {
  const auto bytes = native(part);
  return std::isfinite(std::get<double>(decode(std::span(bytes).first(part.size()), dtype)));
}

std::string bits_text(std::span<const std::byte> part) {
  std::string text = "0x";
  for (std::size_t i = part.size(); i > 0; --i)
    text += fmt::format("{:02X}", static_cast<unsigned>(part[i - 1]));
  return text;
}

// MLIR has a point in each fraction: 1.0e+20.
std::string part_text(std::span<const std::byte> part, DType dtype) {
  const bool is_real = info(dtype).kind == DTypeKind::real;
  if (is_real && !is_finite(part, dtype)) return bits_text(part);
  const auto bytes = native(part);
  std::string text = json_text(std::span(bytes).first(part.size()), dtype);
  const std::size_t e = text.find('e');
  if (is_real && e != std::string::npos && text.find('.') == std::string::npos)
    text.insert(e, ".0");
  return text;
}

std::string value_text(std::span<const std::byte> element, DType dtype) {
  const DType part = part_of(dtype);
  if (part == dtype) return part_text(element, dtype);
  const std::size_t half = element.size() / 2;
  return fmt::format("({}, {})", part_text(element.first(half), part),
                     part_text(element.subspan(half), part));
}

std::string digits_text(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text = "\"0x";
  text.reserve(2 * bytes.size() + 4);
  for (const std::byte byte : bytes) {
    text += digits[static_cast<unsigned>(byte) >> 4U];
    text += digits[static_cast<unsigned>(byte) & 15U];
  }
  return text + '"';
}

// How many axes begin at element `at`: those of which the inner ones have all been there.
std::size_t axes_at(const Shape& shape, std::int64_t at) {
  std::size_t axes = 0;
  std::int64_t inner = 1;
  for (std::size_t axis = shape.size(); axis > 0; --axis) {
    inner *= shape[axis - 1];
    if (at % inner != 0) break;
    ++axes;
  }
  return axes;
}

std::string lists_text(const TensorHeader& header, std::span<const std::byte> elements) {
  std::string text;
  const std::size_t size = header.type.size;
  for (std::int64_t i = 0; i < header.count(); ++i) {
    if (i > 0) text += ", ";
    text.append(axes_at(header.shape, i), '[');
    text +=
        value_text(elements.subspan(static_cast<std::size_t>(i) * size, size), header.type.dtype);
    text.append(axes_at(header.shape, i + 1), ']');
  }
  return text;
}

}  // namespace

const std::span<const Rule> mlir_rules = mlir_rule_rows;

std::optional<TensorHeader> header_of(std::string_view type) {
  constexpr std::string_view front = "tensor<";
  if (!type.starts_with(front) || !type.ends_with('>')) return std::nullopt;
  type = type.substr(front.size(), type.size() - front.size() - 1);
  TensorHeader header;
  while (!type.empty() && is_digit(type[0])) {
    const std::size_t x = type.find('x');
    const auto dim = unsigned_of(type.substr(0, x), 10);
    if (x == std::string_view::npos || !dim || !std::in_range<std::int64_t>(*dim))
      return std::nullopt;
    header.shape.push_back(static_cast<std::int64_t>(*dim));
    type.remove_prefix(x + 1);
  }
  const auto found = std::ranges::find(type_words, type, &TypeWord::word);
  if (found == type_words.end()) return std::nullopt;
  header.type = type_of_text(found->dtype);
  if (header.rank() > max_rank || !is_addressable(header.shape, header.type.size))
    return std::nullopt;
  return header;
}

std::string type_text(DType dtype, const Shape& shape) {
  std::string text = "tensor<";
  for (const std::int64_t dim : shape) text += fmt::format("{}x", dim);
  return fmt::format("{}{}>", text, std::ranges::find(type_words, dtype, &TypeWord::dtype)->word);
}

Tensor dense_tensor(std::string_view text, const std::string& name) {
  Scanner scanner(text, name);
  scanner.require("dense");
  if (!scanner.has("<")) scanner.require("<");
  const std::string_view list = scanner.dense();
  scanner.require(":");
  const std::size_t begin = scanner.offset();
  scanner.require("tensor");
  scanner.group("<");
  const std::string_view type = scanner.since(begin);
  const auto header = header_of(type);
  // mlir.f2
  if (!header || !scanner.has(TokenKind::end)) {
    fail(ErrorKind::format, "mlir.f2", name,
         "the type must be that of a tensor of numbers with known sizes, tensor<2x3xf32>, got {}",
         escape_control(type.substr(0, 60)));
  }
  std::vector<std::byte> bytes = elements_of(list, *header, name);
  if (std::ssize(bytes) != header->byte_size()) return filled(*header, std::move(bytes), name);
  return {*header, owned_source(std::move(bytes)), name};
}

std::string dense_text(const TensorHeader& header, std::span<const std::byte> elements) {
  const bool is_listed = header.count() <= most_listed || header.type.dtype == DType::boolean;
  return fmt::format("dense<{}> : {}",
                     is_listed ? lists_text(header, elements) : digits_text(elements),
                     type_text(header.type.dtype, header.shape));
}

bool has_nan(const TensorHeader& header, std::span<const std::byte> elements) {
  const DType part = part_of(header.type.dtype);
  if (info(part).kind != DTypeKind::real) return false;
  const std::size_t size = info(part).size;
  for (std::size_t at = 0; at < elements.size(); at += size) {
    const auto bytes = native(elements.subspan(at, size));
    if (std::isnan(std::get<double>(decode(std::span(bytes).first(size), part)))) return true;
  }
  return false;
}

}  // namespace tscatter::mlir
