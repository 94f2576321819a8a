// --negative drop: an entry with a negative index writes nothing, in each form that has index
// entries, whatever becomes of indices past the end, and however entries are read.
#include <array>
#include <numeric>

#include "catch.hpp"
#include "ops/answered.hpp"
#include "ops/call.hpp"
#include "property/random.hpp"

namespace tscatter {
namespace {

// Five entries for an axis of 4 places: -1 and -9 are dropped, 6 is past the end.
const std::vector<std::int32_t> with_negatives{1, -1, 6, 0, -9};

struct DroppingCall {
  const char* what;
  Operation row;
  Arguments arguments;
};

Tensor list_of(std::vector<std::int64_t> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return int64s({size}, std::move(values));
}

// The form's operands beside the three; data and updates with `columns` behind the axis of places.
DroppingCall generic_call(const char* what, Form form, const Tensor& data, const Tensor& indices,
                          const Tensor& updates) {
  DroppingCall call{what, answered(form), arguments_of(data, indices, updates)};
  call.arguments.attributes = {{"reduction", Reduction::sum}};
  auto& operands = call.arguments.operands;
  if (form == Form::rows || form == Form::elements) operands.emplace("axis", scalar(0));
  if (form != Form::window) return call;
  operands.emplace("update_window_dims", list_of({1}));
  operands.emplace("inserted_window_dims", list_of({0}));
  operands.emplace("input_batching_dims", list_of({}));
  operands.emplace("scatter_indices_batching_dims", list_of({}));
  operands.emplace("scatter_dims_to_operand_dims", list_of({0}));
  operands.emplace("index_vector_dim", scalar(1));
  return call;
}

DroppingCall library_call(const char* name, Arguments arguments) {
  return {name, *find_operation(name), std::move(arguments)};
}

std::vector<std::int64_t> wide(const std::vector<std::int32_t>& values) {
  return {values.begin(), values.end()};
}

// Updates are 1 to 5, one for each entry; the places of the output are its elements, or for
// TensorScatter those of all batches together.
std::vector<DroppingCall> dropping_calls(const std::vector<std::int32_t>& indices) {
  const auto size = static_cast<std::int64_t>(indices.size());
  std::vector<float> numbers(indices.size());
  std::iota(numbers.begin(), numbers.end(), 1.0F);
  const auto updates = [&](Shape shape) { return floats(std::move(shape), numbers); };
  const Attributes along_0{{"axis", std::int64_t{0}}};
  const Tensor positions = tensor<std::int64_t>({size}, wide(indices));
  const Tensor zero = zeros({4});
  std::vector<DroppingCall> calls{
      generic_call("rows", Form::rows, zero, ints({size}, indices), updates({size})),
      generic_call("nd", Form::nd, zero, ints({size, 1}, indices), updates({size})),
      generic_call("elements", Form::elements, zero, ints({size}, indices), updates({size})),
      generic_call("elements of a vector in big data", Form::elements, zeros({4, 1}),
                   fortran(ints({size, 1}, indices)), updates({size, 1})),
      generic_call("window", Form::window, zeros({4, 1}), ints({size, 1}, indices),
                   updates({size, 1})),
      library_call("tosa.SCATTER",
                   arguments_of(zeros({1, 4, 1}), ints({1, size}, indices), updates({1, size, 1}))),
      library_call("onnx.TensorScatter-24",
                   arguments_of(zeros({size, 4}), positions, updates({size, 1}),
                                {{"axis", std::int64_t{1}}})),
      library_call("torch.index_copy", arguments_of(zero, positions, updates({size}), along_0)),
      library_call("torch.scatter_add", arguments_of(zero, positions, updates({size}), along_0)),
      library_call("torch.put", arguments_of(zeros({2, 2}), positions, updates({size}))),
  };
  Arguments items = arguments_of(zero, positions, updates({size}));
  items.operands.emplace("index0", positions);
  items.operands.erase("indices");
  items.index.push_back({OperandItem{"index0"}, "index[0]"});
  calls.push_back(library_call("torch.index_put", std::move(items)));
  return calls;
}

struct Dropped {
  std::vector<float> places;
  std::int64_t count = 0;
};

Dropped dropping(const DroppingCall& call, OutsideIndex outside, const RunOptions& options) {
  Operation row = call.row;
  row.policies.negative = NegativeIndex::dropped;
  row.policies.outside = outside;
  const auto elements = static_cast<std::size_t>(call.arguments.operand("data").count());
  Dropped got{.places = std::vector<float>(4), .count = -1};
  const std::vector<float> all = result(elements, [&](Output& output) {
    got.count = apply(row, call.arguments, output, options).counts.dropped.value();
  });
  for (std::size_t i = 0; i < all.size(); ++i) got.places[i % 4] += all[i];
  return got;
}

struct PastTheEnd {
  OutsideIndex outside;
  std::vector<float> places;
  std::int64_t dropped;
};

using enum OutsideIndex;
const std::array past_the_end{
    PastTheEnd{drop_window, {4, 1, 0, 0}, 3}, PastTheEnd{drop_elements, {4, 1, 0, 0}, 3},
    PastTheEnd{clip_start, {4, 1, 0, 3}, 2},  PastTheEnd{clip_index, {4, 1, 0, 3}, 2},
    PastTheEnd{modulo, {4, 1, 3, 0}, 2},
};

// Listed, listed by several workers, read again for each window, and in small tiles.
const std::array<RunOptions, 4> ways_to_read{
    RunOptions{.threads = 1}, RunOptions{.threads = 3},
    RunOptions{.threads = 1, .entry_memory = 32},
    RunOptions{.threads = 2, .tile_bytes = 4, .entry_memory = 64}};

}  // namespace

TEST_CASE("--negative drop: negative entries write nothing, in each form and way to read",
          "[ops]") {
  for (const DroppingCall& call : dropping_calls(with_negatives)) {
    for (const PastTheEnd& past : past_the_end) {
      for (const RunOptions& options : ways_to_read) {
        INFO(call.what << ", outside " << static_cast<int>(past.outside) << ", memory "
                       << options.entry_memory << ", threads " << options.threads);
        // The steps of a start go past the end one by one, where the policy says so.
        const bool is_start = call.row.form == Form::start;
        if (is_start && past.outside == clip_index) continue;
        const Dropped got = dropping(call, past.outside, options);
        CHECK(got.places == past.places);
        CHECK(got.count == past.dropped);
      }
    }
  }
}

TEST_CASE("--negative drop: an index past the end is still refused, by its place", "[ops]") {
  for (const DroppingCall& call : dropping_calls(with_negatives)) {
    Operation row = call.row;
    row.policies.negative = NegativeIndex::dropped;
    row.policies.outside = error;
    for (const RunOptions& options : ways_to_read) {
      INFO(call.what << ", memory " << options.entry_memory);
      const std::string text =
          refusal([&](Output& output) { apply(row, call.arguments, output, options); });
      CHECK(text.ends_with("got 6 [" + std::string(row.label(Check::index_range)) + "]"));
    }
  }
  for (const DroppingCall& call : dropping_calls({1, -1, 3, 0, -9})) {
    INFO(call.what);
    const Dropped got = dropping(call, error, {.threads = 1});
    CHECK(got.places == std::vector<float>{4, 1, 0, 3});
    CHECK(got.count == 2);
  }
}

TEST_CASE("--negative drop: one negative coordinate of several drops the entry", "[ops]") {
  const std::vector<std::int32_t> pairs{0, 1, 1, -1, -1, 0, 1, 2, -5, 9, 0, 1};
  const Tensor updates = floats({6}, {1, 2, 3, 4, 5, 6});
  // The same in Fortran order: first coordinates, then second ones.
  const std::vector<std::int32_t> columns{0, 1, -1, 1, -5, 0, 1, -1, 0, 2, 9, 1};
  for (const Tensor& indices : {ints({6, 2}, pairs), fortran(ints({6, 2}, columns))}) {
    DroppingCall call = generic_call("nd", Form::nd, zeros({2, 3}), indices, updates);
    call.row.policies.negative = NegativeIndex::dropped;
    for (const OutsideIndex outside : {drop_window, clip_index, modulo}) {
      call.row.policies.outside = outside;
      std::int64_t dropped = 0;
      CHECK(result(6, [&](Output& output) {
              dropped = apply(call.row, call.arguments, output).counts.dropped.value();
            }) == std::vector<float>{0, 7, 0, 0, 0, 4});
      CHECK(dropped == 3);
    }
  }
}

// Data [5, 2], windows of two rows.
TEST_CASE("--negative drop: a window that begins in front of data is dropped whole", "[ops]") {
  Arguments arguments =
      generic_call("window", Form::window, zeros({5, 2}), ints({3, 1}, {-1, 4, 1}),
                   floats({3, 2, 2}, {1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}))
          .arguments;
  arguments.operands.insert_or_assign("update_window_dims", list_of({1, 2}));
  arguments.operands.insert_or_assign("inserted_window_dims", list_of({}));
  const auto left = [&](OutsideIndex outside) {
    Operation row = answered(Form::window);
    row.policies.negative = NegativeIndex::dropped;
    row.policies.outside = outside;
    return left_by(row, arguments);
  };
  CHECK(left(drop_window) == std::vector<float>{0, 0, 4, 4, 5, 5, 0, 0, 0, 0});
  CHECK(left(drop_elements) == std::vector<float>{0, 0, 4, 4, 5, 5, 0, 0, 2, 2});
  CHECK(left(clip_start) == std::vector<float>{0, 0, 4, 4, 5, 5, 2, 2, 3, 3});
  CHECK(left(modulo) == std::vector<float>{3, 3, 4, 4, 5, 5, 0, 0, 2, 2});
}

// As many indices as data has elements: the engine reads them beside data.
TEST_CASE("--negative drop: large elements are read as they are needed, or listed", "[ops]") {
  constexpr std::int64_t lines = 700;
  constexpr std::int64_t length = 9;
  property::Random random(3);
  std::vector<std::int32_t> indices;
  for (std::int64_t i = 0; i < lines * length; ++i)
    indices.push_back(static_cast<std::int32_t>(random.between(-3, length + 1)));
  std::vector<float> expected(lines * length, 0.0F);
  std::int64_t dropped = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0) ++dropped;
    if (indices[i] >= 0)
      expected[i / length * length +
               static_cast<std::size_t>(std::min<std::int64_t>(indices[i], length - 1))] += 1;
  }
  Operation row = *find_operation("torch.scatter_add");
  row.policies.negative = NegativeIndex::dropped;
  row.policies.outside = clip_index;
  const Arguments arguments = arguments_of(
      zeros({lines, length}), ints({lines, length}, indices),
      floats({lines, length}, std::vector<float>(indices.size(), 1)), {{"axis", std::int64_t{1}}});
  Arguments in_fortran_order = arguments;
  for (auto& [name, operand] : in_fortran_order.operands)
    operand = fortran(
        Tensor({.type = operand.type(), .shape = {length, lines}}, operand.shared_source()));
  in_fortran_order.attributes["axis"] = std::int64_t{0};
  for (const RunOptions& options : ways_to_read) {
    std::int64_t got = 0;
    CHECK(result(expected.size(), [&](Output& output) {
            got = apply(row, arguments, output, options).counts.dropped.value();
          }) == expected);
    CHECK(got == dropped);
    CHECK(left_by(row, in_fortran_order, options) == expected);
  }
}

}  // namespace tscatter
