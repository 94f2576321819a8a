#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <complex>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "text/document.hpp"
#include "text/reports.hpp"
#include "tscatter/compare/element_math.hpp"
#include "tscatter/io/formats/text/element_value.hpp"

namespace tscatter::app {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string count_and_percent(std::int64_t part, std::int64_t whole) {
  return fmt::format("{} ({})", grouped(part).text, percent(part, whole));
}

std::string match_line(const Census& census) {
  const std::string elements = counted(census.elements, "element");
  if (census.differing == 0) return "equal: " + elements;
  return fmt::format("within tolerance: {}, {} of them differ{}", elements,
                     grouped(census.differing).text, census.differing == 1 ? "s" : "");
}

std::string worst_line(const Census& census) {
  const ElementDifference& worst = *census.worst_element;
  const ElementType& type = census.actual.type;
  const std::string_view which = type.dtype == DType::opaque ? "first"
                                 : worst.absolute            ? "largest"
                                                             : "worst";
  const auto [got, expected] = told_apart(worst.actual, worst.expected, type);
  return fmt::format("{} at {}: got {}, expected {}", which, to_string(worst.position), got.text,
                     expected.text);
}

Figure distance_figure(const std::optional<Distance>& distance) {
  if (!distance) return error_figure(std::nullopt);
  if (distance->integer) return grouped_unsigned(*distance->integer);
  return error_figure(distance->value);
}

Figure ulp_figure(const std::optional<std::uint64_t>& ulp) {
  return ulp ? grouped_unsigned(*ulp) : Figure{.value = {}, .text = "-"};
}

Document errors(const ElementDifference& each) {
  Document document;
  document.add("absolute", "absolute", distance_figure(each.absolute), Align::right);
  document.add("relative", "relative", error_figure(each.relative), Align::right);
  document.add("ulp", "ulp", ulp_figure(each.ulp), Align::right);
  document.show("", each.is_beyond ? "" : "within tolerance");
  return document;
}

// One of the differing elements, with `title` above its position.
Document difference(const ElementDifference& each, const ElementType& type,
                    const std::string& title) {
  Document row;
  row.add("position", title, position_figure(each.position));
  row.put("index", each.index);
  const auto [got, expected] = told_apart(each.actual, each.expected, type);
  row.add("actual", "got", got, Align::right);
  row.add("expected", "expected", expected, Align::right);
  row.put("beyond", each.is_beyond);
  type.dtype == DType::opaque ? row.put(errors(each)) : row.add(errors(each));
  return row;
}

std::string tolerance_text(const Tolerance& tolerance) {
  std::vector<std::string> parts;
  if (tolerance.rtol) parts.push_back(fmt::format("rtol {}", *tolerance.rtol));
  if (tolerance.atol) parts.push_back(fmt::format("atol {}", *tolerance.atol));
  if (tolerance.max_ulp) parts.push_back(fmt::format("max-ulp {}", *tolerance.max_ulp));
  if (parts.empty()) parts.emplace_back("exact");
  if (tolerance.equal_nan) parts.emplace_back("equal-nan");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string nan_text(const Census& census) {
  std::vector<std::string> parts;
  if (census.nan_in_actual > 0)
    parts.push_back(
        fmt::format("{} where a number is expected", grouped(census.nan_in_actual).text));
  if (census.nan_in_expected > 0)
    parts.push_back(
        fmt::format("{} expected where a number came", grouped(census.nan_in_expected).text));
  if (census.nan_in_both > 0)
    parts.push_back(fmt::format("{} in both, of different bits", grouped(census.nan_in_both).text));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Document largest_row(std::string_view name, const std::optional<ElementDifference>& each,
                     const Figure& error, const ElementType& type) {
  if (!each) return {{name, Value()}};
  Document row;
  row.put(name, difference(*each, type, ""));
  row.show("largest", std::string(name));
  row.show("error", error.text, Align::right);
  row.show("at", to_string(each->position));
  const auto [got, expected] = told_apart(each->actual, each->expected, type);
  row.show("got", got.text, Align::right);
  row.show("expected", expected.text, Align::right);
  return row;
}

Table largest_table(const Census& census) {
  const ElementType& type = census.actual.type;
  const auto& absolute = census.largest_absolute;
  const auto& relative = census.largest_relative;
  const auto& ulp = census.largest_ulp;
  return {.rows = {largest_row("absolute", absolute,
                               distance_figure(absolute ? absolute->absolute : std::nullopt), type),
                   largest_row("relative", relative,
                               error_figure(relative ? relative->relative : std::nullopt), type),
                   largest_row("ulp", ulp, ulp_figure(ulp ? ulp->ulp : std::nullopt), type)},
          .form = TableForm::object};
}

Document decade_row(const std::string& name, std::int64_t count, std::int64_t most) {
  Document row;
  row.show("absolute error", name);
  row.show("elements", grouped(count).text, Align::right);
  row.show("", bar(count, most));
  return row;
}

// In words, errors of 0 and beyond float64 are decades, too.
Table decade_rows(const Census& census) {
  std::int64_t most = std::max(census.zero_errors, census.overflown_errors);
  for (const Decade& decade : census.decades) most = std::max(most, decade.count);
  Table table;
  const auto add = [&](const std::string& name, std::int64_t count) {
    if (count > 0) table.rows.push_back(decade_row(name, count, most));
  };
  add("0 (-0.0 and 0.0)", census.zero_errors);
  for (const Decade& decade : census.decades)
    add(fmt::format("1e{} to 1e{}", decade.exponent, decade.exponent + 1), decade.count);
  add("beyond float64", census.overflown_errors);
  return table;
}

Document histogram(const Census& census) {
  Table decades;
  for (const Decade& decade : census.decades)
    decades.rows.push_back({{"exponent", decade.exponent}, {"count", decade.count}});
  Document document;
  document.put("zero", census.zero_errors);
  document.put("decades", std::move(decades));
  document.put("overflow", census.overflown_errors);
  document.show(decade_rows(census));
  return document;
}

constexpr std::size_t most_shown = 8;  // shares, in words

std::string index_text(const IndexShare& share) {
  return share.first == share.last ? fmt::format("{}", share.first)
                                   : fmt::format("{} to {}", share.first, share.last);
}

Document share_row(const IndexShare& each, const DifferencePlace& place, std::int64_t beyond) {
  Document row{{"first", each.first}, {"last", each.last}};
  row.show(fmt::format("axis {} index", *place.axis), index_text(each));
  row.add("beyond", "elements", grouped(each.beyond), Align::right);
  row.put("share", share(each.beyond, beyond));
  row.show("", percent(each.beyond, beyond));
  return row;
}

// In words only the first ones.
Table shares(const DifferencePlace& place, std::int64_t beyond) {
  Table table;
  for (const IndexShare& each : place.shares) {
    Document row = share_row(each, place, beyond);
    table.rows.push_back(table.rows.size() < most_shown ? std::move(row)
                                                        : in_json_only(std::move(row)));
  }
  return table;
}

Document kind(const Census& census) {
  Document document;
  document.show("dtype", dtype_figure(census.actual.type).text);
  document.show("shape", to_string(census.actual.shape));
  document.show("tolerance", tolerance_text(census.tolerance));
  return document;
}

// Everything but the verdict and the kind.
Document tables(const Census& census) {
  Document document;
  document.add("elements", "elements", grouped(census.elements));
  document.add(
      "differing", "differing",
      {.value = census.differing, .text = count_and_percent(census.differing, census.elements)});
  document.put("differing_share", share(census.differing, census.elements));
  document.put("beyond", census.beyond);
  if (census.beyond != census.differing)
    document.show("beyond tolerance", count_and_percent(census.beyond, census.elements));
  document.put("beyond_share", share(census.beyond, census.elements));
  document.put("nan", Document{{"actual", census.nan_in_actual},
                               {"expected", census.nan_in_expected},
                               {"both", census.nan_in_both}});
  if (const std::string nan = nan_text(census); !nan.empty()) document.show("NaN", nan);
  document.put("infinite", census.infinite);
  if (census.infinite > 0) {
    document.show("infinities", fmt::format("{} against a number or the other infinity",
                                            grouped(census.infinite).text));
  }
  document.add("largest", largest_table(census));
  document.add("histogram", histogram(census));
  Table worst;
  for (const ElementDifference& each : census.worst)
    worst.rows.push_back(difference(each, census.actual.type, "worst"));
  document.add("worst", std::move(worst));
  if (census.place) {
    document.add("place", place_document(*census.place, census.actual.shape, census.beyond));
  } else {
    document.put("place", Value());
  }
  return document;
}

Document details(const Census& census) {
  Document document = kind(census);
  document.add(tables(census));
  return document;
}

double magnitude(const ElementValue& value) {
  return std::visit(
      [](const auto& number) {
        if constexpr (std::is_same_v<std::decay_t<decltype(number)>, HugeInteger>) {
          return number.value;
        } else if constexpr (std::is_same_v<std::decay_t<decltype(number)>, std::complex<double>>) {
          return std::abs(number);
        } else {
          return std::fabs(static_cast<double>(number));
        }
      },
      value);
}

// How far the worst element may be off.
std::string allowed_text(const ElementDifference& worst, const Census& census) {
  const Tolerance& tolerance = census.tolerance;
  const double expected = magnitude(decode(worst.expected, census.actual.type.dtype));
  std::vector<std::string> parts;
  if (tolerance.rtol || tolerance.atol)
    parts.push_back(error_figure(element_math::bound(tolerance, expected)).text);
  if (tolerance.max_ulp) parts.push_back(fmt::format("{} ulp", *tolerance.max_ulp));
  return parts.empty() ? "0" : fmt::format("{}", fmt::join(parts, " or "));
}

// "0.0005, allowed 4.6e-05"; with a tolerance in ulp "0.0005 (12 ulp), allowed 4 ulp". Empty where
// no number is the error.
std::string error_text(const Census& census) {
  if (!census.worst_element || !census.worst_element->absolute) return {};
  const ElementDifference& worst = *census.worst_element;
  const bool counts_ulp = census.tolerance.max_ulp && worst.ulp;
  return fmt::format("{}{}, allowed {}", distance_figure(worst.absolute).text,
                     counts_ulp ? fmt::format(" ({} ulp)", ulp_figure(worst.ulp).text) : "",
                     allowed_text(worst, census));
}

}  // namespace

Document place_document(const DifferencePlace& place, const Shape& shape,
                        std::int64_t differences) {
  Document document{{"low", place.low}, {"high", place.high}};
  if (!shape.empty()) {
    document.paragraph(
        fmt::format("they lie in {} to {}", to_string(place.low), to_string(place.high)));
  }
  document.put(
      {{"axis", place.axis}, {"unevenness", place.unevenness}, {"indices", place.indices}});
  document.add("shares", shares(place, differences));
  if (place.axis && place.shares.size() > most_shown)
    document.line(fmt::format("{} indices in all", grouped(place.indices).text));
  return document;
}

Document census_figures(const Census& census) {
  if (!is_compared(census)) return {};
  Document document = kind(census);
  if (const std::string error = error_text(census); !error.empty()) document.show("error", error);
  if (census.place && !census.actual.shape.empty()) {
    document.show("box", fmt::format("{} to {}", to_string(census.place->low),
                                     to_string(census.place->high)));
  }
  return document;
}

Document census_tables(const Census& census) {
  return is_compared(census) ? tables(census) : Document();
}

namespace {

// "3 of 24 elements differ beyond tolerance (12.5 %)"
std::string beyond_text(const Census& census, std::string_view verb = "") {
  return fmt::format("{} of {}{}{} ({})", grouped(census.beyond).text,
                     counted(census.elements, "element"), verb,
                     census.tolerance.is_exact() ? "" : " beyond tolerance",
                     percent(census.beyond, census.elements));
}

}  // namespace

std::string verdict_line(const Census& census) {
  if (!is_compared(census)) return mismatch_text(census);
  if (census.is_match()) return match_line(census);
  return beyond_text(census, census.elements == 1 ? " differs" : " differ");
}

std::string census_line(const Census& census) {
  std::string verdict = verdict_line(census);
  if (census.is_match() || !is_compared(census)) return verdict;
  return fmt::format("{}, {}", verdict, worst_line(census));
}

std::string figures_line(const Census& census) {
  if (!is_compared(census)) return mismatch_text(census);
  return fmt::format("{}, {}", beyond_text(census), worst_line(census));
}

Document census_document(const Census& census) {
  const std::string line = census_line(census);
  Document document;
  document.line(line);
  document.put({{"match", census.is_match()}, {"summary", line}});
  document.put(header_members(census.actual, census.expected));
  document.put("tolerance", Document{{"rtol", census.tolerance.rtol},
                                     {"atol", census.tolerance.atol},
                                     {"max_ulp", census.tolerance.max_ulp},
                                     {"equal_nan", census.tolerance.equal_nan}});
  if (!is_compared(census)) return document;
  census.differing == 0 ? document.put(details(census)) : document.add(details(census));
  return document;
}

}  // namespace tscatter::app
