#include "plan/window_call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>

#include "ops/answered.hpp"
#include "oracle/oracle.hpp"
#include "oracle/window.hpp"
#include "property/random_windows.hpp"
#include "tscatter/io/files/sources.hpp"

namespace tscatter {
namespace {

using oracle::Dense;

Dense integers_of(const Shape& shape, const std::vector<std::int32_t>& values) {
  Dense dense = Dense::zeros(ElementType::of(DType::int32), shape);
  std::ranges::copy(std::as_bytes(std::span(values)), dense.bytes.begin());
  return dense;
}

std::vector<std::int32_t> values_of(const Dense& dense) {
  std::vector<std::int32_t> values(dense.count());
  std::ranges::copy(dense.bytes, std::as_writable_bytes(std::span(values)).begin());
  return values;
}

}  // namespace

std::vector<std::int32_t> expected(const WindowCall& call, Reduction reduction) {
  Operation row = answered(Form::window);
  row.policies.outside = call.policies.outside;
  const std::vector<std::int32_t> indices(call.index_values.begin(), call.index_values.end());
  oracle::Call same{.operation = row.id,
                    .operands = {{"data", integers_of(call.data, data_values(call))},
                                 {"indices", integers_of(call.indices, indices)},
                                 {"updates", integers_of(call.updates, updates_values(call))}},
                    .attributes = {{"reduction", reduction}},
                    .variant = std::make_shared<Operation>(row)};
  oracle::put_dims(same, call.dims);
  return values_of(oracle::apply(same).output);
}

WindowCall random_window_call(property::Random& random) {
  constexpr std::int64_t most_updates = 20000;
  WindowCall call;
  const std::int64_t rank = random.between(1, 4);
  for (std::int64_t axis = 0; axis < rank; ++axis) call.data.push_back(random.between(1, 5));
  const property::WindowShapes shapes = property::random_window(random, call.data, most_updates);
  call.indices = shapes.indices;
  call.updates = shapes.updates;
  call.dims = shapes.dims;
  call.policies.outside = random.among({OutsideIndex::drop_window, OutsideIndex::drop_elements,
                                        OutsideIndex::clip_start, OutsideIndex::modulo});
  for (std::int64_t i = element_count(call.indices); i > 0; --i)
    call.index_values.push_back(random.between(-3, 6));
  return call;
}

std::string text_of(const WindowCall& call) {
  return fmt::format(
      "data {}, indices {} = {}, updates {}, update_window_dims {}, inserted {}, batching {} {}, "
      "scatter_dims {}, index_vector_dim {}, policy {}",
      to_string(call.data), to_string(call.indices), fmt::join(call.index_values, ","),
      to_string(call.updates), fmt::join(call.dims.update_window_dims, ","),
      fmt::join(call.dims.inserted_window_dims, ","), fmt::join(call.dims.input_batching_dims, ","),
      fmt::join(call.dims.scatter_indices_batching_dims, ","),
      fmt::join(call.dims.scatter_dims_to_operand_dims, ","), call.dims.index_vector_dim,
      static_cast<int>(call.policies.outside));
}

Tensor laid_out(const Shape& shape, const std::vector<std::int32_t>& values, MemoryOrder order) {
  const Dense dense = integers_of(shape, values);
  const oracle::Layout layout{.order = order};
  return {oracle::header_of(dense, layout), owned_source(oracle::stored(dense, layout))};
}

std::vector<std::int32_t> data_values(const WindowCall& call) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(element_count(call.data)), -1);
  return values;
}

std::vector<std::int32_t> updates_values(const WindowCall& call) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(element_count(call.updates)));
  std::iota(values.begin(), values.end(), 1);
  return values;
}

std::vector<std::int32_t> in_row_major_order(const WindowCall& call,
                                             const std::vector<std::int32_t>& output,
                                             MemoryOrder order) {
  const auto bytes = std::as_bytes(std::span(output));
  const Dense like = Dense::zeros(ElementType::of(DType::int32), call.data);
  return values_of(oracle::loaded(like, {.order = order}, {bytes.begin(), bytes.end()}));
}

}  // namespace tscatter
