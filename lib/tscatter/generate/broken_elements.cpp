// Calls that fail the checks of the form elements.
#include "tscatter/generate/broken_variants.hpp"

namespace tscatter::generate {
namespace {

// Puts indices of that shape, zeros all, and updates of the same shape.
void put_entries(BrokenCall& call, const Shape& shape) {
  const auto count = static_cast<std::size_t>(element_count(shape));
  call.put_integers("indices", shape, std::vector<std::int64_t>(count, 0));
  call.put_updates(shape);
}

// As large as data, but with two entries along the axis.
void begin_elements(BrokenCall& call) {
  const std::size_t rank = drawn_rank(call);
  const std::size_t axis = call.word(1) % rank;
  Shape shape = descending_shape(rank);
  const auto size = static_cast<std::uint64_t>(shape[axis]);
  call.put_data(shape);
  shape[axis] = 2;
  std::vector<std::int64_t> indices(static_cast<std::size_t>(element_count(shape)));
  for (std::size_t i = 0; i < indices.size(); ++i)
    indices[i] = static_cast<std::int64_t>(call.word(2 + i) % size);
  call.put_integers("indices", shape, indices);
  call.put_updates(shape);
  begin_axis(call, 0, static_cast<std::int64_t>(axis));
}

void elements_data_rank_0(BrokenCall& call) {
  call.put_data({});
  put_entries(call, {});
  put_axis(call, 0);
}

void indices_axis_more(BrokenCall& call) {
  Shape shape = call.shape("indices");
  shape.insert(shape.begin(), 1);
  put_entries(call, shape);
}

void indices_axis_less(BrokenCall& call) {
  Shape shape = call.shape("indices");
  shape.pop_back();
  put_entries(call, shape);
}

void begin_of_rank_2(BrokenCall& call, std::int64_t axis, const Shape& entries) {
  call.put_data(descending_shape(2));
  put_axis(call, axis);
  put_entries(call, entries);
}

// Data is [4, 3].
void longer_before_axis(BrokenCall& call) { begin_of_rank_2(call, 1, {5, 2}); }
void longer_behind_axis(BrokenCall& call) { begin_of_rank_2(call, 0, {2, 4}); }

void indices_longer_along_axis(BrokenCall& call) {
  Shape shape = call.shape("data");
  ++shape[static_cast<std::size_t>(axis_of(call))];
  put_entries(call, shape);
}

// An index that the axis before would allow.
void above_last_axis(BrokenCall& call) {
  const std::int64_t last = call.rank() - 1;
  Shape shape(call.shape("data").size(), 1);
  shape.back() = 2;
  put_axis(call, last);
  put_entries(call, shape);
  call.put_integers("indices", shape, {0, size_of(call, last)});
}

constexpr std::array entry_variants{
    Variant{Check::data_rank, "data-rank-0", elements_data_rank_0},
    Variant{Check::indices_rank, "indices-axis-more", indices_axis_more},
    Variant{Check::indices_rank, "indices-axis-less", indices_axis_less},
};

constexpr std::array size_variants{
    Variant{Check::indices_shape, "indices-longer-before-axis", longer_before_axis},
    Variant{Check::indices_shape, "indices-longer-behind-axis", longer_behind_axis},
    Variant{Check::indices_length, "indices-longer-along-axis", indices_longer_along_axis},
};

constexpr std::array own_index_variants{
    Variant{Check::index_range, "index-above-last-axis", above_last_axis},
};

constexpr auto elements_variants =
    joined(entry_variants, axis_variants, size_variants, index_range_variants, own_index_variants,
           updates_variants);

}  // namespace

const BrokenForm broken_elements{begin_elements, elements_variants};

}  // namespace tscatter::generate
