// Diagnoses of results whose updates went elsewhere: indices that are read otherwise, other axes,
// shifts, slices.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "catch.hpp"
#include "diagnose/verdicts.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

using planted::all_of;
using planted::Device;
using planted::names;
using planted::verified;
using property::Random;

}  // namespace

TEST_CASE("diagnose: indices that are read otherwise", "[diagnose]") {
  std::vector<double> data(300);
  std::iota(data.begin(), data.end(), 1000.0);
  const auto rows = [&](std::vector<std::int64_t> at) {
    const auto count = static_cast<std::int64_t>(at.size());
    std::vector<double> updates(at.size());
    std::iota(updates.begin(), updates.end(), 1.0);
    return arguments_of(tensor<double>({300}, data), int64s({count, 1}, at),
                        tensor<double>({count}, updates), {{"reduction", Reduction::sum}});
  };
  const auto with = [&](const std::vector<std::pair<std::size_t, double>>& added) {
    std::vector<double> actual = data;
    for (const auto& [at, value] : added) actual[at] += value;
    return tensor<double>({300}, actual);
  };
  const auto verdict = [&](const std::vector<std::int64_t>& at, const Tensor& actual) {
    return verified("ScatterNDUpdate-15", rows(at), actual);
  };
  CHECK(names(verdict({200, 3}, with({{244, 1}, {3, 2}})), "indices", "indices cut to int8"));
  CHECK(names(verdict({256, 3}, with({{0, 1}, {3, 2}})), "indices", "indices cut to uint8"));
  CHECK(names(verdict({5, 7, 9}, with({{5, 1}, {0, 2}, {7, 3}})), "indices",
              "the bytes of indices read as int32"));

  const auto pairs = [&](const std::vector<double>& actual) {
    return verified("ScatterNDUpdate-15",
                    arguments_of(tensor<double>({3, 3}, std::vector<double>(9, 0.5)),
                                 int64s({3, 2}, {0, 1, 0, 2, 1, 1}), tensor<double>({3}, {1, 2, 4}),
                                 {{"reduction", Reduction::sum}}),
                    tensor<double>({3, 3}, actual));
  };
  CHECK(names(pairs({.5, .5, .5, 1.5, 4.5, .5, 2.5, .5, .5}), "indices",
              "the coordinates of indices in reversed order"));
  // (0, 1), (0, 2), (1, 1) by columns: (0, 2), (1, 1), (0, 1)
  CHECK(names(pairs({.5, 4.5, 1.5, .5, 2.5, .5, .5, .5, .5}), "indices",
              "indices read in the other memory order"));
  CHECK(names(pairs({.5, .5, 1.5, .5, .5, 4.5, .5, .5, .5}), "indices",
              "indices off by +1 along axis 1"));
  CHECK(names(pairs({.5, .5, .5, .5, 1.5, 2.5, .5, 4.5, .5}), "indices",
              "indices off by +1 along axis 0"));
}

TEST_CASE("diagnose: an item of an index that is read otherwise", "[diagnose]") {
  const auto verdict = [](Arguments arguments, const Tensor& actual) {
    return verify(*find_operation("numpy.add.at"), arguments, actual);
  };
  const auto got = [](const Shape& shape,
                      const std::vector<std::pair<std::size_t, double>>& added) {
    std::vector<double> actual(static_cast<std::size_t>(element_count(shape)), 0.5);
    for (const auto& [at, value] : added) actual[at] += value;
    return tensor<double>(shape, actual);
  };
  Arguments list;
  list.operands.emplace("data", got({300}, {}));
  list.operands.emplace("index0", int64s({2}, {200, 3}));
  list.operands.emplace("updates", tensor<double>({2}, {1, 2}));
  list.index.push_back({OperandItem{"index0"}, "ids.npy"});
  CHECK(verdict(list, got({300}, {{200, 1}, {3, 2}})).is_legal());
  CHECK(names(verdict(list, got({300}, {{244, 1}, {3, 2}})), "indices", "ids.npy cut to int8"));
  CHECK(names(verdict(list, got({300}, {{201, 1}, {4, 2}})), "indices", "ids.npy off by +1"));

  Arguments pairs;
  pairs.operands.emplace("data", got({3, 4}, {}));
  pairs.operands.emplace("index0", int64s({3}, {0, 1, 2}));
  pairs.operands.emplace("index1", int64s({3}, {2, 0, 1}));
  pairs.operands.emplace("updates", tensor<double>({3}, {1, 2, 4}));
  pairs.index = {{OperandItem{"index0"}, "i.npy"}, {OperandItem{"index1"}, "j.npy"}};
  const Verification v = verdict(pairs, got({3, 4}, {{3, 1}, {5, 2}, {10, 4}}));
  CHECK(names(v, "indices", "j.npy off by +1"));
  CHECK_FALSE(names(v, "indices", "i.npy off by +1"));
}

TEST_CASE("diagnose: another axis, another memory order of updates, another operation",
          "[diagnose]") {
  Arguments arguments =
      arguments_of(tensor<double>({2, 2}, {10, 20, 30, 40}), int64s({2, 2}, {1, 1, 0, 1}),
                   tensor<double>({2, 2}, {1, 2, 3, 4}), {{"reduction", Reduction::sum}});
  arguments.operands.emplace("axis", int64s({}, {0}));
  const auto got = [&](std::vector<double> actual) {
    return verified("ScatterElementsUpdate-12", arguments,
                    tensor<double>({2, 2}, std::move(actual)));
  };
  CHECK(got({13, 20, 31, 46}).is_legal());
  CHECK(names(got({10, 23, 33, 44}), "axis", "along axis 1"));
  CHECK(names(got({12, 20, 31, 47}), "updates", "updates read in the other memory order"));

  const Verification v =
      verified("onnx.ScatterND-18",
               arguments_of(tensor<float>({2}, {1, 2}), int64s({1, 1}, {0}),
                            tensor<float>({1}, {std::nanf("")}), {{"reduction", Reduction::max}}),
               tensor<float>({2}, {1, 2}));
  CHECK(names(v, "operation", "as ScatterNDUpdate-15"));
  CHECK(names(v, "policy", "as with --extremes data"));
}

TEST_CASE("diagnose: the axis along which indices count is named", "[diagnose]") {
  const auto wrong_axis = [](const Verification& v) {
    return names(v, "indices", "indices off by +1 along axis 1") &&
           !names(v, "indices", "indices off by +1 along axis 0");
  };
  const Tensor nines = tensor<float>({2, 5}, std::vector<float>(10, 9));
  const Tensor pairs = int64s({2, 2}, {1, 2, 2, 3});
  Arguments elements = arguments_of(nines, pairs, tensor<float>({2, 2}, {1, 2, 3, 4}),
                                    {{"reduction", Reduction::none}});
  elements.attributes["axis"] = std::int64_t{1};
  CHECK(wrong_axis(verified("onnx.ScatterElements-18", elements,
                            tensor<float>({2, 5}, {9, 9, 1, 2, 9, 9, 9, 9, 3, 4}))));

  Arguments rows =
      arguments_of(tensor<float>({2, 5, 1}, std::vector<float>(10, 9)), pairs,
                   tensor<float>({2, 2, 1}, {1, 2, 3, 4}), {{"reduction", Reduction::none}});
  rows.attributes.clear();
  CHECK(wrong_axis(
      verified("tosa.scatter", rows, tensor<float>({2, 5, 1}, {9, 9, 1, 2, 9, 9, 9, 9, 3, 4}))));

  Arguments start =
      arguments_of(tensor<float>({2, 5, 1}, std::vector<float>(10, 9)), int64s({2}, {0, 2}),
                   tensor<float>({2, 2, 1}, {1, 2, 3, 4}), {{"reduction", Reduction::none}});
  start.attributes.clear();
  CHECK(wrong_axis(verified("onnx.TensorScatter-24", start,
                            tensor<float>({2, 5, 1}, {9, 1, 2, 9, 9, 9, 9, 9, 3, 4}))));
}

// Positions of a circular cache may be any int64: at one end of it they are only off the other way.
TEST_CASE("diagnose: indices at int64's own ends are off the other way", "[diagnose]") {
  const auto off = [](std::int64_t first, const std::vector<float>& actual, const char* words) {
    Arguments start =
        arguments_of(tensor<float>({2, 5, 1}, std::vector<float>(10, 9)), int64s({2}, {first, 0}),
                     tensor<float>({2, 2, 1}, {1, 2, 3, 4}), {{"reduction", Reduction::none}});
    start.attributes = {{"mode", Word{"circular"}}};
    return names(verified("onnx.TensorScatter-24", start, tensor<float>({2, 5, 1}, actual)),
                 "indices", words);
  };
  using Limits = std::numeric_limits<std::int64_t>;
  CHECK(off(Limits::max(), {9, 1, 2, 9, 9, 4, 9, 9, 9, 3}, "indices off by -1 along axis 1"));
  CHECK(off(Limits::min(), {9, 9, 9, 1, 2, 9, 3, 4, 9, 9}, "indices off by +1 along axis 1"));
}

// generic.scatter of windows of one element, the second coordinate of which counts along axis 0.
TEST_CASE("diagnose: the axis of each coordinate of a window is named", "[diagnose]") {
  Operation own = *find_operation("generic.scatter");
  own.form = Form::window;
  own.overridden = own.unanswered;
  Arguments arguments = arguments_of(
      tensor<float>({4, 5}, std::vector<float>(20, 9)), int64s({3, 2}, {0, 1, 2, 1, 3, 2}),
      tensor<float>({3}, {1, 2, 3}), {{"reduction", Reduction::sum}});
  const auto put = [&](const char* name, std::vector<std::int64_t> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    arguments.operands.emplace(name, int64s({count}, std::move(values)));
  };
  put("update_window_dims", {});
  put("inserted_window_dims", {0, 1});
  put("input_batching_dims", {});
  put("scatter_indices_batching_dims", {});
  put("scatter_dims_to_operand_dims", {1, 0});
  put("index_vector_dim", {1});
  const auto got = [&](std::int64_t down, std::int64_t right) {
    std::vector<float> actual(20, 9);
    for (const auto& [row, column, value] :
         {std::tuple(1, 0, 1.0F), std::tuple(1, 2, 2.0F), std::tuple(2, 3, 3.0F)})
      actual[static_cast<std::size_t>((row + down) * 5 + column + right)] += value;
    return verify(own, arguments, tensor<float>({4, 5}, actual));
  };
  CHECK(got(0, 0).is_legal());
  CHECK(names(got(1, 0), "indices", "indices off by +1 along axis 0"));
  CHECK(names(got(0, 1), "indices", "indices off by +1 along axis 1"));
}

TEST_CASE("diagnose: another operation has the same axis, as an operand or an attribute",
          "[diagnose]") {
  const auto with = [](const Tensor& updates) {
    return arguments_of(tensor<float>({2, 2}, {10, 20, 30, 40}), int64s({2, 2}, {1, 0, 0, 1}),
                        updates, {{"reduction", Reduction::max}});
  };
  Arguments arguments = with(tensor<float>({2, 2}, {50, std::nanf(""), 70, 80}));
  Arguments openvino = arguments;
  openvino.operands.emplace("axis", int64s({}, {1}));
  Arguments onnx = arguments;
  onnx.attributes["axis"] = std::int64_t{1};
  const Tensor by_openvino = tensor<float>({2, 2}, {std::nanf(""), 50, 70, 80});
  const Tensor by_onnx = tensor<float>({2, 2}, {10, 50, 70, 80});
  CHECK(verified("ScatterElementsUpdate-12", openvino, by_openvino).is_legal());
  CHECK(verified("onnx.ScatterElements-18", onnx, by_onnx).is_legal());
  CHECK(names(verified("ScatterElementsUpdate-12", openvino, by_onnx), "operation",
              "as onnx.ScatterElements-18"));
  CHECK(names(verified("onnx.ScatterElements-18", onnx, by_openvino), "operation",
              "as ScatterElementsUpdate-12"));

  // Along axis 0 it is not the other operation that errs.
  openvino.operands.insert_or_assign("updates", tensor<float>({2, 2}, {50, 60, 70, 80}));
  const Verification v =
      verified("ScatterElementsUpdate-12", openvino, tensor<float>({2, 2}, {70, 60, 50, 80}));
  INFO(all_of(v));
  CHECK(names(v, "axis", "along axis 0"));
  CHECK(!names(v, "operation", "as onnx.ScatterElements-18"));
}

// ONNX's Scatter-9 leaves what its ScatterElements-13 leaves; ScatterElementsUpdate-3 is of another
// namespace.
TEST_CASE("diagnose: of a namespace's operations that leave the same, the newest is named",
          "[diagnose]") {
  Arguments arguments =
      arguments_of(tensor<float>({2, 2}, {10, 20, 30, 40}), int64s({2, 2}, {0, 0, 0, 0}),
                   tensor<float>({2, 2}, {1, 2, 3, 4}), {{"reduction", Reduction::sum}});
  arguments.attributes["axis"] = std::int64_t{0};
  const Verification v =
      verified("onnx.ScatterElements-18", arguments, tensor<float>({2, 2}, {3, 4, 30, 40}));
  INFO(all_of(v));
  CHECK(names(v, "operation", "as onnx.ScatterElements-13"));
  CHECK(names(v, "operation", "as ScatterElementsUpdate-3"));
  CHECK(!names(v, "operation", "as onnx.Scatter-9"));
}

// Rows of two, in two batches of data: the whole row, in both batches.
TEST_CASE("diagnose: an entry that went elsewhere did so with all its elements", "[diagnose]") {
  Arguments arguments = arguments_of(
      tensor<float>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), int64s({1}, {0}),
      tensor<float>({2, 1, 2}, {50, 60, 70, 80}), {{"reduction", Reduction::none}});
  arguments.attributes.clear();
  arguments.operands.emplace("axis", int64s({}, {1}));
  const auto got = [&](std::vector<float> actual) {
    return verified("ScatterUpdate-3", arguments, tensor<float>({2, 3, 2}, std::move(actual)));
  };
  const std::string words = "indices[0] went to [2] in place of [0]";
  CHECK(names(got({1, 2, 3, 4, 50, 60, 7, 8, 9, 10, 70, 80}), "misplaced", words));
  const Verification half = got({1, 2, 3, 4, 50, 60, 7, 8, 9, 10, 11, 12});
  for (const orders::Diagnosis& each : half.diagnoses.named) CHECK(each.words != words);
}

TEST_CASE("diagnose: how far off rows are is found from the first wrong elements", "[diagnose]") {
  const auto device_of = [](std::int64_t rows) {
    Random random(5);
    auto device = planted::random_device<std::uint32_t>(random, Reduction::none, rows, rows, 2);
    std::iota(device.indices.begin(), device.indices.end(), 0);
    return device;
  };
  const auto with = [](const Device<std::uint32_t>& device, auto row) {
    std::vector<planted::Step> steps = device.steps();
    for (planted::Step& each : steps) each.row = row(each.row) % device.entries();
    return device.verify(device.result(steps));
  };
  const auto hundred = device_of(100);
  CHECK(names(with(hundred, [](std::int64_t row) { return row + 17; }), "updates",
              "each entry with the updates of the entry +17 from it"));
  CHECK(names(with(hundred, [](std::int64_t row) { return row + 70; }), "updates",
              "each entry with the updates of the entry -30 from it"));
  CHECK(names(with(hundred, [](std::int64_t row) { return 3 * row; }), "updates",
              "updates read with 3 times the stride"));
  CHECK(names(with(hundred, [](std::int64_t row) { return 4 + 3 * row; }), "updates",
              "updates read with 3 times the stride, from that of entry 4 on"));
  CHECK(names(with(device_of(13), [](std::int64_t row) { return row + 5; }), "updates",
              "each entry with the updates of the entry +5 from it"));
  const auto large = device_of(5000);
  CHECK(names(with(large, [](std::int64_t row) { return row + 1234; }), "updates",
              "each entry with the updates of the entry +1234 from it"));
}

TEST_CASE("diagnose: a result that is rotated", "[diagnose]") {
  Random random(6);
  const auto device = planted::random_device<std::uint32_t>(random, Reduction::sum, 13, 9, 1);
  std::vector<std::uint32_t> actual = device.result(device.steps());
  std::rotate(actual.begin(), actual.end() - 5, actual.end());
  const Verification v = device.verify(actual);
  INFO(all_of(v));
  CHECK(names(v, "shifted", "rotated by +5 elements"));
}

// index_add along axis 0: five rows of three into data [4,3].
TEST_CASE("diagnose: strides of another length", "[diagnose]") {
  const std::vector<std::int64_t> rows{2, 0, 3, 2, 1};
  std::vector<float> updates(15);
  std::iota(updates.begin(), updates.end(), 1.0F);
  const std::vector<float> data(12, 0.5F);
  const auto words_with = [&](const auto& index, const auto& update, const auto& place) {
    std::vector<float> actual = data;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (std::size_t j = 0; j < 3; ++j) {
        const auto at = static_cast<std::size_t>(place(static_cast<std::size_t>(index(k)), j));
        if (at < actual.size()) actual[at] += updates.at(update(k, j) % updates.size());
      }
    }
    Arguments arguments = arguments_of(tensor<float>({4, 3}, data), int64s({5}, rows),
                                       tensor<float>({5, 3}, updates), {});
    arguments.attributes = {{"axis", std::int64_t{0}}};
    return verified("torch.index_add", arguments, tensor<float>({4, 3}, std::move(actual)));
  };
  const auto own_index = [&](std::size_t k) { return rows[k]; };
  const auto own_update = [](std::size_t k, std::size_t j) { return k * 3 + j; };
  const auto own_place = [](std::size_t row, std::size_t j) { return row * 3 + j; };
  CHECK(words_with(own_index, own_update, own_place).is_legal());
  const auto wide = [](std::size_t row, std::size_t j) { return row * 4 + j; };
  CHECK(names(words_with(own_index, own_update, wide), "shifted",
              "updates written as if axis 1 had 4 elements"));
  const auto narrow = [](std::size_t row, std::size_t j) { return row + j; };
  CHECK(names(words_with(own_index, own_update, narrow), "shifted",
              "updates written as if axis 1 had 1 element"));
  const auto turned = [](std::size_t row, std::size_t j) { return j * 4 + row; };
  CHECK(names(words_with(own_index, own_update, turned), "shifted",
              "updates written in the other memory order"));
  const auto short_rows = [](std::size_t k, std::size_t j) { return k * 2 + j; };
  CHECK(names(words_with(own_index, short_rows, own_place), "updates",
              "updates read as if axis 1 had 2 elements"));
}

TEST_CASE("diagnose: indices whose rows are read with another length", "[diagnose]") {
  const std::vector<std::int64_t> indices{2, 0, 1, 3, 3, 1, 0, 2};  // [4,2]
  const std::vector<float> updates{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> actual(8, 0);
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t j = 0; j < 2; ++j)
      actual[static_cast<std::size_t>(indices[k + j]) * 2 + j] += updates[k * 2 + j];
  }
  Arguments arguments = arguments_of(tensor<float>({4, 2}, std::vector<float>(8, 0)),
                                     int64s({4, 2}, indices), tensor<float>({4, 2}, updates), {});
  arguments.attributes = {{"axis", std::int64_t{0}}};
  const Verification v =
      verified("torch.scatter_add", arguments, tensor<float>({4, 2}, std::move(actual)));
  INFO(all_of(v));
  CHECK(names(v, "indices", "index read as if axis 1 had 1 element"));
}

TEST_CASE("diagnose: a cache that does not wrap around", "[diagnose]") {
  Arguments arguments =
      arguments_of(tensor<float>({1, 4, 1}, {1, 2, 3, 4}), int64s({1}, {3}),
                   tensor<float>({1, 2, 1}, {50, 60}), {{"reduction", Reduction::none}});
  arguments.attributes.clear();
  const auto got = [&](std::string_view mode, std::vector<float> actual) {
    arguments.attributes["mode"] = Word{mode};
    return verified("onnx.TensorScatter-24", arguments,
                    tensor<float>({1, 4, 1}, std::move(actual)));
  };
  CHECK(got("circular", {60, 2, 3, 50}).is_legal());
  CHECK(names(got("circular", {1, 2, 50, 60}), "policy", "as with --mode linear --oob clip-start"));
  CHECK(
      names(got("circular", {1, 2, 3, 50}), "policy", "as with --mode linear --oob drop-elements"));
}

TEST_CASE("diagnose: slices", "[diagnose]") {
  const std::vector<double> data(6, 1);
  const std::vector<double> updates{5, 6};
  const std::vector<std::int64_t> start{2};
  const std::vector<std::int64_t> stop{4};
  const std::vector<std::int64_t> step{1};
  const Call call = slice_scatter_15(view(data, {6}), view(updates, {2}), view(start, {1}),
                                     view(stop, {1}), view(step, {1}), nullptr);
  const auto got = [&](std::vector<double> actual) {
    return verify(call, tensor<double>({6}, std::move(actual)));
  };
  CHECK(names(got({1, 1, 1, 1, 1, 1}), "no-update", "no update applied: data's value"));
  CHECK(names(got({1, 1, 1, 5, 6, 1}), "shifted", "shifted by +1 elements"));
}

TEST_CASE("diagnose: slices whose step or start is not heeded", "[diagnose]") {
  const std::vector<double> data(12, 1);
  const std::vector<double> updates{5, 6, 7, 8};
  const std::vector<std::int64_t> start{1, 3};
  const std::vector<std::int64_t> stop{3, -5};
  const std::vector<std::int64_t> step{1, -2};
  const Call call = slice_scatter_15(view(data, {3, 4}), view(updates, {2, 2}), view(start, {2}),
                                     view(stop, {2}), view(step, {2}), nullptr);
  const auto got = [&](std::vector<double> actual) {
    return verify(call, tensor<double>({3, 4}, std::move(actual)));
  };
  CHECK(got({1, 1, 1, 1, 1, 6, 1, 5, 1, 8, 1, 7}).is_legal());
  CHECK(names(got({1, 1, 1, 1, 1, 1, 6, 5, 1, 1, 8, 7}), "slice",
              "the step along axis 1 not heeded"));
  CHECK(names(got({1, 6, 1, 5, 1, 8, 1, 7, 1, 1, 1, 1}), "slice",
              "the start along axis 0 not heeded"));
  CHECK(names(got({1, 6, 1, 5, 1, 8, 1, 7, 1, 1, 1, 1}), "slice",
              "the slice off by -1 along axis 0"));
  CHECK(names(got({1, 1, 1, 1, 6, 1, 5, 1, 8, 1, 7, 1}), "slice",
              "the slice off by -1 along axis 1"));
}

TEST_CASE("diagnose: an update of an entry that does not go there", "[diagnose]") {
  Device<std::uint32_t> device{.destinations = 3,
                               .block = 2,
                               .reduction = Reduction::none,
                               .data = {1, 2, 3, 4, 5, 6},
                               .indices = {0, 1, 2, 0, 1},
                               .updates = {10, 11, 20, 21, 30, 31, 40, 41, 50, 51}};
  std::vector<std::uint32_t> actual = device.result(device.steps());
  actual[4] = 20;
  actual[5] = 21;
  CHECK(names(device.verify(actual), "other-writer",
              "written by indices[1], which does not go there"));
}

TEST_CASE("diagnose: where the wrong elements lie", "[diagnose]") {
  Device<std::uint32_t> device{.destinations = 3,
                               .block = 2,
                               .data = {1, 2, 3, 4, 5, 6},
                               .indices = {0, 1, 2},
                               .updates = {1, 1, 1, 1, 1, 1}};
  std::vector<std::uint32_t> actual = device.result(device.steps());
  CHECK(!device.verify(actual).place);
  actual[2] = 99;
  actual[3] = 98;
  const Verification v = device.verify(actual, {.grid = GridLimits{}});
  REQUIRE(v.place);
  CHECK(v.place->low == Position{1, 0});
  CHECK(v.place->high == Position{1, 1});
  CHECK(v.place->axis == 0);
  REQUIRE(v.grid);
  CHECK(v.grid->at(1, 0).beyond == 1);
  CHECK(v.grid->at(1, 0).largest == 95);
  CHECK(v.grid->at(0, 0).beyond == 0);
}

}  // namespace tscatter
