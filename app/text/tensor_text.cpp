#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <complex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/document.hpp"
#include "text/reports.hpp"
#include "tscatter/io/formats/text/csv.hpp"
#include "tscatter/ops/names/registry.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::app {
namespace {

std::string_view order_name(const TensorHeader& header) {
  if (header.order == MemoryOrder::fortran) return "fortran";
  return "c";
}

// The byte order of elements that have one: not of single bytes, nor inside opaque elements.
std::string_view byte_order_name(const ElementType& type) {
  if (type.word() == 1) return "none";
  return type.byte_order == std::endian::little ? "little" : "big";
}

bool is_complex(DType dtype) { return info(dtype).kind == DTypeKind::complex; }

bool has_infinities(DType dtype) {
  return is_complex(dtype) || info(dtype).kind == DTypeKind::real;
}

Figure optional_figure(const std::optional<ElementBytes>& element, const ElementType& type) {
  if (!element) return {.value = {}, .text = "none"};
  return element_figure(*element, type);
}

// A float64; for a complex dtype a complex128.
Figure mean_figure(const std::optional<std::complex<double>>& mean, DType dtype) {
  if (!mean) return {.value = {}, .text = "none"};
  const double real = mean->real();
  if (is_complex(dtype)) {
    return element_figure(std::as_bytes(std::span(&*mean, 1)), ElementType::of(DType::complex128));
  }
  return element_figure(std::as_bytes(std::span(&real, 1)), ElementType::of(DType::float64));
}

// "[0.0, 0.5)"; "3" for an integer by itself.
std::string range_text(const HistogramBin& bin, const Figure& first, const Figure& last,
                       DType dtype, bool is_last) {
  if (bin.first == bin.last) return first.text;
  return fmt::format("[{}, {}{}", first.text, last.text, is_last || is_integer(dtype) ? "]" : ")");
}

Table histogram_table(const std::vector<HistogramBin>& bins, const ElementType& type) {
  std::int64_t most = 1;
  for (const HistogramBin& bin : bins) most = std::max(most, bin.count);
  Table table{.front = TableFront::nothing};
  for (const HistogramBin& bin : bins) {
    const Figure first = element_figure(bin.first, type);
    const Figure last = element_figure(bin.last, type);
    Document& row = table.rows.emplace_back();
    row.put("first", first.value);
    row.put("last", last.value);
    row.show("", "  " + range_text(bin, first, last, type.dtype, &bin == &bins.back()));
    row.add("count", "", grouped(bin.count), Align::right);
    row.show("", bar(bin.count, most));
  }
  return table;
}

Document not_finite(const Statistics& statistics) {
  Document document;
  document.add("nan", "nan", grouped(statistics.nan));
  document.add("infinite", "infinite", grouped(statistics.infinite));
  return document;
}

}  // namespace

Document header_document(const Tensor& tensor) {
  Document document;
  document.add("dtype", "dtype", dtype_figure(tensor.type()));
  document.add("shape", "shape", position_figure(tensor.shape()));
  document.add("elements", "elements", grouped(tensor.count()));
  document.add("bytes", "bytes", grouped(tensor.byte_size()));
  document.add("order", "order", text_figure(order_name(tensor.header())));
  document.add("byte_order", "byte order", text_figure(byte_order_name(tensor.type())));
  return document;
}

Document statistics_document(const Statistics& statistics, const ElementType& type,
                             std::int64_t count) {
  constexpr std::int64_t longest_list = 10;  // elements; up to here they say more than a histogram
  Document document;
  document.add("min", "min", optional_figure(statistics.min, type));
  document.add("max", "max", optional_figure(statistics.max, type));
  document.add("mean", "mean", mean_figure(statistics.mean, type.dtype));
  has_infinities(type.dtype) ? document.add(not_finite(statistics))
                             : document.put(not_finite(statistics));
  document.add("zeros", "zeros", grouped(statistics.zeros));
  Table histogram = histogram_table(statistics.histogram, type);
  if (histogram.rows.empty() || count <= longest_list) {
    document.put("histogram", std::move(histogram));
  } else {
    document.line("histogram");
    document.add("histogram", std::move(histogram));
  }
  if (type.dtype == DType::boolean) document.add("true", "true", grouped(count - statistics.zeros));
  return document;
}

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

namespace {

// Whether the operation's text leaves open what the reduction does with NaN.
bool names_nan(const tscatter::Report& report) {
  const bool is_open = !find_operation(report.operation)->decision(Knob::extremes).empty();
  const std::string_view family = info(Policy::extremes).key;
  return is_open && std::ranges::count(report.overridden, family, &PolicyAnswer::policy) == 0 &&
         order_effect(report.reduction, report.output.type.dtype) == OrderEffect::extreme;
}

// Words say nothing of it for an operation that has none.
void add_reduction(Document& document, const tscatter::Report& report) {
  const Figure word = text_figure(reduction_word(report.operation, report.reduction));
  const Operation* operation = find_operation(report.operation);
  if (operation != nullptr && operation->reductions().empty())
    return document.put("reduction", word.value);
  document.add("reduction", "reduction", word);
}

std::string output_words(const std::optional<std::string>& output,
                         const std::optional<ChangeInPlace>& change) {
  if (!output) return "printed";
  return *output + (change ? ", changed in place" : "");
}

void add_change(Document& document, const ChangeInPlace& change) {
  document.put("in_place", true);
  const std::int64_t bytes = change.journal_bytes;
  document.add("journal_bytes", "undo journal",
               {.value = bytes, .text = bytes == 0 ? "none" : size_text(bytes)});
}

}  // namespace

Document run_document(const tscatter::Report& report, const std::optional<std::string>& output,
                      std::optional<double> seconds, const std::optional<ChangeInPlace>& change) {
  const RunCounts& counts = report.counts;
  Document document;
  document.add("op", "op", text_figure(report.operation));
  add_reduction(document, report);
  add_overrides(document, report.overridden);
  if (names_nan(report))
    document.add("nan", "NaN, by our decision",
                 text_figure(to_string(info(report.reduction).extremes)));
  document.add("dtype", "dtype", dtype_figure(report.output.type));
  document.add("shape", "shape", position_figure(report.output.shape));
  document.add("output", "output", {.value = output, .text = output_words(output, change)});
  if (change) add_change(document, *change);
  document.add("index_entries", "index entries", grouped(report.index_entries));
  if (counts.dropped) document.add("dropped", "dropped", grouped(*counts.dropped));
  document.add("duplicates", "duplicates", grouped(counts.duplicates));
  document.add("elements_written", "elements written",
               part_of(counts.elements_written, report.output.count()));
  document.add("bytes_read", "read", size_figure(counts.bytes_read));
  document.add("bytes_written", "written", size_figure(counts.bytes_written));
  document.add("threads", "threads", grouped(counts.threads));
  if (seconds) document.put("seconds", *seconds);
  return document;
}

void add_casts(Document& document, const std::optional<CastCounts>& counts) {
  if (!counts) return;
  const ConversionCounts& values = counts->values;
  std::string text =
      fmt::format("updates from {}: {}", to_string(counts->from), counted(counts->cast, "value"));
  const auto tell = [&](std::int64_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", grouped(count).text, what);
  };
  tell(values.rounded, "rounded");
  tell(values.overflowed, "overflowed to an infinity");
  tell(values.lost, "lost");
  document.put("cast", Document{{"from", to_string(counts->from)},
                                {"values", counts->cast},
                                {"rounded", values.rounded},
                                {"overflowed", values.overflowed},
                                {"lost", values.lost}});
  document.show("cast", text);
}

void add_overrides(Document& document, const std::vector<PolicyAnswer>& overridden) {
  if (overridden.empty()) return;
  Document answers;
  std::string text;
  for (const PolicyAnswer& each : overridden) {
    answers.put(each.policy, each.answer);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", each.policy, each.answer);
  }
  document.put("overridden", std::move(answers));
  document.show("overridden", text);
}

}  // namespace tscatter::app
