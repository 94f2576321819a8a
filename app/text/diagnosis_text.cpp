#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/figure.hpp"
#include "text/reports.hpp"

namespace tscatter::app {
namespace {

using orders::Diagnoses;
using orders::Diagnosis;

constexpr std::int64_t most_in_words = 16;  // of a rank

constexpr std::string_view no_explanation = "no explanation was found";

// Without the numbers of entries, and what follows the first colon.
std::string without_entries(std::string words) {
  words.resize(std::min(words.find(": "), words.size()));
  for (std::size_t at = words.find('['); at != std::string::npos; at = words.find('[', at + 1)) {
    const std::size_t end = words.find(']', at);
    if (end != std::string::npos) words.replace(at + 1, end - at - 1, "…");
  }
  return words;
}

// " (20 of 25 wrong elements)"; empty if the first rank explains them all.
std::string part_text(const Verification& v) {
  const Diagnoses& diagnoses = v.diagnoses;
  const std::int64_t wrong = v.count(ElementClass::wrong);
  const std::int64_t explained = diagnoses.named.front().explained;
  if (explained == wrong) return "";
  if (diagnoses.examined == wrong) {
    return fmt::format(" ({} of {} wrong elements)", grouped(explained).text, grouped(wrong).text);
  }
  return fmt::format(" ({} of {} wrong elements that were examined)", grouped(explained).text,
                     grouped(diagnoses.examined).text);
}

std::string exact_text(const Diagnosis& each) {
  if (each.exact == each.explained) return "bit for bit";
  if (each.exact == 0) return each.name == "nan" ? "" : "in some order";  // that it is another one
  return fmt::format("{} bit for bit, the others in some order", grouped(each.exact).text);
}

// "as with the reduction none (as onnx.ScatterND-13)"
std::string words_with_operations(const Diagnosis& each) {
  constexpr std::size_t most = 2;
  if (each.also.empty()) return each.words;
  std::vector<std::string> also = each.also;
  if (also.size() > most) {
    also[most] = fmt::format("{} more", also.size() - most);
    also.resize(most + 1);
  }
  return fmt::format("{} ({})", each.words, fmt::join(also, ", "));
}

Document row_of(const Diagnosis& each) {
  Document row{{"kind", each.name}};
  row.add("words", "explanation", {.value = each.words, .text = words_with_operations(each)});
  row.put("also", each.also);
  row.put("rank", static_cast<std::int64_t>(each.rank));
  row.add("elements", "wrong elements", grouped(each.explained), Align::right);
  row.put("exact", each.exact);
  row.show("", exact_text(each));
  return row;
}

// How many of the same rank stand before it.
std::int64_t place_in_rank(const Diagnoses& diagnoses, const Diagnosis& diagnosis) {
  return std::ranges::count_if(diagnoses.named, [&](const Diagnosis& each) {
    return each.rank == diagnosis.rank && &each < &diagnosis;
  });
}

// Whether less than a quarter of the elements is explained.
bool explains_few(const Diagnoses& diagnoses) {
  return 4 * (diagnoses.examined - diagnoses.unexplained) < diagnoses.examined;
}

// Of wrong elements that no diagnosis explains, or that were not examined.
Document rest_row(const std::string& what, std::int64_t count) {
  Document row;
  row.show("explanation", what);
  row.show("wrong elements", grouped(count).text, Align::right);
  row.show("", "");
  return row;
}

}  // namespace

std::string diagnosis_line(const Verification& v) {
  constexpr std::size_t most_named = 3;
  if (v.diagnoses.examined == 0) return "";
  if (v.diagnoses.named.empty()) return std::string(no_explanation);
  if (explains_few(v.diagnoses)) return "no explanation was found for most of them";
  std::string words;
  std::size_t of_first_rank = 0;
  for (const Diagnosis& each : v.diagnoses.named) {
    if (each.rank != 1 || of_first_rank++ >= most_named) continue;
    words += fmt::format("{}{}", words.empty() ? "" : ", or ", words_with_operations(each));
  }
  if (of_first_rank > most_named) words += fmt::format(", or {} more", of_first_rank - most_named);
  return words + part_text(v);
}

std::vector<std::string> reasons_of(const Verification& v) {
  if (!is_compared(v)) return {without_entries(mismatch_text(v))};
  if (v.count(ElementClass::wrong) == 0) return {"torn"};
  std::vector<std::string> reasons;
  for (const Diagnosis& each : v.diagnoses.named) {
    std::string words = without_entries(each.words);
    if (each.rank == 1 && std::ranges::count(reasons, words) == 0)
      reasons.push_back(std::move(words));
  }
  if (reasons.empty()) reasons.emplace_back(no_explanation);
  return reasons;
}

Document diagnosis_document(const Verification& v) {
  const Diagnoses& diagnoses = v.diagnoses;
  Document document{{"examined", diagnoses.examined}, {"unexplained", diagnoses.unexplained}};
  Table all;
  Table named;  // in words
  std::int64_t left_out = diagnoses.unnamed;
  for (const Diagnosis& each : diagnoses.named) {
    all.rows.push_back(row_of(each));
    if (place_in_rank(diagnoses, each) < most_in_words) {
      named.rows.push_back(row_of(each));
    } else {
      ++left_out;
    }
  }
  document.put("named", std::move(all));
  document.put("unnamed", diagnoses.unnamed);
  const std::int64_t rest = v.count(ElementClass::wrong) - diagnoses.examined;
  if (!named.rows.empty()) {
    if (diagnoses.unexplained > 0)
      named.rows.push_back(rest_row("(none that was tried)", diagnoses.unexplained));
    if (rest > 0) named.rows.push_back(rest_row("(not examined)", rest));
    document.show(std::move(named));
    if (left_out > 0)
      document.line(fmt::format("and {} more that explain as many", grouped(left_out).text));
  }
  Document member;
  member.add("diagnosis", std::move(document));
  return member;
}

std::string diagnosis_of(const ElementReport& element, const Verification& v) {
  if (!element.diagnosis) return "";
  return v.diagnoses.named[static_cast<std::size_t>(*element.diagnosis)].words;
}

}  // namespace tscatter::app
