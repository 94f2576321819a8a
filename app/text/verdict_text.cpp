#include "text/verdict_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "text/history_json.hpp"
#include "text/text_table.hpp"
#include "text/value_text.hpp"

namespace tscatter::app {
namespace {

using Json = nlohmann::ordered_json;
using orders::Deviation;

std::string elements_words(std::int64_t count) {
  return fmt::format("{} element{}", grouped(count), count == 1 ? "" : "s");
}

// "are" or "is", for a part of many.
std::string_view are(std::int64_t count) { return count == 1 ? "is" : "are"; }

std::string share_words(double share) {
  if (share == 0) return "";
  return std::isfinite(share) ? fmt::format("{:.3g}", share) : "exact only";
}

std::string indices_words(const Position& entry) {
  return entry.empty() ? "indices" : fmt::format("indices{}", to_string(entry));
}

std::string updates_words(const Position& update) {
  return update.empty() ? "updates" : fmt::format("updates{}", to_string(update));
}

std::string writer_words(const HistoryStep& step) {
  return step.entry ? indices_words(*step.entry) : updates_words(step.update);
}

bool is_compared(const Verification& v) { return v.has_same_dtype() && v.has_same_shape(); }

std::string mismatch_words(const Verification& v) {
  std::vector<std::string> parts;
  if (!v.has_same_dtype()) {
    parts.push_back(fmt::format("dtype differs: got {}, expected {}",
                                escape_control(to_string(v.actual.type)),
                                escape_control(to_string(v.expected.type))));
  }
  if (!v.has_same_shape()) {
    parts.push_back(fmt::format("shape differs: got {}, expected {}", to_string(v.actual.shape),
                                to_string(v.expected.shape)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::int64_t would_explain(const Verification& v, Deviation deviation) {
  return v.would_explain[static_cast<std::size_t>(deviation)];
}

// The flag that would make wrong elements legal, and how many.
std::string hint_words(const Verification& v) {
  const std::int64_t propagated = would_explain(v, Deviation::propagated_nan);
  const std::int64_t ignored = would_explain(v, Deviation::ignored_nan);
  const std::int64_t flushed = would_explain(v, Deviation::flushed);
  std::vector<std::string> parts;
  const auto add = [&](std::int64_t count, std::string_view flag) {
    if (count > 0) parts.push_back(fmt::format("{} would be legal with {}", grouped(count), flag));
  };
  if (propagated > 0 && ignored > 0) {
    add(propagated + ignored, "--nan any");
  } else {
    add(propagated, "--nan propagate");
    add(ignored, "--nan ignore");
  }
  add(flushed, "--ftz");
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

std::string legal_words(const Verification& v) {
  std::vector<std::string> parts;
  if (const std::int64_t count = v.count(ElementClass::reordered); count > 0)
    parts.push_back(fmt::format("{} reordered", grouped(count)));
  if (const std::int64_t count = v.count(ElementClass::rounded); count > 0) {
    parts.push_back(fmt::format("{} rounded, the largest error {:.3g} of its bound", grouped(count),
                                v.largest_share));
  }
  if (parts.empty()) return elements_words(v.elements) + " as our own result has them";
  return fmt::format("{}, of them {}", elements_words(v.elements), fmt::join(parts, ", "));
}

std::string worst_words(const Verification& v) {
  if (v.worst.empty()) return "";
  const ElementReport& worst = v.worst.front();
  return fmt::format(", {} at {}: got {}, in order {}",
                     worst.verdict.element_class == ElementClass::torn ? "first" : "worst",
                     to_string(worst.position), value_words(worst.actual, v.actual.type),
                     value_words(worst.in_order, v.actual.type));
}

std::string illegal_words(const Verification& v) {
  const std::int64_t wrong = v.count(ElementClass::wrong);
  const std::int64_t torn = v.count(ElementClass::torn);
  std::vector<std::string> parts;
  if (wrong > 0) {
    parts.push_back(
        fmt::format("{} of {} {} wrong", grouped(wrong), elements_words(v.elements), are(wrong)));
  }
  if (torn > 0 && wrong > 0) parts.push_back(fmt::format("{} torn", grouped(torn)));
  if (torn > 0 && wrong == 0) {
    parts.push_back(
        fmt::format("{} of {} {} torn", grouped(torn), elements_words(v.elements), are(torn)));
  }
  return fmt::format("{}{}", fmt::join(parts, ", "), hint_words(v));
}

std::string summary_lines(const Verification& v) {
  TextTable table({Align::left, Align::left});
  table.add({"op", std::string(v.operation)});
  if (v.reduction != Reduction::none) table.add({"reduction", std::string(to_string(v.reduction))});
  table.add({"dtype", escape_control(to_string(v.expected.type))});
  table.add({"shape", to_string(v.expected.shape)});
  return table.text();
}

std::string class_lines(const Verification& v) {
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"class", "elements", ""});
  for (std::size_t i = 0; i < v.classes.size(); ++i) {
    if (v.classes[i] == 0) continue;
    table.add({std::string(orders::element_class_names[i]), grouped(v.classes[i]),
               percent(v.classes[i], v.elements)});
  }
  return "\n" + table.text();
}

std::string rounded_lines(const Verification& v) {
  if (!v.largest) return {};
  TextTable table({Align::left, Align::right});
  table.add({"rounded, within the bound of", "elements"});
  for (std::size_t i = 0; i < v.needed.size(); ++i) {
    if (v.needed[i] > 0) table.add({std::string(orders::deviation_names[i]), grouped(v.needed[i])});
  }
  return fmt::format("\n{}largest error: {:.3g} of its bound, at {}: got {}, in order {}\n",
                     table.text(), v.largest_share, to_string(v.largest->position),
                     value_words(v.largest->actual, v.actual.type),
                     value_words(v.largest->in_order, v.actual.type));
}

std::string torn_lines(const Verification& v) {
  std::string text;
  for (const TornBlock& block : v.torn) {
    TextTable table({Align::left, Align::right, Align::left});
    table.add({"writer", "explains", fmt::format("of {}", elements_words(block.elements))});
    for (const TornBlock::Writer& writer : block.best_writers)
      table.add({indices_words(writer.entry), grouped(writer.explained)});
    text += fmt::format("\ntorn block at {}, {} writers\n{}", to_string(block.position),
                        grouped(block.writers), table.text());
  }
  return text;
}

std::string worst_lines(const Verification& v) {
  if (v.worst.empty()) return {};
  TextTable table({Align::left, Align::left, Align::right, Align::right, Align::right});
  const bool has_bounds = v.reduction != Reduction::none;
  table.add({v.is_legal() ? "not in order" : "worst", "class", "got", "in order",
             has_bounds ? "of its bound" : ""});
  for (const ElementReport& each : v.worst) {
    table.add({to_string(each.position), std::string(to_string(each.verdict.element_class)),
               value_words(each.actual, v.actual.type), value_words(each.in_order, v.actual.type),
               has_bounds ? share_words(each.verdict.share) : ""});
  }
  return "\n" + table.text();
}

std::string order_words(const ElementReport& each) {
  if (each.order.empty()) return {};
  std::vector<std::string> names;
  for (const std::int64_t writer : each.order) {
    for (const HistoryStep& step : each.history->steps) {
      if (step.writer == writer) names.push_back(writer_words(step));
    }
  }
  if (names.size() != each.order.size()) return {};
  const bool is_last_alone = names.size() == 1 && each.history->writers > 1;
  if (is_last_alone) return fmt::format("left where {} is the last\n", names.front());
  return fmt::format("left by the order {}\n", fmt::join(names, ", "));
}

std::string history_lines(const ElementReport& each, const ElementType& type) {
  const History& history = *each.history;
  if (history.writers == 0) {
    return fmt::format("\n{}: no update reaches it, {} in data\n", to_string(each.position),
                       value_words(history.before, type));
  }
  TextTable table({Align::left, Align::left, Align::right, Align::right});
  table.add({"writer", "", "value", "after it"});
  table.add({"data", "", value_words(history.before, type), ""});
  std::int64_t next = 0;
  for (const HistoryStep& step : history.steps) {
    if (step.writer > next) table.add({fmt::format("… {} more", grouped(step.writer - next))});
    next = step.writer + 1;
    table.add({step.entry ? indices_words(*step.entry) : "", updates_words(step.update),
               value_words(step.value, type), value_words(step.after, type)});
  }
  return fmt::format("\n{}: got {}\n{}{}", to_string(each.position), value_words(each.actual, type),
                     table.text(), order_words(each));
}

// Everything but the verdict.
std::string report_lines(const Verification& v) {
  std::string text = summary_lines(v);
  if (v.elements > 0) text += class_lines(v);
  text += rounded_lines(v) + torn_lines(v) + worst_lines(v);
  for (const ElementReport& each : v.worst) {
    if (each.history) text += history_lines(each, v.actual.type);
  }
  return text;
}

Json share_json(double share) {
  if (std::isfinite(share)) return share;
  return "Infinity";
}

Json counts_json(const auto& counts, const auto& names) {
  Json object = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) object[std::string(names[i])] = counts[i];
  return object;
}

Json element_json(const ElementReport& each, const ElementType& type) {
  Json object{{"position", each.position},
              {"index", each.index},
              {"class", to_string(each.verdict.element_class)},
              {"actual", value_of(each.actual, type)},
              {"in_order", value_of(each.in_order, type)},
              {"share", share_json(each.verdict.share)},
              {"explanation", to_string(each.verdict.deviation)}};
  if (!each.history) return object;
  object["data"] = value_of(each.history->before, type);
  object["writers"] = each.history->writers;
  object["history"] = steps_json(*each.history, type);
  object["order"] = each.order.empty() ? Json() : Json(each.order);
  return object;
}

Json torn_json(const TornBlock& block) {
  Json writers = Json::array();
  for (const TornBlock::Writer& writer : block.best_writers)
    writers.push_back({{"entry", writer.entry}, {"explained", writer.explained}});
  return {{"position", block.position},
          {"elements", block.elements},
          {"writers", block.writers},
          {"best_writers", std::move(writers)}};
}

}  // namespace

std::string verdict_line(const Verification& v) {
  if (!is_compared(v)) return "not legal: " + mismatch_words(v);
  if (v.is_legal()) return "legal: " + legal_words(v);
  return fmt::format("not legal: {}{}", illegal_words(v), worst_words(v));
}

std::string verdict_text(const Verification& v) {
  const std::string verdict = verdict_line(v) + "\n";
  return is_compared(v) ? report_lines(v) + "\n" + verdict : verdict;
}

std::string verdict_first_text(const Verification& v) {
  const std::string verdict = verdict_line(v) + "\n";
  return is_compared(v) ? verdict + "\n" + report_lines(v) : verdict;
}

Json verdict_json(const Verification& v) {
  Json object{
      {"op", v.operation},
      {"reduction", to_string(v.reduction)},
      {"dtype", {{"actual", to_string(v.actual.type)}, {"expected", to_string(v.expected.type)}}},
      {"shape", {{"actual", v.actual.shape}, {"expected", v.expected.shape}}},
      {"elements", v.elements},
      {"classes", counts_json(v.classes, orders::element_class_names)},
      {"largest_share", v.largest_share},
      {"legal", v.is_legal()},
      {"summary", verdict_line(v)},
      {"rounded_by", counts_json(v.needed, orders::deviation_names)}};
  object["torn"] = Json::array();
  for (const TornBlock& block : v.torn) object["torn"].push_back(torn_json(block));
  object["worst"] = Json::array();
  for (const ElementReport& each : v.worst)
    object["worst"].push_back(element_json(each, v.actual.type));
  return object;
}

}  // namespace tscatter::app
