#include "text/history_json.hpp"

#include <nlohmann/json.hpp>

#include "text/value_text.hpp"

namespace tscatter::app {

using Json = nlohmann::ordered_json;

Json value_of(std::span<const std::byte> element, const ElementType& type) {
  return Json::parse(value_json(element, type));
}

Json steps_json(const History& history, const ElementType& type) {
  Json steps = Json::array();
  for (const HistoryStep& step : history.steps) {
    steps.push_back({{"writer", step.writer},
                     {"entry", step.entry ? Json(*step.entry) : Json()},
                     {"update", step.update},
                     {"value", value_of(step.value, type)},
                     {"after", value_of(step.after, type)}});
  }
  return steps;
}

}  // namespace tscatter::app
