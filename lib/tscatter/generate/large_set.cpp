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

// The reductions that change zeros take turns.
Reduction large_reduction(const Operation& operation, std::size_t number) {
  std::vector<Reduction> reductions;
  for (const Reduction each : operation.reductions()) {
    const bool changes_zeros = each == Reduction::none || each == Reduction::sum;
    if (changes_zeros) reductions.push_back(each);
  }
  return reductions.empty() ? Reduction::none : reductions[number % reductions.size()];
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

GeneratedCase case_of(const Operation& operation, LargeCall call, std::size_t number) {
  if (operation.broadcasts_indices && is_along_axis_0(call)) keep_first_column(call);
  const DType dtype = large_dtype(operation);
  GeneratedCase made{.name = fmt::format("{}-large-{}", operation.id, call.words),
                     .operation = &operation,
                     .operands = {},
                     .attributes = {},
                     .expected_error = {}};
  for (const AttributeInfo& each : operation.attributes)
    made.attributes.emplace(each.name, each.default_value);
  if (operation.reductions().size() > 1) {
    const Reduction reduction = large_reduction(operation, number);
    put_reduction(made.attributes, reduction);
    made.name += fmt::format("-{}", operation.word_of(reduction));
  }
  GeneratedTensor data{.header = {.type = ElementType::of(dtype, std::endian::little)},
                       .bytes = {}};
  data.header.shape = call.data;
  made.operands.push_back({"data", std::move(data)});
  for (const LargeOperand& each : call.others) put(made, each);
  const bool fills = operation.updates_shape == UpdatesShape::fill;
  made.operands.push_back({"updates", counted(dtype, fills ? Shape{} : call.updates)});
  return made;
}

}  // namespace

std::vector<GeneratedCase> large_set(const Operation& operation) {
  std::vector<GeneratedCase> cases;
  const std::vector<Reduction> reductions = operation.reductions();
  const bool changes_zeros = reductions.empty() ||
                             std::ranges::count(reductions, Reduction::none) > 0 ||
                             std::ranges::count(reductions, Reduction::sum) > 0;
  // The calls of sections are slices.
  const bool selects =
      operation.form == Form::section && operation.find_operand("indices") != nullptr;
  if (!changes_zeros || selects || is_made(operation.base)) return cases;
  for (const LargeCall& call : cases_of(operation.form).large())
    cases.push_back(case_of(operation, call, cases.size()));
  return cases;
}

}  // namespace tscatter::generate
