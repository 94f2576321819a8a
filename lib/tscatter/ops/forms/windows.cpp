#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/window.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter::forms {
namespace {

// ---- Dimension numbers, each by itself.

// A list, and the tensor whose axes it names.
struct DimsList {
  std::string_view name;
  std::string_view of;
  std::vector<std::size_t> WindowDims::*dims;
};

constexpr std::array lists{
    DimsList{"update_window_dims", "updates", &WindowDims::update_window_dims},
    DimsList{"inserted_window_dims", "data", &WindowDims::inserted_window_dims},
    DimsList{"input_batching_dims", "data", &WindowDims::input_batching_dims},
    DimsList{"scatter_indices_batching_dims", "indices",
             &WindowDims::scatter_indices_batching_dims},
    DimsList{"scatter_dims_to_operand_dims", "data", &WindowDims::scatter_dims_to_operand_dims},
};

constexpr std::string_view vector_dim = "index_vector_dim";

void require_list(const Operation& operation, const Arguments& arguments, std::string_view name) {
  const Tensor* list = arguments.find(name);
  if (list == nullptr) return;
  const std::string_view word = operation.called(name);
  require_rank(operation, Check::list_rank, word, *list, 1);
  require_integers(operation, Check::list_dtype, word, *list);
}

void require_vector_dim(const Operation& operation, const Arguments& arguments) {
  const Tensor* number = arguments.find(vector_dim);
  if (number == nullptr) return;
  if (number->rank() != 0 && number->shape() != Shape{1}) {
    refuse(operation, Check::list_rank, "{} must have rank 0 or shape [1], got shape {}",
           vector_dim, to_string(number->shape()));
  }
  require_integers(operation, Check::list_dtype, vector_dim, *number);
}

void require_axes_of(const Operation& operation, const Arguments& arguments, const DimsList& list) {
  const auto rank = static_cast<std::int64_t>(arguments.operand(list.of).rank());
  const std::vector<std::int64_t> dims = dims_listed(arguments, list.name);
  const auto wrong =
      std::ranges::find_if(dims, [&](std::int64_t each) { return each < 0 || each >= rank; });
  if (wrong == dims.end()) return;
  const std::int64_t place = wrong - dims.begin();
  refuse(operation, Check::dims_range, "{}[{}] must be in [0, {}) for {} of rank {}, got {}",
         operation.called(list.name), place, rank, operation.called(list.of), rank,
         integer_text(arguments.operand(list.name), place));
}

void require_range(const Operation& operation, const Arguments& arguments) {
  for (const DimsList& list : lists) require_axes_of(operation, arguments, list);
  const auto rank = static_cast<std::int64_t>(arguments.operand("indices").rank());
  if (operation.find_operand(vector_dim) == nullptr && rank == 0) {
    refuse(operation, Check::dims_range, "{} must have rank 1 or more, got rank 0",
           operation.called("indices"));
  }
  const Tensor* number = arguments.find(vector_dim);
  if (number == nullptr) return;
  const std::int64_t axis = read_integers(*number).front();
  if (axis < 0 || axis > rank) {
    refuse(operation, Check::dims_range, "{} must be in [0, {}] for {} of rank {}, got {}",
           vector_dim, rank, operation.called("indices"), rank, integer_text(*number, 0));
  }
}

WindowDims dims_of(const Operation& operation, const Arguments& arguments) {
  WindowDims dims;
  for (const DimsList& list : lists) {
    for (const std::int64_t axis : dims_listed(arguments, list.name))
      (dims.*list.dims).push_back(static_cast<std::size_t>(axis));
  }
  dims.index_vector_dim = index_vector_dim(operation, arguments);
  return dims;
}

// ---- Together.
std::vector<std::size_t> joined(std::vector<std::size_t> axes,
                                const std::vector<std::size_t>& more) {
  axes.insert(axes.end(), more.begin(), more.end());
  return axes;
}

void require_different(const Operation& operation, std::string_view names,
                       std::vector<std::size_t> axes) {
  std::ranges::sort(axes);
  const auto twice = std::ranges::adjacent_find(axes);
  if (twice != axes.end()) {
    refuse(operation, Check::dims_distinct, "{} must name no axis twice, got {}", names, *twice);
  }
}

void require_distinct(const Operation& operation, const WindowDims& dims) {
  const std::string_view batching = operation.called("input_batching_dims");
  const auto& window = dims.update_window_dims;
  const auto falls = std::ranges::adjacent_find(window, std::ranges::greater_equal());
  if (falls != window.end()) {
    refuse(operation, Check::dims_distinct, "update_window_dims must ascend, got {} before {}",
           *falls, *(falls + 1));
  }
  require_different(operation, fmt::format("inserted_window_dims and {}", batching),
                    joined(dims.inserted_window_dims, dims.input_batching_dims));
  require_different(operation, fmt::format("scatter_dims_to_operand_dims and {}", batching),
                    joined(dims.scatter_dims_to_operand_dims, dims.input_batching_dims));
  require_different(operation, "scatter_indices_batching_dims and index_vector_dim",
                    joined(dims.scatter_indices_batching_dims, {dims.index_vector_dim}));
}

void require_count(const Operation& operation, std::string_view names, std::size_t expected,
                   std::string_view reason, std::size_t count) {
  if (count != expected) {
    refuse(operation, Check::dims_count, "{} must name {} {}{}, got {}", names, expected,
           expected == 1 ? "axis" : "axes", reason, count);
  }
}

void require_counts(const Operation& operation, const WindowDims& dims, const Tensor& data,
                    const Tensor& indices) {
  const std::string_view batching = operation.called("input_batching_dims");
  require_count(operation, fmt::format("update_window_dims, inserted_window_dims and {}", batching),
                data.rank(),
                fmt::format(" in all, one for each axis of {}", operation.called("data")),
                dims.update_window_dims.size() + dims.inserted_window_dims.size() +
                    dims.input_batching_dims.size());
  const bool is_scalar = dims.index_vector_dim == indices.rank();
  const std::int64_t numbers = is_scalar ? 1 : indices.shape()[dims.index_vector_dim];
  require_count(operation, "scatter_dims_to_operand_dims", static_cast<std::size_t>(numbers),
                ", one for each number of an index entry",
                dims.scatter_dims_to_operand_dims.size());
  require_count(operation, "scatter_indices_batching_dims", dims.input_batching_dims.size(),
                fmt::format(", as {}", batching), dims.scatter_indices_batching_dims.size());
}

void require_batching_sizes(const Operation& operation, const WindowDims& dims, const Shape& data,
                            const Shape& indices) {
  for (std::size_t i = 0; i < dims.input_batching_dims.size(); ++i) {
    const std::size_t axis = dims.input_batching_dims[i];
    const std::size_t of_indices = dims.scatter_indices_batching_dims[i];
    if (indices[of_indices] != data[axis]) {
      refuse(operation, Check::batching_sizes,
             "{} must be {} long along axis {}, as {} along axis {}, got {}",
             operation.called("indices"), data[axis], of_indices, operation.called("data"), axis,
             indices[of_indices]);
    }
  }
}

// ---- Updates.

// What updates is as long as: `entries` along its axes of index entries, in their order; `windows`,
// at most, along its window axes, as data is.
struct UpdatesSizes {
  Shape entries;
  Shape windows;
};

UpdatesSizes sizes_of(const WindowDims& dims, const Shape& data, const Shape& indices) {
  UpdatesSizes sizes{.entries = indices, .windows = {}};
  if (dims.index_vector_dim < indices.size())
    sizes.entries.erase(sizes.entries.begin() + static_cast<std::ptrdiff_t>(dims.index_vector_dim));
  const std::vector<std::size_t> absent =
      joined(dims.inserted_window_dims, dims.input_batching_dims);
  for (std::size_t axis = 0; axis < data.size(); ++axis) {
    if (std::ranges::count(absent, axis) == 0) sizes.windows.push_back(data[axis]);
  }
  return sizes;
}

void require_updates_shape(const Operation& operation, const WindowDims& dims,
                           const UpdatesSizes& sizes, const Shape& updates) {
  if (updates.size() != sizes.entries.size() + sizes.windows.size()) {
    refuse(operation, Check::updates_shape,
           "updates must have rank {}, the axes of index entries and of windows, got rank {}",
           sizes.entries.size() + sizes.windows.size(), updates.size());
  }
  auto entry = sizes.entries.begin();
  auto window = sizes.windows.begin();
  for (std::size_t axis = 0; axis < updates.size(); ++axis) {
    const bool is_window = std::ranges::count(dims.update_window_dims, axis) > 0;
    const std::int64_t size = is_window ? *window++ : *entry++;
    if (is_window ? updates[axis] > size : updates[axis] != size) {
      refuse(operation, Check::updates_shape,
             "updates must be {} {} long along axis {}, {} {}, got {}",
             is_window ? "at most" : "exactly", size, axis, is_window ? "a window of" : "as",
             operation.called(is_window ? "data" : "indices"), updates[axis]);
    }
  }
}

// Along an inserted axis that no index moves, windows begin at 0 and are 1 long.
void require_place_for_windows(const Operation& operation, const WindowDims& dims,
                               const Shape& data, const Tensor& updates) {
  if (updates.count() == 0) return;
  for (const std::size_t axis : dims.inserted_window_dims) {
    if (data[axis] == 0 && std::ranges::count(dims.scatter_dims_to_operand_dims, axis) == 0) {
      refuse(operation, Check::updates_shape,
             "{} must be 1 or more long along axis {}, where a window is 1 long, got 0",
             operation.called("data"), axis);
    }
  }
}

}  // namespace

std::vector<std::int64_t> dims_listed(const Arguments& arguments, std::string_view name) {
  const Tensor* list = arguments.find(name);
  return list == nullptr ? std::vector<std::int64_t>() : read_integers(*list);
}

std::size_t index_vector_dim(const Operation& operation, const Arguments& arguments) {
  if (const Tensor* number = arguments.find(vector_dim))
    return static_cast<std::size_t>(read_integers(*number).front());
  const bool is_last = operation.find_operand(vector_dim) == nullptr;
  return is_last ? arguments.operand("indices").rank() - 1 : 0;
}

void prepare_windows(const Operation& operation, Arguments& arguments) {
  const Tensor& data = arguments.operand("data");
  const Tensor& indices = arguments.operand("indices");
  const Tensor& updates = arguments.operand("updates");
  require_data_rank(operation, arguments);
  for (const DimsList& list : lists) require_list(operation, arguments, list.name);
  require_vector_dim(operation, arguments);
  require_index_dtype(operation, indices);
  require_range(operation, arguments);
  const WindowDims dims = dims_of(operation, arguments);
  require_distinct(operation, dims);
  require_counts(operation, dims, data, indices);
  require_batching_sizes(operation, dims, data.shape(), indices.shape());
  require_updates_shape(operation, dims, sizes_of(dims, data.shape(), indices.shape()),
                        updates.shape());
  require_place_for_windows(operation, dims, data.shape(), updates);
}

LoweredPlan lower_windows(const Operation& operation, const Arguments& arguments,
                          const Lowering& lowering) {
  return lower_window(operation, arguments.operand("data"), arguments.operand("indices"),
                      arguments.operand("updates"), dims_of(operation, arguments), lowering);
}

}  // namespace tscatter::forms
