#include "text/history.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace tscatter::app {
namespace {

// What the updates have met in before it is rounded, under the accumulator's name.
void add_met(Document& row, const History& history, std::span<const std::byte> met) {
  if (!history.accumulator) return;
  const auto type = ElementType::of(*history.accumulator);
  row.add("met", fmt::format("in {}", info(type.dtype).name), element_figure(met, type),
          Align::right);
}

Document step_row(const History& history, const HistoryStep& step, const HistoryValues& values,
                  const HistoryNames& names) {
  Document row;
  row.put("writer", step.writer);
  row.add(
      "entry", names.writer,
      {.value = step.entry,
       .text = step.entry ? place_text(entries_name(names.operation), *step.entry) : names.slice});
  row.add(
      "update", "",
      {.value = step.update, .text = place_text(names.operation.called("updates"), step.update)});
  if (!history.has_values) return row;
  row.add("value", names.value, values.figure(step.value), Align::right);
  add_met(row, history, step.met);
  row.add("after", names.after, values.figure(step.after), Align::right);
  return row;
}

// The end of a mean.
Document quotient_row(const History& history, const HistoryValues& values,
                      const HistoryNames& names) {
  const std::string count = grouped(history.divisor).text;
  std::string met;
  if (history.accumulator)
    met = element_figure(history.met, ElementType::of(*history.accumulator)).text;
  return row_without_update(
      history, names,
      {.writer = fmt::format("divided by {}",
                             history.takes_root ? fmt::format("sqrt({})", count) : count),
       .met = std::move(met),
       .after = values.figure(history.after).text});
}

Document more_row(std::int64_t steps) {
  Document row;
  row.show("", fmt::format("… {} more", grouped(steps).text));
  return row;
}

}  // namespace

HistoryValues::HistoryValues(const History& history, const ElementType& type,
                             std::span<const std::byte> got, std::span<const std::byte> in_order)
    : type_{&type} {
  std::vector<std::span<const std::byte>> all{got, in_order, history.before, history.initial,
                                              history.after};
  for (const HistoryStep& step : history.steps) all.insert(all.end(), {step.value, step.after});
  std::erase_if(all, [](const auto& each) { return each.empty(); });
  bits_ = bits_needed(all, type);
}

std::string place_text(std::string_view tensor, const Position& position) {
  if (position.empty()) return std::string(tensor);
  return fmt::format("{}{}", tensor, to_string(position));
}

Document row_without_update(const History& history, const HistoryNames& names,
                            const HistoryCells& cells) {
  Document row;
  row.show(names.writer, cells.writer);
  row.show("", "");
  row.show(names.value, cells.value, Align::right);
  if (history.accumulator)
    row.show(fmt::format("in {}", info(*history.accumulator).name), cells.met, Align::right);
  row.show(names.after, cells.after, Align::right);
  return row;
}

void put_divisor(Document& document, const History& history) {
  if (history.divisor > 1)
    document.put(history.takes_root ? "divisor_squared" : "divisor", history.divisor);
}

Table history_table(const History& history, const HistoryValues& values, const HistoryNames& names,
                    Document data, std::size_t most) {
  Table table;
  table.rows.push_back(std::move(data));
  if (!history.initial.empty()) {  // with which the element begins in the place of data's
    const HistoryCells cells{.writer = "identity", .after = values.figure(history.initial).text};
    table.rows.push_back(row_without_update(history, names, cells));
  }
  const std::size_t size = history.steps.size();
  std::int64_t next = 0;  // writer
  for (std::size_t i = 0; i < size; ++i) {
    const HistoryStep& step = history.steps[i];
    Document row = step_row(history, step, values, names);
    if (size > most && i >= most / 2 && i < size - most / 2) {
      table.rows.push_back(in_json_only(std::move(row)));
      continue;
    }
    if (step.writer > next) table.rows.push_back(more_row(step.writer - next));
    next = step.writer + 1;
    table.rows.push_back(std::move(row));
  }
  if (history.divisor > 1) table.rows.push_back(quotient_row(history, values, names));
  return table;
}

}  // namespace tscatter::app
