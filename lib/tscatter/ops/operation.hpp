// Operation: a row of the table of operations (ops/names), with everything that the rest of the
// program knows about one operation: its form, its policies, its texts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/ops/attribute.hpp"

namespace tscatter {

struct LoweredPlan;

// What an operand is for; it decides how an untyped value is read and how a flag may spell it.
enum class OperandRole : std::uint8_t {
  data,      // the tensor that is updated
  updates,   // has data's dtype
  integers,  // an index tensor; the operation's row lists the dtypes that indices may have
  list,      // a short 1D index tensor, which a flag may write as 0,1
  index,     // the items of an index: as often as it is given
  mask,      // bools
};

enum class Presence : std::uint8_t { required, optional };

struct OperandInfo {
  std::string_view name;  // the flag's long name and the job's key
  char flag;              // the flag's short name; 0: none
  OperandRole role;
  Presence presence;
  std::string_view help;
  Aliases aliases = {};
  std::string_view own = {};  // this and aliases: as of AttributeInfo

  constexpr std::string_view word() const { return own.empty() ? name : own; }
  constexpr bool has_name(std::string_view wanted) const {
    return is_one_of(wanted, name, own, aliases);
  }
};

// Values by name.
using Attributes = std::map<std::string, AttributeValue, std::less<>>;

// An operand that an item of an index names: positions along an axis of data, or a mask.
struct OperandItem {
  std::string operand;  // operand_of_item(number of the item)
};

// An item of NumPy's index: of a[ids, :, 3] each of the three.
struct IndexItem {
  std::variant<OperandItem, IntegerItem, SliceItem, EllipsisItem, NewAxisItem> what;
  std::string text;  // as it was written, for messages
};

// The operand of the item of that number: "index0".
std::string operand_of_item(std::size_t number);
bool is_operand_of_item(std::string_view operand);

// The operands and attributes of one call.
struct Arguments {
  std::map<std::string, Tensor, std::less<>> operands;
  Attributes attributes;
  std::vector<IndexItem> index = {};  // of an operation that has one, or made from other operands
  bool is_prepared = false;           // by prepared()
  bool has_base = false;              // the operand data is there, made by with_base()
  bool has_all_indices = false;       // data has a row for each index: with_base() has looked
  std::optional<Tensor> unscaled = std::nullopt;  // prepared updates before alpha multiplied them

  // REQUIRES: the operand was given (required ones are, once check_arguments passed).
  const Tensor& operand(std::string_view name) const;
  const Tensor* find(std::string_view name) const;
};

// Who checks index entries that are not listed.
enum class EntryCheck : bool {
  by_lowering,  // all of them
  by_reader,    // whoever reads them: each when it is read
};

// How a call is lowered: who reads its indices, and how many entries may be listed.
struct Lowering {
  Parallelism parallelism = {};
  std::optional<std::int64_t> most_listed = std::nullopt;  // entries; nullopt: any number
  EntryCheck check = EntryCheck::by_lowering;
  bool needs_list = true;  // false: entries may be left to a reader that reads memory

  bool may_list(std::int64_t entries) const { return !most_listed || entries <= *most_listed; }
};

// How indices name places; ops/forms has a pair of files for each.
enum class Form : std::uint8_t {
  rows,          // indices name positions along one axis
  nd,            // the last axis of indices has coordinates along the first axes of data
  elements,      // an index for each element of updates: its position along one axis
  window,        // indices say where windows of data begin, by the dimension numbers of the call
  start,         // indices name where along one axis the updates of each batch begin
  slice,         // start, stop and step along some axes; no index entries
  batched_rows,  // positions along axis 1, different ones for each position along axis 0
  index,         // NumPy's index: positions, masks and slices of any axes
  flat,          // positions among all elements of data, in row-major order
  mask,          // the places where a mask is true
  section,       // a slice along one axis, or one position along it; no list of entries
  diagonal,      // the places of two axes where both have the same index, but for an offset
  segment,       // each index is a row of data, which the call makes
  block,         // indices say, along every axis of data, where the one block of updates begins
};

// Where a call has its data from.
enum class BaseFrom : std::uint8_t {
  operand,   // it is given
  shape,     // it is made: the operand shape says its shape
  segments,  // as many rows as num_segments says, or the greatest index and one; of an update each
  counts,    // as many numbers, or minlength where that is more: int64, or float64 with updates
};

constexpr bool is_made(BaseFrom base) { return base != BaseFrom::operand; }

// The questions that a call may answer differently from its operation. ops/policies.hpp has their
// flags and words.
enum class Policy : std::uint8_t {
  form,
  outside,
  negative,
  extremes,
  accumulation,
  initial,
  duplicates,
  divisor,
  quotient,
};

class PolicySet {
 public:
  constexpr PolicySet() = default;
  template <class... Some>
  constexpr explicit PolicySet(Some... some) {
    (insert(some), ...);
  }
  constexpr void insert(Policy policy) { bits_ |= bit_of(policy); }
  constexpr bool contains(Policy policy) const { return (bits_ & bit_of(policy)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  static constexpr unsigned bit_of(Policy policy) { return 1U << static_cast<unsigned>(policy); }

  unsigned bits_ = 0;
};

// What a call answers in the place of its operation, in words: "oob", "modulo".
struct PolicyAnswer {
  std::string_view policy;
  std::string answer;
};

// How an operation answers questions that others answer differently.
struct Policies {
  NegativeIndex negative = NegativeIndex::outside;
  OutsideIndex outside = OutsideIndex::error;
  DuplicatePolicy duplicates = DuplicatePolicy::ordered;
  Extremes extremes = Extremes::data;  // what min and max do with NaN and with equal values
  Accumulation accumulation = Accumulation::each_step;
  std::optional<InitialValue> initial = std::nullopt;  // nullopt: as use_init_val says, else data
  MeanRules mean = {};
};

// Whether index entries may be dropped.
constexpr bool can_drop(const Policies& policies) {
  return policies.outside == OutsideIndex::drop_window ||
         policies.outside == OutsideIndex::drop_elements ||
         policies.negative == NegativeIndex::dropped;
}

// Which shapes of updates a call may have.
enum class UpdatesShape : std::uint8_t {
  exact,           // the shape that the form requires
  one_element,     // the same, but any shape of one element where the form requires rank 0
  broadcast,       // one that broadcasts to it
  broadcast_ones,  // the same, also with more axes of length 1 in front
  box,             // at least as long along each axis; the first of them are read
  box_or_fill,     // the same, or rank 0: one value for all
  fill,            // rank 0: one value for all
  as_many,         // any shape of as many elements, read in row-major order
  at_least,        // the same with more elements, which are not read
  repeat,          // any number of elements, read in row-major order, and again from the first
};

// Which ranks of indices a call of the form rows may have.
enum class IndexRank : std::uint8_t {
  any,
  vector,  // 1; rank 0 means one index
};

inline constexpr auto all_dtypes = [] {
  std::array<DType, dtype_table.size()> dtypes{};
  for (std::size_t i = 0; i < dtypes.size(); ++i) dtypes[i] = dtype_table[i].dtype;
  return dtypes;
}();

inline constexpr std::array<DType, 8> integer_dtypes{DType::int8,   DType::int16, DType::int32,
                                                     DType::int64,  DType::uint8, DType::uint16,
                                                     DType::uint32, DType::uint64};

// The checks of a call. An operation's row has a rule for each check of its form.
enum class Check : std::uint8_t {
  data_rank,
  base_shape,    // of data that the call makes
  indices_rank,  // of segment; limited only by operations with a rule for it
  index_order,   // the same: indices ascend
  indices_dtype,
  indices_shape,
  indices_length,  // along the axis; limited only by operations with a rule for it
  index_depth,
  index_range,
  updates_shape,
  updates_dtype,
  data_dtype,
  axis_scalar,
  axis_range,
  list_rank,
  list_dtype,
  list_length,
  step_not_zero,
  axes_range,
  axes_distinct,
  reduction_dtype,
  duplicates,
  dims_range,  // of dimension numbers
  dims_distinct,
  dims_count,
  batching_sizes,
};

// Questions that operations answer differently.
enum class Knob : std::uint8_t {
  negative_index,
  index_outside,
  updates_shape,
  duplicates,
  extremes,
  initial_value,
  mean_of_integers,
  mean_divisor,
  accumulation,
};

// Where the text leaves a question open: why the operation answers it as it does.
struct Decision {
  Knob knob;
  std::string_view reason;
};

struct OperationRule : Rule {
  Check check;
};

// What an order of updates that replace one another may leave where several entries write one
// block.
enum class Blocks : std::uint8_t {
  whole,  // the block of one of them
  mixed,  // each element of any of them: elements are put in order, not entries
};

// Another way in which the operation's own library computes it, under conditions that the
// operation does not ask about: what it leaves is legal, and verify says how many elements need it.
struct Variant {
  std::string_view says;  // behind "12 elements with": "half floats rounded once"
  std::optional<Accumulation> accumulation = std::nullopt;  // nullopt: the operation's
  std::optional<MeanDivisor> divisor = std::nullopt;        // the same
  bool is_fused = false;        // a sum's products of alpha and updates are not rounded
  bool takes_any_zero = false;  // min and max: of -0 and +0 either stays
  bool takes_any_nan = false;   // that is moved or stays: of half floats, and beside a mean
};

struct Operation {
  std::string_view name = {};     // "ScatterNDUpdate-15"; of another namespace: "onnx.ScatterND-18"
  std::string_view id = {};       // "scatter_nd_update_15", the beginning of its labels
  std::string_view summary = {};  // one line
  Form form = {};
  BaseFrom base = BaseFrom::operand;
  InitialValue base_value = InitialValue::identity;  // of each element of data that a call makes
  Reduction fixed = Reduction::none;  // that the name says; else the attribute reduction does
  Policies policies = {};
  UpdatesShape updates_shape = UpdatesShape::exact;
  IndexRank index_rank = IndexRank::any;
  // Indices without elements may have any shape and dtype, one index of data of rank 1 rank 0.
  bool takes_any_index = false;
  bool takes_new_axes = true;  // an item of an index may be None
  // Of mask: it has as many elements as data, in any shape; else it is broadcast to data.
  bool reshapes_mask = false;
  // Of mask: updates are for all places of data, and those where the mask is true are read.
  bool fits_updates_to_data = false;
  // Of elements: off the axis, indices are 1 or as long as data, and are broadcast to it.
  bool broadcasts_indices = false;
  // What stands for data's value where use_init_val = false.
  InitialValue excluded = InitialValue::identity;
  std::span<const DType> index_dtypes = integer_dtypes;  // that indices may have, integers all
  std::span<const DType> data_dtypes = all_dtypes;       // that data may have
  std::span<const OperandInfo> operands = {};
  std::span<const AttributeInfo> attributes = {};
  std::span<const OperationRule> rules = {};
  std::span<const Decision> decisions = {};         // the text answers all others
  std::span<const std::string_view> examples = {};  // what follows the name in a command line
  std::span<const Variant> variants = {};           // at most 255
  // The operands and attributes that a function takes without their names, in this order, by their
  // own words. Empty: the operands, the required ones first.
  std::span<const std::string_view> order = {};
  Blocks blocks = Blocks::whole;  // what verify accepts; apply() leaves whole blocks
  PolicySet unanswered = {};      // what the operation leaves to each call, which must answer it
  PolicySet overridden = {};  // what this row, a call's own, answers in the place of the operation

  // The label of the rule behind the check; "" if the operation has none.
  constexpr std::string_view label(Check check) const {
    for (const OperationRule& rule : rules) {
      if (rule.check == check) return rule.label;
    }
    return "";
  }

  // Why the operation answers the question as it does, if the text leaves it open; else "".
  constexpr std::string_view decision(Knob knob) const {
    for (const Decision& each : decisions) {
      if (each.knob == knob) return each.reason;
    }
    return "";
  }

  // By name; nullptr if there is none.
  const AttributeInfo* find_attribute(std::string_view attribute) const;
  const OperandInfo* find_operand(std::string_view operand) const;

  // What a function takes without names; never empty.
  std::vector<std::string_view> positional() const;

  // What messages call the operand or attribute of that name.
  std::string_view called(std::string_view name) const;

  // The value that was given, else the default. REQUIRES: there is such an attribute of type T;
  // check_arguments passed.
  template <class T>
  T attribute(const Attributes& given, std::string_view attribute) const {
    const auto found = given.find(attribute);
    return std::get<T>(found == given.end() ? find_attribute(attribute)->default_value
                                            : found->second);
  }

  // The reduction of a call, with min and max of the operation's family; Reduction::none if the
  // operation has no reductions.
  // REQUIRES: check_arguments passed.
  Reduction reduction(const Attributes& given) const;

  // The policies of a call: where a value of an attribute answers one, that answer, unless the call
  // overrides the policy.
  // REQUIRES: check_arguments passed.
  Policies policies_of_call(const Attributes& given) const;

  // The value that an element's first update is combined with: the policy decides, else the
  // attribute use_init_val; without either it is data's value. REQUIRES: check_arguments passed.
  InitialValue initial_value(const Attributes& given) const;

  // The reductions that can be chosen; empty if the operation has none.
  std::vector<Reduction> reductions() const;

  // What the operation calls a reduction: add for sum.
  std::string_view word_of(Reduction reduction) const;

  // The shape and dtype of the output. REQUIRES: the arguments are prepared().
  TensorHeader infer_output(const Arguments& arguments) const;

  // Checks the rules on values, and makes the plan; reads the index tensors once. Throws Error
  // (rule). REQUIRES: the arguments are prepared().
  LoweredPlan lower(const Arguments& arguments, const Lowering& lowering) const;

  // The same for the engine alone: checks as much, but need not list the index entries.
  LoweredPlan lower_for_run(const Arguments& arguments, const Lowering& lowering) const;
};

// One call of an operation: what is applied, verified and explained.
struct Call {
  const Operation* operation;
  Arguments arguments;
  std::shared_ptr<const Operation> own = nullptr;  // the call's own row, if policies are overridden
};

// Returns the call with other policies: its `operation` is then a row of its own with these.
//
//   Policies policies = call.operation->policies;
//   policies.outside = OutsideIndex::drop_window;
//   call = with_policies(std::move(call), policies);
//
// Throws Error (usage, operation.o4) for a policy that the operation cannot have.
Call with_policies(Call call, const Policies& policies);

// What the row of a call answers in the place of the operation; empty without overrides.
std::vector<PolicyAnswer> overrides_of(const Operation& operation);

// Whether indices (data) of the operation may have the dtype.
bool takes_indices_of(const Operation& operation, DType dtype);
bool takes_data_of(const Operation& operation, DType dtype);

// "int32 or int64"; "of an integer dtype" if all are allowed.
std::string index_dtypes_text(const Operation& operation);

// "any dtype but bfloat16", or "dtype int8 or int16". REQUIRES: not all are allowed.
std::string data_dtypes_text(const Operation& operation);

// What the operand is; for indices, also the dtypes that they may have.
std::string description_of(const Operation& operation, const OperandInfo& operand);

// "none, sum or sub", with `last` before the last one, in the operation's words.
std::string names_of(const Operation& operation, std::span<const Reduction> reductions,
                     std::string_view last);

// The call as its form takes it, with all rules on dtypes, shapes and attributes checked: updates
// have the shape that the form requires, and are multiplied by alpha; an index is made from other
// operands. Of a prepared call: itself, checked again. Throws Error (usage, as check_arguments;
// rule).
Arguments prepared(const Operation& operation, Arguments arguments, int threads = 1);

// The call with data, where the operation makes it: a tensor of one value, which takes no memory;
// and with updates of one, where they may be left out. An operation that is given data, or a call
// that has it already: the same call. Throws Error (usage, as check_arguments; rule). Reads the
// indices where their greatest says how many rows data has.
Arguments with_base(const Operation& operation, Arguments arguments, int threads = 1);

// Throws Error (usage, operation.o1 to operation.o3, operation.o5, operation.o7) when an operand or
// a policy is missing, an operand or attribute is unknown, an attribute has a value that is not
// allowed, or a number does not fit data's dtype.
void check_arguments(const Operation& operation, const Arguments& arguments);

extern const std::span<const Rule> operation_rules;

// All operations: first OpenVINO's, then the other namespaces'. Each namespace is in alphabetical
// order, with the versions of an operation in ascending order.
std::span<const Operation* const> operations();

// What stands before the first dot of a name or an id: "onnx"; "" if there is none.
constexpr std::string_view namespace_of(std::string_view operation) {
  const std::size_t dot = operation.find('.');
  return dot == std::string_view::npos ? "" : operation.substr(0, dot);
}

// The number at the end of a name: 15 of ScatterNDUpdate-15; 0 if there is none.
std::int64_t version_of(std::string_view operation);

// Ignores case, '-' and '_'; without a version the name means the newest, without a namespace
// OpenVINO's. In some namespaces a version that does not exist means the newest one before it:
// onnx.ScatterND-17 is -16. nullptr if there is none.
const Operation* find_operation(std::string_view name);

// What reports call the entries that write: index[3] in NumPy's indexing, else indices[3].
std::string_view entries_name(const Operation& operation);

// Command lines that can be tried.
std::vector<std::string> examples_of(const Operation& operation);

}  // namespace tscatter
