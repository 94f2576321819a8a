// The questions at which two operations are compared, a row each, with the cases that show a
// difference.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "diff/witness.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

struct Question {
  std::string_view words;
  std::string (*answer)(const Operation& operation);
  bool (*is_comparable)(const Operation& first, const Operation& second);  // whether both have one
  std::span<const Witness> witnesses;
};

std::span<const Question> questions();

}  // namespace tscatter::app
