// Calls that fail the checks of the form start.
#include <algorithm>

#include "tscatter/generate/broken_variants.hpp"

namespace tscatter::generate {
namespace {

void put_starts(BrokenCall& call, const Shape& shape) {
  const auto count = static_cast<std::size_t>(element_count(shape));
  call.put_integers("indices", shape, std::vector<std::int64_t>(count, 0));
}

// One step in each batch.
void begin_with(BrokenCall& call, std::size_t rank, std::size_t axis) {
  Shape shape = descending_shape(rank);
  const auto size = static_cast<std::uint64_t>(shape[axis]);
  std::vector<std::int64_t> starts(static_cast<std::size_t>(shape.front()));
  for (std::size_t i = 0; i < starts.size(); ++i)
    starts[i] = static_cast<std::int64_t>(call.word(2 + i) % size);
  call.put_data(shape);
  call.put_integers("indices", {shape.front()}, starts);
  shape[axis] = 1;
  call.put_updates(shape);
  call.set("axis", static_cast<std::int64_t>(axis));
}

void begin_start(BrokenCall& call) {
  const std::size_t rank = std::max<std::size_t>(drawn_rank(call), 2);
  begin_with(call, rank, 1 + call.word(1) % (rank - 1));
}

void data_of_shape(BrokenCall& call, const Shape& shape) {
  call.put_data(shape);
  call.put_updates(shape);
  call.set("axis", std::int64_t{0});
}

void start_data_rank_0(BrokenCall& call) { data_of_shape(call, {}); }
void data_rank_1(BrokenCall& call) { data_of_shape(call, {4}); }

void axis_of_batch(BrokenCall& call) { put_axis(call, 0); }
void axis_of_batch_from_the_end(BrokenCall& call) { put_axis(call, -call.rank()); }

void indices_more(BrokenCall& call) { put_starts(call, {call.shape("data").front() + 1}); }
void indices_less(BrokenCall& call) { put_starts(call, {call.shape("data").front() - 1}); }
void indices_rank_0(BrokenCall& call) { put_starts(call, {}); }
void indices_rank_2(BrokenCall& call) { put_starts(call, {call.shape("data").front(), 1}); }

void put_length(BrokenCall& call, std::int64_t length) {
  Shape shape = call.shape("updates");
  shape[static_cast<std::size_t>(axis_of(call))] = length;
  call.put_updates(shape);
}

void updates_longer_along_axis(BrokenCall& call) {
  put_length(call, size_of(call, axis_of(call)) + 1);
}

// Data is [4, 3, 2].
void shorter_behind_axis(BrokenCall& call) {
  begin_with(call, 3, 1);
  call.put_updates({4, 1, 1});
}

// The last legal start of one step, for two.
void index_too_near_the_end(BrokenCall& call) {
  put_length(call, 2);
  put_starts(call, {call.shape("data").front()});
  put_index(call, 0, size_of(call, axis_of(call)) - 1);
}

constexpr std::array start_data_variants{
    Variant{Check::data_rank, "data-rank-0", start_data_rank_0},
    Variant{Check::data_rank, "data-rank-1", data_rank_1},
};

constexpr std::array start_index_variants{
    Variant{Check::axis_range, "axis-of-batch", axis_of_batch},
    Variant{Check::axis_range, "axis-of-batch-from-the-end", axis_of_batch_from_the_end},
    Variant{Check::indices_shape, "indices-one-more", indices_more},
    Variant{Check::indices_shape, "indices-one-less", indices_less},
    Variant{Check::indices_shape, "indices-rank-0", indices_rank_0},
    Variant{Check::indices_shape, "indices-rank-2", indices_rank_2},
    Variant{Check::index_range, "index-above", index_above},
    Variant{Check::index_range, "index-below", index_below},
    Variant{Check::index_range, "index-int64-max", index_largest},
    Variant{Check::index_range, "index-int64-min", index_smallest},
    Variant{Check::index_range, "index-too-near-the-end", index_too_near_the_end},
};

constexpr std::array start_updates_variants{
    Variant{Check::updates_shape, "updates-longer-along-axis", updates_longer_along_axis},
    Variant{Check::updates_shape, "updates-shorter-behind-axis", shorter_behind_axis},
};

constexpr auto start_variants =
    joined(start_data_variants, axis_range_variants, start_index_variants, updates_rank_variants,
           updates_first_size_variants, start_updates_variants, updates_dtype_variants);

}  // namespace

const BrokenForm broken_start{begin_start, start_variants};

}  // namespace tscatter::generate
