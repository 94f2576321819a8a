#include "soak/tensor_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "io/files.hpp"
#include "oracle/arithmetic.hpp"

namespace tscatter::soak {
namespace {

using oracle::Dense;

bool is_real_or_complex(const ElementType& type) {
  const DTypeKind kind = info(type.dtype).kind;
  return kind == DTypeKind::real || kind == DTypeKind::complex;
}

std::string descr_of(const ElementType& type, oracle::Layout layout) {
  if (type.dtype == DType::opaque) return type.descr;
  const DTypeInfo& row = info(type.dtype);
  const char mark = row.word == 1 ? '|' : layout.byte_order == std::endian::little ? '<' : '>';
  return fmt::format("'{}{}'", mark, row.descr);
}

// The real parts of an element: one, or two of a complex number.
std::vector<double> parts_of(const Dense& dense, std::size_t i) {
  const oracle::RealFormat format = oracle::format_of(dense.type.dtype);
  const auto size = static_cast<std::size_t>(format.bits / 8);
  std::vector<double> parts;
  for (std::size_t at = 0; at < dense.type.size; at += size)
    parts.push_back(oracle::decoded(format, oracle::load_pattern(format, dense.element(i) + at)));
  return parts;
}

template <class Holds>
bool any_part(const Dense& dense, const Holds& holds) {
  if (!is_real_or_complex(dense.type)) return false;
  for (std::size_t i = 0; i < dense.count(); ++i) {
    if (std::ranges::any_of(parts_of(dense, i), holds)) return true;
  }
  return false;
}

std::string json_number(double value) {
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  const std::string text = fmt::format("{}", value);
  // Without a decimal point, -0 would be the integer 0.
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string integer_text(const Dense& dense, std::size_t i) {
  const oracle::Int128 value = oracle::load_integer(dense.type.dtype, dense.element(i));
  return value < 0 ? std::to_string(static_cast<std::int64_t>(value))
                   : std::to_string(static_cast<std::uint64_t>(value));
}

std::string json_element(const Dense& dense, std::size_t i) {
  if (dense.type.dtype == DType::boolean)
    return *dense.element(i) == std::byte{0} ? "false" : "true";
  if (!is_real_or_complex(dense.type)) return integer_text(dense, i);
  const std::vector<double> parts = parts_of(dense, i);
  if (parts.size() == 1) return json_number(parts[0]);
  return fmt::format("[{}, {}]", json_number(parts[0]), json_number(parts[1]));
}

std::string literal_element(const Dense& dense, std::size_t i) {
  if (!is_real_or_complex(dense.type)) return json_element(dense, i);
  const std::vector<double> parts = parts_of(dense, i);
  if (parts.size() == 1) return json_number(parts[0]);
  const std::string imaginary = json_number(parts[1]);
  return fmt::format("{}{}{}j", json_number(parts[0]), imaginary[0] == '-' ? "" : "+", imaginary);
}

template <class ElementText>
std::string joined(const Dense& dense, const ElementText& element_text) {
  std::string text;
  for (std::size_t i = 0; i < dense.count(); ++i)
    text += (i == 0 ? "" : ",") + element_text(dense, i);
  return text;
}

}  // namespace

std::string npy_dict(const Dense& dense, oracle::Layout layout) {
  const auto long_axes =
      std::ranges::count_if(dense.shape, [](std::int64_t dim) { return dim > 1; });
  const bool lies_both_ways = long_axes <= 1 || oracle::product(dense.shape) == 0;
  const bool is_fortran = layout.order == MemoryOrder::fortran && !lies_both_ways;
  return fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': ({}{}), }}",
                     descr_of(dense.type, layout), is_fortran ? "True" : "False",
                     fmt::join(dense.shape, ", "), dense.shape.size() == 1 ? "," : "");
}

std::string npy_bytes(const Dense& dense, oracle::Layout layout) {
  return npy_file(npy_dict(dense, layout), text_of(oracle::stored(dense, layout)));
}

std::vector<std::byte> npy_elements(const std::string& file) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(file.at(at)); };
  const std::size_t end = std::size_t{10} + byte(8) + (std::size_t{byte(9)} << 8U);
  const auto elements = bytes_of(std::string_view(file).substr(std::min(end, file.size())));
  return {elements.begin(), elements.end()};
}

bool has_text(const Dense& dense) {
  if (dense.type.dtype == DType::opaque) return false;
  if (dense.type.dtype == DType::boolean)
    return std::ranges::all_of(dense.bytes, [](std::byte b) { return b <= std::byte{1}; });
  return !any_part(dense, [](double part) { return std::isnan(part); });
}

std::string json_text(const Dense& dense) {
  return fmt::format(R"({{"dtype": "{}", "shape": [{}], "data": [{}]}})",
                     info(dense.type.dtype).name, fmt::join(dense.shape, ", "),
                     joined(dense, json_element));
}

std::string literal_text(const Dense& dense) {
  std::string text;
  for (const std::int64_t dim : dense.shape) text += fmt::format("{}x", dim);
  return fmt::format("{}{}={}", text, info(dense.type.dtype).short_name,
                     joined(dense, literal_element));
}

bool has_infinities(const Dense& dense) {
  return any_part(dense, [](double part) { return std::isinf(part); });
}

}  // namespace tscatter::soak
