// generic.scatter in the form window: by its operands it writes what the loop over windows writes,
// and each rule of its dimension numbers is refused by its label, its axis and its value.
#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "ops/answered.hpp"
#include "ops/call.hpp"
#include "plan/window_call.hpp"

namespace tscatter {
namespace {

using property::Random;

Tensor dims_list(const std::vector<std::size_t>& axes) {
  const std::vector<std::int64_t> list(axes.begin(), axes.end());
  const auto size = static_cast<std::int64_t>(list.size());
  return tensor<std::int64_t>({size}, list);
}

void put_dims(Arguments& arguments, const forms::WindowDims& dims) {
  const auto put = [&](const char* name, const std::vector<std::size_t>& axes) {
    arguments.operands.insert_or_assign(name, dims_list(axes));
  };
  put("update_window_dims", dims.update_window_dims);
  put("inserted_window_dims", dims.inserted_window_dims);
  put("input_batching_dims", dims.input_batching_dims);
  put("scatter_indices_batching_dims", dims.scatter_indices_batching_dims);
  put("scatter_dims_to_operand_dims", dims.scatter_dims_to_operand_dims);
  arguments.operands.insert_or_assign("index_vector_dim",
                                      scalar(static_cast<std::int64_t>(dims.index_vector_dim)));
}

std::vector<std::int32_t> written(const WindowCall& call, Reduction reduction, Random& random) {
  const auto order = [&] { return random.among({MemoryOrder::c, MemoryOrder::fortran}); };
  const MemoryOrder data_order = order();
  const std::vector<std::int32_t> indices(call.index_values.begin(), call.index_values.end());
  Arguments arguments{
      .operands = {{"data", laid_out(call.data, data_values(call), data_order)},
                   {"indices", laid_out(call.indices, indices, order())},
                   {"updates", laid_out(call.updates, updates_values(call), order())}},
      .attributes = {{"reduction", reduction}}};
  put_dims(arguments, call.dims);
  Operation row = answered(Form::window);
  row.policies = call.policies;
  std::vector<std::int32_t> output(data_values(call).size(), 0);
  MemoryOutput memory{std::span(output)};
  apply(row, arguments, memory);
  return in_row_major_order(call, output, data_order);
}

// Data [4, 3, 2], whose axis 2 goes along with axis 1 of indices; windows of [2, 1].
Arguments legal_call() {
  Arguments arguments = arguments_of(zeros({4, 3, 2}), ints({3, 2, 1}, {0, 1, 2, 0, 1, 2}),
                                     zeros({3, 2, 2}), {{"reduction", Reduction::none}});
  put_dims(arguments, {.update_window_dims = {2},
                       .inserted_window_dims = {1},
                       .input_batching_dims = {2},
                       .scatter_indices_batching_dims = {1},
                       .scatter_dims_to_operand_dims = {0},
                       .index_vector_dim = 2});
  return arguments;
}

std::string window_refusal(const Arguments& arguments) {
  return refusal(answered(Form::window), arguments);
}

struct RefusedWindowCall {
  Check check;
  std::string operand;  // which is replaced
  Tensor by;
  std::string message;
};

std::vector<RefusedWindowCall> refused_lists() {
  return {
      {Check::list_rank, "update_window_dims", ints({1, 1}, {2}),
       "update_window_dims must have rank 1, got rank 2"},
      {Check::list_rank, "index_vector_dim", list32({2, 2}),
       "index_vector_dim must have rank 0 or shape [1], got shape [2]"},
      {Check::list_dtype, "input_batching_dims", floats({1}, {2}),
       "input_batching_dims must be of an integer dtype, got float32"},
      {Check::list_dtype, "index_vector_dim", floats({}, {2}),
       "index_vector_dim must be of an integer dtype, got float32"},
      {Check::dims_range, "update_window_dims", list32({3}),
       "update_window_dims[0] must be in [0, 3) for updates of rank 3, got 3"},
      {Check::dims_range, "inserted_window_dims", list32({-1}),
       "inserted_window_dims[0] must be in [0, 3) for data of rank 3, got -1"},
      {Check::dims_range, "scatter_indices_batching_dims", list32({3}),
       "scatter_indices_batching_dims[0] must be in [0, 3) for indices of rank 3, got 3"},
      {Check::dims_range, "index_vector_dim", scalar(4),
       "index_vector_dim must be in [0, 3] for indices of rank 3, got 4"},
      {Check::dims_range, "index_vector_dim", scalar(-1),
       "index_vector_dim must be in [0, 3] for indices of rank 3, got -1"},
  };
}

std::vector<RefusedWindowCall> refused_together() {
  return {
      {Check::dims_distinct, "update_window_dims", list32({2, 1}),
       "update_window_dims must ascend, got 2 before 1"},
      {Check::dims_distinct, "inserted_window_dims", list32({2}),
       "inserted_window_dims and input_batching_dims must name no axis twice, got 2"},
      {Check::dims_distinct, "scatter_dims_to_operand_dims", list32({2}),
       "scatter_dims_to_operand_dims and input_batching_dims must name no axis twice, got 2"},
      {Check::dims_distinct, "scatter_indices_batching_dims", list32({2}),
       "scatter_indices_batching_dims and index_vector_dim must name no axis twice, got 2"},
      {Check::dims_count, "inserted_window_dims", list32({}),
       "update_window_dims, inserted_window_dims and input_batching_dims must name 3 axes in all, "
       "one for each axis of data, got 2"},
      {Check::dims_count, "scatter_dims_to_operand_dims", list32({0, 1}),
       "scatter_dims_to_operand_dims must name 1 axis, one for each number of an index entry, got "
       "2"},
      {Check::dims_count, "scatter_indices_batching_dims", list32({}),
       "scatter_indices_batching_dims must name 1 axis, as input_batching_dims, got 0"},
      {Check::batching_sizes, "scatter_indices_batching_dims", list32({0}),
       "indices must be 2 long along axis 0, as data along axis 2, got 3"},
      {Check::updates_shape, "updates", zeros({3, 2, 5}),
       "updates must be at most 4 long along axis 2, a window of data, got 5"},
      {Check::updates_shape, "updates", zeros({2, 2, 2}),
       "updates must be exactly 3 long along axis 0, as indices, got 2"},
      {Check::updates_shape, "updates", zeros({3, 2, 2, 1}),
       "updates must have rank 3, the axes of index entries and of windows, got rank 4"},
      {Check::index_range, "indices", ints({3, 2, 1}, {0, 1, 2, 3, 1, 2}),
       "indices[1, 1, 0] must be in [0, 3) for data axis 0, got 3"},
  };
}

}  // namespace

TEST_CASE("generic.scatter: dimension numbers that do not fit are refused, by their rule",
          "[ops]") {
  CHECK(window_refusal(legal_call()) == "legal");
  for (const std::vector<RefusedWindowCall>& part : {refused_lists(), refused_together()}) {
    for (const RefusedWindowCall& refused : part) {
      Arguments arguments = legal_call();
      arguments.operands.insert_or_assign(refused.operand, refused.by);
      CHECK(window_refusal(arguments) ==
            fmt::format("generic.scatter: {} [{}]", refused.message,
                        find_operation("generic.scatter")->label(refused.check)));
    }
  }
}

TEST_CASE("operation.o1: the form window needs all dimension numbers, and takes no axis", "[ops]") {
  for (const OperandInfo& operand : find_operation("generic.scatter")->operands) {
    if (operand.presence == Presence::required || operand.name == "axis") continue;
    Arguments arguments = legal_call();
    arguments.operands.erase(std::string(operand.name));
    CHECK(window_refusal(arguments) ==
          fmt::format("generic.scatter: {} is missing [operation.o1]", operand.name));
  }
  Arguments arguments = legal_call();
  arguments.operands.emplace("axis", scalar(0));
  CHECK(window_refusal(arguments) ==
        "generic.scatter: axis must be left out: the form window has none [operation.o2]");
}

TEST_CASE("generic.scatter.c8: where windows are 1 long and stay at 0, data has an element",
          "[ops]") {
  const auto with = [](std::int64_t entries, std::vector<std::int64_t> moved) {
    const auto numbers = static_cast<std::int64_t>(moved.size());
    const std::vector<std::int32_t> starts(static_cast<std::size_t>(entries * numbers));
    Arguments arguments = arguments_of(zeros({0, 3}), ints({entries, numbers}, starts),
                                       zeros({entries}), {{"reduction", Reduction::none}});
    const std::vector<std::size_t> axes(moved.begin(), moved.end());
    put_dims(arguments, {.update_window_dims = {},
                         .inserted_window_dims = {0, 1},
                         .input_batching_dims = {},
                         .scatter_indices_batching_dims = {},
                         .scatter_dims_to_operand_dims = axes,
                         .index_vector_dim = 1});
    return arguments;
  };
  CHECK(window_refusal(with(2, {1})) ==
        "generic.scatter: data must be 1 or more long along axis 0, where a window is 1 long, got "
        "0 [generic.scatter.c8]");
  CHECK(window_refusal(with(0, {1})) == "legal");
  // Of an axis that an index moves along, the index is refused.
  CHECK(window_refusal(with(2, {0, 1})) ==
        "generic.scatter: indices[0, 0] must be in [0, 0) for data axis 0, got 0 "
        "[generic.scatter.c10]");
}

TEST_CASE("generic.scatter: windows by hand", "[ops]") {
  Random random(1);
  // Batches are axis 1 of data and axis 0 of indices; windows of [2, 1], whose axis comes first.
  const WindowCall batches{.data = {3, 2},
                           .indices = {2},
                           .updates = {2, 2},
                           .index_values = {0, 1},
                           .dims = {.update_window_dims = {0},
                                    .inserted_window_dims = {},
                                    .input_batching_dims = {1},
                                    .scatter_indices_batching_dims = {0},
                                    .scatter_dims_to_operand_dims = {0},
                                    .index_vector_dim = 1},
                           .policies = {}};
  CHECK(written(batches, Reduction::none, random) == std::vector<std::int32_t>{1, -1, 3, 2, -1, 4});
  // An entry's first number is that of axis 1, and the windows meet.
  const WindowCall meeting{.data = {2, 3},
                           .indices = {2, 2},
                           .updates = {2, 2},
                           .index_values = {0, 1, 1, 1},
                           .dims = {.update_window_dims = {1},
                                    .inserted_window_dims = {0},
                                    .input_batching_dims = {},
                                    .scatter_indices_batching_dims = {},
                                    .scatter_dims_to_operand_dims = {1, 0},
                                    .index_vector_dim = 1},
                           .policies = {}};
  CHECK(written(meeting, Reduction::sum, random) == std::vector<std::int32_t>{-1, -1, -1, 0, 4, 3});
}

TEST_CASE("generic.scatter: windows without elements need no memory, and their places are counted",
          "[ops]") {
  constexpr std::int64_t size = 1'000'000'000'000;
  Arguments arguments = arguments_of(zeros({size, 3, 0}), ints({2, 2}, {5, 2, 0, 1}),
                                     zeros({2, size - 4, 2, 0}), {{"reduction", Reduction::none}});
  put_dims(arguments, {.update_window_dims = {1, 2, 3},
                       .inserted_window_dims = {},
                       .input_batching_dims = {},
                       .scatter_indices_batching_dims = {},
                       .scatter_dims_to_operand_dims = {0, 1},
                       .index_vector_dim = 1});
  CHECK(window_refusal(arguments) ==
        "generic.scatter: indices[0, 0] must be in [0, 5) for data axis 0, got 5 "
        "[generic.scatter.c10]");
  Operation dropping = answered(Form::window);
  dropping.policies.outside = OutsideIndex::drop_elements;
  const Report report = check(dropping, arguments);
  CHECK(report.index_entries == 2 * (size - 4) * 2);
  CHECK(report.counts.dropped == 2 * (size - 4) - (size - 5));  // of the first window's places
}

TEST_CASE("generic.scatter: random windows give what the loop over windows gives",
          "[ops][property]") {
  Random random(20261123);
  for (int i = 0; i < 4000; ++i) {
    const WindowCall call = random_window_call(random);
    INFO(text_of(call));
    for (const Reduction reduction : {Reduction::none, Reduction::sum})
      REQUIRE(written(call, reduction, random) == expected(call, reduction));
  }
}

namespace {

void check_bools_of_windows(const std::string& name) {
  const auto bools = [](Shape shape) {
    std::vector<std::uint8_t> values(static_cast<std::size_t>(element_count(shape)));
    return Tensor({.type = ElementType::of(DType::boolean), .shape = std::move(shape)},
                  owned_source(std::move(values)));
  };
  const Arguments arguments{.operands = {{"data", bools({3})},
                                         {"indices", ints({1, 1}, {0})},
                                         {"updates", bools({1})},
                                         {"inserted_window_dims", dims_list({0})},
                                         {"scatter_dims_to_operand_dims", dims_list({0})}},
                            .attributes = {}};
  const Operation& operation = *find_operation(name);
  CHECK(refusal([&](Output& output) { apply(operation, arguments, output); }) ==
        fmt::format("{}: operand must be of any dtype but bool, got bool [{}]", name,
                    operation.label(Check::data_dtype)));
}

}  // namespace

TEST_CASE("jax.lax.scatter_add.c13: data of bool is refused", "[ops]") {
  check_bools_of_windows("jax.lax.scatter_add");
}

TEST_CASE("jax.lax.scatter_mul.c13: data of bool is refused", "[ops]") {
  check_bools_of_windows("jax.lax.scatter_mul");
}

TEST_CASE("jax.lax.scatter_sub.c13: data of bool is refused", "[ops]") {
  check_bools_of_windows("jax.lax.scatter_sub");
}

}  // namespace tscatter
