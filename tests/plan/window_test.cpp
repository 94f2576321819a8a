// Windows against the oracle, without the rest of an operation.
#include <array>

#include "catch.hpp"
#include "ops/call.hpp"
#include "plan/window_call.hpp"
#include "tscatter/engine/engine.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {
namespace {

using property::Random;

constexpr std::array rules{
    OperationRule{{"window.c1", "each start is in range"}, Check::index_range}};

std::vector<std::int32_t> got(const WindowCall& call, Reduction reduction, Random& random) {
  const auto order = [&] { return random.among({MemoryOrder::c, MemoryOrder::fortran}); };
  const std::vector<std::int32_t> indices(call.index_values.begin(), call.index_values.end());
  const MemoryOrder data_order = order();
  const Tensor data = laid_out(call.data, data_values(call), data_order);
  const Tensor updates = laid_out(call.updates, updates_values(call), order());
  const Operation operation{.id = "window", .policies = call.policies, .rules = rules};
  LoweredPlan lowered =
      forms::lower_window(operation, data, laid_out(call.indices, indices, order()), updates,
                          call.dims, {.parallelism = {.threads = random.among({1, 3})}});
  lowered.plan.reduction = reduction;
  std::vector<std::int32_t> output(data_values(call).size(), 0);
  MemoryOutput memory{std::span(output)};
  const auto tile = random.among<std::int64_t>({4, 64, 4096});
  run(lowered.plan, data, updates, memory.begin(data.header(), data.source()),
      {.tile_bytes = tile});
  return in_row_major_order(call, output, data_order);
}

// A window of 2 in an axis of 5.
WindowCall window_at(std::int64_t start, OutsideIndex outside) {
  return {.data = {5},
          .indices = {1, 1},
          .updates = {1, 2},
          .index_values = {start},
          .dims = {.update_window_dims = {1},
                   .inserted_window_dims = {},
                   .input_batching_dims = {},
                   .scatter_indices_batching_dims = {},
                   .scatter_dims_to_operand_dims = {0},
                   .index_vector_dim = 1},
          .policies = {.outside = outside}};
}

}  // namespace

TEST_CASE("a window that is cut is dropped, cut or moved, as the policy says", "[plan]") {
  Random random(1);
  const auto at = [&](std::int64_t start, OutsideIndex outside) {
    return got(window_at(start, outside), Reduction::none, random);
  };
  using Elements = std::vector<std::int32_t>;
  CHECK(at(4, OutsideIndex::drop_elements) == Elements{-1, -1, -1, -1, 1});
  CHECK(at(4, OutsideIndex::drop_window) == Elements{-1, -1, -1, -1, -1});
  CHECK(at(4, OutsideIndex::clip_start) == Elements{-1, -1, -1, 1, 2});
  CHECK(at(4, OutsideIndex::modulo) == Elements{2, -1, -1, -1, 1});
  CHECK(at(-1, OutsideIndex::drop_elements) == Elements{2, -1, -1, -1, -1});
  CHECK(at(-1, OutsideIndex::drop_window) == Elements{-1, -1, -1, -1, -1});
  CHECK(at(-1, OutsideIndex::clip_start) == Elements{1, 2, -1, -1, -1});
}

TEST_CASE("a window must start so that it is within data", "[plan]") {
  Random random(1);
  CHECK(got(window_at(3, OutsideIndex::error), Reduction::none, random).back() == 2);
  const auto refused = [&](std::int64_t start) {
    return refusal(
        [&](Output&) { got(window_at(start, OutsideIndex::error), Reduction::none, random); });
  };
  CHECK(refused(4) == "window: indices[0, 0] must be in [0, 4) for data axis 0, got 4 [window.c1]");
  CHECK(refused(-1) ==
        "window: indices[0, 0] must be in [0, 4) for data axis 0, got -1 [window.c1]");
}

TEST_CASE("random windows give what the loop over multi-dimensional indices gives", "[plan]") {
  Random random(20261122);
  for (int i = 0; i < 4000; ++i) {
    const WindowCall call = random_window_call(random);
    INFO(text_of(call));
    for (const Reduction reduction : {Reduction::none, Reduction::sum})
      REQUIRE(got(call, reduction, random) == expected(call, reduction));
  }
}

}  // namespace tscatter
