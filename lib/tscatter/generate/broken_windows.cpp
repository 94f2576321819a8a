// Calls that fail the checks of the form window.
#include "tscatter/generate/broken_variants.hpp"

namespace tscatter::generate {
namespace {

void put_list(BrokenCall& call, std::string_view name, const std::vector<std::int64_t>& dims) {
  call.put_integers(name, {static_cast<std::int64_t>(dims.size())}, dims);
}

// Data is [4, 3, 2]; axis 2 goes along with axis 1 of indices, and windows are [2, 1].
void begin_window(BrokenCall& call) {
  call.put_data(descending_shape(3));
  std::vector<std::int64_t> starts;
  for (std::uint64_t i = 0; i < 6; ++i)
    starts.push_back(static_cast<std::int64_t>(call.word(i) % 3));
  call.put_integers("indices", {3, 2, 1}, starts);
  call.put_updates({3, 2, 2});
  put_list(call, "update_window_dims", {2});
  put_list(call, "inserted_window_dims", {1});
  put_list(call, "input_batching_dims", {2});
  put_list(call, "scatter_indices_batching_dims", {1});
  put_list(call, "scatter_dims_to_operand_dims", {0});
  call.put_integers("index_vector_dim", {}, {2});
}

void window_data_rank_0(BrokenCall& call) { call.put_data({}); }
void list_rank_0(BrokenCall& call) { call.put_integers("inserted_window_dims", {}, {1}); }
void list_rank_2(BrokenCall& call) { call.put_integers("update_window_dims", {1, 1}, {2}); }
void vector_dim_two(BrokenCall& call) { put_list(call, "index_vector_dim", {2, 2}); }
void list_float32(BrokenCall& call) { call.put_zeros("input_batching_dims", DType::float32, {1}); }
void vector_dim_bool(BrokenCall& call) { call.put_zeros("index_vector_dim", DType::boolean, {}); }

void window_dim_above(BrokenCall& call) { put_list(call, "update_window_dims", {3}); }
void inserted_below(BrokenCall& call) { put_list(call, "inserted_window_dims", {-1}); }
void batching_above(BrokenCall& call) { put_list(call, "scatter_indices_batching_dims", {3}); }
void vector_dim_above(BrokenCall& call) { call.put_integers("index_vector_dim", {}, {4}); }

void window_dims_twice(BrokenCall& call) { put_list(call, "update_window_dims", {2, 2}); }
void window_dims_fall(BrokenCall& call) { put_list(call, "update_window_dims", {2, 1}); }
void inserted_twice(BrokenCall& call) { put_list(call, "inserted_window_dims", {2}); }
void moved_batch(BrokenCall& call) { put_list(call, "scatter_dims_to_operand_dims", {2}); }
void vector_of_batch(BrokenCall& call) { put_list(call, "scatter_indices_batching_dims", {2}); }

void inserted_none(BrokenCall& call) { put_list(call, "inserted_window_dims", {}); }
void moved_two(BrokenCall& call) { put_list(call, "scatter_dims_to_operand_dims", {0, 1}); }
void batching_none(BrokenCall& call) { put_list(call, "scatter_indices_batching_dims", {}); }

void batch_longer(BrokenCall& call) { put_list(call, "scatter_indices_batching_dims", {0}); }

void window_too_long(BrokenCall& call) { call.put_updates({3, 2, 5}); }
// Where windows are 1 long and begin at 0, there is no element.
void inserted_axis_empty(BrokenCall& call) { call.put_data({4, 0, 2}); }
void window_above(BrokenCall& call) { put_index(call, 0, 3); }
void window_below(BrokenCall& call) { put_index(call, 1, below(call, 0)); }

constexpr std::array of_dims{
    Variant{Check::data_rank, "data-rank-0", window_data_rank_0},
    Variant{Check::list_rank, "list-rank-0", list_rank_0},
    Variant{Check::list_rank, "list-rank-2", list_rank_2},
    Variant{Check::list_rank, "index-vector-dim-two", vector_dim_two},
    Variant{Check::list_dtype, "list-float32", list_float32},
    Variant{Check::list_dtype, "index-vector-dim-bool", vector_dim_bool},
    Variant{Check::dims_range, "window-dim-above", window_dim_above},
    Variant{Check::dims_range, "inserted-below", inserted_below},
    Variant{Check::dims_range, "batching-above", batching_above},
    Variant{Check::dims_range, "index-vector-dim-above", vector_dim_above},
    Variant{Check::dims_distinct, "window-dims-twice", window_dims_twice},
    Variant{Check::dims_distinct, "window-dims-fall", window_dims_fall},
    Variant{Check::dims_distinct, "inserted-and-batching", inserted_twice},
    Variant{Check::dims_distinct, "moved-and-batching", moved_batch},
    Variant{Check::dims_distinct, "batching-and-index-vector", vector_of_batch},
    Variant{Check::dims_count, "inserted-none", inserted_none},
    Variant{Check::dims_count, "moved-two", moved_two},
    Variant{Check::dims_count, "batching-none", batching_none},
    Variant{Check::batching_sizes, "batch-longer", batch_longer},
};

constexpr std::array of_updates{
    Variant{Check::updates_shape, "window-too-long", window_too_long},
    Variant{Check::updates_shape, "updates-first-axis-longer", updates_first_size_more},
    Variant{Check::updates_shape, "updates-axis-more", updates_axis_more},
    Variant{Check::index_range, "index-above", window_above},
    Variant{Check::index_range, "index-below", window_below},
};

// Rows that elements have, too. They come last, so that the cases of earlier rows keep their bytes.
// (With one axis less, updates would break a rule on its axes before the rule on its shape.)
constexpr std::array of_ends{
    Variant{Check::updates_shape, "updates-first-axis-shorter", updates_first_size_less},
    Variant{Check::updates_shape, "inserted-axis-empty", inserted_axis_empty},
    Variant{Check::index_range, "index-int64-max", index_largest, takes_int64},
    Variant{Check::index_range, "index-int64-min", index_smallest, takes_int64},
};

constexpr auto window_variants = joined(of_dims, of_updates, updates_dtype_variants, of_ends);

}  // namespace

const BrokenForm broken_window{begin_window, window_variants};

}  // namespace tscatter::generate
