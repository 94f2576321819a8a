// numpy.put, put_along_axis, place, putmask and copyto: which calls are refused, by which rule and
// with which message, in NumPy's own words; and what their values are repeated or broadcast to.
// What has an index is in index_test.cpp.
#include <string>
#include <string_view>
#include <vector>

#include "ops/own_words.hpp"
#include "tscatter/ops/names/registry.hpp"

namespace tscatter {
namespace {

// Of data with 3 rows and 2 columns.
Arguments of_put(const Tensor& ind, const Tensor& v, std::string_view mode = "raise") {
  return arguments_of(zeros({3, 2}), ind, v, {{"mode", Word{mode}}});
}
Arguments along_axis(const Tensor& indices, const Tensor& values, std::int64_t axis = 1) {
  return arguments_of(zeros({3, 2}), indices, values, {{"axis", axis}});
}
Arguments where_true(const Tensor& mask, const Tensor& values) {
  return {.operands = {{"data", zeros({3, 2})}, {"mask", mask}, {"updates", values}},
          .attributes = {}};
}
Arguments of_data(const Tensor& data, const std::string& name, const Tensor& operand) {
  return {.operands = {{"data", data}, {"updates", zeros({})}, {name, operand}}, .attributes = {}};
}

constexpr std::string_view masks = "place putmask";

// NOLINTNEXTLINE(readability-function-size): a table.
std::vector<OwnWordsCall> refused_numpy_calls() {
  const Tensor one = int64s({1}, {0});
  const Tensor column = int64s({3, 1}, {0, 1, 0});
  const Tensor all = bools({6}, {1, 1, 1, 1, 1, 1});
  const Tensor nothing = zeros({0});
  const Tensor integer = ints({1}, {0});
  const std::string no_rank = " must have rank 1 or more, got rank 0";
  const std::string no_cast = "'s dtype float32 (--cast same-kind), got int32";
  return {
      // ---- Data of rank 0
      {Check::data_rank, "put", of_data(zeros({}), "indices", one), "a" + no_rank},
      {Check::data_rank, "put_along_axis",
       arguments_of(zeros({}), int64s({}, {0}), zeros({}), {{"axis", std::int64_t{0}}}),
       "arr" + no_rank},
      {Check::data_rank, "place", of_data(zeros({}), "mask", bools({}, {1})), "arr" + no_rank},
      {Check::data_rank, "putmask", of_data(zeros({}), "mask", bools({}, {1})), "a" + no_rank},
      {Check::data_rank, "copyto", of_data(zeros({}), "mask", bools({}, {1})), "dst" + no_rank},
      // ---- The places
      {Check::indices_dtype, "put", of_put(tensor<std::uint64_t>({1}, {0}), zeros({1})),
       "ind must be int8, int16, int32, int64, uint8, uint16 or uint32 (tscatter convert IN OUT "
       "--to int64), got uint64"},
      {Check::indices_dtype, "put_along_axis", along_axis(floats({3, 1}, {0, 0, 0}), zeros({1})),
       "indices must be of an integer dtype (tscatter convert IN OUT --to int64), got float32"},
      {Check::indices_dtype, masks, where_true(int64s({6}, {1, 1, 1, 1, 1, 1}), zeros({1})),
       "mask must be of dtype bool (tscatter convert IN OUT --to bool), got int64"},
      {Check::indices_dtype, "copyto", where_true(floats({2}, {1, 1}), zeros({1})),
       "where must be of dtype bool, got float32"},
      {Check::indices_rank, "put_along_axis", along_axis(one, zeros({1})),
       "indices must have rank 2, the rank of arr, got rank 1"},
      {Check::axis_range, "put_along_axis", along_axis(column, zeros({1}), 2),
       "axis must be in [-2, 2) for arr of rank 2, got 2"},
      {Check::axis_range, "put_along_axis", along_axis(column, zeros({1}), -3),
       "axis must be in [-2, 2) for arr of rank 2, got -3"},
      {Check::indices_shape, "put_along_axis", along_axis(int64s({2, 1}, {0, 0}), zeros({1})),
       "the size of indices along axis 0 must be 1 or 3, that of arr, got 2"},
      {Check::indices_shape, "put_along_axis", along_axis(int64s({0, 1}, {}), zeros({1})),
       "the size of indices along axis 0 must be 1 or 3, that of arr, got 0"},
      {Check::indices_shape, "place", where_true(bools({5}, {1, 1, 1, 1, 1}), zeros({1})),
       "mask must have 6 elements, as arr has, got [5]"},
      {Check::indices_shape, "putmask", where_true(bools({2}, {1, 1}), zeros({1})),
       "mask must have 6 elements, as a has, got [2]"},
      {Check::indices_shape, "copyto", where_true(bools({3}, {1, 1, 1}), zeros({1})),
       "where must broadcast to [3, 2], the shape of dst, got [3]"},
      {Check::index_range, "put", of_put(int64s({1, 2}, {0, 6}), zeros({1})),
       "ind[0, 1] must be in [-6, 6) for the elements of a, got 6"},
      {Check::index_range, "put", of_put(int64s({1}, {-7}), zeros({1})),
       "ind[0] must be in [-6, 6) for the elements of a, got -7"},
      {Check::index_range, "put",
       arguments_of(zeros({0}), one, zeros({1}), {{"mode", Word{"wrap"}}}),
       "ind[0] must be in [0, 0) for the elements of a, got 0"},
      {Check::index_range, "put_along_axis", along_axis(int64s({1, 1}, {-3}), zeros({})),
       "indices[0, 0] must be in [-2, 2) for arr axis 1, got -3"},
      // ---- Updates
      {Check::updates_shape, "put", arguments_of(zeros({0}), one, nothing),
       "v must have an element or more (places to write: 1), got [0]"},
      {Check::updates_shape, "put_along_axis", along_axis(column, zeros({2, 3, 1})),
       "values must broadcast to [3, 1], the shape of indices broadcast off the axis, got [2, 3, "
       "1]"},
      {Check::updates_shape, "place", where_true(all, nothing),
       "vals must have an element or more (places to write: 6), got [0]"},
      {Check::updates_shape, "putmask", where_true(all, zeros({2, 0})),
       "values must have an element or more (places to write: 6), got [2, 0]"},
      {Check::updates_shape, "copyto", where_true(bools({2}, {0, 0}), zeros({3})),
       "src must broadcast to [3, 2], the shape of dst, got [3]"},
      {Check::updates_dtype, "put", of_put(one, integer), "v must have a" + no_cast},
      {Check::updates_dtype, "put_along_axis", along_axis(column, integer),
       "values must have arr" + no_cast},
      {Check::updates_dtype, "place", where_true(all, integer), "vals must have arr" + no_cast},
      {Check::updates_dtype, "putmask", where_true(all, integer), "values must have a" + no_cast},
      {Check::updates_dtype, "copyto", where_true(bools({2}, {0, 0}), integer),
       "src must have dst" + no_cast},
  };
}

std::vector<float> left_by(std::string_view name, const Arguments& call) {
  return left_by(*find_operation(name), call);
}

using Left = std::vector<float>;

}  // namespace

TEST_CASE("numpy: a call that breaks a rule is refused in NumPy's words, and no rule is left out",
          "[ops]") {
  const Labels labels = labels_of_refused("numpy.", refused_numpy_calls());
  for (const Operation* operation : operations()) {
    if (namespace_of(operation->name) != "numpy" || operation->form == Form::index) continue;
    if (is_made(operation->base)) continue;  // segments_test.cpp has them
    check_has_rules(labels, *operation);
  }
}

TEST_CASE("numpy.put: values are repeated, or the last are not read; without values nothing is",
          "[ops]") {
  const Tensor ind = int64s({2, 2}, {5, 0, -5, 5});
  const auto put = [&](const Tensor& v) { return left_by("numpy.put", of_put(ind, v)); };
  CHECK(put(floats({3}, {1, 2, 3})) == Left{2, 3, 0, 0, 0, 1});
  CHECK(put(floats({1, 2}, {1, 2})) == Left{2, 1, 0, 0, 0, 2});
  CHECK(put(floats({}, {7})) == Left{7, 7, 0, 0, 0, 7});
  CHECK(put(floats({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})) == Left{2, 3, 0, 0, 0, 4});
  CHECK(put(fortran(floats({2, 2}, {1, 3, 2, 4}))) == Left{2, 3, 0, 0, 0, 4});
  CHECK(left_by("numpy.put", of_put(int64s({1}, {99}), zeros({0}))) == Left(6));
  CHECK(left_by("numpy.put", of_put(int64s({0}, {}), zeros({0}))) == Left(6));
}

TEST_CASE("numpy.put: wrap takes the remainder, clip the nearest place, and a negative index is 0",
          "[ops]") {
  const Tensor ind = tensor<std::int8_t>({3}, {-128, 127, 7});
  const Tensor v = floats({3}, {1, 2, 3});
  CHECK(left_by("numpy.put", of_put(ind, v, "wrap")) == Left{0, 3, 0, 0, 1, 0});
  CHECK(left_by("numpy.put", of_put(int64s({1}, {127}), v, "wrap")) == Left{0, 1, 0, 0, 0, 0});
  CHECK(left_by("numpy.put", of_put(ind, v, "clip")) == Left{1, 0, 0, 0, 0, 3});
  const AttributeInfo& mode = *find_operation("numpy.put")->find_attribute("mode");
  for (const std::string_view word : {"raise", "wrap", "clip"})
    CHECK(parse_attribute(mode, word).has_value());
  for (const std::string_view word : {"Raise", "WRAP", "error", ""})
    CHECK_FALSE(parse_attribute(mode, word).has_value());
}

TEST_CASE("numpy.put_along_axis: indices are broadcast off the axis, values to the indices",
          "[ops]") {
  const auto put = [](const Tensor& indices, const Tensor& values, std::int64_t axis) {
    return left_by("numpy.put_along_axis", along_axis(indices, values, axis));
  };
  const Tensor row = int64s({1, 2}, {1, -2});
  CHECK(put(row, floats({3, 1}, {1, 2, 3}), 1) == Left{1, 1, 2, 2, 3, 3});
  CHECK(put(row, floats({2}, {1, 2}), -1) == Left{2, 1, 2, 1, 2, 1});
  CHECK(put(int64s({2, 1}, {-1, 0}), floats({2, 2}, {1, 2, 3, 4}), 0) == Left{3, 4, 0, 0, 1, 2});
}

TEST_CASE("numpy.place counts trues, numpy.putmask places, whatever the shape of the mask",
          "[ops]") {
  const Tensor two = floats({2}, {1, 2});
  const std::vector<std::uint8_t> trues{1, 0, 1, 1, 0, 0};
  for (const Shape& shape : {Shape{3, 2}, Shape{6}, Shape{2, 3}, Shape{1, 6, 1}}) {
    CHECK(left_by("numpy.place", where_true(bools(shape, trues), two)) == Left{1, 0, 2, 1, 0, 0});
    CHECK(left_by("numpy.putmask", where_true(bools(shape, trues), two)) == Left{1, 0, 1, 2, 0, 0});
  }
  CHECK(left_by("numpy.place", where_true(bools({6}, {0, 0, 0, 0, 0, 0}), zeros({0}))) == Left(6));
}

TEST_CASE("numpy.copyto: src and where are broadcast, and without where all is written", "[ops]") {
  const Tensor row = floats({2}, {1, 2});
  const Tensor where = bools({3, 1}, {1, 0, 1});
  CHECK(left_by("numpy.copyto", where_true(where, row)) == Left{1, 2, 0, 0, 1, 2});
  CHECK(left_by("numpy.copyto", where_true(where, floats({1, 1, 3, 1}, {1, 2, 3}))) ==
        Left{1, 1, 0, 0, 3, 3});
  CHECK(left_by("numpy.copyto", where_true(bools({}, {1}), floats({}, {7}))) == Left(6, 7.0F));
  CHECK(left_by("numpy.copyto", {{{"data", zeros({3, 2})}, {"updates", row}}, {}}) ==
        Left{1, 2, 1, 2, 1, 2});
}

}  // namespace tscatter
