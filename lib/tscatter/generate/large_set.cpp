#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tscatter/generate/form_cases.hpp"

namespace tscatter::generate {
namespace {

// Data's dtype is small, so that files and memory are no larger than they must be.
DType large_dtype(const Operation& operation) {
  return takes_data_of(operation, DType::uint8) ? DType::uint8 : DType::int8;
}

// The narrowest of these that the operation takes for all of the values: where a place overflows
// that is computed in it.
DType narrow_index_dtype(const Operation& operation, const std::vector<std::int64_t>& values) {
  const bool takes_int32 = takes_indices_of(operation, DType::int32);
  return takes_int32 ? holding(DType::int32, values) : DType::int64;
}

// No two neighbours are the same, and none is 0 as data is.
GeneratedTensor counted(DType dtype, Shape shape) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 1 + static_cast<std::int64_t>(i % 101);
  return integers(dtype, std::move(shape), values);
}

// Of the operation, those that make something else of 0 and a positive number.
std::vector<Reduction> large_reductions(const Operation& operation) {
  constexpr std::array changing{Reduction::none, Reduction::sum,    Reduction::sub,
                                Reduction::max,  Reduction::bit_or, Reduction::bit_xor};
  std::vector<Reduction> reductions = operation.reductions();
  if (reductions.empty()) reductions = {Reduction::none};
  std::erase_if(reductions,
                [&](Reduction each) { return std::ranges::count(changing, each) == 0; });
  return reductions;
}

void put(GeneratedCase& made, const LargeOperand& given) {
  const Operation& operation = *made.operation;
  if (operation.find_attribute(given.name) != nullptr) {
    made.attributes.insert_or_assign(std::string(given.name), given.values.front());
    return;
  }
  const bool is_item = is_operand_of_item(given.name);
  if (!is_item && operation.find_operand(given.name) == nullptr) return;  // is given by the name
  if (is_item) {
    const std::string name(given.name);
    made.index.push_back({OperandItem{name}, name});
  }
  const DType dtype = given.name == "indices" || is_item
                          ? narrow_index_dtype(operation, given.values)
                          : DType::int64;
  made.operands.push_back({std::string(given.name), integers(dtype, given.shape, given.values)});
}

// Indices that are broadcast off the axis are one column there, and so are updates.
void keep_first_column(LargeCall& call) {
  const std::int64_t columns = call.updates.back();
  for (LargeOperand& each : call.others) {
    if (each.name != "indices") continue;
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < each.values.size(); i += static_cast<std::size_t>(columns))
      values.push_back(each.values[i]);
    each.values = std::move(values);
    each.shape.back() = 1;
  }
  call.updates.back() = 1;
}

bool is_along_axis_0(const LargeCall& call) {
  return std::ranges::any_of(call.others, [](const LargeOperand& each) {
    return each.name == "axis" && each.values.front() == 0;
  });
}

// An index, in the place of a slice one long, has no axis in updates.
Shape updates_of_call(const Operation& operation, const LargeCall& call) {
  const bool selects =
      operation.form == Form::section && operation.find_operand("indices") != nullptr;
  if (operation.updates_shape == UpdatesShape::fill) return {};
  return selects ? Shape{call.updates.back()} : call.updates;
}

// As a file without bytes, or as its shape.
void put_data(GeneratedCase& made, DType dtype, const Shape& shape) {
  if (is_made(made.operation->base))
    return put(made, {.name = "shape", .shape = {std::ssize(shape)}, .values = shape});
  TensorHeader header{.type = ElementType::of(dtype, std::endian::little)};
  header.shape = shape;
  made.operands.push_back({"data", {.header = std::move(header), .bytes = {}}});
}

GeneratedCase case_of(const Operation& operation, LargeCall call, std::size_t number) {
  if (operation.broadcasts_indices && is_along_axis_0(call)) keep_first_column(call);
  const DType dtype = large_dtype(operation);
  GeneratedCase made{.name = fmt::format("{}-large-{}", operation.id, call.words),
                     .operation = &operation,
                     .operands = {},
                     .attributes = {},
                     .expected_error = {},
                     .has_sparse_result = true};
  for (const AttributeInfo& each : operation.attributes)
    made.attributes.emplace(each.name, each.default_value);
  if (operation.reductions().size() > 1) {
    const std::vector<Reduction> reductions = large_reductions(operation);
    const Reduction reduction = reductions[number % reductions.size()];
    put_reduction(made.attributes, reduction);
    made.name += fmt::format("-{}", operation.word_of(reduction));
  }
  put_data(made, dtype, call.data);
  for (const LargeOperand& each : call.others) put(made, each);
  made.operands.push_back({"updates", counted(dtype, updates_of_call(operation, call))});
  return made;
}

// Data, given or made, has elements of one byte.
bool begins_with_zeros(const GeneratedCase& made) {
  const Arguments arguments = prepared(*made.operation, arguments_of(made));
  std::array<std::byte, 1> first{};
  arguments.operand("data").source().read(0, first);
  return first.front() == std::byte{0};
}

}  // namespace

std::vector<GeneratedCase> large_set(const Operation& operation) {
  std::vector<GeneratedCase> cases;
  // Counts are int64: a result would be eight times as long.
  if (large_reductions(operation).empty() || operation.base == BaseFrom::counts) return cases;
  for (const LargeCall& call : cases_of(operation.form).large())
    cases.push_back(case_of(operation, call, cases.size()));
  std::erase_if(cases, [](const GeneratedCase& each) { return !begins_with_zeros(each); });
  return cases;
}

}  // namespace tscatter::generate
