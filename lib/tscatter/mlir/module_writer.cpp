#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tscatter/mlir/dense.hpp"
#include "tscatter/mlir/module.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::mlir {
namespace {

constexpr std::array<std::string_view, 5> dims_lists{
    "update_window_dims", "inserted_window_dims", "input_batching_dims",
    "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};

std::span<const std::byte> elements_of(const Tensor& tensor) { return *tensor.source().view(); }

std::string type_text(const Tensor& tensor) {
  return mlir::type_text(tensor.type().dtype, tensor.shape());
}

std::string constant_text(const Tensor& tensor) {
  return dense_text(tensor.header(), elements_of(tensor));
}

std::vector<std::int64_t> integers_of(const Arguments& arguments, std::string_view name) {
  const Tensor* const tensor = arguments.find(name);
  return tensor == nullptr ? std::vector<std::int64_t>() : read_integers(*tensor);
}

std::string dims_text(const Arguments& arguments) {
  std::string text;
  for (const std::string_view name : dims_lists)
    text += fmt::format("{} = [{}], ", name, fmt::join(integers_of(arguments, name), ", "));
  const std::vector<std::int64_t> vector_dim = integers_of(arguments, "index_vector_dim");
  return fmt::format("#stablehlo.scatter<{}index_vector_dim = {}>", text,
                     vector_dim.empty() ? 0 : vector_dim[0]);
}

std::string region_text(Reduction body, DType dtype) {
  const std::string scalar = mlir::type_text(dtype, {});
  const auto* const found = std::ranges::find(body_words, body, &BodyWord::reduction);
  const bool is_computed = found != body_words.end();
  std::string text = fmt::format("    ^bb0(%there: {0}, %update: {0}):\n", scalar);
  if (is_computed)
    text += fmt::format("      %new = {} %there, %update : {}\n", found->word, scalar);
  return text +
         fmt::format("      stablehlo.return {} : {}\n", is_computed ? "%new" : "%update", scalar);
}

// NaN equals no NaN in expect_eq; in expect_close it does.
std::string check_text(const Tensor& expected) {
  const std::string constant = constant_text(expected);
  if (!has_nan(expected.header(), elements_of(expected)))
    return fmt::format("  check.expect_eq_const %result, {}\n", constant);
  return fmt::format(
      "  %expected = stablehlo.constant {0}\n"
      "  check.expect_close %result, %expected, max_ulp_difference = 0 : {1}, {1}\n",
      constant, type_text(expected));
}

}  // namespace

std::string module_text(const Arguments& arguments, const Tensor& expected) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> operands{
      {{"input", "data"}, {"scatter_indices", "indices"}, {"updates", "updates"}}};
  const Tensor& data = arguments.operand("data");
  const auto is_true = [&](std::string_view name) {
    return std::get<bool>(arguments.attributes.at(std::string(name)));
  };
  std::string text = fmt::format("func.func @main() -> {} {{\n", type_text(expected));
  std::string types;
  for (const auto& [word, name] : operands) {
    const Tensor& operand = arguments.operand(name);
    text += fmt::format("  %{} = stablehlo.constant {}\n", word, constant_text(operand));
    types += (types.empty() ? "" : ", ") + type_text(operand);
  }
  text += "  %result = \"stablehlo.scatter\"(%input, %scatter_indices, %updates) ({\n";
  text += region_text(std::get<Reduction>(arguments.attributes.at("reduction")), data.type().dtype);
  text += fmt::format("  }}) {{\n    scatter_dimension_numbers = {},\n", dims_text(arguments));
  text += fmt::format("    indices_are_sorted = {},\n    unique_indices = {}\n",
                      is_true("indices_are_sorted"), is_true("unique_indices"));
  text += fmt::format("  }} : ({}) -> {}\n", types, type_text(data));
  text += check_text(expected);
  return text + fmt::format("  func.return %result : {}\n}}\n", type_text(expected));
}

}  // namespace tscatter::mlir
