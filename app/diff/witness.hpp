// Witness: a small case that two operations with different answers to a question answer
// differently. It is written down once, and becomes a call of any operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/job.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {

// How the operands of a witness are laid out.
enum class Layout : std::uint8_t {
  of_operation,  // in the operation's own form: data, indices and updates are lists of numbers
  rows,          // of data [2, 2], whatever the operation's form
  nd,            // the same
  elements,      // the same
  batched_rows,  // of data [1, 2, 1]
  start,         // of data [1, 2]
  slice,         // of data [3]
  batches,       // starts of data [5, 4], one for each batch
  single,        // an entry of rank 0 with updates of shape [1]
};

struct Witness {
  std::string_view name = {};  // "nan": among those of its question
  std::string_view words;      // "updates 2 and NaN meet NaN and 1"
  std::string_view data;       // as a typed literal has them: "nan,1"
  std::string_view indices;
  std::string_view updates;
  std::optional<Reduction> reduction = std::nullopt;  // nullopt: none is given
  DType dtype = DType::float32;
  std::optional<DType> index_dtype = std::nullopt;  // nullopt: one that the operation takes
  std::optional<bool> use_init_val = std::nullopt;  // nullopt: not given
  bool gives_axis = true;                           // where the operation has one
  Layout layout = Layout::of_operation;
  std::int64_t places = 0;     // of data, which is filled with one number; 0: one for each number
  std::string_view mode = {};  // "circular"; "": none is given
};

// The keys and words of the witness as a call of the operation.
using CallWords = std::vector<std::pair<std::string, std::string>>;
CallWords words_of(const Witness& witness, const Operation& operation);

// What can be pasted: "tscatter ScatterNDUpdate-15 -d 2xf32=nan,1 …".
std::string command_line(const Witness& witness, const Operation& operation);

// Whether the witness is one for operations of this form.
bool is_for(const Witness& witness, Form form);

// nullopt if the operation has no flag or word that the witness needs.
std::optional<Job> job_of(const Witness& witness, const Operation& operation);

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

}  // namespace tscatter::app
