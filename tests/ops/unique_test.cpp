// Calls that refuse to write a place twice.
#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {
namespace {

Call unique(Call call) {
  Policies policies = call.operation->policies;
  policies.duplicates = DuplicatePolicy::forbidden;
  return with_policies(std::move(call), policies);
}

std::string unique_refusal(const Call& call) {
  return refusal([&](Output& output) { apply(call, output); });
}

// Rows of 2 elements each.
Call rows(std::vector<std::int32_t> indices, const Shape& data = {6, 2}) {
  const auto count = static_cast<std::int64_t>(indices.size());
  return unique(scatter_update_3(zeros(data), ints({count}, std::move(indices)),
                                 zeros({count, data[1]}), scalar(0)));
}

}  // namespace

TEST_CASE("operation.o6: the first entry that writes where an earlier one wrote is refused",
          "[ops]") {
  CHECK(unique_refusal(rows({5, 0, 3, 1})) == "legal");
  CHECK(
      unique_refusal(rows({5, 0, 5, 0})) ==
      "scatter_update_3: indices[2] must name another place than indices[0], got 5 [operation.o6]");
  CHECK(
      unique_refusal(rows({4, 4})) ==
      "scatter_update_3: indices[1] must name another place than indices[0], got 4 [operation.o6]");
}

TEST_CASE("operation.o6: entries of many destinations are compared in sorted order", "[ops]") {
  const Shape large{100000, 1};
  CHECK(unique_refusal(rows({99999, 0, 5}, large)) == "legal");
  CHECK(
      unique_refusal(rows({99999, 3, 7, 3, 7, 99999}, large)) ==
      "scatter_update_3: indices[3] must name another place than indices[1], got 3 [operation.o6]");
}

TEST_CASE("operation.o6: coordinates are compared by the place that they name", "[ops]") {
  const auto call = [](const Tensor& indices, const Tensor& updates) {
    return unique_refusal(
        unique(scatter_nd_update_15(zeros({2, 3}), indices, updates, Reduction::none)));
  };
  const Tensor indices = ints({2, 2, 2}, {0, 1, 1, 1, 0, 2, -2, -2});
  CHECK(call(indices, zeros({2, 2})) ==
        "scatter_nd_update_15: indices[1, 1] must name another place than indices[0, 0], got [-2, "
        "-2] [operation.o6]");
  CHECK(call(ints({2, 0}, {}), zeros({2, 2, 3})) ==
        "scatter_nd_update_15: indices[1] must name another place than indices[0], got [] "
        "[operation.o6]");
  CHECK(call(ints({1, 0}, {}), zeros({1, 2, 3})) == "legal");
}

TEST_CASE("operation.o6: without elements, nothing is written twice", "[ops]") {
  CHECK(unique_refusal(rows({0, 0}, {2, 0})) == "legal");
}

TEST_CASE("operation.o6: an index in range by its policy counts where it goes, a dropped one not",
          "[ops]") {
  const auto call = [](OutsideIndex outside) {
    Call made = rows({1, 7, 13});
    Policies policies = made.operation->policies;
    policies.outside = outside;
    return unique_refusal(with_policies(made, policies));
  };
  CHECK(call(OutsideIndex::drop_window) == "legal");
  CHECK(
      call(OutsideIndex::modulo) ==
      "scatter_update_3: indices[1] must name another place than indices[0], got 7 [operation.o6]");
  CHECK(call(OutsideIndex::clip_index) ==
        "scatter_update_3: indices[2] must name another place than indices[1], got 13 "
        "[operation.o6]");
}

TEST_CASE("operation.o4: a policy that the operation has no question for is refused", "[ops]") {
  const Call call =
      slice_scatter_15(zeros({3}), zeros({1}), list({0}), list({1}), list({1}), nullptr);
  Policies policies = call.operation->policies;
  policies.outside = OutsideIndex::modulo;
  const std::string message = refusal([&](Output&) { with_policies(call, policies); });
  CHECK(message ==
        "slice_scatter_15: the policy oob is for operations with index entries, got "
        "SliceScatter-15 [operation.o4]");
}

TEST_CASE("a call with the policies of its operation is the same call", "[ops]") {
  const Call call = scatter_update_3(zeros({2}), ints({1}, {0}), zeros({1}), scalar(0));
  const Call same = with_policies(call, call.operation->policies);
  CHECK(overrides_of(*same.operation).empty());
  CHECK(unique_refusal(same) == "legal");
}

}  // namespace tscatter
