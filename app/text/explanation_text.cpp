#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>
#include <vector>

#include "text/history.hpp"
#include "text/reports.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/ops/names/registry.hpp"

namespace tscatter::app {
namespace {

std::string destination_text(const Place& place) {
  std::vector<std::string> parts;
  for (const auto& index : place) parts.push_back(index ? fmt::format("{}", *index) : ":");
  return fmt::format("output[{}]", fmt::join(parts, ", "));
}

// "indices[0], indices[4], indices[7], … 12 more, indices[29]"
std::string entries_text(std::string_view name, const EntryList& entries, std::int64_t count) {
  constexpr std::int64_t most = 5;
  constexpr std::int64_t first = 3;
  std::vector<std::string> parts;
  const std::int64_t shown = count <= most ? count : first;
  for (std::int64_t i = 0; i < shown; ++i)
    parts.push_back(place_text(name, entries.first[static_cast<std::size_t>(i)]));
  if (count > most) {
    const Position& last = entries.last.empty() ? entries.first.back() : entries.last.back();
    parts.push_back(fmt::format("… {} more", grouped(count - first - 1).text));
    parts.push_back(place_text(name, last));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Why the result does not depend on the order.
std::string reason_text(const Explanation& explanation) {
  switch (explanation.order.reason) {
    case OrderReason::no_meeting: return "no element is written several times";
    case OrderReason::integers:
      return fmt::format("{} is the same in any order", info(explanation.reduction).on_integers);
    case OrderReason::booleans:
      return fmt::format("{} of bools is the same in any order",
                         info(explanation.reduction).on_bool);
    case OrderReason::by_the_values:
    case OrderReason::no_updates:
      return explanation.reduction == Reduction::none ? "updates that meet have the same bytes"
                                                      : "every order leaves the same bytes";
  }
  unreachable();
}

std::string elements_text(std::int64_t part, std::int64_t whole) {
  return fmt::format("{} of {}", grouped(part).text, counted(whole, "element"));
}

std::string explanation_line(const Explanation& explanation) {
  const OrderReport& order = explanation.order;
  const std::int64_t elements = explanation.output.count();
  if (order.depends == OrderDependence::no)
    return "does not depend on the order of the updates: " + reason_text(explanation);
  if (order.depends == OrderDependence::unknown) {
    const bool is_open = order.reason == OrderReason::no_updates;
    return fmt::format("not decided whether it depends on the order of the updates{}: {}",
                       is_open ? ", which are not given" : "",
                       elements_text(order.undecided, elements));
  }
  std::string words = fmt::format("depends on the order of the updates: {}",
                                  elements_text(order.dependent, elements));
  if (!order.first.empty())
    words += fmt::format(", first {}", to_string(order.first.front().position));
  if (order.undecided > 0)
    words += fmt::format("; not decided of {} more", grouped(order.undecided).text);
  return words;
}

Table coverage_table(const Explanation& explanation) {
  const Coverage& coverage = explanation.coverage;
  const std::int64_t elements = explanation.output.count();
  Table table{.form = TableForm::object};
  const auto add = [&](std::string_view key, const std::string& name, std::int64_t count) {
    Document& row = table.rows.emplace_back();
    row.show("written", name);
    row.add(key, "elements", grouped(count), Align::right);
    row.show("", percent(count, elements), Align::right);
  };
  add("never", "never", coverage.never);
  add("once", "once", coverage.once);
  add("several", "several times", coverage.several);
  return table;
}

Table meeting_table(const Explanation& explanation) {
  const std::string_view name = entries_name(*find_operation(explanation.operation));
  Table table;
  for (const SharedDestination& meeting : explanation.meeting) {
    Document& row = table.rows.emplace_back();
    row.add("place", "meeting", text_figure(destination_text(meeting.place)));
    row.put("destination", meeting.place);
    row.add("writers", "entries", grouped(meeting.writers), Align::right);
    row.put({{"entries", meeting.entries.first}, {"last_entries", meeting.entries.last}});
    row.show("", entries_text(name, meeting.entries, meeting.writers));
  }
  return table;
}

Document example_members(const OrderExample& example, const Figure& result) {
  return {{"entries", example.entries.first},
          {"last_entries", example.entries.last},
          {"result", result.value}};
}

Document dependent_row(const DependentElement& each, const ElementType& type,
                       std::string_view name) {
  const bool has_other = !each.other.result.empty();
  const Figure in_order = element_figure(each.in_order.result, type);
  const Figure other =
      has_other ? element_figure(each.other.result, type) : Figure{.value = {}, .text = "-"};
  Document row;
  row.add("position", "depends on order",
          {.value = each.position, .text = place_text("output", each.position)});
  row.put({{"index", each.index}, {"writers", each.writers}});
  Table orders{.rows = {example_members(each.in_order, in_order)}};
  if (has_other) orders.rows.push_back(example_members(each.other, other));
  row.put("orders", std::move(orders));
  row.show("in order", in_order.text, Align::right);
  row.show("otherwise", other.text, Align::right);
  row.show("for example in the order",
           has_other ? entries_text(name, each.other.entries, each.writers) : "-");
  return row;
}

Table dependent_table(const Explanation& explanation) {
  Table table;
  for (const DependentElement& each : explanation.order.first)
    table.rows.push_back(dependent_row(each, explanation.output.type,
                                       entries_name(*find_operation(explanation.operation))));
  return table;
}

Document data_row(const History& history, const HistoryNames& names, const HistoryValues& values) {
  std::string place = place_text(names.operation.called("data"), history.position);
  if (history.has_values)
    return row_without_update(
        history, names, {.writer = std::move(place), .after = values.figure(history.before).text});
  Document row;
  row.show(names.writer, place);
  row.show("", "");
  return row;
}

Document history_document(const History& history, const ElementType& type,
                          const Operation& operation) {
  constexpr std::size_t most_shown = 20;
  const HistoryNames names{.operation = operation,
                           .writer = "history",
                           .value = "update",
                           .after = "value",
                           .slice = "slice"};
  const HistoryValues values(history, type);
  Document document{{"position", history.position}};
  document.put("data", values.figure(history.before));
  if (history.has_values) document.put("result", values.figure(history.after));
  document.put("writers", history.writers);
  if (!history.initial.empty()) document.put("initial", values.figure(history.initial));
  put_divisor(document, history);
  if (history.accumulator) document.put("accumulator", info(*history.accumulator).name);
  document.add("steps",
               history_table(history, values, names, data_row(history, names, values), most_shown));
  return document;
}

Value depends_value(OrderDependence depends) {
  if (depends == OrderDependence::unknown) return {};
  return depends == OrderDependence::yes;
}

// What the operation is and how many entries and destinations it has.
Document summary(const Explanation& explanation) {
  Document document;
  document.add("op", "operation", text_figure(explanation.operation));
  document.add("reduction", "reduction",
               text_figure(reduction_word(explanation.operation, explanation.reduction)));
  add_overrides(document, explanation.overridden);
  document.add("dtype", "dtype", dtype_figure(explanation.output.type));
  document.add("shape", "shape", position_figure(explanation.output.shape));
  document.put("summary", explanation_line(explanation));
  document.add("index_entries", "index entries", grouped(explanation.index_entries));
  if (explanation.dropped) document.add("dropped", "dropped", grouped(*explanation.dropped));
  document.put("destinations", explanation.destinations);
  if (explanation.index_entries > 0) {
    document.show("destinations", fmt::format("{}, {} of them of several entries",
                                              grouped(explanation.destinations).text,
                                              grouped(explanation.meetings).text));
  }
  return document;
}

// In words they come first.
void show_histories(Document& document, const Explanation& explanation) {
  for (const History& each : explanation.histories)
    document.show(
        history_document(each, explanation.output.type, *find_operation(explanation.operation)));
}

// In JSON: the first history as "history", and all as "histories".
void put_histories(Document& document, const Explanation& explanation) {
  Table all;
  for (const History& each : explanation.histories)
    all.rows.push_back(
        history_document(each, explanation.output.type, *find_operation(explanation.operation)));
  if (all.rows.empty()) {
    document.put("history", Value());
  } else {
    document.put("history", all.rows.front());
  }
  document.put("histories", std::move(all));
}

}  // namespace

Document explanation_document(const Explanation& explanation) {
  const std::int64_t most_writers = explanation.coverage.most_writers;
  Document document;
  document.line(explanation_line(explanation));
  show_histories(document, explanation);
  document.add(summary(explanation));
  document.add("coverage", coverage_table(explanation));
  document.put("most_writers", most_writers);
  if (most_writers > 1)
    document.line(fmt::format("one element by {} updates at most", grouped(most_writers).text));
  document.put("meetings", explanation.meetings);
  document.add("meeting", meeting_table(explanation));
  document.put({{"depends_on_order", depends_value(explanation.order.depends)},
                {"dependent_elements", explanation.order.dependent},
                {"undecided_elements", explanation.order.undecided}});
  document.add("dependent", dependent_table(explanation));
  put_histories(document, explanation);
  return document;
}

}  // namespace tscatter::app
