// Witness: a small case that two operations with different answers to a question answer
// differently. It stands in witnesses.cpp, as a call of each form, and becomes a call of any
// operation.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/job.hpp"
#include "text/document.hpp"
#include "tscatter/generate/generated_case.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

extern const std::string_view witness_text;

// The words of WitnessCall::form, in the order of Form.
inline constexpr std::array<std::string_view, forms::form_table.size()> witness_forms{
    "rows",  "nd",   "elements", "window",  "start",    "slice",   "batched_rows",
    "index", "flat", "mask",     "section", "diagonal", "segment", "block"};

struct WitnessCall {
  std::string_view form;  // "rows"
  std::string words;      // "--data 2xf32=0,0 --indices 1x{index}=1 …"
};

struct Witness {
  std::string_view question;       // "min, max"; "": no operations differ in it
  std::string_view name;           // "nan": among the words of its question
  std::string_view words;          // "NaN meets 2, and 1 meets NaN"
  std::vector<WitnessCall> calls;  // at least one
};

// In the order of the text.
const std::vector<Witness>& witnesses();

// What can be pasted: "tscatter ScatterNDUpdate-15 --data 2xf32=nan,1 …".
std::string command_line(const Witness& witness, const Operation& operation);

// What came of the call.
struct Outcome {
  bool is_refused = false;
  std::string text;         // the result as JSON in one line, or the refusal
  std::string values = {};  // of a result, whatever its shape
};

// Applies the operation to the witness, in memory.
Outcome outcome_of(const Witness& witness, const Operation& operation);

// Two results that differ, or one that is refused where the other is not.
bool differ(const Outcome& a, const Outcome& b);

// The witnesses that the operation has the form, the operands and the words for, as generated
// cases. A case that a rule of the operation refuses has that rule's label.
std::vector<generate::GeneratedCase> witness_set(const Operation& operation);

// What two operations do differently: the whole report of ops --diff.
std::string difference_text(const Operation& first, const Operation& second, ReportForm form);

}  // namespace tscatter::app
