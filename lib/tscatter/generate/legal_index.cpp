#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "tscatter/generate/legal_parts.hpp"
#include "tscatter/ops/forms/resolved_index.hpp"

namespace tscatter::generate {

// ---- index

namespace {

// What a case is about; the turns are part of the scheme.
enum class IndexKind : std::uint8_t { positions, apart, grid, mask, slices, integer, new_axis };

constexpr std::array<std::string_view, 7> index_kind_words{
    "positions", "two-positions", "grid", "mask", "slices", "integer", "new-axis"};

// Builds the items of a case, axis by axis.
class IndexItems {
 public:
  IndexItems(const Setting& setting, GeneratedCase& made) : setting_{setting}, made_{made} {}

  void take_whole(std::size_t axes) {
    for (std::size_t i = 0; i < axes; ++i) made_.index.push_back({SliceItem{}, ":"});
  }

  void take_slice(const Slices& slices, std::size_t place) {
    const auto [start, stop, step] =
        std::tuple(slices.start[place], slices.stop[place], slices.step[place]);
    made_.index.push_back({SliceItem{.start = start, .stop = stop, .step = step},
                           fmt::format("{}:{}:{}", start, stop, step)});
  }

  void take_integer(std::int64_t index) {
    made_.index.push_back({IntegerItem{index}, std::to_string(index)});
  }

  void take_tensor(GeneratedTensor tensor) {
    const std::string name = operand_of_item(made_.index.size());
    made_.index.push_back({OperandItem{name}, name});
    made_.operands.push_back({name, std::move(tensor)});
  }

  // The j-th coordinate of each entry, in a shape of as many elements.
  void take_coordinates(const Entries& entries, std::size_t depth, std::size_t j,
                        const Shape& shape) {
    std::vector<std::int64_t> values;
    for (std::size_t at = j; at < entries.coordinates.size(); at += depth)
      values.push_back(entries.coordinates[at]);
    take_tensor(integers(holding(draw_index_dtype(setting_), values), shape, values));
  }

  void take_ellipsis() { made_.index.push_back({EllipsisItem{}, "..."}); }
  void take_new_axis() { made_.index.push_back({NewAxisItem{}, "None"}); }

 private:
  const Setting& setting_;
  GeneratedCase& made_;
};

IndexKind index_kind_of(const Setting& setting, std::size_t rank) {
  if (setting.entries == IndexEntries::plain) return IndexKind::positions;
  const auto kind =
      static_cast<IndexKind>(setting.draws.turn(Stream::form, index_kind_words.size()));
  // A mask has no index dtype.
  if (kind == IndexKind::mask && setting.index_dtype) return IndexKind::positions;
  const bool needs_two =
      kind == IndexKind::apart || kind == IndexKind::grid || kind == IndexKind::integer;
  const bool is_refused = kind == IndexKind::new_axis && !setting.operation->takes_new_axes;
  return (rank < 2 && needs_two) || is_refused ? IndexKind::positions : kind;
}

// Entries with a coordinate along each of the axes, whose updates are no more than a case has.
Entries entries_on(const Setting& setting, const Shape& data,
                   const std::vector<std::size_t>& axes) {
  Shape sizes;
  std::int64_t block = 1;
  for (std::size_t axis = 0; axis < data.size(); ++axis) {
    if (std::ranges::count(axes, axis) > 0) {
      sizes.push_back(data[axis]);
    } else {
      block *= data[axis];
    }
  }
  Entries entries = entries_for(setting, sizes, block);
  let_count_otherwise(setting, entries, sizes);
  return entries;
}

// Positions along the first and the last axis, with whole axes between: a pair for each entry.
void put_pairs(IndexItems& items, const Entries& entries, std::size_t rank) {
  items.take_coordinates(entries, 2, 0, entries.shape);
  items.take_whole(rank - 2);
  items.take_coordinates(entries, 2, 1, entries.shape);
}

// Rows and columns: [n, 1] and [m].
void put_grid(const Setting& setting, IndexItems& items, const Shape& data) {
  const Pattern one{.duplicates = Duplicates::none};
  const auto lines = [&](std::size_t axis, std::uint64_t line) {
    const std::int64_t places = named_by_dtype(setting, data[axis]);
    return draw_line(setting.draws, one, places, std::min<std::int64_t>(places, 4), line);
  };
  const std::vector<std::int64_t> rows = lines(0, 0);
  const std::vector<std::int64_t> columns = lines(1, 1);
  const DType dtype = draw_index_dtype(setting);
  items.take_tensor(integers(holding(dtype, rows), {std::ssize(rows), 1}, rows));
  items.take_tensor(integers(holding(dtype, columns), {std::ssize(columns)}, columns));
}

void put_slices(const Setting& setting, IndexItems& items, const Shape& data, std::size_t count) {
  const std::vector<std::size_t> axes = draw_axes(setting.draws, data.size(), count, false);
  const Slices slices = draw_slices(setting.draws, data, axes);
  for (std::size_t i = 0; i < axes.size(); ++i) items.take_slice(slices, i);
  items.take_ellipsis();
}

void put_items(const Setting& setting, IndexKind kind, const Shape& data, std::size_t axes,
               GeneratedCase& made) {
  IndexItems items(setting, made);
  const std::size_t rank = data.size();
  const std::size_t axis = axes % rank;
  const auto entries = [&](const std::vector<std::size_t>& along) {
    return entries_on(setting, data, along);
  };
  switch (kind) {
    case IndexKind::positions: {
      const Entries along = entries({axis});
      items.take_whole(axis);
      return items.take_coordinates(along, 1, 0, along.shape);
    }
    case IndexKind::apart: return put_pairs(items, entries({0, rank - 1}), rank);
    case IndexKind::grid: return put_grid(setting, items, data);
    case IndexKind::mask:
      return items.take_tensor(drawn_mask(setting, part(data, 0, std::max<std::size_t>(axes, 1))));
    case IndexKind::slices: return put_slices(setting, items, data, axes);
    case IndexKind::integer: {
      const Entries last = entries({rank - 1});
      if (data.front() == 0) {
        items.take_whole(1);
      } else {
        const bool negative = is_negative(setting) && may_index_from_the_end(setting);
        items.take_integer(negative ? -1 : data.front() - 1);
      }
      items.take_ellipsis();
      return items.take_coordinates(last, 1, 0, last.shape);
    }
    case IndexKind::new_axis: {
      const Entries along = entries({axis});
      items.take_new_axis();
      items.take_whole(axis);
      return items.take_coordinates(along, 1, 0, along.shape);
    }
  }
}

}  // namespace

GeneratedCase index_case(const Setting& setting) {
  const Frame frame = draw_frame(setting);
  const auto [data, style_word] = draw_data_shape(setting, frame.rank);
  const IndexKind kind = index_kind_of(setting, frame.rank);
  constexpr std::int64_t meeting = 64;  // entries that may have one destination
  GeneratedCase made;
  made.operands.push_back({"data", data_values(setting, data, meeting)});
  put_items(setting, kind, data, frame.axes, made);
  made.operation = setting.operation;
  const Arguments arguments = arguments_of(made);
  const Shape result = forms::resolve_index(*setting.operation, arguments).result;
  const Shape updates = given_updates(setting, result);
  made.operands.push_back({"updates", update_values(setting, updates, meeting)});
  made.name = joined({index_kind_words[static_cast<std::size_t>(kind)], to_string(setting.set),
                      fmt::format("rank-{}-axes-{}", frame.rank, frame.axes), style_word,
                      updates == result ? "" : "broadcast"});
  return made;
}

}  // namespace tscatter::generate
