// What an operation does at each question where operations differ, and who says so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tscatter/ops/operation.hpp"

namespace tscatter {

struct KnobLine {
  std::string_view question;  // "negative index"
  std::string answer;         // "counts from the end of its axis"
  std::string source;         // "the text", or why it is decided so
};

// Whether the operation has an answer to the question, and which.
bool is_asked(const Operation& operation, Knob knob);
std::string answer_of(const Operation& operation, Knob knob);

// "rows: indices are positions along one axis"
std::string form_of(const Operation& operation);

// Form and base, and the questions that the operation has an answer to.
std::vector<KnobLine> knobs_of(const Operation& operation);

}  // namespace tscatter
