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

// ---- block

namespace {

enum class BlockStart : std::uint8_t { inside, at_the_end, anywhere };

constexpr std::array<std::string_view, 3> block_words{"", "at-the-end", "outside"};

// Along an axis of `size`; anywhere: in [-size, 2 * size).
std::int64_t block_start(const Setting& setting, BlockStart kind, std::int64_t length,
                         std::int64_t size, std::uint64_t axis) {
  const std::int64_t last = size - length;
  const bool has_sign = !setting.index_dtype || holds(*setting.index_dtype, -1);
  const bool is_anywhere = kind == BlockStart::anywhere && size > 0;
  const std::int64_t least = is_anywhere && has_sign ? -size : 0;
  const std::int64_t most = is_anywhere ? 2 * size - 1 : last;
  const std::uint64_t word = setting.draws.word(Stream::places, axis);
  const auto drawn =
      least + static_cast<std::int64_t>(word % static_cast<std::uint64_t>(most - least + 1));
  return kind == BlockStart::at_the_end ? last : drawn;
}

}  // namespace

GeneratedCase block_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  const auto [data, style_word] = draw_data_shape(setting, frame.rank);
  const auto kind = static_cast<BlockStart>(setting.draws.turn(Stream::arrangement, 3));
  Shape shape;
  std::vector<std::int64_t> starts;
  for (std::size_t axis = 0; axis < frame.rank; ++axis) {
    shape.push_back(steps_of(setting, data[axis], axis));
    starts.push_back(block_start(setting, kind, shape[axis], data[axis], axis));
  }
  GeneratedCase made;
  made.name = joined({std::string(block_words[static_cast<std::size_t>(kind)]), set_word(setting),
                      fmt::format("rank-{}", frame.rank), std::string(style_word),
                      shape == data ? "of-data-shape" : ""});
  made.operands.push_back({"data", data_values(setting, data, 1)});
  made.operands.push_back({"indices", integers(holding(draw_index_dtype(setting), starts),
                                               {static_cast<std::int64_t>(frame.rank)}, starts)});
  made.operands.push_back({"updates", update_values(setting, shape, 1)});
  return made;
}

// ---- window

namespace {

// Whether a call says which axis of indices has the numbers of an entry.
bool asks_for_vector(const Setting& setting) {
  return setting.operation->find_operand("index_vector_dim") != nullptr;
}

// Where the axes of a call lie, and whether data's axis of the windows is inserted.
struct WindowFrame {
  std::int64_t vector_dim = 0;
  std::vector<std::int64_t> window_dims;  // of updates
  std::vector<std::int64_t> inserted;     // of data
  Shape indices;
  Shape updates;
  std::string words;
};

// Windows behind the entries, before them, or between them, by the bits of a word.
std::vector<std::int64_t> draw_window_dims(std::uint64_t way, std::uint64_t bits,
                                           std::size_t entries, std::size_t windows) {
  if (way != 2) bits = way == 1 ? ~std::uint64_t{0} : 0;
  std::vector<std::int64_t> dims;
  for (std::size_t axis = 0; dims.size() < windows; ++axis, bits >>= 1U) {
    const std::size_t entries_left = entries - (axis - dims.size());
    if ((bits & 1U) != 0 || entries_left == 0) dims.push_back(static_cast<std::int64_t>(axis));
  }
  return dims;
}

Shape axes_of_updates(const std::vector<std::int64_t>& window_dims, const Shape& entries,
                      const Shape& window) {
  Shape shape;
  auto entry = entries.begin();
  auto size = window.begin();
  while (shape.size() < entries.size() + window.size()) {
    const auto axis = static_cast<std::int64_t>(shape.size());
    shape.push_back(std::ranges::count(window_dims, axis) > 0 ? *size++ : *entry++);
  }
  return shape;
}

// Of generic.scatter all axes lie as they did in the first cases that it had.
WindowFrame draw_window_frame(const Setting& setting, const Shape& entries, Shape window,
                              std::size_t axis, bool is_vector) {
  constexpr std::array<std::string_view, 3> ways{"", "windows-first", "windows-between"};
  const bool varies = setting.operation->unanswered.empty();
  const auto word = [&](std::uint64_t number) {
    return varies ? setting.draws.word(Stream::slices, number) : 0;
  };
  WindowFrame frame;
  std::vector<std::string> words;
  const bool is_inserted = window[axis] == 1 && word(0) % 2 == 1;
  if (is_inserted) {
    frame.inserted.push_back(static_cast<std::int64_t>(axis));
    window.erase(window.begin() + static_cast<std::ptrdiff_t>(axis));
    words.emplace_back("inserted");
  }
  const std::uint64_t way = entries.empty() || window.empty() ? 0 : word(1) % 3;
  frame.window_dims = draw_window_dims(way, word(2), entries.size(), window.size());
  words.emplace_back(ways[way]);
  const auto rank = static_cast<std::int64_t>(entries.size());
  frame.vector_dim = rank;
  frame.indices = entries;
  if (is_vector && asks_for_vector(setting) && varies) {
    frame.vector_dim = static_cast<std::int64_t>(word(3) % static_cast<std::uint64_t>(rank + 1));
    if (frame.vector_dim != rank) words.push_back(fmt::format("vector-{}", frame.vector_dim));
  }
  if (is_vector) frame.indices.insert(frame.indices.begin() + frame.vector_dim, 1);
  if (!is_vector) words.emplace_back("index-vector-left-out");
  frame.updates = axes_of_updates(frame.window_dims, entries, window);
  frame.words = joined(words);
  return frame;
}

void put_window_dims(const Setting& setting, GeneratedCase& made, const WindowFrame& frame,
                     std::int64_t moved) {
  const auto put = [&](const char* name, const std::vector<std::int64_t>& dims) {
    made.operands.push_back(
        {name, integers(DType::int64, {static_cast<std::int64_t>(dims.size())}, dims)});
  };
  put("update_window_dims", frame.window_dims);
  put("inserted_window_dims", frame.inserted);
  put("input_batching_dims", {});
  put("scatter_indices_batching_dims", {});
  put("scatter_dims_to_operand_dims", {moved});
  if (asks_for_vector(setting)) put("index_vector_dim", {frame.vector_dim});
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
  const WindowFrame dims = draw_window_frame(setting, entries.shape, window, axis, is_vector);
  GeneratedTensor indices = index_tensor(setting, dims.indices, entries);
  GeneratedCase made;
  made.name =
      joined({duplicates_word(entries, pattern), arrangement_word(entries, pattern),
              set_word(setting), fmt::format("rank-{}-axis-{}", frame.rank, axis), dims.words,
              std::string(style_word), outside, grid_word(entries), index_word(indices)});
  made.operands.push_back({"data", data_values(setting, data, entries.count)});
  made.operands.push_back({"indices", std::move(indices)});
  made.operands.push_back({"updates", update_values(setting, dims.updates, entries.count)});
  put_window_dims(setting, made, dims, static_cast<std::int64_t>(axis));
  return made;
}

}  // namespace tscatter::generate
