#include <fmt/format.h>

#include "tscatter/generate/form_cases.hpp"
#include "tscatter/generate/legal_parts.hpp"
#include "tscatter/generate/slices.hpp"

namespace tscatter::generate {

// ---- slice

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

}  // namespace tscatter::generate
