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

#include "text/reports.hpp"
#include "text/text_table.hpp"

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

}  // namespace tscatter::app
