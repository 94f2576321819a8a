#include "text/explanation_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "text/history_json.hpp"
#include "text/text_table.hpp"
#include "text/value_text.hpp"

namespace tscatter::app {
namespace {

using Json = nlohmann::ordered_json;

std::string element_words(std::string_view tensor, const Position& position) {
  if (position.empty()) return std::string(tensor);
  return fmt::format("{}{}", tensor, to_string(position));
}

std::string place_words(const Place& place) {
  std::vector<std::string> parts;
  for (const auto& index : place) parts.push_back(index ? fmt::format("{}", *index) : ":");
  return fmt::format("output[{}]", fmt::join(parts, ", "));
}

// "indices[0], indices[4], indices[7], … 12 more, indices[29]"
std::string entries_words(const EntryList& entries, std::int64_t count) {
  constexpr std::int64_t most = 5;
  constexpr std::int64_t first = 3;
  std::vector<std::string> parts;
  const std::int64_t shown = count <= most ? count : first;
  for (std::int64_t i = 0; i < shown; ++i)
    parts.push_back(element_words("indices", entries.first[static_cast<std::size_t>(i)]));
  if (count > most) {
    const Position& last = entries.last.empty() ? entries.first.back() : entries.last.back();
    parts.push_back(fmt::format("… {} more", grouped(count - first - 1)));
    parts.push_back(element_words("indices", last));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string_view bool_operation(Reduction reduction) {
  if (reduction == Reduction::sub) return "xor";
  return reduction == Reduction::sum || reduction == Reduction::max ? "or" : "and";
}

std::string integer_words(Reduction reduction) {
  if (reduction == Reduction::min) return "the least of some integers is the same in any order";
  if (reduction == Reduction::max) return "the greatest of some integers is the same in any order";
  return fmt::format("{} of integers wraps around, and is the same in any order",
                     to_string(reduction));
}

// Why the result does not depend on the order.
std::string reason_words(const Explanation& explanation) {
  switch (explanation.order.reason) {
    case OrderReason::no_meeting: return "no element is written several times";
    case OrderReason::integers: return integer_words(explanation.reduction);
    case OrderReason::booleans:
      return fmt::format("{} of bools is the same in any order",
                         bool_operation(explanation.reduction));
    case OrderReason::by_the_values: break;
  }
  return explanation.reduction == Reduction::none ? "updates that meet have the same bytes"
                                                  : "every order leaves the same bytes";
}

std::string elements_words(std::int64_t part, std::int64_t whole) {
  return fmt::format("{} of {} element{}", grouped(part), grouped(whole), whole == 1 ? "" : "s");
}

std::string verdict_words(const Explanation& explanation) {
  const OrderReport& order = explanation.order;
  const std::int64_t elements = explanation.output.count();
  if (order.depends == OrderDependence::no)
    return "does not depend on the order of the updates: " + reason_words(explanation);
  if (order.depends == OrderDependence::unknown) {
    return fmt::format("not decided whether it depends on the order of the updates: {}",
                       elements_words(order.undecided, elements));
  }
  std::string words = fmt::format("depends on the order of the updates: {}",
                                  elements_words(order.dependent, elements));
  if (!order.first.empty())
    words += fmt::format(", first {}", to_string(order.first.front().position));
  if (order.undecided > 0)
    words += fmt::format("; not decided of {} more", grouped(order.undecided));
  return words;
}

std::string summary_lines(const Explanation& explanation) {
  TextTable table({Align::left, Align::left});
  table.add({"operation", std::string(explanation.operation)});
  table.add({"reduction", std::string(to_string(explanation.reduction))});
  table.add({"dtype", escape_control(to_string(explanation.output.type))});
  table.add({"shape", to_string(explanation.output.shape)});
  table.add({"index entries", grouped(explanation.index_entries)});
  if (explanation.index_entries > 0) {
    table.add({"destinations",
               fmt::format("{}, {} of them of several entries", grouped(explanation.destinations),
                           grouped(explanation.meetings))});
  }
  return table.text();
}

std::string coverage_lines(const Explanation& explanation) {
  const Coverage& coverage = explanation.coverage;
  const std::int64_t elements = explanation.output.count();
  TextTable table({Align::left, Align::right, Align::right});
  table.add({"written", "elements"});
  const auto add = [&](const char* times, std::int64_t count) {
    table.add({times, grouped(count), percent(count, elements)});
  };
  add("never", coverage.never);
  add("once", coverage.once);
  add("several times", coverage.several);
  std::string text = "\n" + table.text();
  if (coverage.most_writers > 1)
    text += fmt::format("one element by {} updates at most\n", grouped(coverage.most_writers));
  return text;
}

std::string meeting_lines(const Explanation& explanation) {
  if (explanation.meeting.empty()) return {};
  TextTable table({Align::left, Align::right, Align::left});
  table.add({"meeting", "entries", ""});
  for (const SharedDestination& meeting : explanation.meeting) {
    table.add({place_words(meeting.place), grouped(meeting.writers),
               entries_words(meeting.entries, meeting.writers)});
  }
  return "\n" + table.text();
}

std::string dependent_lines(const Explanation& explanation) {
  if (explanation.order.first.empty()) return {};
  TextTable table({Align::left, Align::right, Align::right, Align::left});
  table.add({"depends on order", "in order", "otherwise", "for example in the order"});
  const ElementType& type = explanation.output.type;
  for (const DependentElement& each : explanation.order.first) {
    const bool is_shown = !each.other.result.empty();
    table.add({element_words("output", each.position), value_words(each.in_order.result, type),
               is_shown ? value_words(each.other.result, type) : "-",
               is_shown ? entries_words(each.other.entries, each.writers) : "-"});
  }
  return "\n" + table.text();
}

void add_step(TextTable& table, const HistoryStep& step, const ElementType& type) {
  std::vector<std::string> row;
  row.push_back(step.entry ? element_words("indices", *step.entry) : "slice");
  row.push_back(element_words("updates", step.update));
  row.push_back(value_words(step.value, type));
  row.push_back(value_words(step.after, type));
  table.add(std::move(row));
}

Json meeting_json(const SharedDestination& meeting) {
  Json destination = Json::array();
  for (const auto& index : meeting.place) destination.push_back(index ? Json(*index) : Json());
  return {{"place", place_words(meeting.place)},
          {"destination", std::move(destination)},
          {"writers", meeting.writers},
          {"entries", meeting.entries.first},
          {"last_entries", meeting.entries.last}};
}

Json example_json(const OrderExample& example, const ElementType& type) {
  return {{"entries", example.entries.first},
          {"last_entries", example.entries.last},
          {"result", value_of(example.result, type)}};
}

Json dependent_json(const DependentElement& each, const ElementType& type) {
  Json orders = Json::array({example_json(each.in_order, type)});
  if (!each.other.result.empty()) orders.push_back(example_json(each.other, type));
  return {{"position", each.position},
          {"index", each.index},
          {"writers", each.writers},
          {"orders", std::move(orders)}};
}

Json depends_json(OrderDependence depends) {
  if (depends == OrderDependence::unknown) return nullptr;
  return depends == OrderDependence::yes;
}

}  // namespace

std::string history_text(const History& history, const ElementType& type) {
  constexpr std::size_t most = 20;
  TextTable table({Align::left, Align::left, Align::right, Align::right});
  table.add({"history", "", "update", "value"});
  table.add({element_words("data", history.position), "", "", value_words(history.before, type)});
  const std::vector<HistoryStep>& steps = history.steps;
  const std::size_t head =
      history.writers > static_cast<std::int64_t>(most) ? most / 2 : steps.size();
  for (std::size_t i = 0; i < head; ++i) add_step(table, steps[i], type);
  if (head < steps.size()) {
    table.add(
        {fmt::format("… {} more", grouped(history.writers - static_cast<std::int64_t>(most)))});
    for (std::size_t i = steps.size() - most / 2; i < steps.size(); ++i)
      add_step(table, steps[i], type);
  }
  return table.text();
}

Json history_json(const History& history, const ElementType& type) {
  return {{"position", history.position},
          {"data", value_of(history.before, type)},
          {"result", value_of(history.after, type)},
          {"writers", history.writers},
          {"steps", steps_json(history, type)}};
}

std::string explanation_text(const Explanation& explanation) {
  std::string text = verdict_words(explanation) + "\n\n" + summary_lines(explanation) +
                     coverage_lines(explanation) + meeting_lines(explanation) +
                     dependent_lines(explanation);
  if (explanation.history)
    text += "\n" + history_text(*explanation.history, explanation.output.type);
  return text;
}

Json explanation_json(const Explanation& explanation) {
  const Coverage& coverage = explanation.coverage;
  const OrderReport& order = explanation.order;
  const ElementType& type = explanation.output.type;
  Json object{{"op", explanation.operation},
              {"reduction", to_string(explanation.reduction)},
              {"dtype", to_string(type)},
              {"shape", explanation.output.shape},
              {"summary", verdict_words(explanation)},
              {"index_entries", explanation.index_entries},
              {"destinations", explanation.destinations},
              {"coverage",
               {{"never", coverage.never}, {"once", coverage.once}, {"several", coverage.several}}},
              {"most_writers", coverage.most_writers},
              {"meetings", explanation.meetings}};
  object["meeting"] = Json::array();
  for (const SharedDestination& meeting : explanation.meeting)
    object["meeting"].push_back(meeting_json(meeting));
  object["depends_on_order"] = depends_json(order.depends);
  object["dependent_elements"] = order.dependent;
  object["undecided_elements"] = order.undecided;
  object["dependent"] = Json::array();
  for (const DependentElement& each : order.first)
    object["dependent"].push_back(dependent_json(each, type));
  object["history"] = explanation.history ? history_json(*explanation.history, type) : Json();
  return object;
}

}  // namespace tscatter::app
