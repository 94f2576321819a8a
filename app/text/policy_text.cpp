#include <fmt/format.h>

#include "text/reports.hpp"

namespace tscatter::app {

void add_overrides(Document& document, const std::vector<PolicyAnswer>& overridden) {
  if (overridden.empty()) return;
  Document answers;
  std::string text;
  for (const PolicyAnswer& each : overridden) {
    answers.put(each.policy, each.answer);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", each.policy, each.answer);
  }
  document.put("overridden", std::move(answers));
  document.show("overridden", text);
}

}  // namespace tscatter::app
