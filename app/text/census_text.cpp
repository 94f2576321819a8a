#include "text/census_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "text/text_table.hpp"
#include "text/value_text.hpp"

namespace tscatter::app {
namespace {

using Json = nlohmann::ordered_json;

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string tolerance_words(const Tolerance& tolerance) {
  std::vector<std::string> parts;
  if (tolerance.rtol) parts.push_back(fmt::format("rtol {}", *tolerance.rtol));
  if (tolerance.atol) parts.push_back(fmt::format("atol {}", *tolerance.atol));
  if (tolerance.max_ulp) parts.push_back(fmt::format("max-ulp {}", *tolerance.max_ulp));
  if (parts.empty()) parts.emplace_back("exact");
  if (tolerance.equal_nan) parts.emplace_back("equal-nan");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string elements_words(std::int64_t count) {
  return fmt::format("{} element{}", count, count == 1 ? "" : "s");
}

std::string mismatch_line(const Census& census) {
  std::vector<std::string> parts;
  if (!census.has_same_dtype()) {
    parts.push_back(fmt::format("dtype differs: got {}, expected {}", to_string(census.actual.type),
                                to_string(census.expected.type)));
  }
  if (!census.has_same_shape()) {
    parts.push_back(fmt::format("shape differs: got {}, expected {}",
                                to_string(census.actual.shape), to_string(census.expected.shape)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

bool is_compared(const Census& census) {
  return census.has_same_dtype() && census.has_same_shape();
}

std::string match_line(const Census& census) {
  if (census.differing == 0) return "equal: " + elements_words(census.elements);
  return fmt::format("within tolerance: {}, {} of them differ{}", elements_words(census.elements),
                     census.differing, census.differing == 1 ? "s" : "");
}

std::string worst_words(const Census& census) {
  const ElementDifference& worst = *census.worst_element;
  const ElementType& type = census.actual.type;
  const std::string_view which = type.dtype == DType::opaque ? "first"
                                 : worst.absolute            ? "largest"
                                                             : "worst";
  return fmt::format("{} at {}: got {}, expected {}", which, to_string(worst.position),
                     value_words(worst.actual, type), value_words(worst.expected, type));
}

std::string error_words(const std::optional<double>& error) {
  if (!error) return "-";
  return std::isinf(*error) ? "Infinity" : fmt::format("{:.6g}", *error);
}

std::string distance_words(const std::optional<Distance>& distance) {
  if (!distance) return "-";
  return distance->integer ? fmt::format("{}", *distance->integer) : error_words(distance->value);
}

std::string ulp_words(const std::optional<std::uint64_t>& ulp) {
  return ulp ? fmt::format("{}", *ulp) : "-";
}

std::string nan_words(const Census& census) {
  std::vector<std::string> parts;
  if (census.nan_in_actual > 0)
    parts.push_back(fmt::format("{} where a number is expected", census.nan_in_actual));
  if (census.nan_in_expected > 0)
    parts.push_back(fmt::format("{} expected where a number came", census.nan_in_expected));
  if (census.nan_in_both > 0)
    parts.push_back(fmt::format("{} in both, of different bits", census.nan_in_both));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string summary_lines(const Census& census) {
  TextTable table({Align::left, Align::left});
  table.add({"dtype", escape_control(to_string(census.actual.type))});
  table.add({"shape", to_string(census.actual.shape)});
  table.add({"tolerance", tolerance_words(census.tolerance)});
  table.add({"elements", fmt::format("{}", census.elements)});
  table.add({"differing",
             fmt::format("{} ({})", census.differing, percent(census.differing, census.elements))});
  if (census.beyond != census.differing) {
    table.add({"beyond tolerance",
               fmt::format("{} ({})", census.beyond, percent(census.beyond, census.elements))});
  }
  if (const std::string nan = nan_words(census); !nan.empty()) table.add({"NaN", nan});
  if (census.infinite > 0) {
    table.add(
        {"infinities", fmt::format("{} against a number or the other infinity", census.infinite)});
  }
  return table.text();
}

std::string largest_lines(const Census& census) {
  if (!census.largest_absolute) return {};
  const ElementType& type = census.actual.type;
  TextTable table({Align::left, Align::right, Align::left, Align::right, Align::right});
  table.add({"largest", "error", "at", "got", "expected"});
  const auto add = [&](std::string name, const ElementDifference& at, std::string error) {
    table.add({std::move(name), std::move(error), to_string(at.position),
               value_words(at.actual, type), value_words(at.expected, type)});
  };
  add("absolute", *census.largest_absolute, distance_words(census.largest_absolute->absolute));
  add("relative", *census.largest_relative, error_words(census.largest_relative->relative));
  add("ulp", *census.largest_ulp, ulp_words(census.largest_ulp->ulp));
  return "\n" + table.text();
}

std::string bar(std::int64_t count, std::int64_t most) {
  constexpr double width = 40;
  const double length = std::ceil(width * static_cast<double>(count) / static_cast<double>(most));
  std::string marks(static_cast<std::size_t>(length), '#');
  return marks;
}

std::string decade_lines(const Census& census) {
  std::int64_t most = std::max(census.zero_errors, census.overflown_errors);
  for (const Decade& decade : census.decades) most = std::max(most, decade.count);
  if (most == 0) return {};
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"absolute error", "elements", ""});
  const auto add = [&](std::string name, std::int64_t count) {
    if (count > 0) table.add({std::move(name), fmt::format("{}", count), bar(count, most)});
  };
  add("0 (-0.0 and 0.0)", census.zero_errors);
  for (const Decade& decade : census.decades)
    add(fmt::format("1e{} to 1e{}", decade.exponent, decade.exponent + 1), decade.count);
  add("beyond float64", census.overflown_errors);
  return "\n" + table.text();
}

std::string worst_lines(const Census& census) {
  if (census.worst.empty()) return {};
  const ElementType& type = census.actual.type;
  const bool has_errors = type.dtype != DType::opaque;
  TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right,
                   Align::right, Align::left});
  std::vector<std::string> title{"worst", "got", "expected"};
  if (has_errors) title.insert(title.end(), {"absolute", "relative", "ulp"});
  table.add(std::move(title));
  for (const ElementDifference& each : census.worst) {
    std::vector<std::string> row{to_string(each.position), value_words(each.actual, type),
                                 value_words(each.expected, type)};
    if (has_errors) {
      row.insert(row.end(), {distance_words(each.absolute), error_words(each.relative),
                             ulp_words(each.ulp), each.is_beyond ? "" : "within tolerance"});
    }
    table.add(std::move(row));
  }
  return "\n" + table.text();
}

std::string index_words(const IndexShare& share) {
  return share.first == share.last ? fmt::format("{}", share.first)
                                   : fmt::format("{} to {}", share.first, share.last);
}

std::string share_lines(const Census& census) {
  constexpr std::size_t most = 8;
  const DifferencePlace& place = *census.place;
  TextTable table({Align::left, Align::right, Align::left});
  table.add({fmt::format("axis {} index", *place.axis), "elements", ""});
  for (std::size_t i = 0; i < std::min(place.shares.size(), most); ++i) {
    table.add({index_words(place.shares[i]), fmt::format("{}", place.shares[i].beyond),
               percent(place.shares[i].beyond, census.beyond)});
  }
  std::string text = "\n" + table.text();
  if (place.shares.size() > most) text += fmt::format("{} indices in all\n", place.indices);
  return text;
}

std::string place_lines(const Census& census) {
  if (!census.place || census.actual.shape.empty()) return {};
  const DifferencePlace& place = *census.place;
  std::string text =
      fmt::format("\nthey lie in {} to {}\n", to_string(place.low), to_string(place.high));
  if (place.axis) text += share_lines(census);
  return text;
}

Json number_json(double value) {
  if (std::isinf(value)) return "Infinity";
  return value;
}

Json difference_json(const ElementDifference& each, const ElementType& type) {
  Json object{{"position", each.position},
              {"index", each.index},
              {"actual", Json::parse(value_json(each.actual, type))},
              {"expected", Json::parse(value_json(each.expected, type))},
              {"beyond", each.is_beyond}};
  const auto put = [&](const char* key, const auto& value) {
    object[key] = value ? Json(*value) : Json();
  };
  object["absolute"] = Json();
  if (each.absolute) {
    object["absolute"] =
        each.absolute->integer ? Json(*each.absolute->integer) : number_json(each.absolute->value);
  }
  object["relative"] = each.relative ? number_json(*each.relative) : Json();
  put("ulp", each.ulp);
  return object;
}

Json largest_json(const Census& census) {
  const auto put = [&](const std::optional<ElementDifference>& each) {
    return each ? difference_json(*each, census.actual.type) : Json();
  };
  return {{"absolute", put(census.largest_absolute)},
          {"relative", put(census.largest_relative)},
          {"ulp", put(census.largest_ulp)}};
}

Json tolerance_json(const Tolerance& tolerance) {
  const auto put = [](const auto& value) { return value ? Json(*value) : Json(); };
  return {{"rtol", put(tolerance.rtol)},
          {"atol", put(tolerance.atol)},
          {"max_ulp", put(tolerance.max_ulp)},
          {"equal_nan", tolerance.equal_nan}};
}

Json decades_json(const Census& census) {
  Json list = Json::array();
  for (const Decade& decade : census.decades)
    list.push_back({{"exponent", decade.exponent}, {"count", decade.count}});
  return {{"zero", census.zero_errors},
          {"decades", std::move(list)},
          {"overflow", census.overflown_errors}};
}

Json place_json(const Census& census) {
  if (!census.place) return nullptr;
  const DifferencePlace& place = *census.place;
  Json shares = Json::array();
  for (const IndexShare& each : place.shares) {
    shares.push_back({{"first", each.first},
                      {"last", each.last},
                      {"beyond", each.beyond},
                      {"share", share(each.beyond, census.beyond)}});
  }
  return {{"low", place.low},
          {"high", place.high},
          {"axis", place.axis ? Json(*place.axis) : Json()},
          {"unevenness", place.unevenness},
          {"indices", place.indices},
          {"shares", std::move(shares)}};
}

}  // namespace

std::string verdict_line(const Census& census) {
  if (!is_compared(census)) return mismatch_line(census);
  if (census.is_match()) return match_line(census);
  return fmt::format("{} of {} differ{}{} ({})", census.beyond, elements_words(census.elements),
                     census.elements == 1 ? "s" : "",
                     census.tolerance.is_exact() ? "" : " beyond tolerance",
                     percent(census.beyond, census.elements));
}

std::string census_line(const Census& census) {
  std::string verdict = verdict_line(census);
  if (census.is_match() || !is_compared(census)) return verdict;
  return fmt::format("{}, {}", verdict, worst_words(census));
}

std::string census_text(const Census& census) {
  std::string text = escape_control(census_line(census)) + "\n";
  if (!is_compared(census) || census.differing == 0) return text;
  text += "\n" + summary_lines(census) + largest_lines(census) + decade_lines(census) +
          worst_lines(census) + place_lines(census);
  return text;
}

Json census_json(const Census& census) {
  Json object{
      {"match", census.is_match()},
      {"summary", census_line(census)},
      {"dtype",
       {{"actual", to_string(census.actual.type)}, {"expected", to_string(census.expected.type)}}},
      {"shape", {{"actual", census.actual.shape}, {"expected", census.expected.shape}}},
      {"tolerance", tolerance_json(census.tolerance)}};
  if (!is_compared(census)) return object;
  object.update(Json{{"elements", census.elements},
                     {"differing", census.differing},
                     {"differing_share", share(census.differing, census.elements)},
                     {"beyond", census.beyond},
                     {"beyond_share", share(census.beyond, census.elements)},
                     {"nan",
                      {{"actual", census.nan_in_actual},
                       {"expected", census.nan_in_expected},
                       {"both", census.nan_in_both}}},
                     {"infinite", census.infinite},
                     {"largest", largest_json(census)},
                     {"histogram", decades_json(census)}});
  object["worst"] = Json::array();
  for (const ElementDifference& each : census.worst)
    object["worst"].push_back(difference_json(each, census.actual.type));
  object["place"] = place_json(census);
  return object;
}

}  // namespace tscatter::app
