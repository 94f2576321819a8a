#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "tscatter/generate/form_cases.hpp"
#include "tscatter/generate/legal_parts.hpp"

namespace tscatter::generate {

// ---- start

namespace {

enum class Starts : std::uint8_t { drawn, at_the_end, left_out };

constexpr std::array<std::string_view, 3> starts_words{"", "at-the-end", "no-indices"};

// One for each batch: below `legal`, or where any is legal in [-size, 2 * size).
std::vector<std::int64_t> starts_of(const Setting& setting, Starts kind, std::int64_t batches,
                                    std::int64_t legal, std::int64_t size) {
  const bool is_any_legal = policies_of(setting).outside != OutsideIndex::error;
  const std::int64_t width = is_any_legal && size > 0 ? 3 * size : legal;
  std::vector<std::int64_t> starts;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const std::uint64_t word =
        setting.draws.word(Stream::places, static_cast<std::uint64_t>(batch));
    const auto drawn = static_cast<std::int64_t>(word % static_cast<std::uint64_t>(width));
    const std::int64_t start = is_any_legal ? drawn - size : drawn;
    starts.push_back(kind == Starts::at_the_end ? legal - 1 : start);
  }
  return starts;
}

}  // namespace

GeneratedCase start_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  const std::size_t rank = std::max<std::size_t>(frame.rank, 2);
  const std::size_t axis = 1 + frame.axes % (rank - 1);
  const auto [data, style_word] = draw_data_shape(setting, rank);
  Shape shape = data;
  shape[axis] = steps_of(setting, data[axis]);
  const auto kind = static_cast<Starts>(setting.draws.turn(Stream::arrangement, 3));
  const bool negative = is_negative(setting);
  const auto given_axis =
      static_cast<std::int64_t>(axis) - (negative ? static_cast<std::int64_t>(rank) : 0);
  GeneratedCase made;
  made.attributes.emplace("axis", given_axis);
  made.name = joined({std::string(starts_words[static_cast<std::size_t>(kind)]), set_word(setting),
                      fmt::format("rank-{}-axis-{}", rank, axis), negative ? "negative-axis" : "",
                      std::string(style_word), shape == data ? "of-data-shape" : ""});
  made.operands.push_back({"data", data_values(setting, data, 1)});
  if (kind != Starts::left_out) {
    const std::vector<std::int64_t> starts =
        starts_of(setting, kind, data.front(), data[axis] - shape[axis] + 1, data[axis]);
    made.operands.push_back(
        {"indices", integers(holding(draw_index_dtype(setting), starts), {data.front()}, starts)});
  }
  made.operands.push_back({"updates", update_values(setting, shape, 1)});
  return made;
}

// ---- window

namespace {

// Whether a call says which axis of indices has the numbers of an entry.
bool asks_for_vector(const Setting& setting) {
  return setting.operation->find_operand("index_vector_dim") != nullptr;
}

void put_window_dims(const Setting& setting, GeneratedCase& made,
                     const std::vector<std::int64_t>& window_dims, std::int64_t moved,
                     std::int64_t vector_dim) {
  const auto put = [&](const char* name, const std::vector<std::int64_t>& dims) {
    made.operands.push_back(
        {name, integers(DType::int64, {static_cast<std::int64_t>(dims.size())}, dims)});
  };
  put("update_window_dims", window_dims);
  put("inserted_window_dims", {});
  put("input_batching_dims", {});
  put("scatter_indices_batching_dims", {});
  put("scatter_dims_to_operand_dims", {moved});
  if (asks_for_vector(setting)) put("index_vector_dim", {vector_dim});
}

}  // namespace

// Windows that are moved along one axis, and as long as data along the others.
GeneratedCase window_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  const std::size_t axis = frame.axes % frame.rank;
  const auto [data, style_word] = draw_data_shape(setting, frame.rank);
  const bool may_meet = setting.operation->policies.duplicates == DuplicatePolicy::ordered;
  Shape window = data;
  window[axis] = may_meet ? steps_of(setting, data[axis]) : std::min<std::int64_t>(data[axis], 1);
  const Pattern pattern = draw_pattern(setting.draws, setting.duplicates);
  const Shape starts{data[axis] - window[axis] + 1};
  Entries entries = entries_for(setting, pattern, starts, element_count(window));
  const std::string outside = let_be_outside(setting, pattern, entries, starts);
  const bool is_vector =
      !asks_for_vector(setting) || setting.draws.turn(Stream::scalar_form, 2) == 0;
  GeneratedTensor indices =
      index_tensor(setting, together(entries.shape, Shape(is_vector ? 1 : 0, 1)), entries);
  GeneratedCase made;
  made.name = joined({duplicates_word(entries, pattern), arrangement_word(entries, pattern),
                      set_word(setting), fmt::format("rank-{}-axis-{}", frame.rank, axis),
                      is_vector ? "" : "index-vector-left-out", std::string(style_word), outside,
                      grid_word(entries), index_word(indices)});
  const auto rank_of_entries = static_cast<std::int64_t>(entries.shape.size());
  std::vector<std::int64_t> window_dims(frame.rank);
  std::iota(window_dims.begin(), window_dims.end(), rank_of_entries);
  made.operands.push_back({"data", data_values(setting, data, entries.count)});
  made.operands.push_back({"indices", std::move(indices)});
  made.operands.push_back(
      {"updates", update_values(setting, together(entries.shape, window), entries.count)});
  put_window_dims(setting, made, window_dims, static_cast<std::int64_t>(axis), rank_of_entries);
  return made;
}

}  // namespace tscatter::generate
