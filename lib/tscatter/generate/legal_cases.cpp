#include "tscatter/generate/legal_cases.hpp"

#include <fmt/format.h>

#include <utility>

#include "tscatter/core/unreachable.hpp"
#include "tscatter/generate/legal_forms.hpp"
#include "tscatter/generate/legal_parts.hpp"
#include "tscatter/generate/slices.hpp"

namespace tscatter::generate {
namespace {

Shape nd_updates_shape(const Setting& setting, const Shape& entries, const Shape& block) {
  Shape shape = together(entries, block);
  const bool takes_one_element = setting.operation->updates_shape == UpdatesShape::one_element;
  if (shape.empty() && takes_one_element)
    shape.assign(setting.draws.turn(Stream::scalar_form, 3), 1);
  return shape;
}

GeneratedCase nd_case(const Setting& setting) {
  const auto [rank, depth] = draw_frame(setting);
  const auto [data, style_word] = draw_data_shape(setting, rank);
  const Shape sizes = part(data, 0, depth);
  const Shape block = part(data, depth, rank);
  const Pattern pattern = draw_pattern(setting.draws, setting.duplicates);
  Entries entries = entries_for(setting, pattern, sizes, element_count(block));
  const std::string counted = let_count_otherwise(setting, pattern, entries, sizes);
  const Shape depth_axis{static_cast<std::int64_t>(depth)};
  GeneratedTensor indices = index_tensor(setting, together(entries.shape, depth_axis), entries);
  GeneratedCase made;
  made.name = joined({duplicates_word(entries, pattern), arrangement_word(entries, pattern),
                      counted, set_word(setting), fmt::format("rank-{}-depth-{}", rank, depth),
                      std::string(style_word), grid_word(entries), index_word(indices)});
  made.operands.push_back({"data", data_values(setting, data, entries.count)});
  made.operands.push_back({"indices", std::move(indices)});
  made.operands.push_back(
      {"updates",
       update_values(setting, nd_updates_shape(setting, entries.shape, block), entries.count)});
  return made;
}

GeneratedCase rows_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  const std::size_t rank = frame.rank;
  const std::size_t axis = frame.axes % rank;
  const auto [data, style_word] = draw_data_shape(setting, rank);
  const Shape before = part(data, 0, axis);
  const Shape behind = part(data, axis + 1, rank);
  const Pattern pattern = draw_pattern(setting.draws, setting.duplicates);
  Entries entries =
      entries_for(setting, pattern, {data[axis]}, element_count(before) * element_count(behind));
  const std::string counted = let_count_otherwise(setting, pattern, entries, {data[axis]});
  const bool negative = is_negative(setting);
  const auto given_axis =
      static_cast<std::int64_t>(axis) - (negative ? static_cast<std::int64_t>(rank) : 0);
  GeneratedTensor indices = index_tensor(setting, entries.shape, entries);
  GeneratedTensor axis_operand = axis_tensor(setting, given_axis);
  GeneratedCase made;
  made.name = joined({duplicates_word(entries, pattern), arrangement_word(entries, pattern),
                      counted, set_word(setting), fmt::format("rank-{}-axis-{}", rank, axis),
                      negative ? "negative-axis" : "",
                      axis_operand.header.rank() == 0 ? "" : "axis-as-list",
                      std::string(style_word), grid_word(entries), index_word(indices)});
  made.operands.push_back({"data", data_values(setting, data, entries.count)});
  made.operands.push_back({"indices", std::move(indices)});
  made.operands.push_back(
      {"updates",
       update_values(setting, together(together(before, entries.shape), behind), entries.count)});
  made.operands.push_back({"axis", std::move(axis_operand)});
  return made;
}

GeneratedCase slice_case(const Setting& setting) {
  const auto [rank, count] = draw_frame(setting);
  const auto [data, style_word] = draw_data_shape(setting, rank);
  const bool has_axes = setting.draws.turn(Stream::axes_presence, 3) != 0;
  const std::vector<std::size_t> axes = draw_axes(setting.draws, rank, count, has_axes);
  const Slices slices = draw_slices(setting.draws, data, axes);
  const bool negative = has_axes && count > 0 && is_negative(setting);
  GeneratedCase made;
  made.name = joined({slices.words, set_word(setting), fmt::format("rank-{}-axes-{}", rank, count),
                      has_axes ? "" : "first-axes", negative ? "negative-axes" : "",
                      std::string(style_word)});
  made.operands.push_back({"data", data_values(setting, data, 1)});
  made.operands.push_back({"updates", update_values(setting, slices.shape, 1)});
  const Shape length{static_cast<std::int64_t>(count)};
  const auto add = [&](const char* name, std::size_t further,
                       const std::vector<std::int64_t>& values) {
    const DType dtype = holding(draw_integer_dtype(setting.draws, further), values);
    made.operands.push_back({name, integers(dtype, length, values)});
  };
  add("start", 0, slices.start);
  add("stop", 1, slices.stop);
  add("step", 2, slices.step);
  if (has_axes) add("axes", 3, given_axes(axes, rank, negative ? Sign::negative : Sign::positive));
  return made;
}

GeneratedCase case_of_form(const Setting& setting) {
  switch (setting.operation->form) {
    case Form::rows: return rows_case(setting);
    case Form::nd: return nd_case(setting);
    case Form::elements: return elements_case(setting);
    case Form::window: return window_case(setting);
    case Form::start: return start_case(setting);
    case Form::slice: return slice_case(setting);
    case Form::batched_rows: return batched_rows_case(setting);
  }
  unreachable();
}

}  // namespace

GeneratedCase legal_case(const Setting& setting) {
  GeneratedCase made = case_of_form(setting);
  made.operation = setting.operation;
  return made;
}

}  // namespace tscatter::generate
