// The headers of a result and of what is expected, in the reports of compare and verify; the first
// lines that were taken for headers of tables.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>

#include "text/document.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter::app {

// Whether a Census or a Verification got as far as the elements.
template <class Comparison>
bool is_compared(const Comparison& comparison) {
  return comparison.has_same_dtype() && comparison.has_same_shape();
}

// "dtype differs: got int8, expected int16; shape differs: got [2], expected [3]"
template <class Comparison>
std::string mismatch_text(const Comparison& comparison) {
  const TensorHeader& got = comparison.actual;
  const TensorHeader& expected = comparison.expected;
  std::string text;
  if (!comparison.has_same_dtype()) {
    text = fmt::format("dtype differs: got {}, expected {}", to_string(got.type),
                       to_string(expected.type));
  }
  if (comparison.has_same_shape()) return text;
  return fmt::format("{}{}shape differs: got {}, expected {}", text, text.empty() ? "" : "; ",
                     to_string(got.shape), to_string(expected.shape));
}

// The members dtype and shape.
Document header_members(const TensorHeader& actual, const TensorHeader& expected);

// Of a table of numbers, the line that was taken for its header.
void add_table_header(Document& document, const Tensor& tensor);

// The same of all tables among operands. JSON: table_headers, a list of operand and header.
void add_table_headers(Document& document,
                       const std::map<std::string, Tensor, std::less<>>& operands);

}  // namespace tscatter::app
