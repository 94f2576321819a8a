#include "text/statistics_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tscatter/io/formats/element_value.hpp"

namespace tscatter::app {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t longest_list = 10;  // of elements that say more than a histogram

std::string number_text(double value) {
  return json_text(std::as_bytes(std::span(&value, 1)), DType::float64);
}

bool is_complex(DType dtype) { return info(dtype).kind == DTypeKind::complex; }

bool has_infinities(DType dtype) {
  return is_complex(dtype) || info(dtype).kind == DTypeKind::real;
}

std::string element_text(const std::optional<ElementBytes>& element, DType dtype) {
  return element ? json_text(*element, dtype) : "null";
}

std::string mean_text(const Statistics& statistics, DType dtype) {
  if (!statistics.mean) return "null";
  std::string real = number_text(statistics.mean->real());
  if (!is_complex(dtype)) return real;
  return fmt::format("[{}, {}]", real, number_text(statistics.mean->imag()));
}

std::string without_quotes(std::string text) {
  std::erase(text, '"');
  return text == "null" ? "none" : text;
}

// "[0.0, 0.5)"; "3" for an integer by itself.
std::string range_text(const HistogramBin& bin, DType dtype, bool is_last) {
  std::string first = json_text(bin.first, dtype);
  const std::string last = json_text(bin.last, dtype);
  if (bin.first == bin.last) return first;
  return fmt::format("[{}, {}{}", first, last, is_last || is_integer(dtype) ? "]" : ")");
}

std::string histogram_words(const std::vector<HistogramBin>& bins, DType dtype) {
  constexpr double longest_bar = 40;
  std::vector<std::string> ranges;
  std::int64_t most = 1;
  std::size_t width = 0;
  for (const HistogramBin& bin : bins) {
    ranges.push_back(range_text(bin, dtype, &bin == &bins.back()));
    width = std::max(width, ranges.back().size());
    most = std::max(most, bin.count);
  }
  const std::size_t digits = fmt::formatted_size("{}", most);
  std::string text = "histogram\n";
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const double share = static_cast<double>(bins[i].count) / static_cast<double>(most);
    const auto bar =
        static_cast<std::size_t>(share * longest_bar + (bins[i].count > 0 ? 0.999 : 0));
    std::string line = fmt::format("  {:<{}}  {:>{}}  {}", ranges[i], width, bins[i].count, digits,
                                   std::string(std::min<std::size_t>(bar, 40), '#'));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string statistics_words(const Statistics& statistics, DType dtype, std::int64_t count) {
  std::string text = fmt::format(
      "min         {}\n"
      "max         {}\n"
      "mean        {}\n",
      without_quotes(element_text(statistics.min, dtype)),
      without_quotes(element_text(statistics.max, dtype)),
      without_quotes(mean_text(statistics, dtype)));
  if (has_infinities(dtype)) {
    text += fmt::format(
        "nan         {}\n"
        "infinite    {}\n",
        statistics.nan, statistics.infinite);
  }
  text += fmt::format("zeros       {}\n", statistics.zeros);
  if (dtype == DType::boolean) text += fmt::format("true        {}\n", count - statistics.zeros);
  const bool is_short = count <= longest_list;
  if (!statistics.histogram.empty() && !is_short)
    text += histogram_words(statistics.histogram, dtype);
  return text;
}

ordered_json statistics_json(const Statistics& statistics, DType dtype, std::int64_t count) {
  ordered_json histogram = ordered_json::array();
  for (const HistogramBin& bin : statistics.histogram) {
    histogram.push_back({{"first", ordered_json::parse(json_text(bin.first, dtype))},
                         {"last", ordered_json::parse(json_text(bin.last, dtype))},
                         {"count", bin.count}});
  }
  ordered_json json{{"min", ordered_json::parse(element_text(statistics.min, dtype))},
                    {"max", ordered_json::parse(element_text(statistics.max, dtype))},
                    {"mean", ordered_json::parse(mean_text(statistics, dtype))},
                    {"nan", statistics.nan},
                    {"infinite", statistics.infinite},
                    {"zeros", statistics.zeros},
                    {"histogram", histogram}};
  if (dtype == DType::boolean) json["true"] = count - statistics.zeros;
  return json;
}

}  // namespace tscatter::app
