// What two operations do differently: the questions that they answer differently, each with a case
// that shows it, applied by both.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/witness.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

// The case, with what came of it in the first and the second operation.
struct ShownWitness {
  std::string_view words;
  std::array<std::string, 2> commands;
  std::array<Outcome, 2> outcomes;
};

struct Difference {
  std::string_view question;  // "negative index"
  std::array<std::string, 2> answers;
  std::optional<ShownWitness> witness;  // nullopt: no case shows it
};

// In the order of the table of questions; empty if they differ in nothing.
std::vector<Difference> differences(const Operation& first, const Operation& second);

}  // namespace tscatter::app
