#include "tscatter/plan/strided_axes.hpp"

#include "catch.hpp"

namespace tscatter {

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
