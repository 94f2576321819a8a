// Operation: everything that the rest of the program knows about one operation, so that a new one
// needs no change anywhere else. The registry lists them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "tscatter/core/error.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// What an operand is for; it decides how an untyped value is read and how a flag may spell it.
enum class OperandRole : std::uint8_t {
  data,      // the tensor that is updated
  updates,   // has data's dtype
  integers,  // an index tensor of any integer dtype
  list,      // a short 1D index tensor, which a flag may write as 0,1
};

enum class Presence : std::uint8_t { required, optional };

struct OperandInfo {
  std::string_view name;  // the flag's long name and the job's key
  char flag;              // the flag's short name; 0: none
  OperandRole role;
  Presence presence;
  std::string_view help;
};

struct AttributeInfo {
  std::string_view name;
  char flag;
  std::string_view default_value;
  std::span<const std::string_view> choices;
  std::string_view help;
};

// The operands and attributes of one call, by name.
struct Arguments {
  std::map<std::string, Tensor, std::less<>> operands;
  std::map<std::string, std::string, std::less<>> attributes;

  // REQUIRES: the operand was given (required ones are, once check_arguments passed).
  const Tensor& operand(std::string_view name) const;
  const Tensor* find(std::string_view name) const;
  Reduction reduction() const;  // none where it was not given
};

// How many workers may read an index tensor, and what ends them early.
struct Parallelism {
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;
};

// What an index entry names: the axes [first, first + depth) of data. The entries themselves are
// counted in row-major order of their shape, which is that of indices without an axis of
// coordinates.
struct EntryAxes {
  std::size_t first = 0;
  std::size_t depth = 0;
  Shape shape = {};
};

struct LoweredPlan {
  ScatterPlan plan;
  std::int64_t index_entries = 0;  // 0 for a slice: it has none
  EntryAxes entries = {};
};

struct Operation {
  std::string_view name;     // "ScatterNDUpdate-15"
  std::string_view id;       // "scatter_nd_update_15", the beginning of its labels
  std::string_view summary;  // one line
  std::span<const OperandInfo> operands;
  std::span<const AttributeInfo> attributes;
  std::span<const Rule> rules;
  std::span<const std::string_view> examples;  // command lines

  // The rules on dtypes, shapes and attributes. Throws Error (rule).
  void (*validate)(const Arguments&);
  // The shape and dtype of the output. REQUIRES: validate passed.
  TensorHeader (*infer_output)(const Arguments&);
  // The rules on values; reads the index tensors once. Throws Error (rule). REQUIRES: validate
  // passed.
  LoweredPlan (*lower)(const Arguments&, const Parallelism&);
};

// Throws Error (usage, operation.o1 to operation.o3) when an operand is missing or unknown, or an
// attribute is.
void check_arguments(const Operation& operation, const Arguments& arguments);

extern const std::span<const Rule> operation_rules;

}  // namespace tscatter
