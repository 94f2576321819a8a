// PyTorch's names: which calls are refused, by which rule and with which message, in PyTorch's own
// words; and which words mean them.
#include <complex>
#include <string_view>
#include <vector>

#include "ops/own_words.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/names/registry.hpp"

namespace tscatter {
namespace {

// Of data with 3 rows and 2 columns.
Arguments of_rows(const Tensor& index, const Tensor& updates, std::int64_t dim = 0) {
  return arguments_of(zeros({3, 2}), index, updates, {{"axis", dim}});
}
Arguments of_items(std::vector<Tensor> items, const Tensor& updates) {
  Arguments call{.operands = {{"data", zeros({3, 2})}, {"updates", updates}}, .attributes = {}};
  for (std::size_t i = 0; i < items.size(); ++i)
    call.operands.emplace(operand_of_item(i), std::move(items[i]));
  return call;
}
Arguments with_items(std::vector<IndexItem> items) {
  Arguments call = of_items({}, zeros({}));
  call.index = std::move(items);
  return call;
}
Arguments of_slice(Attributes attributes, const Tensor& updates,
                   const Tensor& data = zeros({3, 2})) {
  return {.operands = {{"data", data}, {"updates", updates}}, .attributes = std::move(attributes)};
}
Arguments of_mask(const Tensor& mask, const Tensor& updates) {
  return {.operands = {{"data", zeros({3, 2})}, {"mask", mask}, {"updates", updates}},
          .attributes = {}};
}
Arguments of_dtype(const Tensor& data, Reduction reduction) {
  return arguments_of(data, int64s({0}, {}), data,
                      {{"axis", std::int64_t{0}}, {"reduction", reduction}});
}

constexpr std::string_view with_src = "scatter scatter_add scatter_reduce";
constexpr std::string_view with_source = "index_add index_copy index_reduce";
constexpr std::string_view with_vector = "index_add index_copy index_reduce index_fill";

// NOLINTNEXTLINE(readability-function-size): a table.
std::vector<OwnWordsCall> refused_torch_calls() {
  const Tensor one = int64s({1}, {0});
  const Tensor pair = int64s({1, 2}, {0, 0});
  const Tensor row = zeros({1, 2});
  // Data of rank 0.
  const auto with = [&](const std::string& name, const Tensor& operand) {
    return Arguments{.operands = {{"data", zeros({})}, {"updates", zeros({})}, {name, operand}},
                     .attributes = {{"axis", std::int64_t{0}}}};
  };
  const Tensor text = opaque({1}, "'|S3'", 3);
  const std::string no_rank = "input must have rank 1 or more, got rank 0";
  const std::string dim_range = "dim must be in [-2, 2) for input of rank 2, got ";
  return {
      // ---- Data of rank 0
      {Check::data_rank, with_src, with("indices", int64s({}, {0})), no_rank},
      {Check::data_rank, with_vector, with("indices", int64s({}, {0})), no_rank},
      {Check::data_rank, "put select_scatter", with("indices", int64s({}, {0})), no_rank},
      {Check::data_rank, "masked_fill masked_scatter", with("mask", bools({}, {1})), no_rank},
      {Check::data_rank, "index_put", with("index0", one), no_rank},
      {Check::data_rank, "slice_scatter diagonal_scatter", of_slice({}, zeros({}), zeros({})),
       no_rank},
      // ---- dim, dim1 and dim2
      {Check::axis_range, with_src, of_rows(pair, row, 2), dim_range + "2"},
      {Check::axis_range, with_src, of_rows(pair, row, -3), dim_range + "-3"},
      {Check::axis_range, with_vector, of_rows(one, row, 2), dim_range + "2"},
      {Check::axis_range, "select_scatter", of_rows(one, row, -3), dim_range + "-3"},
      {Check::axis_range, "slice_scatter", of_slice({{"axis", std::int64_t{2}}}, row),
       dim_range + "2"},
      {Check::axis_range, "diagonal_scatter", of_slice({{"dim1", std::int64_t{2}}}, row),
       "dim1 must be in [-2, 2) for input of rank 2, got 2"},
      {Check::axis_range, "diagonal_scatter", of_slice({}, zeros({1}), zeros({3})),
       "dim2 must be in [-1, 1) for input of rank 1, got 1"},
      {Check::axes_distinct, "diagonal_scatter", of_slice({{"dim2", std::int64_t{-2}}}, row),
       "dim1 and dim2 must be different axes, got 0 for both"},
      {Check::step_not_zero, "slice_scatter", of_slice({{"step", std::int64_t{0}}}, row),
       "step must be 1 or more, got 0"},
      {Check::step_not_zero, "slice_scatter", of_slice({{"step", std::int64_t{-1}}}, row),
       "step must be 1 or more, got -1"},
      // ---- The index
      {Check::indices_rank, with_src, of_rows(one, row),
       "index must have rank 2, the rank of input, got rank 1"},
      {Check::indices_rank, with_vector, of_rows(pair, row),
       "index must have rank 1 or 0, got rank 2"},
      {Check::indices_rank, "select_scatter", of_rows(one, zeros({2})),
       "index must have rank 0, got rank 1"},
      {Check::indices_rank, "index_put", of_items({one, one, one}, zeros({})),
       "input has 2 axes, and the index has items for 3 (positions along one axis are a list: [[0, "
       "1]])"},
      {Check::indices_rank, "index_put",
       with_items({{EllipsisItem{}, "..."}, {EllipsisItem{}, "..."}}),
       "an index must have at most one item ..., got 2"},
      {Check::indices_dtype, with_src, of_rows(tensor<std::int8_t>({1, 1}, {0}), zeros({1, 1})),
       "index must be int32 or int64 (tscatter convert IN OUT --to int64), got int8"},
      {Check::indices_dtype, "index_add index_reduce", of_rows(floats({1}, {0}), row),
       "index must be int32 or int64 (tscatter convert IN OUT --to int64), got float32"},
      {Check::indices_dtype, "index_copy index_fill put", of_rows(ints({1}, {0}), row),
       "index must be int64 (tscatter convert IN OUT --to int64), got int32"},
      {Check::indices_dtype, "select_scatter", of_rows(floats({}, {0}), zeros({2})),
       "index must be of an integer dtype (tscatter convert IN OUT --to int64), got float32"},
      {Check::indices_dtype, "index_put", of_items({tensor<std::uint8_t>({1}, {0})}, zeros({})),
       "index[0] must be int32 or int64, or a mask of dtype bool, got uint8"},
      {Check::indices_dtype, "masked_fill masked_scatter",
       of_mask(tensor<std::uint8_t>({2}, {0, 1}), zeros({})),
       "mask must be of dtype bool (tscatter convert IN OUT --to bool), got uint8"},
      {Check::indices_dtype, "masked_fill masked_scatter", of_mask(floats({2}, {0, 1}), zeros({})),
       "mask must be of dtype bool, got float32"},
      {Check::indices_shape, with_src, of_rows(int64s({1, 3}, {0, 0, 0}), zeros({1, 3})),
       "the size of index along axis 1 must be at most 2, that of input, got 3"},
      {Check::indices_shape, "index_put",
       of_items({int64s({2}, {0, 1}), int64s({3}, {0, 1, 1})}, zeros({})),
       "the shapes of an index's positions must broadcast to one, got [2] of index[0], [3] of "
       "index[1]"},
      {Check::indices_shape, "index_put", of_items({bools({2}, {1, 0})}, zeros({})),
       "the mask index[0] must have the shape [3] of input from axis 0 on, got [2]"},
      {Check::indices_shape, "index_put", of_items({bools({}, {1})}, zeros({})),
       "the mask index[0] must have one axis or more, got rank 0"},
      {Check::indices_shape, "masked_fill masked_scatter",
       of_mask(bools({3}, {1, 0, 1}), zeros({})),
       "mask must broadcast to [3, 2], the shape of input, got [3]"},
      {Check::indices_shape, "masked_fill masked_scatter",
       of_mask(bools({1, 3, 2}, {0, 0, 0, 0, 0, 0}), zeros({})),
       "mask must broadcast to [3, 2], the shape of input, got [1, 3, 2]"},
      {Check::step_not_zero, "index_put", with_items({{SliceItem{.step = 0}, "::0"}}),
       "the step of ::0 must not be 0"},
      {Check::index_range, with_src, of_rows(int64s({1, 2}, {0, 3}), row),
       "index[0, 1] must be in [0, 3) for input axis 0, got 3"},
      {Check::index_range, with_src, of_rows(int64s({1, 2}, {0, -1}), row),
       "index[0, 1] must be in [0, 3) for input axis 0 (--negative from-the-end counts it from the "
       "end), got -1"},
      {Check::index_range, with_source, of_rows(int64s({1}, {3}), row),
       "index[0] must be in [0, 3) for input axis 0, got 3"},
      {Check::index_range, "index_fill", of_rows(int64s({2}, {0, -4}), zeros({})),
       "index[1] must be in [-3, 3) for input axis 0, got -4"},
      {Check::index_range, "put", of_rows(int64s({1, 2}, {-6, 6}), row),
       "index[0, 1] must be in [-6, 6) for the elements of input, got 6"},
      {Check::index_range, "index_put", of_items({int64s({1}, {2}), int64s({1}, {-3})}, zeros({})),
       "index[1][0] must be in [-2, 2) for axis 1 of input, got -3"},
      {Check::index_range, "select_scatter", of_rows(int64s({}, {-4}), zeros({2})),
       "index must be in [-3, 3) for axis 0 of input, got -4"},
      // An axis without elements beside: torch passes over it.
      {Check::index_range, with_source,
       arguments_of(zeros({3, 0}), int64s({1}, {3}), zeros({1, 0}), {{"axis", std::int64_t{0}}}),
       "index[0] must be in [0, 3) for input axis 0, got 3"},
      // ---- Updates
      {Check::updates_shape, "scatter", of_rows(pair, zeros({1, 1})),
       "src must be as long as [1, 2], the shape of index, or longer along each axis, or have rank "
       "0, got [1, 1]"},
      {Check::updates_shape, "scatter_add scatter_reduce", of_rows(pair, zeros({})),
       "src must be as long as [1, 2], the shape of index, or longer along each axis, got []"},
      {Check::updates_shape, "scatter_add scatter_reduce", of_rows(pair, zeros({1, 2, 1})),
       "src must be as long as [1, 2], the shape of index, or longer along each axis, got [1, 2, "
       "1]"},
      {Check::updates_shape, with_source, of_rows(one, zeros({2, 2})),
       "source must have shape [1, 2] (input.shape, but 1 along dim: one for each index), got [2, "
       "2]"},
      {Check::updates_shape, with_source, of_rows(one, zeros({2})),
       "source must have shape [1, 2] (input.shape, but 1 along dim: one for each index) "
       "(np.broadcast_to(source, [1, 2]) repeats them), got [2]"},
      {Check::updates_shape, "index_fill", of_rows(one, zeros({1})),
       "value must have rank 0, one value for all, got [1]"},
      {Check::updates_shape, "masked_fill", of_mask(bools({}, {1}), zeros({1})),
       "value must have rank 0, one value for all, got [1]"},
      {Check::updates_shape, "masked_scatter", of_mask(bools({2}, {1, 0}), zeros({1, 2})),
       "source must have at least as many elements as mask has places that are true, 3, got [1, "
       "2]"},
      {Check::updates_shape, "put", of_rows(pair, zeros({3})),
       "source must have as many elements as index, 2, got [3]"},
      {Check::updates_shape, "index_put", of_items({one}, zeros({1, 1, 2})),
       "values must broadcast to [1, 2], the shape of the places that the index names, got [1, 1, "
       "2]"},
      {Check::updates_shape, "slice_scatter", of_slice({{"stop", std::int64_t{-1}}}, zeros({3, 2})),
       "src must have shape [2, 2] (the shape of the slice), got [3, 2]"},
      {Check::updates_shape, "select_scatter", of_rows(int64s({}, {0}), zeros({1, 2})),
       "src must have shape [2] (the shape of input without dim), got [1, 2]"},
      {Check::updates_shape, "diagonal_scatter",
       of_slice({{"offset", std::int64_t{-2}}}, zeros({2})),
       "src must have shape [1] (the other axes, then the diagonal), got [2]"},
      {Check::updates_dtype, with_src, of_rows(pair, ints({1, 2}, {0, 0})),
       "src must have input's dtype float32 (--cast same-kind), got int32"},
      {Check::updates_dtype, with_source, of_rows(one, tensor<double>({1, 2}, {0, 0})),
       "source must have input's dtype float32 (--cast same-kind), got float64"},
      {Check::updates_dtype, "index_fill", of_rows(one, ints({}, {0})),
       "value must have input's dtype float32 (--cast same-kind), got int32"},
      {Check::updates_dtype, "masked_fill", of_mask(bools({}, {1}), bools({}, {1})),
       "value must have input's dtype float32 (--cast same-kind), got bool"},
      {Check::updates_dtype, "masked_scatter", of_mask(bools({}, {0}), bools({0}, {})),
       "source must have input's dtype float32 (--cast same-kind), got bool"},
      {Check::updates_dtype, "put", of_rows(one, ints({1}, {0})),
       "source must have input's dtype float32 (--cast same-kind), got int32"},
      {Check::updates_dtype, "index_put", of_items({one}, ints({}, {0})),
       "values must have input's dtype float32 (--cast same-kind), got int32"},
      {Check::updates_dtype, "slice_scatter", of_slice({}, ints({3, 2}, {0, 0, 0, 0, 0, 0})),
       "src must have input's dtype float32 (--cast same-kind), got int32"},
      {Check::updates_dtype, "select_scatter", of_rows(int64s({}, {0}), ints({2}, {0, 0})),
       "src must have input's dtype float32 (--cast same-kind), got int32"},
      {Check::updates_dtype, "diagonal_scatter", of_slice({}, ints({2}, {0, 0})),
       "src must have input's dtype float32 (--cast same-kind), got int32"},
      // ---- What the dtype has no reduction for
      {Check::reduction_dtype, "scatter", of_dtype(opaque({0}, "'|S3'", 3), Reduction::prod),
       "reduce must be none for |S3, got multiply"},
      {Check::reduction_dtype, "scatter_reduce", of_dtype(bools({0}, {}), Reduction::mean),
       "reduce must be sum, prod, amax or amin for bool, got mean"},
      {Check::reduction_dtype, "index_reduce",
       of_dtype(tensor<std::complex<float>>({0}, {}), Reduction::max),
       "reduce must be prod for complex64, got amax"},
      {Check::reduction_dtype, "scatter_add index_add",
       of_dtype(opaque({0}, "'|S3'", 3), Reduction::none),
       "input must be of a dtype that has sum, got |S3"},
      {Check::reduction_dtype, "put", arguments_of(text, one, text, {{"accumulate", true}}),
       "accumulate must be false for |S3, got true"},
      {Check::reduction_dtype, "index_put",
       Arguments{{{"data", text}, {"index0", one}, {"updates", text}}, {{"accumulate", true}}},
       "accumulate must be false for |S3, got true"},
  };
}

}  // namespace

TEST_CASE("torch: a call that breaks a rule is refused in PyTorch's words, and no rule is left out",
          "[ops]") {
  const Labels labels = labels_of_refused("torch.", refused_torch_calls());
  for (const Operation* operation : operations())
    if (namespace_of(operation->name) == "torch") check_has_rules(labels, *operation);
}

TEST_CASE("torch: alpha must fit input's dtype, and reduce has PyTorch's words only", "[ops]") {
  const Operation& index_add = *find_operation("torch.index_add");
  const auto with_alpha = [&](const Number& alpha) {
    const Tensor data = tensor<std::uint8_t>({1}, {0});
    return refusal(index_add, arguments_of(data, int64s({1}, {0}), data,
                                           {{"axis", std::int64_t{0}}, {"alpha", alpha}}));
  };
  const std::string must = "torch.index_add: alpha must be a number that fits uint8, got ";
  CHECK(with_alpha(std::int64_t{255}) == "legal");
  CHECK(with_alpha(std::int64_t{256}) == must + "256 [operation.o7]");
  CHECK(with_alpha(std::int64_t{-1}) == must + "-1 [operation.o7]");
  CHECK(with_alpha(0.5) == must + "0.5 [operation.o7]");
  const auto reduces_by = [](const std::string& name, std::string_view word) {
    return parse_attribute(*find_operation("torch." + name)->find_attribute("reduction"), word)
        .has_value();
  };
  for (const std::string_view word : {"none", "add", "multiply", "ADD"})
    CHECK(reduces_by("scatter", word));
  for (const std::string_view word : {"sum", "prod", "mul", "amax", "mean"})
    CHECK(!reduces_by("scatter", word));
  for (const std::string_view word : {"prod", "mean", "amax", "amin"})
    CHECK((reduces_by("scatter_reduce", word) && reduces_by("index_reduce", word)));
  CHECK(reduces_by("scatter_reduce", "sum"));
  CHECK(!reduces_by("index_reduce", "sum"));
  CHECK(!reduces_by("scatter_reduce", "add"));
}

TEST_CASE("torch: names of methods and of aten mean the operation; a wrong one has a nearest name",
          "[ops]") {
  struct Meant {
    std::string_view word;
    std::string_view name;
  };
  for (const Meant& each : {Meant{"torch.Tensor.scatter_", "torch.scatter"},
                            {"torch.tensor.index_put_", "torch.index_put"},
                            {"aten.index_put", "torch.index_put"},
                            {"torch.ops.aten.put", "torch.put"},
                            {"torch.ops.aten.slice_scatter", "torch.slice_scatter"},
                            {"Torch.Masked-Fill", "torch.masked_fill"}}) {
    INFO(each.word);
    const Operation* operation = find_operation(each.word);
    REQUIRE(operation != nullptr);
    CHECK(operation->name == each.name);
  }
  for (const std::string_view unknown :
       {"torch.Tensor", "torch.", "torch.Tensor.", "torch.nn.put", "tensor.put", "torch.ops.put",
        "torch.scatter-2", "torch.scatter2", "torch.Tensor.Tensor.put"}) {
    INFO(unknown);
    CHECK(find_operation(unknown) == nullptr);
  }
  for (const Meant& each : {Meant{"torch.scater_add", "torch.scatter_add"},
                            {"torch.ops.aten.putt", "torch.put"},
                            {"torch.Tensor.index_fil_", "torch.index_fill"},
                            {"aten.maskd_fill", "torch.masked_fill"},
                            {"aten.diagonal_scater", "torch.diagonal_scatter"},
                            {"scatter_add", "torch.scatter_add"}}) {
    CHECK(unknown_operation_hint(each.word, {}, "") == fmt::format(" (nearest: {})", each.name));
  }
}

}  // namespace tscatter
