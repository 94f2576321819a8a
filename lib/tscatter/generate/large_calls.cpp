#include "tscatter/generate/large_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "tscatter/generate/legal_parts.hpp"

namespace tscatter::generate {
namespace {

constexpr std::int64_t int32_end = std::int64_t{1} << 31U;
constexpr std::int64_t uint32_end = std::int64_t{1} << 32U;

// 2^31 is in row 65534, 2^32 in row 65533 of these.
const Shape beyond_int32{65537, 32769};
const Shape beyond_uint32{65537, 65539};
// Three rows; the last ends beyond 2^31.
constexpr std::int64_t long_row = 715827884;
const Shape long_rows{3, long_row};

// Coordinates of the first element, the last one, and those around 2^31 or 2^32.
LargeOperand places_in(const Shape& data, std::int64_t around) {
  const std::int64_t last = element_count(data) - 1;
  const std::vector<std::int64_t> places{0, around - 1, around, around + 1, last};
  LargeOperand indices{
      .name = "indices",
      .shape = {static_cast<std::int64_t>(places.size()), static_cast<std::int64_t>(data.size())},
      .values = {}};
  for (const std::int64_t place : places) {
    const Position at = position_of(data, place);
    indices.values.insert(indices.values.end(), at.begin(), at.end());
  }
  return indices;
}

LargeOperand axis(std::int64_t number) { return {.name = "axis", .shape = {}, .values = {number}}; }

// Rows of a matrix, by an index for each.
LargeCall rows_of(std::string_view words, const Shape& data, std::vector<std::int64_t> rows,
                  bool has_depth) {
  const auto count = static_cast<std::int64_t>(rows.size());
  return {.words = words,
          .data = data,
          .updates = {count, data.back()},
          .others = {{.name = "indices",
                      .shape = has_depth ? Shape{count, 1} : Shape{count},
                      .values = std::move(rows)}}};
}

// Indices of that shape along one axis: no two on a line of the axis are the same.
LargeCall elements_of(std::string_view words, const Shape& data, const Shape& shape,
                      std::int64_t along, const std::vector<std::int64_t>& positions) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < element_count(shape); ++i) {
    const Position at = position_of(shape, i);
    const auto place = static_cast<std::size_t>(at[0] + at[1]) % positions.size();
    values.push_back(positions[place]);
  }
  return {
      .words = words,
      .data = data,
      .updates = shape,
      .others = {{.name = "indices", .shape = shape, .values = std::move(values)}, axis(along)}};
}

LargeCall with_axis(LargeCall call, std::int64_t number) {
  call.others.push_back(axis(number));
  return call;
}

LargeCall starts_of(std::string_view words, const Shape& data, std::vector<std::int64_t> starts) {
  Shape updates = data;
  updates[1] = 3;
  return {.words = words,
          .data = data,
          .updates = updates,
          .others = {{.name = "indices", .shape = {data.front()}, .values = std::move(starts)},
                     axis(1)}};
}

// Two windows of 2 rows and 3 columns.
LargeCall windows_of(std::string_view words, const Shape& data, std::vector<std::int64_t> starts) {
  return {.words = words,
          .data = data,
          .updates = {2, 2, 3},
          .others = {{.name = "indices", .shape = {2, 2}, .values = std::move(starts)},
                     {.name = "update_window_dims", .shape = {2}, .values = {1, 2}},
                     {.name = "inserted_window_dims", .shape = {0}, .values = {}},
                     {.name = "input_batching_dims", .shape = {0}, .values = {}},
                     {.name = "scatter_indices_batching_dims", .shape = {0}, .values = {}},
                     {.name = "scatter_dims_to_operand_dims", .shape = {2}, .values = {0, 1}},
                     {.name = "index_vector_dim", .shape = {}, .values = {1}}}};
}

// From `start` to the end of each axis, by steps.
LargeCall slice_of(std::string_view words, const Shape& data, std::vector<std::int64_t> start,
                   std::vector<std::int64_t> step) {
  Shape updates;
  for (std::size_t i = 0; i < data.size(); ++i)
    updates.push_back((data[i] - start[i] + step[i] - 1) / step[i]);
  return {.words = words,
          .data = data,
          .updates = std::move(updates),
          .others = {{.name = "start", .shape = {2}, .values = std::move(start)},
                     {.name = "stop", .shape = {2}, .values = data},
                     {.name = "step", .shape = {2}, .values = std::move(step)}}};
}

Shape as_batch(const Shape& matrix) { return {1, matrix[0], matrix[1]}; }

// Rows of one batch.
LargeCall batch_of(std::string_view words, const Shape& data, std::vector<std::int64_t> rows) {
  const auto count = static_cast<std::int64_t>(rows.size());
  return {.words = words,
          .data = as_batch(data),
          .updates = {1, count, data.back()},
          .others = {{.name = "indices", .shape = {1, count}, .values = std::move(rows)}}};
}

}  // namespace

std::vector<LargeCall> large_rows() {
  LargeCall columns{.words = "axis-1-beyond-2-31",
                    .data = long_rows,
                    .updates = {3, 2},
                    .others = {{.name = "indices", .shape = {2}, .values = {0, long_row - 1}}}};
  return {with_axis(rows_of("axis-0-beyond-2-31", beyond_int32, {0, 65534, 65536}, false), 0),
          with_axis(std::move(columns), 1),
          with_axis(rows_of("axis-0-beyond-2-32", beyond_uint32, {65533, 65536}, false), 0)};
}

std::vector<LargeCall> large_nd() {
  return {{.words = "elements-beyond-2-31",
           .data = beyond_int32,
           .updates = {5},
           .others = {places_in(beyond_int32, int32_end)}},
          {.words = "one-axis-beyond-2-31",
           .data = {3 * long_row},
           .updates = {5},
           .others = {places_in({3 * long_row}, int32_end)}},
          rows_of("rows-beyond-2-31", beyond_int32, {0, 65534, 65536}, true),
          {.words = "elements-beyond-2-32",
           .data = beyond_uint32,
           .updates = {5},
           .others = {places_in(beyond_uint32, uint32_end)}}};
}

std::vector<LargeCall> large_elements() {
  return {elements_of("axis-0-beyond-2-31", beyond_int32, {4, 4}, 0, {0, 65534, 65536, 65535}),
          elements_of("axis-1-beyond-2-31", long_rows, {3, 2}, 1, {long_row - 1, 0}),
          elements_of("axis-0-beyond-2-32", beyond_uint32, {3, 12}, 0, {65533, 65536, 0})};
}

std::vector<LargeCall> large_windows() {
  return {windows_of("beyond-2-31", beyond_int32, {65533, 0, 65535, 32766}),
          windows_of("along-axis-1-beyond-2-31", long_rows, {1, long_row - 3, 0, 0}),
          windows_of("beyond-2-32", beyond_uint32, {65532, 7, 65535, 65536})};
}

std::vector<LargeCall> large_starts() {
  return {starts_of("rows-beyond-2-31", as_batch(beyond_int32), {65533}),
          starts_of("batches-beyond-2-31", {3, long_row, 1}, {0, 715827880, 715827881}),
          starts_of("rows-beyond-2-32", as_batch(beyond_uint32), {65532})};
}

std::vector<LargeCall> large_slices() {
  return {slice_of("beyond-2-31", beyond_int32, {65533, 32765}, {1, 1}),
          slice_of("steps-beyond-2-31", beyond_int32, {1, 2}, {65533, 16383}),
          slice_of("beyond-2-32", beyond_uint32, {65530, 5}, {3, 21844})};
}

std::vector<LargeCall> large_batched_rows() {
  LargeCall batches{.words = "batches-beyond-2-31",
                    .data = {3, long_row, 1},
                    .updates = {3, 2, 1},
                    .others = {{.name = "indices",
                                .shape = {3, 2},
                                .values = {0, long_row - 1, long_row - 2, 1, long_row - 1, 2}}}};
  return {batch_of("rows-beyond-2-31", beyond_int32, {0, 65534, 65536}), std::move(batches),
          batch_of("rows-beyond-2-32", beyond_uint32, {65533, 65536})};
}

// As rows, and as places of a matrix: the items of the index are in the order of their operands.
std::vector<LargeCall> large_index() {
  const auto item = [](std::string_view name, std::vector<std::int64_t> values) {
    const Shape shape{std::ssize(values)};
    return LargeOperand{.name = name, .shape = shape, .values = std::move(values)};
  };
  const auto rows = [&](std::string_view words, const Shape& data, std::int64_t row) {
    return LargeCall{.words = words,
                     .data = data,
                     .updates = {3, data.back()},
                     .others = {item("index0", {0, row, data.front() - 1})}};
  };
  const auto places = [&](std::string_view words, const Shape& data, std::int64_t around) {
    const LargeOperand pairs = places_in(data, around);
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> last;
    for (std::size_t i = 0; i < pairs.values.size(); i += 2) {
      first.push_back(pairs.values[i]);
      last.push_back(pairs.values[i + 1]);
    }
    return LargeCall{.words = words,
                     .data = data,
                     .updates = {std::ssize(first)},
                     .others = {item("index0", first), item("index1", last)}};
  };
  return {rows("rows-beyond-int32", beyond_int32, 65534),
          places("places-beyond-int32", beyond_int32, int32_end),
          rows("rows-beyond-uint32", beyond_uint32, 65533),
          places("places-beyond-uint32", beyond_uint32, uint32_end)};
}

std::vector<LargeCall> large_flat() {
  const auto flat = [](std::string_view words, const Shape& data, std::int64_t around) {
    const std::vector<std::int64_t> places{0, around - 1, around, element_count(data) - 1};
    return LargeCall{
        .words = words,
        .data = data,
        .updates = {std::ssize(places)},
        .others = {{.name = "indices", .shape = {std::ssize(places)}, .values = places}}};
  };
  return {flat("beyond-2-31", beyond_int32, int32_end),
          flat("beyond-2-32", beyond_uint32, uint32_end)};
}

std::vector<LargeCall> large_masks() { return {}; }

// The last row, as a slice or by its index.
std::vector<LargeCall> large_sections() {
  const auto row = [](std::string_view words, const Shape& data) {
    const std::int64_t last = data.front() - 1;
    return LargeCall{.words = words,
                     .data = data,
                     .updates = {1, data.back()},
                     .others = {{.name = "start", .shape = {}, .values = {last}},
                                {.name = "indices", .shape = {}, .values = {last}},
                                axis(0)}};
  };
  return {row("beyond-2-31", beyond_int32), row("beyond-2-32", beyond_uint32)};
}

// Below the main diagonal: four places in the last rows.
std::vector<LargeCall> large_diagonals() {
  const auto last = [](std::string_view words, const Shape& data) {
    return LargeCall{.words = words,
                     .data = data,
                     .updates = {4},
                     .others = {{.name = "offset", .shape = {}, .values = {4 - data.front()}}}};
  };
  return {last("beyond-2-31", beyond_int32), last("beyond-2-32", beyond_uint32)};
}

// Also from starts past the end, which are moved inside.
std::vector<LargeCall> large_blocks() {
  const auto block = [](std::string_view words, const Shape& data, std::vector<std::int64_t> start,
                        Shape updates) {
    return LargeCall{.words = words,
                     .data = data,
                     .updates = std::move(updates),
                     .others = {{.name = "indices", .shape = {2}, .values = std::move(start)}}};
  };
  return {block("beyond-2-31", beyond_int32, {65533, 32760}, {2, 3}),
          block("past-the-end-beyond-2-31", long_rows, {7, long_row + 9}, {1, 4}),
          block("beyond-2-32", beyond_uint32, {65534, 65530}, {3, 4})};
}

// Some calls say how many rows there are, others have as many as the last index asks for.
std::vector<LargeCall> large_segments() {
  const auto segments = [](std::string_view words, const Shape& data, std::int64_t row) {
    LargeCall call = rows_of(words, data, {0, row, data.front() - 1}, false);
    call.others.push_back({.name = "num_segments", .shape = {}, .values = {data.front()}});
    return call;
  };
  return {segments("rows-beyond-2-31", beyond_int32, 65534),
          segments("rows-beyond-2-32", beyond_uint32, 65533)};
}

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
