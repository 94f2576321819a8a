#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "tscatter/generate/legal_parts.hpp"

namespace tscatter::generate {

// ---- start

namespace {

// How long updates are along the axis of `size`.
std::int64_t steps_of(const Setting& setting, std::int64_t size, std::uint64_t axis = 0) {
  if (full_bits(setting.set, setting.dtype) > 0 || size == 0) return size;
  const std::uint64_t word = setting.draws.word(Stream::entry_count, axis);
  return 1 + static_cast<std::int64_t>(word % static_cast<std::uint64_t>(size));
}

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
  GeneratedCase made;
  put_axis(made, setting, axis, rank);
  made.name = joined({starts_words[static_cast<std::size_t>(kind)], to_string(setting.set),
                      fmt::format("rank-{}-axis-{}", rank, axis), axis_words(made, setting),
                      style_word, shape == data ? "of-data-shape" : ""});
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
  made.name = joined({block_words[static_cast<std::size_t>(kind)], to_string(setting.set),
                      fmt::format("rank-{}", frame.rank), style_word,
                      shape == data ? "of-data-shape" : ""});
  made.operands.push_back({"data", data_values(setting, data, 1)});
  made.operands.push_back({"indices", integers(holding(draw_index_dtype(setting), starts),
                                               {static_cast<std::int64_t>(frame.rank)}, starts)});
  made.operands.push_back({"updates", update_values(setting, shape, 1)});
  return made;
}

// ---- slice

GeneratedCase slice_case(const Setting& setting) {
  const auto [rank, count] = draw_frame(setting);
  const auto [data, style_word] = draw_data_shape(setting, rank);
  const bool has_axes = setting.draws.turn(Stream::axes_presence, 3) != 0;
  const std::vector<std::size_t> axes = draw_axes(setting.draws, rank, count, has_axes);
  const Slices slices = draw_slices(setting.draws, data, axes);
  const bool negative = has_axes && count > 0 && is_negative(setting);
  GeneratedCase made;
  made.name =
      joined({slices.words, to_string(setting.set), fmt::format("rank-{}-axes-{}", rank, count),
              has_axes ? "" : "first-axes", negative ? "negative-axes" : "", style_word});
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

// ---- window

namespace {

using Axes = std::vector<std::size_t>;

bool is_in(const Axes& axes, std::size_t axis) { return std::ranges::count(axes, axis) > 0; }

// Whether a call says which axis of indices has the numbers of an entry.
bool asks_for_vector(const Setting& setting) {
  return setting.operation->find_operand("index_vector_dim") != nullptr;
}

// The number of a word of a case: of the axis of data, or of what all have together.
enum class WindowWord : std::uint64_t { length, batching, inserted, windows, batches, vector_dim };
std::uint64_t word_of(const Setting& setting, WindowWord what, std::uint64_t further) {
  return setting.draws.word(Stream::slices, 16 * static_cast<std::uint64_t>(what) + further);
}

// What the axes of data are to a call, and how long windows are along them: 1 where they have none.
struct WindowRoles {
  Axes moved;  // by each number of an entry
  Axes batching;
  Axes inserted;
  Shape window;

  bool has_window(std::size_t axis) const {
    return !is_in(batching, axis) && !is_in(inserted, axis);
  }
};

// Where windows are moved they are 1 long in every other case, or if they may not meet; elsewhere
// mostly as long as data.
std::int64_t window_length(const Setting& setting, const WindowRoles& roles, std::size_t axis) {
  const std::int64_t size = roles.window[axis];
  const std::uint64_t word = word_of(setting, WindowWord::length, axis);
  const bool may_meet = setting.operation->policies.duplicates == DuplicatePolicy::ordered;
  const bool is_moved = is_in(roles.moved, axis);
  const bool is_whole = size == 0 || (!is_moved && word % 4 != 0);
  if (is_whole || (may_meet && full_bits(setting.set, setting.dtype) > 0)) return size;
  if (is_moved && (!may_meet || word % 2 == 0)) return 1;
  return 1 + static_cast<std::int64_t>((word >> 8U) % static_cast<std::uint64_t>(size));
}

// Entries of so many numbers. Every eighth case has empty windows, if the axis is one of windows.
WindowRoles draw_window_roles(const Setting& setting, const Shape& data, std::size_t numbers) {
  const Axes axes = draw_axes(setting.draws, data.size(), data.size(), true);
  const bool may_batch = setting.entries != IndexEntries::plain;
  WindowRoles roles{.moved = {axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(numbers)},
                    .batching = {},
                    .inserted = {},
                    .window = data};
  for (std::size_t axis = 0; axis < data.size(); ++axis) {
    const bool is_batching = may_batch && !is_in(roles.moved, axis) &&
                             word_of(setting, WindowWord::batching, axis) % 3 == 0;
    if (is_batching) roles.batching.push_back(axis);
    roles.window[axis] = is_batching ? 1 : window_length(setting, roles, axis);
    const bool may_be_inserted = !is_batching && roles.window[axis] == 1;
    if (may_be_inserted && word_of(setting, WindowWord::inserted, axis) % 2 == 1)
      roles.inserted.push_back(axis);
  }
  const bool is_empty = setting.draws.turn(Stream::axes_presence, 8) == 5;
  if (is_empty && roles.has_window(axes.back())) roles.window[axes.back()] = 0;
  return roles;
}

// The entries of all batches, one after another; each batch has places of its own.
Entries entries_of_batches(const Setting& setting, const Shape& starts, std::int64_t block,
                           std::int64_t batches) {
  const std::int64_t of_all =
      std::max({block, std::ssize(starts), std::int64_t{1}}) * std::max<std::int64_t>(batches, 1);
  Entries entries = entries_for(setting, starts, of_all);
  if (batches == 0) entries.coordinates.clear();
  entries.places *= std::min<std::int64_t>(batches, 1);
  entries.count *= batches;
  for (std::int64_t batch = 1; batch < batches; ++batch) {
    const Entries more = entries_for(setting, starts, of_all, static_cast<std::uint64_t>(batch));
    entries.coordinates.insert(entries.coordinates.end(), more.coordinates.begin(),
                               more.coordinates.end());
    entries.places += more.places;
  }
  return entries;
}

// Which of the axes are `some`: behind the others, before them, or between them, by the bits of a
// word.
Axes draw_places(std::uint64_t way, std::uint64_t bits, std::size_t some, std::size_t others) {
  if (way != 2) bits = way == 1 ? ~std::uint64_t{0} : 0;
  Axes places;
  for (std::size_t axis = 0; places.size() < some; ++axis, bits >>= 1U) {
    const std::size_t others_left = others - (axis - places.size());
    if ((bits & 1U) != 0 || others_left == 0) places.push_back(axis);
  }
  return places;
}

// Where the axes of indices lie, which are drawn as those of batches, of entries, and the numbers
// of an entry; and where windows lie in updates.
struct WindowFrame {
  Shape drawn;
  Axes order;  // of the drawn axes; without the last one where an entry is a number
  std::size_t vector_dim = 0;
  Axes window_dims;

  bool is_vector() const { return order.size() == drawn.size(); }
};

// REQUIRES: vectors of one number, if they are left out.
WindowFrame draw_window_frame(const Setting& setting, const Shape& batches, const Shape& entries,
                              std::size_t numbers, bool is_vector) {
  const std::size_t all = batches.size() + entries.size();
  WindowFrame frame{
      .drawn = together(together(batches, entries), {static_cast<std::int64_t>(numbers)}),
      .order = {},
      .vector_dim = all,
      .window_dims = {}};
  const Axes places =
      draw_places(word_of(setting, WindowWord::batches, 0) % 3,
                  word_of(setting, WindowWord::batches, 1), batches.size(), entries.size());
  const Axes turned = draw_axes(setting.draws, batches.size(), batches.size(), true);
  for (std::size_t axis = 0, batch = 0, entry = batches.size(); axis < all; ++axis)
    frame.order.push_back(is_in(places, axis) ? turned[batch++] : entry++);
  if (!is_vector) return frame;
  if (asks_for_vector(setting) && setting.entries != IndexEntries::plain)
    frame.vector_dim = word_of(setting, WindowWord::vector_dim, 0) % (all + 1);
  frame.order.insert(frame.order.begin() + static_cast<std::ptrdiff_t>(frame.vector_dim), all);
  return frame;
}

// The coordinates in the order of the axes of indices.
GeneratedTensor window_indices(const Setting& setting, const Entries& entries,
                               const WindowFrame& frame) {
  Shape shape;
  for (const std::size_t axis : frame.order) shape.push_back(frame.drawn[axis]);
  Entries ordered = entries;
  for (std::int64_t i = 0; i < std::ssize(ordered.coordinates); ++i) {
    const Position at = position_of(shape, i);
    Position drawn(frame.drawn.size(), 0);
    for (std::size_t axis = 0; axis < at.size(); ++axis) drawn[frame.order[axis]] = at[axis];
    const std::int64_t from = row_major_number(frame.drawn, drawn);
    ordered.coordinates[static_cast<std::size_t>(i)] =
        entries.coordinates[static_cast<std::size_t>(from)];
  }
  return index_tensor(setting, shape, ordered);
}

// Puts the window axes among the others.
Shape window_updates(const Setting& setting, const WindowRoles& roles, WindowFrame& frame) {
  Shape entries;
  for (const std::size_t axis : frame.order)
    if (axis + 1 < frame.drawn.size()) entries.push_back(frame.drawn[axis]);
  Shape windows;
  for (std::size_t axis = 0; axis < roles.window.size(); ++axis)
    if (roles.has_window(axis)) windows.push_back(roles.window[axis]);
  frame.window_dims =
      draw_places(word_of(setting, WindowWord::windows, 0) % 3,
                  word_of(setting, WindowWord::windows, 1), windows.size(), entries.size());
  Shape shape;
  auto entry = entries.begin();
  auto size = windows.begin();
  while (shape.size() < entries.size() + windows.size())
    shape.push_back(is_in(frame.window_dims, shape.size()) ? *size++ : *entry++);
  return shape;
}

void put_window_dims(GeneratedCase& made, const Setting& setting, const WindowRoles& roles,
                     const WindowFrame& frame) {
  const auto put = [&](const char* name, const Axes& dims) {
    made.operands.push_back({name, integers(DType::int64, {std::ssize(dims)},
                                            std::vector<std::int64_t>(dims.begin(), dims.end()))});
  };
  Axes along_indices;
  for (std::size_t batch = 0; batch < roles.batching.size(); ++batch)
    along_indices.push_back(
        static_cast<std::size_t>(std::ranges::find(frame.order, batch) - frame.order.begin()));
  put("update_window_dims", frame.window_dims);
  put("inserted_window_dims", roles.inserted);
  put("input_batching_dims", roles.batching);
  put("scatter_indices_batching_dims", along_indices);
  put("scatter_dims_to_operand_dims", roles.moved);
  if (asks_for_vector(setting)) put("index_vector_dim", {frame.vector_dim});
}

// Where the axes lie, if not as usual: entries, then windows; the numbers of an entry last.
std::string window_words(const WindowRoles& roles, const WindowFrame& frame) {
  const std::size_t windows = frame.window_dims.size();
  const std::size_t entries = frame.order.size() - (frame.is_vector() ? 1 : 0);
  const bool is_usual = entries == 0 || windows == 0 || frame.window_dims.front() == entries;
  const bool is_first = windows > 0 && frame.window_dims.back() + 1 == windows;
  const bool is_last = frame.vector_dim + 1 == frame.drawn.size();
  return joined({std::ranges::is_sorted(roles.moved) ? "" : "permuted",
                 roles.batching.empty() ? "" : fmt::format("batching-{}", roles.batching.size()),
                 roles.inserted.empty() ? "" : "inserted",
                 is_usual   ? ""
                 : is_first ? "windows-first"
                            : "windows-mixed",
                 is_last ? "" : fmt::format("vector-{}", frame.vector_dim),
                 frame.is_vector() ? "" : "no-vector",
                 std::ranges::count(roles.window, 0) > 0 ? "empty" : ""});
}

}  // namespace

// Windows that entries of any number of coordinates move along as many axes of data.
GeneratedCase window_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  const bool is_plain = setting.entries == IndexEntries::plain;
  const std::size_t numbers = is_plain ? std::max<std::size_t>(frame.axes, 1) : frame.axes;
  const auto [data, style_word] = draw_data_shape(setting, frame.rank);
  const WindowRoles roles = draw_window_roles(setting, data, numbers);
  const auto sizes_of = [&data = data](const Axes& axes) {
    Shape sizes;
    for (const std::size_t axis : axes) sizes.push_back(data[axis]);
    return sizes;
  };
  const Shape moved = sizes_of(roles.moved);
  Shape starts = moved;
  for (std::size_t i = 0; i < numbers; ++i) starts[i] -= roles.window[roles.moved[i]] - 1;
  const Shape batches = sizes_of(roles.batching);
  Entries entries =
      entries_of_batches(setting, starts, element_count(roles.window), element_count(batches));
  let_count_otherwise(setting, entries, moved, starts);
  const bool is_vector =
      !asks_for_vector(setting) || numbers != 1 || setting.draws.turn(Stream::scalar_form, 2) == 0;
  WindowFrame lies = draw_window_frame(setting, batches, entries.shape, numbers, is_vector);
  GeneratedTensor indices = window_indices(setting, entries, lies);
  const Shape updates = window_updates(setting, roles, lies);
  GeneratedCase made;
  made.name =
      joined({duplicates_word(entries), arrangement_word(entries), to_string(setting.set),
              fmt::format("rank-{}-depth-{}", frame.rank, numbers), window_words(roles, lies),
              style_word, entries.counted, grid_word(entries), index_word(indices)});
  made.operands.push_back({"data", data_values(setting, data, entries.count)});
  made.operands.push_back({"indices", std::move(indices)});
  made.operands.push_back({"updates", update_values(setting, updates, entries.count)});
  put_window_dims(made, setting, roles, lies);
  return made;
}

}  // namespace tscatter::generate
