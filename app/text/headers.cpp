#include <utility>

#include "text/reports.hpp"
#include "tscatter/io/formats/text/csv_tensor.hpp"

namespace tscatter::app {

Document header_members(const TensorHeader& actual, const TensorHeader& expected) {
  Document document;
  document.put("dtype", Document{{"actual", to_string(actual.type)},
                                 {"expected", to_string(expected.type)}});
  document.put("shape", Document{{"actual", actual.shape}, {"expected", expected.shape}});
  return document;
}

void add_table_header(Document& document, const Tensor& tensor) {
  const std::string header = table_header(tensor);
  if (header.empty()) return;
  document.add("table_header", "header", {.value = header, .text = escape_control(header)});
}

void add_table_headers(Document& document,
                       const std::map<std::string, Tensor, std::less<>>& operands) {
  Table headers;
  for (const auto& [name, tensor] : operands) {
    const std::string header = table_header(tensor);
    if (header.empty()) continue;
    headers.rows.push_back({{"operand", name}, {"header", header}});
    document.show("header", fmt::format("{}: {}", name, escape_control(header)));
  }
  if (!headers.rows.empty()) document.put("table_headers", std::move(headers));
}

}  // namespace tscatter::app
