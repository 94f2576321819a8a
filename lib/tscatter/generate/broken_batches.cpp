// Calls that fail the checks of the form batched_rows.
#include "tscatter/generate/broken_variants.hpp"

namespace tscatter::generate {
namespace {

// Data is [4, 3, 2]; two different entries a batch.
void begin_batches(BrokenCall& call) {
  call.put_data(descending_shape(3));
  std::vector<std::int64_t> indices;
  for (std::uint64_t batch = 0; batch < 4; ++batch) {
    const auto first = static_cast<std::int64_t>(call.word(batch) % 3);
    indices.push_back(first);
    indices.push_back((first + 1) % 3);
  }
  call.put_integers("indices", {4, 2}, indices);
  call.put_updates({4, 2, 2});
}

void data_rank_2(BrokenCall& call) { call.put_data({4, 3}); }
void data_rank_4(BrokenCall& call) { call.put_data({1, 4, 3, 2}); }
void indices_rank_1(BrokenCall& call) { call.put_integers("indices", {2}, {0, 1}); }
void indices_rank_3(BrokenCall& call) {
  call.put_integers("indices", {4, 2, 1}, call.integers_of("indices"));
}

void batch_more(BrokenCall& call) {
  call.put_integers("indices", {5, 1}, {0, 0, 0, 0, 0});
  call.put_updates({5, 1, 2});
}
void batch_less(BrokenCall& call) {
  call.put_integers("indices", {1, 2}, {0, 1});
  call.put_updates({1, 2, 2});
}

void batch_above(BrokenCall& call) { put_index(call, 0, size_of(call, 1)); }
void batch_below(BrokenCall& call) { put_index(call, 1, below(call, 1)); }
void in_the_next_batch(BrokenCall& call) { put_index(call, 1, size_of(call, 1) + 1); }

void twice(BrokenCall& call) {
  std::vector<std::int64_t> indices = call.integers_of("indices");
  const std::size_t batch = 2 * (call.word(4) % 4);
  indices[batch + 1] = indices[batch];
  call.put_integers("indices", {4, 2}, indices);
}

constexpr std::array batches_shape_variants{
    Variant{Check::data_rank, "data-rank-2", data_rank_2},
    Variant{Check::data_rank, "data-rank-4", data_rank_4},
    Variant{Check::indices_rank, "indices-rank-1", indices_rank_1},
    Variant{Check::indices_rank, "indices-rank-3", indices_rank_3},
    Variant{Check::indices_shape, "batch-more", batch_more},
    Variant{Check::indices_shape, "batch-less", batch_less},
};

constexpr std::array batches_index_variants{
    Variant{Check::index_range, "index-above", batch_above},
    Variant{Check::index_range, "index-below", batch_below},
    Variant{Check::index_range, "index-of-next-batch", in_the_next_batch},
    Variant{Check::index_range, "index-int64-max",
            [](BrokenCall& call) { put_index(call, 1, largest_integer); }, takes_int64},
    Variant{Check::index_range, "index-int64-min",
            [](BrokenCall& call) { put_index(call, 0, smallest_integer); }, takes_int64},
    Variant{Check::duplicates, "index-twice", twice},
};

constexpr auto batches_variants =
    joined(batches_shape_variants, updates_rank_variants, updates_last_size_variants,
           updates_dtype_variants, batches_index_variants);

}  // namespace

const BrokenForm broken_batched_rows{begin_batches, batches_variants};

}  // namespace tscatter::generate
