// Calls that fail the checks of the forms nd and rows.
#include "tscatter/generate/broken_variants.hpp"

namespace tscatter::generate {
namespace {

std::vector<std::int64_t> zeros(std::int64_t count) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count), 0);
  return values;
}

bool takes_exact_updates(const Operation& operation) {
  return operation.updates_shape == UpdatesShape::exact;
}

// ---- nd: two entries, their depth from 1 to the rank of data.

Shape nd_updates(const BrokenCall& call, std::int64_t depth) {
  Shape shape{2};
  const Shape& data = call.shape("data");
  shape.insert(shape.end(), data.begin() + depth, data.end());
  return shape;
}

void begin_nd(BrokenCall& call) {
  const std::size_t rank = drawn_rank(call);
  call.put_data(descending_shape(rank));
  const std::size_t depth = 1 + call.word(1) % rank;
  std::vector<std::int64_t> coordinates;
  for (std::size_t i = 0; i < 2 * depth; ++i) {
    const auto size = static_cast<std::uint64_t>(call.shape("data")[i % depth]);
    coordinates.push_back(static_cast<std::int64_t>(call.word(2 + i) % size));
  }
  call.put_integers("indices", {2, static_cast<std::int64_t>(depth)}, coordinates);
  call.put_updates(nd_updates(call, static_cast<std::int64_t>(depth)));
}

std::int64_t depth_of(const BrokenCall& call) { return call.shape("indices").back(); }

void nd_data_rank_0(BrokenCall& call) {
  call.put_data({});
  call.put_integers("indices", {2, 0}, {});
  call.put_updates({2});
}

void nd_indices_rank_0(BrokenCall& call) { call.put_integers("indices", {}, {0}); }

void nd_depth_above_rank(BrokenCall& call) {
  const std::int64_t depth = call.rank() + 1;
  call.put_integers("indices", {2, depth}, zeros(2 * depth));
  call.put_updates({2});
}

// Puts one coordinate of an entry out of range; the others, if there is an axis before it, keep its
// flat offset inside data.
void put_coordinate(BrokenCall& call, std::int64_t entry, std::int64_t axis, std::int64_t value) {
  const std::int64_t depth = depth_of(call);
  std::vector<std::int64_t> coordinates = call.integers_of("indices");
  for (std::int64_t j = 0; j < depth; ++j) {
    const std::int64_t inside = value < 0 ? call.shape("data")[static_cast<std::size_t>(j)] - 1 : 0;
    coordinates[static_cast<std::size_t>(entry * depth + j)] = j == axis ? value : inside;
  }
  call.put_integers("indices", call.shape("indices"), coordinates);
}

void nd_above_first_axis(BrokenCall& call) { put_coordinate(call, 0, 0, size_of(call, 0)); }
void nd_below_first_axis(BrokenCall& call) { put_coordinate(call, 1, 0, below(call, 0)); }

void nd_above_last_axis(BrokenCall& call) {
  const std::int64_t axis = depth_of(call) - 1;
  put_coordinate(call, 1, axis, size_of(call, axis));
}

void nd_below_last_axis(BrokenCall& call) {
  const std::int64_t axis = depth_of(call) - 1;
  put_coordinate(call, 0, axis, below(call, axis));
}

void nd_largest(BrokenCall& call) { put_coordinate(call, 1, 0, largest_integer); }
void nd_smallest(BrokenCall& call) { put_coordinate(call, 1, 0, smallest_integer); }

void nd_beside_empty_axis(BrokenCall& call) {
  const bool has_room = call.setting().max_rank > 1;
  call.put_data(has_room ? Shape{3, 0} : Shape{0});
  call.put_integers("indices", {2, 1}, has_room ? std::vector<std::int64_t>{2, 3} : zeros(2));
  call.put_updates(has_room ? Shape{2, 0} : Shape{2});
}

// One element is expected; of rank 0 or not.
void nd_two_for_one(BrokenCall& call) {
  call.put_integers("indices", {call.rank()}, zeros(call.rank()));
  call.put_updates({2});
}

void nd_rank_1_for_rank_0(BrokenCall& call) {
  nd_two_for_one(call);
  call.put_updates({1});
}

constexpr std::array nd_index_variants{
    Variant{Check::data_rank, "data-rank-0", nd_data_rank_0},
    Variant{Check::indices_rank, "indices-rank-0", nd_indices_rank_0},
    Variant{Check::index_depth, "depth-above-rank", nd_depth_above_rank},
    Variant{Check::index_range, "index-above-first-axis", nd_above_first_axis},
    Variant{Check::index_range, "index-below-first-axis", nd_below_first_axis},
    Variant{Check::index_range, "index-above-last-axis", nd_above_last_axis},
    Variant{Check::index_range, "index-below-last-axis", nd_below_last_axis},
    Variant{Check::index_range, "index-int64-max", nd_largest, takes_int64},
    Variant{Check::index_range, "index-int64-min", nd_smallest, takes_int64},
    Variant{Check::index_range, "index-uint64-max", indices_largest_uint64, takes_uint64},
    Variant{Check::index_range, "index-beside-empty-axis", nd_beside_empty_axis},
};

constexpr std::array nd_updates_variants{
    Variant{Check::updates_shape, "updates-entry-more", updates_first_size_more},
    Variant{Check::updates_shape, "updates-entry-less", updates_first_size_less},
};

constexpr std::array nd_single_variants{
    Variant{Check::updates_shape, "updates-two-for-one", nd_two_for_one},
    Variant{Check::updates_shape, "updates-rank-1-for-rank-0", nd_rank_1_for_rank_0,
            takes_exact_updates},
};

constexpr auto nd_variants =
    joined(nd_index_variants, updates_rank_variants, nd_updates_variants,
           updates_last_size_variants, nd_single_variants, updates_dtype_variants);

// ---- rows: two entries on one axis.

void begin_rows(BrokenCall& call) {
  const std::size_t rank = drawn_rank(call);
  const std::size_t axis = call.word(1) % rank;
  Shape updates = descending_shape(rank);
  const auto size = static_cast<std::uint64_t>(updates[axis]);
  call.put_data(updates);
  call.put_integers("indices", {2},
                    {static_cast<std::int64_t>(call.word(2) % size),
                     static_cast<std::int64_t>(call.word(3) % size)});
  updates[axis] = 2;
  call.put_updates(updates);
  begin_axis(call, 4, static_cast<std::int64_t>(axis));
}

void rows_data_rank_0(BrokenCall& call) {
  call.put_data({});
  call.put_updates({2});
  put_axis(call, 0);
}

// An index that the axis before would allow.
void rows_above_last_axis(BrokenCall& call) {
  const std::int64_t last = call.rank() - 1;
  Shape updates = call.shape("data");
  updates.back() = 2;
  put_axis(call, last);
  call.put_updates(updates);
  call.put_integers("indices", {2}, {0, size_of(call, last)});
}

void rows_beside_empty_axis(BrokenCall& call) {
  const bool has_room = call.setting().max_rank > 1;
  call.put_data(has_room ? Shape{0, 3} : Shape{0});
  call.put_updates(has_room ? Shape{0, 2} : Shape{2});
  put_axis(call, has_room ? 1 : 0);
  call.put_integers("indices", {2}, has_room ? std::vector<std::int64_t>{2, 3} : zeros(2));
}

constexpr std::array rows_data_variants{
    Variant{Check::data_rank, "data-rank-0", rows_data_rank_0},
};

constexpr std::array rows_index_variants{
    Variant{Check::index_range, "index-above-last-axis", rows_above_last_axis},
    Variant{Check::index_range, "index-beside-empty-axis", rows_beside_empty_axis},
};

constexpr auto rows_variants = joined(rows_data_variants, axis_variants, index_range_variants,
                                      rows_index_variants, updates_variants);

}  // namespace

const BrokenForm broken_rows{begin_rows, rows_variants};
const BrokenForm broken_nd{begin_nd, nd_variants};

}  // namespace tscatter::generate
