#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "text/history.hpp"
#include "text/reports.hpp"
#include "tscatter/ops/names/registry.hpp"

namespace tscatter::app {
namespace {

using orders::Deviation;

std::string elements_text(std::int64_t count) { return counted(count, "element"); }

// "are" or "is", for a part of many.
std::string_view are(std::int64_t count) { return count == 1 ? "is" : "are"; }

std::int64_t would_explain(const Verification& v, Deviation deviation) {
  return v.would_explain[static_cast<std::size_t>(deviation)];
}

// The flags that would make wrong and torn elements legal, and how many.
std::string hint(const Verification& v) {
  const std::int64_t propagated = would_explain(v, Deviation::propagated_nan);
  const std::int64_t ignored = would_explain(v, Deviation::ignored_nan);
  const std::int64_t flushed = would_explain(v, Deviation::flushed);
  std::vector<std::string> parts;
  const auto add = [&](std::int64_t count, std::string_view flag, std::string_view at_least = "") {
    if (count > 0) {
      parts.push_back(
          fmt::format("{}{} would be legal with {}", at_least, grouped(count).text, flag));
    }
  };
  if (propagated > 0 && ignored > 0) {
    add(propagated + ignored, "--nan any");
  } else {
    add(propagated, "--nan propagate");
    add(ignored, "--nan ignore");
  }
  const bool are_all = v.diagnoses.examined == v.count(ElementClass::wrong);
  // Where it is a few of many, they are rounded otherwise by chance.
  if (2 * flushed >= v.diagnoses.examined) add(flushed, "--ftz", are_all ? "" : "at least ");
  add(would_explain(v, Deviation::other_nan), "--nan-bits any");
  add(would_explain(v, Deviation::other_zero), "--zeros any");
  add(v.count(ElementClass::torn), "--blocks mixed");
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

std::string legal_text(const Verification& v) {
  std::vector<std::string> parts;
  if (const std::int64_t count = v.count(ElementClass::reordered); count > 0)
    parts.push_back(fmt::format("{} reordered", grouped(count).text));
  if (const std::int64_t count = v.count(ElementClass::rounded); count > 0) {
    parts.push_back(fmt::format("{} rounded, the largest error {:.3g} of its bound",
                                grouped(count).text, v.largest_share));
  }
  if (parts.empty())
    return fmt::format("{}{} {} as in order", v.elements == 1 ? "" : "all ",
                       elements_text(v.elements), are(v.elements));
  return fmt::format("{}, of them {}", elements_text(v.elements), fmt::join(parts, ", "));
}

std::string worst_text(const Verification& v) {
  if (v.worst.empty()) return "";
  const ElementReport& worst = v.worst.front();
  const auto [got, in_order] = told_apart(worst.actual, worst.in_order, v.actual.type);
  return fmt::format(", {} at {}: got {}, in order {}",
                     worst.verdict.element_class == ElementClass::torn ? "first" : "worst",
                     to_string(worst.position), got.text, in_order.text);
}

std::string illegal_text(const Verification& v) {
  const std::int64_t wrong = v.count(ElementClass::wrong);
  const std::int64_t torn = v.count(ElementClass::torn);
  std::vector<std::string> parts;
  if (wrong > 0) {
    parts.push_back(fmt::format("{} of {} {} wrong", grouped(wrong).text, elements_text(v.elements),
                                are(wrong)));
  }
  if (torn > 0 && wrong > 0) parts.push_back(fmt::format("{} torn", grouped(torn).text));
  if (torn > 0 && wrong == 0) {
    parts.push_back(
        fmt::format("{} of {} {} torn", grouped(torn).text, elements_text(v.elements), are(torn)));
  }
  return fmt::format("{}{}", fmt::join(parts, ", "), hint(v));
}

// An element's error as a share of its bound.
Figure share_figure(double share) {
  if (share == 0) return {.value = share, .text = ""};
  if (!std::isfinite(share)) return {.value = "Infinity", .text = "exact only"};
  return {.value = share, .text = fmt::format("{:.3g}", share)};
}

// "indices[3], indices[0]"; empty if the history does not have all of them.
std::string order_text(const ElementReport& each, const Operation& operation) {
  if (each.order.empty()) return {};
  std::vector<std::string> names;
  for (const std::int64_t writer : each.order) {
    for (const HistoryStep& step : each.history->steps) {
      if (step.writer != writer) continue;
      names.push_back(step.entry ? place_text(entries_name(operation), *step.entry)
                                 : place_text(operation.called("updates"), step.update));
    }
  }
  if (names.size() != each.order.size()) return {};
  const bool is_last_alone = names.size() == 1 && each.history->writers > 1;
  if (is_last_alone) return fmt::format("left where {} is the last", names.front());
  return fmt::format("left by the order {}", fmt::join(names, ", "));
}

// The history in an element's object, and its paragraph in words.
Document history_document(const ElementReport& each, const ElementType& type,
                          const Operation& operation) {
  const History& history = *each.history;
  const HistoryNames names{
      .operation = operation, .writer = "writer", .value = "value", .after = "after it"};
  const HistoryValues values(history, type, each.actual, each.in_order);
  const Figure data = values.figure(history.before);
  const HistoryCells first{.writer = std::string(operation.called("data")), .value = data.text};
  Table steps = history_table(history, values, names, row_without_update(history, names, first));
  steps.front = TableFront::names;
  const std::string place = to_string(each.position);
  Document document;
  document.put("data", data);
  document.put("writers", history.writers);
  if (!history.initial.empty()) document.put("initial", values.figure(history.initial));
  put_divisor(document, history);
  if (history.accumulator) document.put("accumulator", info(*history.accumulator).name);
  if (history.writers == 0) {
    document.paragraph(fmt::format("{}: no update reaches it, {} in data", place, data.text));
    document.put("history", std::move(steps));
  } else {
    document.paragraph(fmt::format("{}: got {}", place, values.figure(each.actual).text));
    document.add("history", std::move(steps));
  }
  document.put("order", each.order.empty() ? Value() : Value(each.order));
  if (const std::string order = order_text(each, operation); history.writers > 0 && !order.empty())
    document.line(order);
  return document;
}

Document element_row(const ElementReport& each, const Verification& v) {
  const ElementType& type = v.actual.type;
  const Figure share = share_figure(each.verdict.share);
  Document row;
  row.add("position", v.is_legal() ? "not in order" : "worst", position_figure(each.position));
  row.put("index", each.index);
  row.add("class", "class", text_figure(to_string(each.verdict.element_class)));
  const auto [got, in_order] = told_apart(each.actual, each.in_order, type);
  row.add("actual", "got", got, Align::right);
  row.add("in_order", "in order", in_order, Align::right);
  if (v.reduction == Reduction::none) {
    row.put("share", share.value);
  } else {
    row.add("share", "of its bound", share, Align::right);
  }
  row.put("explanation", to_string(each.verdict.deviation));
  if (each.verdict.variant != 0)
    row.put("variant", v.variants[each.verdict.variant - std::size_t{1}].says);
  const std::string diagnosis = diagnosis_of(each, v);
  row.put("diagnosis", diagnosis.empty() ? Value() : Value(diagnosis));
  if (!v.diagnoses.named.empty()) row.show("why", diagnosis);
  if (each.history) row.put(history_document(each, type, *find_operation(v.operation)));
  return row;
}

// Counts by name; words leave out counts of 0. `whole`: each count is shown as a share of it.
Table count_table(std::string_view heading, std::span<const std::string_view> names,
                  std::span<const std::int64_t> counts, std::optional<std::int64_t> whole) {
  Table table{.form = TableForm::object};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Document row;
    row.show(std::string(heading), std::string(names[i]));
    row.add(names[i], "elements", grouped(counts[i]), Align::right);
    if (whole) row.show("", percent(counts[i], *whole));
    table.rows.push_back(counts[i] > 0 ? std::move(row) : in_json_only(std::move(row)));
  }
  return table;
}

std::string_view library_of(const Verification& v) {
  const std::string_view library = namespace_of(v.operation);
  return library.empty() ? "OpenVINO" : library;
}

// What the operation's library leaves in other ways: each in a line, where elements need it.
Document variants_document(const Verification& v) {
  Document document;
  if (v.variants.empty()) return document;
  Table table;
  std::vector<std::string> parts;
  for (const VariantCount& each : v.variants) {
    table.rows.emplace_back().put({{"says", each.says}, {"elements", each.elements}});
    if (each.elements > 0)
      parts.push_back(fmt::format("{} with {}", elements_text(each.elements), each.says));
  }
  document.put("variants", std::move(table));
  if (!parts.empty()) {
    document.paragraph(
        fmt::format("legal as {} computes it: {}", library_of(v), fmt::join(parts, ", ")));
  }
  return document;
}

Document torn_document(const TornBlock& block, std::string_view entries) {
  Document document;
  document.paragraph(fmt::format("torn block at {}, {} writers", to_string(block.position),
                                 grouped(block.writers).text));
  document.put(
      {{"position", block.position}, {"elements", block.elements}, {"writers", block.writers}});
  Table writers{.front = TableFront::names};
  for (const TornBlock::Writer& writer : block.best_writers) {
    Document& row = writers.rows.emplace_back();
    row.add("entry", "writer", {.value = writer.entry, .text = place_text(entries, writer.entry)});
    row.add("explained", "explains", grouped(writer.explained), Align::right);
    row.show(fmt::format("of {}", elements_text(block.elements)), "");
  }
  document.add("best_writers", std::move(writers));
  return document;
}

// Torn blocks and the elements that are not in order.
Document places(const Verification& v) {
  const Operation& operation = *find_operation(v.operation);
  const std::string_view entries = entries_name(operation);
  Document document;
  Table torn;
  for (const TornBlock& block : v.torn) {
    torn.rows.push_back(torn_document(block, entries));
    document.show(torn.rows.back());
  }
  document.put("torn", std::move(torn));
  Table worst;
  for (const ElementReport& each : v.worst) worst.rows.push_back(element_row(each, v));
  document.add("worst", std::move(worst));
  for (const ElementReport& each : v.worst) {
    if (each.history) document.show(history_document(each, v.actual.type, operation));
  }
  return document;
}

Document judged_figures(const Verification& v) {
  Document document;
  document.show("dtype", dtype_figure(v.expected.type).text);
  document.show("shape", to_string(v.expected.shape));
  if (v.dropped) document.show("dropped", grouped(*v.dropped).text);
  return document;
}

Document kind(const Verification& v) {
  Document document;
  document.add("op", "op", text_figure(v.operation));
  const Figure reduction = text_figure(reduction_word(v.operation, v.reduction));
  if (v.reduction == Reduction::none) {
    document.put("reduction", reduction.value);
  } else {
    document.add("reduction", "reduction", reduction);
  }
  add_overrides(document, v.overridden);
  document.add(judged_figures(v));
  return document;
}

// Everything but the verdict's line and the kind.
Document tables(const Verification& v) {
  Document document;
  document.put(header_members(v.actual, v.expected));
  if (v.dropped) document.put("dropped", *v.dropped);
  document.put("elements", v.elements);
  document.add("classes", count_table("class", orders::element_class_names, v.classes, v.elements));
  document.add(diagnosis_document(v));
  if (v.place) {
    document.add("place", place_document(*v.place, v.expected.shape, v.count(ElementClass::wrong)));
  } else {
    document.put("place", Value());
  }
  document.put(
      {{"largest_share", v.largest_share}, {"legal", v.is_legal()}, {"summary", verdict_line(v)}});
  document.add("rounded_by", count_table("rounded, within the bound of", orders::deviation_names,
                                         v.needed, std::nullopt));
  document.put("hidden_updates", v.hiding);
  if (v.hiding != 0) {
    document.line(
        fmt::format("in {} of them the bound exceeds an update: its loss would not be seen",
                    grouped(v.hiding).text));
  }
  if (v.largest) {
    const auto [got, in_order] = told_apart(v.largest->actual, v.largest->in_order, v.actual.type);
    document.line(fmt::format("largest error: {:.3g} of its bound, at {}: got {}, in order {}",
                              v.largest_share, to_string(v.largest->position), got.text,
                              in_order.text));
  }
  document.add(variants_document(v));
  document.add(places(v));
  return document;
}

Document details(const Verification& v) {
  Document document = kind(v);
  document.add(tables(v));
  return document;
}

}  // namespace

Document verdict_figures(const Verification& v) {
  return is_compared(v) ? judged_figures(v) : Document();
}

Document verdict_tables(const Verification& v) { return is_compared(v) ? tables(v) : Document(); }

std::string legality_line(const Verification& v) {
  if (!is_compared(v)) return "not legal: " + escape_control(mismatch_text(v));
  return v.is_legal() ? "legal: " + legal_text(v) : "not legal: " + illegal_text(v);
}

std::string verdict_line(const Verification& v) {
  const bool has_worst = is_compared(v) && !v.is_legal();
  return legality_line(v) + (has_worst ? worst_text(v) : "");
}

// What to do about a result of another precision; empty for other differences.
std::string precision_hint(const Verification& v) {
  constexpr std::array floats{DType::float16, DType::bfloat16, DType::float32, DType::float64};
  const auto is_float = [&](DType dtype) { return std::ranges::count(floats, dtype) > 0; };
  const DType got = v.actual.type.dtype;
  const bool are_floats = is_float(got) && is_float(v.expected.type.dtype);
  if (v.has_same_dtype() || !v.has_same_shape() || !are_floats) return {};
  return fmt::format(
      "what was computed in {0} is judged in {0}: tscatter convert IN OUT --to {0}, of data and of "
      "updates",
      info(got).name);
}

Document verdict_document(const Verification& v) {
  Document document;
  document.line(verdict_line(v));
  if (const std::string hint = precision_hint(v); !hint.empty()) document.line(hint);
  if (const std::string why = diagnosis_line(v); !why.empty()) document.line("why: " + why);
  is_compared(v) ? document.add(details(v)) : document.put(details(v));
  return document;
}

}  // namespace tscatter::app
