#include "tscatter/plan/scatter_plan.hpp"

#include "catch.hpp"
#include "tscatter/plan/unlisted_writes.hpp"

namespace tscatter {
namespace {

TensorHeader header(const Shape& shape, MemoryOrder order = MemoryOrder::c) {
  return {.type = ElementType::of(DType::float32), .shape = shape, .order = order};
}

std::vector<std::int64_t> offsets(const StridedAxes& axes) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < axes.count(); ++i) all.push_back(axes.offset(i));
  return all;
}

using Offsets = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("listed_writes: the indexed axes are destinations, the ones after them the block",
          "[plan]") {
  const ListedWrites writes = listed_writes(header({4, 3}), 0, 1, header({2, 3}), 1);
  CHECK(writes.destinations == 4);
  CHECK(writes.batches.count() == 1);
  CHECK(offsets(writes.entries) == Offsets{0, 3});
  CHECK(offsets(writes.blocks) == Offsets{0, 1, 2});
}

TEST_CASE("listed_writes: the axes before the indexed ones are batches", "[plan]") {
  const ListedWrites writes = listed_writes(header({2, 4}), 1, 1, header({2, 3}), 1);
  CHECK(writes.destinations == 4);
  CHECK(offsets(writes.batches) == Offsets{0, 3});
  CHECK(offsets(writes.entries) == Offsets{0, 1, 2});
  CHECK(writes.blocks.count() == 1);
}

TEST_CASE("listed_writes: in Fortran order the axes after the indexed ones are the batches",
          "[plan]") {
  const TensorHeader data = header({4, 3}, MemoryOrder::fortran);
  const ListedWrites writes = listed_writes(data, 0, 1, header({2, 3}), 1);
  CHECK(writes.destinations == 4);
  CHECK(offsets(writes.batches) == Offsets{0, 1, 2});
  CHECK(offsets(writes.entries) == Offsets{0, 3});
  CHECK(writes.blocks.count() == 1);
}

TEST_CASE("in_parts: the same writes of shorter elements", "[plan]") {
  const ScatterPlan listed{.writes = listed_writes(header({2, 4}), 1, 1, header({2, 3}), 1)};
  const auto writes = std::get<ListedWrites>(in_parts(listed, 2).writes);
  CHECK(writes.destinations == 4);
  CHECK(offsets(writes.batches) == Offsets{0, 6});
  CHECK(offsets(writes.entries) == Offsets{0, 2, 4});
  CHECK(offsets(writes.blocks) == Offsets{0, 1});
  const ScatterPlan lattice{
      .writes = LatticeWrites{
          .axes = {{2, 10, 2}, {2, 2, 1}}, .run = 1, .output_origin = 1, .updates_origin = 3}};
  const auto points = std::get<LatticeWrites>(in_parts(lattice, 3).writes);
  CHECK(points.axes.front().output_stride == 30);
  CHECK(points.axes.back().updates_stride == 3);
  CHECK(points.points() == 4);
  CHECK(points.run == 3);
  CHECK(points.output_origin == 3);
  CHECK(points.updates_origin == 9);
}

TEST_CASE("listed_writes: updates are addressed in their own order", "[plan]") {
  const TensorHeader updates = header({2, 3}, MemoryOrder::fortran);
  const ListedWrites writes = listed_writes(header({4, 3}), 0, 1, updates, 1);
  CHECK(offsets(writes.entries) == Offsets{0, 1});
  CHECK(offsets(writes.blocks) == Offsets{0, 2, 4});
}

TEST_CASE("listed_writes: with an index depth of 0 the whole of data is one block", "[plan]") {
  const ListedWrites writes = listed_writes(header({2, 3}), 0, 0, header({5, 2, 3}), 1);
  CHECK(writes.destinations == 1);
  CHECK(writes.batches.count() == 1);
  CHECK(writes.entries.count() == 5);
  CHECK(writes.blocks.count() == 6);
}

TEST_CASE("listed_writes: batches of a single destination are one block", "[plan]") {
  const ListedWrites writes = listed_writes(header({4, 1, 3}), 1, 1, header({4, 2, 3}), 1);
  CHECK(writes.destinations == 1);
  CHECK(writes.batches.count() == 1);
  CHECK(offsets(writes.blocks) == Offsets{0, 1, 2, 6, 7, 8, 12, 13, 14, 18, 19, 20});
}

TEST_CASE("listed_writes: a single element of any rank is met at 0", "[plan]") {
  const ListedWrites writes = listed_writes(header({2, 3}), 0, 2, header({1, 1, 1}), 0);
  CHECK(writes.destinations == 6);
  CHECK(writes.entries.count() == 1);
  CHECK(writes.blocks.count() == 1);
}

TEST_CASE("destination_strides follow data's order within the indexed axes", "[plan]") {
  CHECK(destination_strides(header({2, 3, 5}), 0, 2) == Offsets{3, 1});
  CHECK(destination_strides(header({2, 3, 5}, MemoryOrder::fortran), 0, 2) == Offsets{1, 2});
  CHECK(destination_strides(header({2, 3, 5}), 1, 1) == Offsets{1});
}

TEST_CASE("LatticeBuilder: without loops there is one point at the origin", "[plan]") {
  LatticeBuilder builder;
  builder.shift_output(7);
  const LatticeWrites writes = builder.build();
  CHECK(writes.axes.empty());
  CHECK(writes.run == 1);
  CHECK(writes.output_origin == 7);
  CHECK(writes.points() == 1);
}

TEST_CASE("LatticeBuilder: an innermost loop that is contiguous in both becomes the run",
          "[plan]") {
  LatticeBuilder builder;
  builder.append({.count = 2, .output_stride = 10, .updates_stride = 5});
  builder.append({.count = 5, .output_stride = 1, .updates_stride = 1});
  const LatticeWrites writes = builder.build();
  CHECK(writes.run == 5);
  REQUIRE(writes.axes.size() == 1);
  CHECK(writes.axes[0].count == 2);
  CHECK(writes.axes[0].output_stride == 10);
  CHECK(writes.points() == 2);
}

TEST_CASE("LatticeBuilder: loops that continue each other in both operands become one", "[plan]") {
  LatticeBuilder builder;
  builder.append({.count = 3, .output_stride = 5, .updates_stride = 5});
  builder.append({.count = 5, .output_stride = 1, .updates_stride = 1});
  const LatticeWrites writes = builder.build();
  CHECK(writes.axes.empty());
  CHECK(writes.run == 15);
}

TEST_CASE("LatticeBuilder: loops that continue each other in one operand only stay two", "[plan]") {
  LatticeBuilder builder;
  builder.append({.count = 2, .output_stride = 6, .updates_stride = 2});
  builder.append({.count = 2, .output_stride = 2, .updates_stride = 1});
  CHECK(builder.build().axes.size() == 2);
}

TEST_CASE("LatticeBuilder: a negative stride is walked from its other end", "[plan]") {
  LatticeBuilder builder;
  builder.shift_output(4);
  builder.append({.count = 3, .output_stride = -2, .updates_stride = 1});
  const LatticeWrites writes = builder.build();
  REQUIRE(writes.axes.size() == 1);
  CHECK(writes.output_origin == 0);
  CHECK(writes.updates_origin == 2);
  CHECK(writes.axes[0].output_stride == 2);
  CHECK(writes.axes[0].updates_stride == -1);
}

TEST_CASE("LatticeBuilder: a loop of no steps leaves no points", "[plan]") {
  LatticeBuilder builder;
  builder.append({.count = 2, .output_stride = 6, .updates_stride = 0});
  builder.append({.count = 0, .output_stride = -2, .updates_stride = 1});
  CHECK(builder.build().points() * builder.build().run == 0);
}

TEST_CASE("StridedAxes: without loops there is one step, at 0", "[plan]") {
  const StridedAxes axes;
  CHECK(axes.count() == 1);
  CHECK(axes.is_linear());
  CHECK(axes.offset(0) == 0);
}

TEST_CASE("StridedAxes: loops that continue each other become one", "[plan]") {
  StridedAxes axes;
  axes.append({.count = 4, .stride = 6});
  axes.append({.count = 6, .stride = 1});
  REQUIRE(axes.is_linear());
  CHECK(axes.count() == 24);
  CHECK(axes.stride() == 1);
  CHECK(axes.offset(23) == 23);
}

TEST_CASE("StridedAxes: loops that do not continue each other are walked inside each other",
          "[plan]") {
  StridedAxes axes;
  axes.append({.count = 2, .stride = 100});
  axes.append({.count = 3, .stride = 10});
  CHECK_FALSE(axes.is_linear());
  CHECK(axes.count() == 6);
  CHECK(axes.offset(2) == 20);
  CHECK(axes.offset(3) == 100);
  CHECK(axes.offset(5) == 120);
}

TEST_CASE("StridedAxes: a loop of one step is left out", "[plan]") {
  StridedAxes axes;
  axes.append({.count = 4, .stride = 3});
  axes.append({.count = 1, .stride = 1000});
  axes.append({.count = 3, .stride = 1});
  CHECK(axes.axes().size() == 1);
  CHECK(axes.count() == 12);
}

TEST_CASE("StridedAxes: a loop of no steps leaves none", "[plan]") {
  StridedAxes axes;
  axes.append({.count = 4, .stride = 3});
  axes.append({.count = 0, .stride = 1});
  CHECK(axes.count() == 0);
}

}  // namespace tscatter
