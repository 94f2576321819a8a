#include "tscatter/io/formats/text/literal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/float8.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/text/element_value.hpp"
#include "tscatter/views/converted_elements.hpp"

namespace tscatter {
namespace {

constexpr std::array literal_rule_rows{
    Rule{"literal.f1",
         "a typed literal has at most 64 axes, and at most 2^63 - 1 elements and bytes"},
    Rule{"literal.f2", "it has one value, or as many as its shape has elements"},
    Rule{"literal.f3",
         "each value is a number, true, false, nan or inf, a complex one 1+2j, and fits the dtype"},
};

struct LiteralFront {
  Shape shape;
  DType dtype;
  std::string_view dtype_word;  // as it is written
};

// "2x3xf32" -> shape [2, 3], float32; nullopt when it is something else.
std::optional<LiteralFront> parse_front(std::string_view text) {
  Shape shape;
  // The names of dtypes have no digit in front; complex64 has an x.
  const auto has_size = [&] { return !text.empty() && text[0] >= '0' && text[0] <= '9'; };
  while (has_size()) {
    const std::size_t x = std::min(text.find('x'), text.size());
    std::int64_t dim = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + x, dim);
    if (error != std::errc{} || end != text.data() + x || x == text.size()) return std::nullopt;
    shape.push_back(dim);
    text.remove_prefix(x + 1);
  }
  const std::optional<DType> dtype = dtype_from_name(text);
  if (!dtype) return std::nullopt;
  return LiteralFront{.shape = std::move(shape), .dtype = *dtype, .dtype_word = text};
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  if (text.empty()) return parts;
  for (std::size_t comma = text.find(','); comma != std::string_view::npos;
       comma = text.find(',')) {
    parts.push_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  parts.push_back(text);
  return parts;
}

// 1+2j, -1.5j. The sign that separates the parts is the last one outside an exponent.
std::optional<std::complex<double>> complex_number(std::string_view text) {
  if (text.empty() || text.back() != 'j') return std::nullopt;
  text.remove_suffix(1);
  std::size_t sign = text.find_last_of("+-");
  while (sign != std::string_view::npos && sign > 0 &&
         (text[sign - 1] == 'e' || text[sign - 1] == 'E')) {
    sign = text.substr(0, sign).find_last_of("+-");
  }
  if (sign == std::string_view::npos) sign = 0;
  const auto real = sign == 0 ? std::optional(0.0) : parse_real(text.substr(0, sign));
  const auto imaginary = parse_real(text.substr(sign));
  if (!real || !imaginary) return std::nullopt;
  return std::complex<double>(*real, *imaginary);
}

std::optional<ElementValue> parse_value(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  if (const auto number = parse_number(text)) return *number;
  if (const auto complex = complex_number(text)) return *complex;
  return std::nullopt;
}

std::vector<std::byte> encode_all(const std::vector<std::string_view>& texts,
                                  const TensorHeader& header, std::string_view dtype_word,
                                  const std::string& name) {
  const std::size_t size = header.type.size;
  std::vector<std::byte> bytes(texts.size() * size);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string_view text = trimmed(texts[i]);
    const auto value = parse_value(text);
    const auto into = std::span(bytes).subspan(i * size, size);
    // literal.f3
    if (!value || !encode(signed_zero(*value, text, header.type.dtype), header.type, into)) {
      fail(ErrorKind::usage, "literal.f3", name, "value {} of the literal must fit {}{}, got '{}'",
           i, to_string(header.type), type_code_hint(dtype_word), texts[i]);
    }
  }
  return bytes;
}

}  // namespace

const std::span<const Rule> literal_rules = literal_rule_rows;

std::optional<TensorHeader> literal_header(std::string_view text) {
  if (const auto front = parse_front(text))
    return TensorHeader{.type = type_of_text(front->dtype), .shape = front->shape};
  const std::size_t x = text.rfind('x') + 1;
  const Float8* const float8 = float8_named(text.substr(x));
  if (float8 == nullptr) return std::nullopt;
  const auto front = parse_front(std::string(text.substr(0, x)) + "u8");
  if (!front) return std::nullopt;
  return TensorHeader{.type = element_type_of(*float8), .shape = front->shape};
}

std::optional<Tensor> literal_tensor(std::string_view text, const std::string& name) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::optional<LiteralFront> front = parse_front(text.substr(0, equals));
  if (!front || text.substr(equals + 1).starts_with('@')) return std::nullopt;
  const TensorHeader header{.type = type_of_text(front->dtype), .shape = front->shape};
  // literal.f1
  if (header.rank() > max_rank) {
    fail(ErrorKind::usage, "literal.f1", name, "a literal must have at most 64 axes, got {}",
         header.rank());
  }
  // literal.f1
  if (!is_addressable(header.shape, header.type.size)) {
    fail(ErrorKind::usage, "literal.f1", name, "a literal must be addressable, got shape {}",
         to_string(header.shape));
  }
  const std::vector<std::string_view> values = split(text.substr(equals + 1));
  const auto count = static_cast<std::int64_t>(values.size());
  // literal.f2
  if (count != header.count() && count != 1) {
    fail(ErrorKind::usage, "literal.f2", name,
         "a literal of shape {} must have {} values or one, got {}", to_string(header.shape),
         header.count(), count);
  }
  std::vector<std::byte> bytes = encode_all(values, header, front->dtype_word, name);
  if (count == header.count()) return Tensor(header, owned_source(std::move(bytes)), name);
  return filled(header, std::move(bytes), name);
}

}  // namespace tscatter
