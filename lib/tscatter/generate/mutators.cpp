// The mutators of broken cases: each changes one thing in one tensor, or in several alike.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "tscatter/generate/broken_cases.hpp"

namespace tscatter::generate {
namespace {

constexpr std::int64_t largest_integer = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest_integer = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t words_of_a_change = 16;

// The choices of one change, one after another.
class Choices {
 public:
  Choices(const Draws& draws, std::uint64_t number)
      : draws_{draws}, next_{number * words_of_a_change} {}

  // REQUIRES: n > 0.
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(draws_.word(Stream::variant, next_++) % n);
  }
  template <class T>
  T among(std::span<const T> some) {
    return some[below(some.size())];
  }

 private:
  const Draws& draws_;
  std::uint64_t next_;
};

// ---- Tensors

bool is_operand(const GeneratedCase& call, const GeneratedTensor& tensor, std::string_view name) {
  const auto found = std::ranges::find(call.operands, name, &NamedTensor::operand);
  return found != call.operands.end() && &found->tensor == &tensor;
}

// Whether it has numbers that name places or axes.
bool has_numbers(const GeneratedCase& call, const GeneratedTensor& tensor) {
  const bool has_values = is_operand(call, tensor, "data") || is_operand(call, tensor, "updates");
  return !has_values && is_integer(tensor.header.type.dtype) && tensor.header.count() > 0;
}

// An element of 64 bits as its pattern says.
std::vector<std::int64_t> integers_of(const GeneratedTensor& tensor) {
  const std::size_t size = tensor.header.type.size;
  const bool is_signed = info(tensor.header.type.dtype).kind == DTypeKind::signed_integer;
  std::vector<std::int64_t> values;
  for (std::size_t at = 0; at < tensor.bytes.size(); at += size) {
    const bool is_negative = is_signed && (tensor.bytes[at + size - 1] >> 7U) != std::byte{0};
    std::uint64_t value = is_negative ? ~std::uint64_t{0} : 0;
    for (std::size_t byte = size; byte-- > 0;)
      value = (value << 8U) | std::to_integer<std::uint64_t>(tensor.bytes[at + byte]);
    values.push_back(static_cast<std::int64_t>(value));
  }
  return values;
}

// In the tensor's own dtype, if that can hold them.
void put_integers(GeneratedTensor& tensor, const std::vector<std::int64_t>& values) {
  tensor = integers(holding(tensor.header.type.dtype, values), tensor.header.shape, values);
}

// The elements are repeated, or cut, as the new shape has more or fewer.
void reshape(GeneratedTensor& tensor, Shape shape) {
  tensor.header.shape = std::move(shape);
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.header.byte_size()));
  for (std::size_t i = 0; i < bytes.size() && !tensor.bytes.empty(); ++i)
    bytes[i] = tensor.bytes[i % tensor.bytes.size()];
  tensor.bytes = std::move(bytes);
}

// Integers keep their values; all else becomes zero.
void retype(GeneratedTensor& tensor, const ElementType& type) {
  if (is_integer(type.dtype) && is_integer(tensor.header.type.dtype)) {
    tensor.header.type.dtype = type.dtype;
    return put_integers(tensor, integers_of(tensor));
  }
  tensor.header.type = type;
  tensor.bytes.assign(static_cast<std::size_t>(tensor.header.byte_size()), std::byte{0});
}

// ---- Mutators

// Returns what was done, in words; "" if there was nothing to do.
using Mutator = std::string (*)(GeneratedCase& call, GeneratedTensor& tensor, Choices& choices);

std::string add_axis(GeneratedCase&, GeneratedTensor& tensor, Choices& choices) {
  Shape shape = tensor.header.shape;
  shape.insert(choices.below(2) == 0 ? shape.begin() : shape.end(), 1);
  reshape(tensor, shape);
  return "axis-more";
}

std::string drop_axis(GeneratedCase&, GeneratedTensor& tensor, Choices& choices) {
  Shape shape = tensor.header.shape;
  if (shape.empty()) return "";
  shape.erase(choices.below(2) == 0 ? shape.begin() : shape.end() - 1);
  reshape(tensor, shape);
  return "axis-less";
}

std::string drop_all_axes(GeneratedCase&, GeneratedTensor& tensor, Choices&) {
  if (tensor.header.shape.empty()) return "";
  reshape(tensor, {});
  return "rank-0";
}

// The axis that the choice names, of tensors of one rank the same.
template <class Change>
std::string resize(GeneratedTensor& tensor, Choices& choices, const char* words, Change change) {
  Shape shape = tensor.header.shape;
  if (shape.empty()) return "";
  std::int64_t& size = shape[choices.below(64) % shape.size()];
  const std::int64_t changed = change(size);
  if (changed == size || changed < 0) return "";
  size = changed;
  reshape(tensor, shape);
  return words;
}

std::string lengthen(GeneratedCase&, GeneratedTensor& tensor, Choices& choices) {
  return resize(tensor, choices, "longer", [](std::int64_t size) { return size + 1; });
}

std::string shorten(GeneratedCase&, GeneratedTensor& tensor, Choices& choices) {
  return resize(tensor, choices, "shorter", [](std::int64_t size) { return size - 1; });
}

// What broadcasting would take.
std::string make_one(GeneratedCase&, GeneratedTensor& tensor, Choices& choices) {
  return resize(tensor, choices, "size-1", [](std::int64_t) { return std::int64_t{1}; });
}

// Any dtype of the table; strings have the opaque one. With data's dtype the reduction is
// drawn anew: it may be one that the dtype does not have.
std::string change_dtype(GeneratedCase& call, GeneratedTensor& tensor, Choices& choices) {
  const DTypeInfo& drawn = dtype_table[choices.below(dtype_table.size())];
  const std::vector<Reduction> reductions = call.operation->reductions();
  // A job that reads its data as bfloat16 reads these as bfloat16, too.
  const GeneratedTensor* values = call.values();
  const bool is_bfloat16 = drawn.dtype == DType::uint16 && values != nullptr &&
                           values->header.type.dtype == DType::bfloat16;
  if (drawn.dtype == tensor.header.type.dtype || is_bfloat16) return "";
  const ElementType strings{.dtype = DType::opaque, .size = 3, .descr = "'|S3'"};
  retype(tensor, drawn.dtype == DType::opaque ? strings
                                              : ElementType::of(drawn.dtype, std::endian::little));
  if (is_operand(call, tensor, "data") && reductions.size() > 1)
    put_reduction(call.attributes, reductions[choices.below(reductions.size())]);
  return std::string(drawn.dtype == DType::opaque ? "strings" : drawn.name);
}

struct OutsideNumber {
  std::string_view words;
  std::int64_t value;
};

// What indices of data count along, or how many axes other numbers name.
std::int64_t bound_of(const GeneratedCase& call, const GeneratedTensor& tensor, Choices& choices) {
  const GeneratedTensor* values = call.values();
  const Shape data = values == nullptr ? Shape{} : values->header.shape;
  if (is_operand(call, tensor, "indices") && !data.empty()) return data[choices.below(data.size())];
  return call.operands[choices.below(call.operands.size())].tensor.header.rank();
}

// A number at or beyond an end of the range.
std::string put_outside(GeneratedCase& call, GeneratedTensor& tensor, Choices& choices) {
  if (!has_numbers(call, tensor)) return "";
  const std::int64_t bound = bound_of(call, tensor, choices);
  const std::array numbers{OutsideNumber{"last", bound - 1},
                           OutsideNumber{"above", bound},
                           OutsideNumber{"above", bound},
                           OutsideNumber{"below", -bound - 1},
                           OutsideNumber{"minus-1", -1},
                           OutsideNumber{"int64-max", largest_integer},
                           OutsideNumber{"int64-min", smallest_integer}};
  const OutsideNumber& number = numbers[choices.below(numbers.size())];
  std::vector<std::int64_t> values = integers_of(tensor);
  values[choices.below(values.size())] = number.value;
  put_integers(tensor, values);
  return std::string(number.words);
}

std::string put_largest_uint64(GeneratedCase& call, GeneratedTensor& tensor, Choices& choices) {
  if (!has_numbers(call, tensor)) return "";
  std::vector<std::int64_t> values = integers_of(tensor);
  values[choices.below(values.size())] = -1;  // all bits
  tensor = integers(DType::uint64, tensor.header.shape, values);
  return "uint64-max";
}

// Steps of 0, entries that all name one place, the first axis.
std::string put_zeros(GeneratedCase& call, GeneratedTensor& tensor, Choices&) {
  if (!has_numbers(call, tensor)) return "";
  std::ranges::fill(tensor.bytes, std::byte{0});
  return "zero";
}

// A number in the place of another one; one in four counts axes from the end.
std::string repeat(GeneratedCase& call, GeneratedTensor& tensor, Choices& choices) {
  if (!has_numbers(call, tensor) || tensor.header.count() < 2) return "";
  std::vector<std::int64_t> values = integers_of(tensor);
  const bool from_the_end = choices.below(4) == 0;
  const std::int64_t repeated = values[choices.below(values.size())];
  const bool has_rank = from_the_end && call.values() != nullptr;
  const std::uint64_t rank = has_rank ? call.values()->header.rank() : 0;
  // Wraps around, where a number is at int64's end.
  values[choices.below(values.size())] =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(repeated) - rank);
  put_integers(tensor, values);
  return from_the_end ? "twice-from-the-end" : "twice";
}

// A number of another operand.
std::string borrow(GeneratedCase& call, GeneratedTensor& tensor, Choices& choices) {
  const NamedTensor& other = call.operands[choices.below(call.operands.size())];
  if (!has_numbers(call, tensor) || !has_numbers(call, other.tensor) || &other.tensor == &tensor)
    return "";
  std::vector<std::int64_t> values = integers_of(tensor);
  const std::vector<std::int64_t> others = integers_of(other.tensor);
  values[choices.below(values.size())] = others[choices.below(others.size())];
  put_integers(tensor, values);
  return "from-" + other.operand;
}

constexpr std::array<Mutator, 13> mutators{
    add_axis,    drop_axis,   drop_all_axes, lengthen, shorten, make_one,           change_dtype,
    put_outside, put_outside, put_zeros,     repeat,   borrow,  put_largest_uint64,
};

// ---- What is changed

// Operands that are changed alike.
struct Group {
  std::string words;
  std::vector<std::size_t> operands;  // their places in the case
};

Group group_of(const GeneratedCase& call, std::string words,
               std::initializer_list<std::string_view> names) {
  Group group{.words = std::move(words), .operands = {}};
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (std::ranges::count(names, call.operands[i].operand) > 0) group.operands.push_back(i);
  }
  return group;
}

// Each operand alone; those whose sizes or dtypes go along; all lists of a slice.
std::vector<Group> groups_of(const GeneratedCase& call) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    groups.push_back({.words = call.operands[i].operand, .operands = {i}});
  groups.push_back(group_of(call, "data-and-updates", {"data", "updates"}));
  groups.push_back(group_of(call, "indices-and-updates", {"indices", "updates"}));
  groups.push_back(group_of(call, "slices", {"start", "stop", "step", "axes"}));
  std::erase_if(groups, [](const Group& each) { return each.operands.empty(); });
  return groups;
}

std::string change_all(GeneratedCase& call, const Group& group, Mutator mutator,
                       const Choices& choices) {
  std::string words;
  for (const std::size_t each : group.operands) {
    Choices same = choices;
    words = mutator(call, call.operands[each].tensor, same);
    if (words.empty()) return "";
  }
  return group.words + "-" + words;
}

// An attribute that is an integer is changed as an operand would be.
void add_integer_attributes(GeneratedCase& call) {
  for (const AttributeInfo& each : call.operation->attributes) {
    const auto given = call.attributes.find(each.name);
    if (each.type() != AttributeType::integer || given == call.attributes.end()) continue;
    const std::int64_t value = std::get<std::int64_t>(given->second);
    call.operands.push_back({std::string(each.name), integers(DType::int64, {}, {value})});
  }
}

// Whether all are still one integer each.
bool take_integer_attributes(GeneratedCase& call) {
  for (const AttributeInfo& each : call.operation->attributes) {
    const auto given = std::ranges::find(call.operands, each.name, &NamedTensor::operand);
    if (given == call.operands.end()) continue;
    const GeneratedTensor tensor = std::move(given->tensor);
    call.operands.erase(given);
    const bool is_integer = tensor.header.type.dtype == DType::int64 && tensor.header.rank() == 0;
    if (!is_integer) return false;
    call.attributes.insert_or_assign(std::string(each.name), integers_of(tensor).front());
  }
  return true;
}

// Changes one item of an index, or adds one; "" where it cannot.
std::string change_item(GeneratedCase& call, Choices& choices) {
  const auto at =
      call.index.begin() + static_cast<std::ptrdiff_t>(choices.below(call.index.size()));
  switch (choices.below(4)) {
    case 0: call.index.insert(at, {SliceItem{}, ":"}); return "one-axis-more";
    case 1: call.index.insert(at, {EllipsisItem{}, "..."}); return "ellipsis";
    case 2:
      if (!std::holds_alternative<SliceItem>(at->what)) return "";
      *at = {SliceItem{.step = 0}, "::0"};
      return "step-0";
    default:
      if (!std::holds_alternative<IntegerItem>(at->what)) return "";
      *at = {IntegerItem{largest_integer}, std::to_string(largest_integer)};
      return "integer-outside";
  }
}

}  // namespace

std::optional<std::string> change(GeneratedCase& call, const Draws& draws, std::uint64_t number) {
  Choices choices(draws, number);
  if (!call.index.empty() && choices.below(3) == 0) {
    const std::string words = change_item(call, choices);
    return words.empty() ? std::nullopt : std::optional(words);
  }
  add_integer_attributes(call);
  const std::vector<Group> groups = groups_of(call);
  const Group& group = groups[choices.below(groups.size())];
  const Mutator mutator = choices.among(std::span<const Mutator>(mutators));
  std::string words = change_all(call, group, mutator, choices);
  if (!take_integer_attributes(call) || words.empty()) return std::nullopt;
  return words;
}

}  // namespace tscatter::generate
