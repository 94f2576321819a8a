// Paddle's names: which calls are refused, by which rule and with which message, in Paddle's own
// words; which words mean them; and what they leave, against what PaddlePaddle 3.3 printed on a
// CPU.
#include <cmath>
#include <complex>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "ops/own_words.hpp"
#include "tscatter/ops/attribute_json.hpp"
#include "tscatter/ops/names/registry.hpp"

namespace tscatter {
namespace {

// Of x with 3 rows and 2 columns; the axis where the operation needs one.
Arguments of_paddle_rows(const Tensor& indices, const Tensor& updates, std::int64_t axis = 0) {
  return arguments_of(zeros({3, 2}), indices, updates, {{"axis", axis}});
}

Arguments of_paddle_mask(const Tensor& data, const Tensor& mask, const Tensor& value) {
  return {.operands = {{"data", data}, {"mask", mask}, {"updates", value}}, .attributes = {}};
}

Arguments summed_rows(const Tensor& data) {
  return arguments_of(data, int64s({0}, {}), data, {{"axis", std::int64_t{0}}});
}

Arguments reduced_along(const Tensor& data, Reduction reduction) {
  Arguments call = summed_rows(data);
  call.attributes["reduction"] = reduction;
  return call;
}

// NOLINTNEXTLINE(readability-function-size): a table.
std::vector<OwnWordsCall> refused_paddle_calls() {
  const Tensor row = zeros({1, 2});
  const Tensor text = opaque({0}, "'|S3'", 3);
  const Tensor complex = tensor<std::complex<float>>({0}, {});
  const Tensor one = int64s({1}, {0});
  const std::string dtypes = " must be int32 or int64 (tscatter convert IN OUT --to int64), got ";
  Arguments rank_0 = of_paddle_rows(one, row);
  rank_0.operands.insert_or_assign("data", zeros({}));
  return {
      {Check::data_rank, "scatter index_add index_fill scatter_nd_add", rank_0,
       "x must have rank 1 or more, got rank 0"},
      {Check::data_rank, "put_along_axis", rank_0, "arr must have rank 1 or more, got rank 0"},
      {Check::data_rank, "masked_fill", of_paddle_mask(zeros({}), bools({}, {1}), zeros({})),
       "x must have rank 1 or more, got rank 0"},
      {Check::indices_rank, "scatter index_add index_fill",
       of_paddle_rows(int64s({1, 1}, {0}), row), "index must have rank 1 or 0, got rank 2"},
      {Check::indices_rank, "scatter_nd_add", arguments_of(zeros({3, 2}), int64s({}, {0}), row),
       "index must have rank 1 or more, got rank 0"},
      {Check::indices_rank, "put_along_axis", of_paddle_rows(one, row),
       "indices must have rank 2, the rank of arr, got rank 1"},
      {Check::index_depth, "scatter_nd_add",
       arguments_of(zeros({3, 2}), int64s({1, 3}, {0, 0, 0}), zeros({1})),
       "the last dimension of index must be at most 2, the rank of x, got 3"},
      {Check::axis_range, "scatter index_add index_fill", of_paddle_rows(one, row, 2),
       "axis must be in [-2, 2) for x of rank 2, got 2"},
      {Check::axis_range, "put_along_axis", of_paddle_rows(int64s({1, 1}, {0}), row, -3),
       "axis must be in [-2, 2) for arr of rank 2, got -3"},
      {Check::index_range, "scatter index_add", of_paddle_rows(int64s({1}, {-4}), row),
       "index[0] must be in [-3, 3) for x axis 0, got -4"},
      {Check::index_range, "index_fill", of_paddle_rows(int64s({1}, {3}), zeros({})),
       "index[0] must be in [-3, 3) for x axis 0, got 3"},
      {Check::index_range, "scatter_nd_add",
       arguments_of(zeros({3, 2}), int64s({1, 2}, {0, 2}), zeros({1})),
       "index[0, 1] must be in [-2, 2) for x axis 1, got 2"},
      {Check::index_range, "put_along_axis", of_paddle_rows(int64s({1, 1}, {3}), row),
       "indices[0, 0] must be in [-3, 3) for arr axis 0, got 3"},
      {Check::indices_dtype, "scatter index_add index_fill",
       of_paddle_rows(tensor<std::int16_t>({1}, {0}), row), "index" + dtypes + "int16"},
      {Check::indices_dtype, "scatter_nd_add",
       arguments_of(zeros({3, 2}), floats({1, 1}, {0}), row), "index" + dtypes + "float32"},
      {Check::indices_dtype, "put_along_axis",
       of_paddle_rows(tensor<std::uint8_t>({1, 1}, {0}), row), "indices" + dtypes + "uint8"},
      {Check::indices_dtype, "masked_fill",
       of_paddle_mask(zeros({2}), int64s({2}, {0, 1}), zeros({})),
       "mask must be of dtype bool (tscatter convert IN OUT --to bool), got int64"},
      {Check::indices_shape, "put_along_axis", of_paddle_rows(int64s({1, 3}, {0, 0, 0}), row),
       "the size of indices along axis 1 must be 1 or 2, that of arr, got 3"},
      {Check::indices_shape, "masked_fill",
       of_paddle_mask(zeros({2}), bools({3}, {0, 0, 0}), zeros({})),
       "mask must broadcast to [2], the shape of x, got [3]"},
      {Check::updates_shape, "scatter", of_paddle_rows(one, zeros({2, 2})),
       "updates must have shape [1, 2] (x.shape, but 1 along axis: one for each index), got [2, "
       "2]"},
      {Check::updates_shape, "index_add", of_paddle_rows(one, zeros({2, 2})),
       "value must have shape [1, 2] (x.shape, but 1 along axis: one for each index), got [2, 2]"},
      {Check::updates_shape, "index_fill", of_paddle_rows(one, row),
       "value must have rank 0, one value for all, got [1, 2]"},
      {Check::updates_shape, "masked_fill",
       of_paddle_mask(zeros({2}), bools({2}, {0, 1}), zeros({2})),
       "value must have rank 0, one value for all, got [2]"},
      {Check::updates_shape, "scatter_nd_add",
       arguments_of(zeros({3, 2}), int64s({2, 1}, {0, 1}), zeros({2, 3})),
       "updates must have shape [2, 2] (index.shape[:-1] + x.shape[1:]), got [2, 3]"},
      {Check::updates_shape, "put_along_axis",
       of_paddle_rows(int64s({1, 1}, {0}), zeros({1, 1, 2})),
       "values must broadcast to [1, 2], the shape of indices broadcast off the axis, got [1, 1, "
       "2]"},
      {Check::updates_dtype, "scatter", of_paddle_rows(one, tensor<double>({1, 2}, {0, 0})),
       "updates must have x's dtype float32 (--cast same-kind), got float64"},
      {Check::updates_dtype, "index_add", of_paddle_rows(one, tensor<double>({1, 2}, {0, 0})),
       "value must have x's dtype float32 (--cast same-kind), got float64"},
      {Check::updates_dtype, "index_fill", of_paddle_rows(one, tensor<double>({}, {0})),
       "value must have x's dtype float32 (--cast same-kind), got float64"},
      {Check::updates_dtype, "masked_fill",
       of_paddle_mask(zeros({2}), bools({2}, {0, 1}), tensor<double>({}, {0})),
       "value must have x's dtype float32 (--cast same-kind), got float64"},
      {Check::updates_dtype, "scatter_nd_add",
       arguments_of(zeros({3, 2}), int64s({1, 1}, {0}), tensor<double>({1, 2}, {0, 0})),
       "updates must have x's dtype float32 (--cast same-kind), got float64"},
      {Check::updates_dtype, "put_along_axis",
       of_paddle_rows(int64s({1, 1}, {0}), tensor<double>({1, 2}, {0, 0})),
       "values must have arr's dtype float32 (--cast same-kind), got float64"},
      {Check::reduction_dtype, "scatter", reduced_along(text, Reduction::sum),
       "overwrite must be true for |S3, got false"},
      {Check::reduction_dtype, "index_add", summed_rows(text),
       "x must be of a dtype that has sum, got |S3"},
      {Check::reduction_dtype, "scatter_nd_add", arguments_of(text, int64s({0, 1}, {}), text),
       "x must be of a dtype that has sum, got |S3"},
      {Check::reduction_dtype, "put_along_axis", reduced_along(complex, Reduction::max),
       "reduce must be assign, add or mul for complex64, got amax"},
  };
}

std::vector<float> left_by_paddle(std::string_view name, const Arguments& call) {
  return left_by(*find_operation(name), call);
}

}  // namespace

TEST_CASE("paddle: a call that breaks a rule is refused in Paddle's words, and no rule is left out",
          "[ops]") {
  const Labels labels = labels_of_refused("paddle.", refused_paddle_calls());
  // index_put has the rules of every index: index_test.cpp
  for (const char* name :
       {"scatter", "index_add", "index_fill", "scatter_nd_add", "put_along_axis", "masked_fill"})
    check_has_rules(labels, *find_operation(std::string("paddle.") + name));
}

TEST_CASE("paddle: overwrite is true or false, as a word and in JSON", "[ops]") {
  const AttributeInfo& overwrite = *find_operation("paddle.scatter")->find_attribute("reduction");
  CHECK(overwrite.word() == "overwrite");
  CHECK(parse_attribute(overwrite, "true") == AttributeValue(Reduction::none));
  CHECK(parse_attribute(overwrite, "false") == AttributeValue(Reduction::sum));
  CHECK(read_attribute(overwrite, true) == AttributeValue(Reduction::none));
  CHECK(read_attribute(overwrite, false) == AttributeValue(Reduction::sum));
  for (const std::string_view word : {"", "sum", "none", "1"})
    CHECK_FALSE(parse_attribute(overwrite, word));
  CHECK_FALSE(read_attribute(overwrite, "false"));
  CHECK(json_of(overwrite, Reduction::sum) == false);
  CHECK(attribute_schema(overwrite).at("type") == "boolean");
  CHECK(expectation(overwrite) == "true or false");
  // Other words are no booleans.
  CHECK_FALSE(read_attribute(*find_operation("numpy.put")->find_attribute("mode"), true));
}

TEST_CASE("paddle: reduce has Paddle's words", "[ops]") {
  const AttributeInfo& reduce =
      *find_operation("paddle.put_along_axis")->find_attribute("reduction");
  CHECK(parse_attribute(reduce, "assign") == AttributeValue(Reduction::none));
  CHECK(parse_attribute(reduce, "add") == AttributeValue(Reduction::sum));
  CHECK(parse_attribute(reduce, "mul") == AttributeValue(Reduction::prod));
  CHECK(parse_attribute(reduce, "multiply") == AttributeValue(Reduction::prod));
  CHECK(parse_attribute(reduce, "mean") == AttributeValue(Reduction::mean));
  CHECK(parse_attribute(reduce, "amin") == AttributeValue(Reduction::min));
  CHECK(parse_attribute(reduce, "amax") == AttributeValue(Reduction::max));
  CHECK_FALSE(parse_attribute(reduce, "median"));
}

TEST_CASE("paddle: names behind a package mean the operation", "[ops]") {
  for (const std::string_view word :
       {"paddle.scatter_nd_add", "paddlepaddle.ScatterNdAdd", "paddle.Tensor.scatter_nd_add"}) {
    INFO(word);
    CHECK(find_operation(word) == find_operation("paddle.scatter_nd_add"));
  }
  CHECK(find_operation("paddle.scatter_sub") == nullptr);
}

TEST_CASE("paddle: each name leaves what Paddle leaves", "[ops]") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto rows = [](std::vector<float> data, std::vector<std::int64_t> indices,
                       std::vector<float> updates, Attributes attributes) {
    const auto length = static_cast<std::int64_t>(data.size());
    const auto size = static_cast<std::int64_t>(indices.size());
    return arguments_of(floats({length}, std::move(data)), int64s({size}, std::move(indices)),
                        floats({size}, std::move(updates)), std::move(attributes));
  };
  const Attributes adds{{"reduction", Reduction::sum}};
  CHECK(left_by_paddle("paddle.scatter", rows({9, 9, 9}, {1, 1}, {1, 2}, {})) ==
        std::vector<float>{9, 2, 9});
  CHECK(left_by_paddle("paddle.scatter", rows({9, 9, 9}, {1, -2}, {1, 2}, adds)) ==
        std::vector<float>{9, 3, 9});
  CHECK(left_by_paddle("paddle.scatter", rows({nan, 9}, {0}, {4}, adds)) ==
        std::vector<float>{4, 9});
  CHECK_FALSE(
      std::signbit(left_by_paddle("paddle.scatter", rows({9}, {0}, {-0.0F}, adds)).front()));
  CHECK(left_by_paddle("paddle.index_add",
                       rows({0, 0, 0}, {-1, -1}, {1, 3},
                            {{"axis", std::int64_t{0}}, {"alpha", Number(std::int64_t{2})}})) ==
        std::vector<float>{0, 0, 8});
  const auto along = [&](std::vector<float> data, std::vector<std::int64_t> indices,
                         std::vector<float> updates, Reduction reduction) {
    return left_by_paddle("paddle.put_along_axis",
                          rows(std::move(data), std::move(indices), std::move(updates),
                               {{"axis", std::int64_t{0}}, {"reduction", reduction}}));
  };
  CHECK(along({9, 9, 9}, {-1, 1, 1}, {1, 2, 3}, Reduction::none) == std::vector<float>{9, 3, 1});
  CHECK(along({9, 1}, {0, 1}, {nan, 3}, Reduction::max) == std::vector<float>{9, 3});
  CHECK(along({9, 9}, {1, 1}, {1, 2}, Reduction::mean) == std::vector<float>{9, 4});
}

}  // namespace tscatter
