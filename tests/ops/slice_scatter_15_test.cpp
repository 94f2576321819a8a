#include <limits>
#include <optional>

#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

struct Lists {
  Tensor start;
  Tensor stop;
  Tensor step;
  std::optional<Tensor> axes = std::nullopt;
};

Report scatter(const Tensor& data, const Tensor& updates, const Lists& lists, Output& output,
               const RunOptions& options = {}) {
  const Tensor* axes = lists.axes ? &*lists.axes : nullptr;
  return slice_scatter_15(data, updates, lists.start, lists.stop, lists.step, axes, output,
                          options);
}

std::string slice_15_refused(const Tensor& data, const Tensor& updates, const Lists& lists) {
  return refusal([&](Output& output) { scatter(data, updates, lists, output); });
}

// Over data [2, 3], where only the lists may be wrong.
std::string refused_lists(const Lists& lists) {
  return slice_15_refused(zeros({2, 3}), zeros({1, 3}), lists);
}

Lists first_row() {
  return {.start = list({0}), .stop = list({1}), .step = list({1}), .axes = list({0})};
}

// The positions of data [5] that start:stop:step takes, in order.
std::vector<float> positions(const Tensor& start, const Tensor& stop, const Tensor& step,
                             std::int64_t count) {
  std::vector<float> order;
  for (std::int64_t i = 1; i <= count; ++i) order.push_back(static_cast<float>(i));
  return result(5, [&](Output& output) {
    scatter(zeros({5}), floats({count}, order), {.start = start, .stop = stop, .step = step},
            output);
  });
}

constexpr std::int64_t lowest_int64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest_int64 = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("slice_scatter_15.c1: data of rank 0 is refused", "[ops]") {
  const Lists none{.start = list({}), .stop = list({}), .step = list({})};
  CHECK(slice_15_refused(zeros({}), zeros({}), none) ==
        "slice_scatter_15: data must have rank 1 or more, got rank 0 [slice_scatter_15.c1]");
  CHECK(slice_15_refused(zeros({1}), zeros({1}), none) == "legal");
}

TEST_CASE("slice_scatter_15.c2: a list of another rank than 1 is refused", "[ops]") {
  Lists lists = first_row();
  lists.start = scalar(0);
  CHECK(refused_lists(lists) ==
        "slice_scatter_15: start must have rank 1, got rank 0 [slice_scatter_15.c2]");
  lists = first_row();
  lists.stop = ints({1, 1}, {1});
  CHECK(refused_lists(lists) ==
        "slice_scatter_15: stop must have rank 1, got rank 2 [slice_scatter_15.c2]");
  lists = first_row();
  lists.step = scalar(1);
  CHECK(refused_lists(lists) ==
        "slice_scatter_15: step must have rank 1, got rank 0 [slice_scatter_15.c2]");
  lists = first_row();
  lists.axes = scalar(0);
  CHECK(refused_lists(lists) ==
        "slice_scatter_15: axes must have rank 1, got rank 0 [slice_scatter_15.c2]");
  CHECK(refused_lists(first_row()) == "legal");
}

TEST_CASE("slice_scatter_15.c3: a list that holds no integers is refused", "[ops]") {
  Lists lists = first_row();
  lists.step = floats({1}, {1});
  CHECK(refused_lists(lists) ==
        "slice_scatter_15: step must be of an integer dtype, got float32 [slice_scatter_15.c3]");
  lists = first_row();
  lists.axes = floats({1}, {0});
  CHECK(refused_lists(lists) ==
        "slice_scatter_15: axes must be of an integer dtype, got float32 [slice_scatter_15.c3]");
  lists = first_row();
  lists.stop = tensor<std::uint8_t>({1}, {1});
  CHECK(refused_lists(lists) == "legal");
}

TEST_CASE("slice_scatter_15.c4: lists of different lengths are refused", "[ops]") {
  Lists lists = first_row();
  lists.stop = list({1, 2});
  CHECK(
      refused_lists(lists) ==
      "slice_scatter_15: stop must have as many elements as start, 1, got 2 [slice_scatter_15.c4]");
  lists = first_row();
  lists.axes = list({});
  CHECK(
      refused_lists(lists) ==
      "slice_scatter_15: axes must have as many elements as start, 1, got 0 [slice_scatter_15.c4]");
}

TEST_CASE("slice_scatter_15.c5: a step of 0 is refused", "[ops]") {
  const auto stepped = [](std::int64_t step) {
    const Lists lists{.start = list({0, 0}), .stop = list({2, 1}), .step = list({1, step})};
    return slice_15_refused(zeros({2, 3}), zeros({2, 1}), lists);
  };
  CHECK(stepped(0) == "slice_scatter_15: step[1] must not be 0 [slice_scatter_15.c5]");
  CHECK(stepped(1) == "legal");
}

TEST_CASE("slice_scatter_15.c6: an axis that data does not have is refused", "[ops]") {
  const auto sliced = [](std::int64_t axis) {
    Lists lists = first_row();
    lists.axes = list({axis});
    return slice_15_refused(zeros({2, 2}), axis % 2 == 0 ? zeros({1, 2}) : zeros({2, 1}), lists);
  };
  CHECK(sliced(1) == "legal");
  CHECK(sliced(-2) == "legal");
  CHECK(sliced(2) ==
        "slice_scatter_15: axes[0] must be in [-2, 2) for data of rank 2, got 2 "
        "[slice_scatter_15.c6]");
  CHECK(sliced(-3) ==
        "slice_scatter_15: axes[0] must be in [-2, 2) for data of rank 2, got -3 "
        "[slice_scatter_15.c6]");
}

TEST_CASE("slice_scatter_15.c6: more slices than data has axes are refused", "[ops]") {
  const Lists two{.start = list({0, 0}), .stop = list({1, 1}), .step = list({1, 1})};
  CHECK(slice_15_refused(zeros({2}), zeros({1}), two) ==
        "slice_scatter_15: start must have at most 1 elements, the rank of data, got 2 "
        "[slice_scatter_15.c6]");
  CHECK(slice_15_refused(zeros({2, 2}), zeros({1, 1}), two) == "legal");
}

TEST_CASE("slice_scatter_15.c7: an axis that is named twice is refused", "[ops]") {
  const auto sliced = [](std::int64_t first, std::int64_t second) {
    const Lists lists{.start = list({0, 0}),
                      .stop = list({1, 1}),
                      .step = list({1, 1}),
                      .axes = list({first, second})};
    return slice_15_refused(zeros({2, 2}), zeros({1, 1}), lists);
  };
  CHECK(sliced(1, 0) == "legal");
  CHECK(sliced(1, 1) ==
        "slice_scatter_15: axes[1] must name an axis that no earlier one names, got 1, as axes[0] "
        "[slice_scatter_15.c7]");
  CHECK(sliced(0, -2) ==
        "slice_scatter_15: axes[1] must name an axis that no earlier one names, got -2, as axes[0] "
        "[slice_scatter_15.c7]");
}

TEST_CASE("slice_scatter_15.c8: updates of another shape than the slice are refused", "[ops]") {
  CHECK(slice_15_refused(zeros({2, 3}), zeros({1, 3}), first_row()) == "legal");
  CHECK(slice_15_refused(zeros({2, 3}), zeros({2, 3}), first_row()) ==
        "slice_scatter_15: updates must have shape [1, 3] (the shape of the slice), got [2, 3] "
        "[slice_scatter_15.c8]");
  CHECK(slice_15_refused(zeros({2, 3}), zeros({3}), first_row()) ==
        "slice_scatter_15: updates must have shape [1, 3] (the shape of the slice) "
        "(np.broadcast_to(updates, [1, 3]) repeats them), got [3] [slice_scatter_15.c8]");
}

TEST_CASE("slice_scatter_15.c9: updates of another dtype are refused", "[ops]") {
  CHECK(slice_15_refused(zeros({2, 3}), ints({1, 3}, {0, 0, 0}), first_row()) ==
        "slice_scatter_15: updates must have data's dtype float32 (--cast same-kind), got int32 "
        "[slice_scatter_15.c9]");
}

TEST_CASE("slice_scatter_15: start and stop are clamped as Python clamps them", "[ops]") {
  CHECK(positions(list({-25}), list({25}), list({2}), 3) == std::vector<float>{1, 0, 2, 0, 3});
  CHECK(positions(list({25}), list({-25}), list({-2}), 3) == std::vector<float>{3, 0, 2, 0, 1});
  CHECK(positions(list({-2}), list({25}), list({1}), 2) == std::vector<float>{0, 0, 0, 1, 2});
  CHECK(positions(list({-2}), list({-25}), list({-1}), 4) == std::vector<float>{4, 3, 2, 1, 0});
  CHECK(positions(list({3}), list({3}), list({1}), 0) == std::vector<float>(5));
  CHECK(positions(list({0}), list({4}), list({-1}), 0) == std::vector<float>(5));
}

TEST_CASE("slice_scatter_15: the ends of the integer types mean to the end", "[ops]") {
  CHECK(positions(list({0}), list({largest_int64}), list({1}), 5) ==
        std::vector<float>{1, 2, 3, 4, 5});
  CHECK(positions(list({largest_int64}), list({lowest_int64}), list({-1}), 5) ==
        std::vector<float>{5, 4, 3, 2, 1});
  CHECK(positions(list({lowest_int64}), list({largest_int64}), list({largest_int64}), 1) ==
        std::vector<float>{1, 0, 0, 0, 0});
  CHECK(positions(list({largest_int64}), list({lowest_int64}), list({lowest_int64}), 1) ==
        std::vector<float>{0, 0, 0, 0, 1});
  const auto end = list32({std::numeric_limits<std::int32_t>::max()});
  const auto beginning = list32({std::numeric_limits<std::int32_t>::min()});
  CHECK(positions(end, beginning, list32({-4}), 2) == std::vector<float>{2, 0, 0, 0, 1});
  const auto largest = tensor<std::uint64_t>({1}, {std::numeric_limits<std::uint64_t>::max()});
  CHECK(positions(list({1}), largest, largest, 1) == std::vector<float>{0, 1, 0, 0, 0});
}

TEST_CASE("slice_scatter_15: a step of any size is taken along an outer axis", "[ops]") {
  for (const std::int64_t step : {largest_int64, lowest_int64}) {
    const Lists lists{.start = list({0}), .stop = list({step > 0 ? 2 : -3}), .step = list({step})};
    CHECK(result(4, [&](Output& output) {
            scatter(zeros({2, 2}), floats({1, 2}, {1, 2}), lists, output);
          }) == std::vector<float>{1, 2, 0, 0});
  }
}

TEST_CASE("slice_scatter_15: with empty lists updates replace the whole of data", "[ops]") {
  const Lists none{.start = list({}), .stop = list({}), .step = list({})};
  CHECK(result(2, [&](Output& output) {
          scatter(zeros({2}), floats({2}, {1, 2}), none, output);
        }) == std::vector<float>{1, 2});
}

TEST_CASE("slice_scatter_15: a slice in one piece leaves the tiles before and after it alone",
          "[ops]") {
  const Lists middle{.start = list({3}), .stop = list({5}), .step = list({1})};
  const auto sliced = [&](std::int64_t tile_bytes) {
    return result(8, [&](Output& output) {
      scatter(zeros({8}), floats({2}, {1, 2}), middle, output,
              {.threads = 1, .tile_bytes = tile_bytes});
    });
  };
  const std::vector<float> expected{0, 0, 0, 1, 2, 0, 0, 0};
  CHECK(sliced(1) == expected);
  CHECK(sliced(8) == expected);
  CHECK(sliced(12) == expected);
}

}  // namespace tscatter
