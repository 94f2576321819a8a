// Calls that fail the checks of the form slice.
#include "tscatter/generate/broken_variants.hpp"

namespace tscatter::generate {
namespace {

constexpr std::array<std::string_view, 4> list_names{"start", "stop", "step", "axes"};

// A slice that covers the first axes, which `axes` names.
void begin_slice(BrokenCall& call) {
  const std::size_t rank = drawn_rank(call);
  const Shape data = descending_shape(rank);
  const std::size_t count = 1 + call.word(1) % rank;
  call.put_data(data);
  call.put_updates(data);
  std::vector<std::int64_t> axes;
  for (std::size_t axis = 0; axis < count; ++axis) axes.push_back(static_cast<std::int64_t>(axis));
  const Shape length{static_cast<std::int64_t>(count)};
  call.put_integers("start", length, std::vector<std::int64_t>(count, 0));
  call.put_integers("stop", length, {data.begin(), data.begin() + length[0]});
  call.put_integers("step", length, std::vector<std::int64_t>(count, 1));
  call.put_integers("axes", length, axes);
}

void slice_data_rank_0(BrokenCall& call) {
  call.put_data({});
  call.put_updates({});
  for (const std::string_view list : list_names) call.put_integers(list, {0}, {});
}

template <std::size_t list>
void rank_0(BrokenCall& call) {
  call.put_integers(list_names[list], {}, {call.integers_of(list_names[list]).front()});
}

template <std::size_t list>
void rank_2(BrokenCall& call) {
  const std::int64_t count = call.shape(list_names[list]).front();
  call.put_integers(list_names[list], {count, 1}, call.integers_of(list_names[list]));
}

template <std::size_t list, DType dtype>
void no_integers(BrokenCall& call) {
  call.put_zeros(list_names[list], dtype, call.shape(list_names[list]));
}

template <std::size_t list>
void longer(BrokenCall& call) {
  std::vector<std::int64_t> values = call.integers_of(list_names[list]);
  values.push_back(1);
  call.put_integers(list_names[list], {static_cast<std::int64_t>(values.size())}, values);
}

template <std::size_t list>
void shorter(BrokenCall& call) {
  std::vector<std::int64_t> values = call.integers_of(list_names[list]);
  values.pop_back();
  call.put_integers(list_names[list], {static_cast<std::int64_t>(values.size())}, values);
}

void put_first(BrokenCall& call, std::string_view list, std::int64_t value) {
  std::vector<std::int64_t> values = call.integers_of(list);
  values.front() = value;
  call.put_integers(list, call.shape(list), values);
}

void put_last(BrokenCall& call, std::string_view list, std::int64_t value) {
  std::vector<std::int64_t> values = call.integers_of(list);
  values.back() = value;
  call.put_integers(list, call.shape(list), values);
}

void first_step_0(BrokenCall& call) { put_first(call, "step", 0); }
void last_step_0(BrokenCall& call) { put_last(call, "step", 0); }
void sliced_axis_above(BrokenCall& call) { put_last(call, "axes", call.rank()); }
void sliced_axis_below(BrokenCall& call) { put_first(call, "axes", -call.rank() - 1); }
void sliced_axis_largest(BrokenCall& call) { put_first(call, "axes", largest_integer); }
void sliced_axis_smallest(BrokenCall& call) { put_last(call, "axes", smallest_integer); }

void slice_whole(BrokenCall& call, const std::vector<std::int64_t>& stop) {
  const Shape length{static_cast<std::int64_t>(stop.size())};
  call.put_integers("start", length, std::vector<std::int64_t>(stop.size(), 0));
  call.put_integers("stop", length, stop);
  call.put_integers("step", length, std::vector<std::int64_t>(stop.size(), 1));
}

void more_than_rank(BrokenCall& call) {
  std::vector<std::int64_t> stop = call.shape("data");
  stop.push_back(1);
  slice_whole(call, stop);
  call.leave_out("axes");
}

void put_twice(BrokenCall& call, std::int64_t again) {
  const std::int64_t last = call.rank() - 1;
  slice_whole(call, {call.shape("data").back(), call.shape("data").back()});
  call.put_integers("axes", {2}, {last, again});
}

void axis_twice(BrokenCall& call) { put_twice(call, call.rank() - 1); }
void axis_twice_from_the_end(BrokenCall& call) { put_twice(call, -1); }

constexpr std::array own_variants{
    Variant{Check::data_rank, "data-rank-0", slice_data_rank_0},
    Variant{Check::list_rank, "start-rank-0", rank_0<0>},
    Variant{Check::list_rank, "stop-rank-0", rank_0<1>},
    Variant{Check::list_rank, "step-rank-0", rank_0<2>},
    Variant{Check::list_rank, "axes-rank-0", rank_0<3>},
    Variant{Check::list_rank, "start-rank-2", rank_2<0>},
    Variant{Check::list_rank, "stop-rank-2", rank_2<1>},
    Variant{Check::list_rank, "step-rank-2", rank_2<2>},
    Variant{Check::list_rank, "axes-rank-2", rank_2<3>},
    Variant{Check::list_dtype, "start-float32", no_integers<0, DType::float32>},
    Variant{Check::list_dtype, "stop-float64", no_integers<1, DType::float64>},
    Variant{Check::list_dtype, "step-bool", no_integers<2, DType::boolean>},
    Variant{Check::list_dtype, "axes-float32", no_integers<3, DType::float32>},
    Variant{Check::list_length, "start-longer", longer<0>},
    Variant{Check::list_length, "stop-longer", longer<1>},
    Variant{Check::list_length, "step-longer", longer<2>},
    Variant{Check::list_length, "axes-longer", longer<3>},
    Variant{Check::list_length, "start-shorter", shorter<0>},
    Variant{Check::list_length, "stop-shorter", shorter<1>},
    Variant{Check::list_length, "step-shorter", shorter<2>},
    Variant{Check::list_length, "axes-shorter", shorter<3>},
    Variant{Check::step_not_zero, "first-step-0", first_step_0},
    Variant{Check::step_not_zero, "last-step-0", last_step_0},
    Variant{Check::axes_range, "axis-above", sliced_axis_above},
    Variant{Check::axes_range, "axis-below", sliced_axis_below},
    Variant{Check::axes_range, "axis-int64-max", sliced_axis_largest},
    Variant{Check::axes_range, "axis-int64-min", sliced_axis_smallest},
    Variant{Check::axes_range, "more-slices-than-axes", more_than_rank},
    Variant{Check::axes_distinct, "axis-twice", axis_twice},
    Variant{Check::axes_distinct, "axis-twice-from-the-end", axis_twice_from_the_end},
};

constexpr auto slice_variants = joined(own_variants, updates_variants);

}  // namespace

const BrokenForm broken_slice{begin_slice, slice_variants};

}  // namespace tscatter::generate
