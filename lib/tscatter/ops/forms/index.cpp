#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/ops/forms/index_entries.hpp"
#include "tscatter/ops/forms/resolved_index.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::forms {
namespace {

// Lowers a resolved index.
class IndexLowering {
 public:
  IndexLowering(const Operation& operation, const Arguments& arguments, const Lowering& lowering)
      : operation_{operation},
        data_{arguments.operand("data")},
        updates_{arguments.operand("updates").header()},
        index_{resolve_index(operation, arguments, lowering.parallelism)} {}

  LoweredPlan lower(const Lowering& lowering) const {
    return index_.positions.empty() ? lattice() : listed(lowering);
  }

  // Without a list of the places where a mask is true, if there is nothing else to the index.
  std::optional<LoweredPlan> masked() const {
    const bool is_alone = index_.positions.size() == 1 && index_.positions.front().axis == 0 &&
                          index_.positions.front().mask != nullptr && index_.together_at == 0;
    const bool is_c = data_.order() == MemoryOrder::c && updates_.order == MemoryOrder::c;
    if (!is_alone || !is_c) return std::nullopt;
    if (operation_.policies.duplicates == DuplicatePolicy::forbidden) return std::nullopt;
    const IndexPositions& item = index_.positions.front();
    std::int64_t block = 1;
    for (std::size_t axis = item.axes; axis < data_.rank(); ++axis) {
      if (!is_whole(axis)) return std::nullopt;
      block *= data_.shape()[axis];
    }
    if (block == 0) return std::nullopt;
    return LoweredPlan{.plan = {.writes = MaskWrites{.mask = item.mask, .block = block}},
                       .index_entries = item.mask->trues(),
                       .dropped = dropped(0)};
  }

 private:
  std::optional<std::int64_t> dropped(std::int64_t entries) const {
    return can_drop(operation_.policies) ? std::optional(entries) : std::nullopt;
  }

  bool is_whole(std::size_t axis) const { return index_.is_whole(axis, data_.shape()[axis]); }

  // How far apart elements of updates are along each axis of data; 0 without an axis of the result.
  std::vector<std::int64_t> strides_along_data() const {
    const std::vector<std::int64_t> strides = strides_of(updates_.shape, updates_.order);
    std::vector<std::int64_t> along(data_.rank(), 0);
    for (std::size_t i = 0; i < strides.size(); ++i) {
      if (index_.axes[i]) along[*index_.axes[i]] = strides[i];
    }
    return along;
  }

  LoweredPlan lattice() const {
    std::vector<SliceRange> slices;
    for (const std::optional<SliceRange>& slice : index_.slices) slices.push_back(*slice);
    return {.plan = {.writes = writes_of_slices(data_.header(), slices, strides_along_data())},
            .dropped = dropped(0)};
  }

  // All axes but those at either end that the index takes whole.
  EntryAxes named() const {
    EntryAxes named;
    std::size_t end = data_.rank();
    while (end > 0 && is_whole(end - 1)) --end;
    while (named.first < end && is_whole(named.first)) ++named.first;
    named.depth = end - named.first;
    named.of_indices.emplace();
    return named;
  }

  // With the axes of the entries: of the result, but for those that are whole axes of data at
  // either end, and new ones.
  UpdatesWalk walk(EntryAxes& named) const {
    const std::vector<std::int64_t> strides = strides_of(updates_.shape, updates_.order);
    UpdatesWalk walk{.entries = {}, .strides = strides_along_data()};
    for (std::size_t i = 0; i < index_.result.size(); ++i) {
      const std::optional<std::size_t> axis = index_.axes[i];
      const bool is_position =
          i >= index_.together_at && i < index_.together_at + index_.together.size();
      const bool is_sliced = axis && *axis >= named.first && *axis < named.first + named.depth;
      if (!is_position && !is_sliced) continue;
      if (is_position) named.of_indices->push_back(named.shape.size());
      named.shape.push_back(index_.result[i]);
      walk.entries.push_back({.count = index_.result[i], .stride = strides[i]});
    }
    return walk;
  }

  LoweredPlan listed(const Lowering& lowering) const {
    EntryAxes axes = named();
    const UpdatesWalk updates = walk(axes);
    ListedWrites writes = listed_writes(data_.header(), axes.first, axes.depth, updates);
    const auto reader = std::make_shared<const IndexEntriesReader>(operation_, data_, index_, axes);
    const std::int64_t entries = reader->size();
    writes.named = std::move(axes);
    if (entries == 0) {
      reader->check_positions(lowering.parallelism.stop);
    } else if (!may_be_left(writes, *reader, lowering) && lowering.may_list(entries)) {
      writes.destination_of_entry = list_of(*reader, writes.destinations, lowering.parallelism);
      if (can_drop(operation_.policies)) writes.destination_of_entry.count_dropped();
    } else {
      read_again(writes, reader, lowering);
    }
    const auto left_out = dropped(writes.dropped());
    return {.plan = {.writes = std::move(writes)}, .index_entries = entries, .dropped = left_out};
  }

  const Operation& operation_;
  const Tensor& data_;
  const TensorHeader& updates_;
  ResolvedIndex index_;
};

}  // namespace

LatticeWrites writes_of_slices(const TensorHeader& data, std::span<const SliceRange> slices,
                               std::span<const std::int64_t> updates_strides) {
  const std::vector<std::int64_t> strides = strides_of(data.shape, data.order);
  LatticeBuilder lattice;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::size_t axis = data.order == MemoryOrder::c ? i : slices.size() - 1 - i;
    const SliceRange& slice = slices[axis];
    lattice.shift_output(slice.first * strides[axis]);
    // A step that is not taken may be too long to multiply.
    const std::int64_t step = slice.count > 1 ? slice.step : 1;
    lattice.append({.count = slice.count,
                    .output_stride = step * strides[axis],
                    .updates_stride = updates_strides[axis]});
  }
  return lattice.build();
}

Shape updates_of_index(const Operation& operation, const Arguments& arguments) {
  return resolve_index(operation, arguments).result;
}

void prepare_index(const Operation& operation, Arguments& arguments) {
  require_data_rank(operation, arguments);
  fit_updates(operation, arguments,
              {.shape = updates_of_index(operation, arguments),
               .formula = "the shape of the places that the index names"});
}

LoweredPlan lower_index(const Operation& operation, const Arguments& arguments,
                        const Lowering& lowering) {
  return IndexLowering(operation, arguments, lowering).lower(lowering);
}

LoweredPlan lower_index_for_run(const Operation& operation, const Arguments& arguments,
                                const Lowering& lowering) {
  const IndexLowering index(operation, arguments, lowering);
  auto masked = index.masked();
  return masked ? *std::move(masked) : index.lower(lowering);
}

namespace {

void require_bools(const Operation& operation, const Tensor& mask) {
  if (mask.type().dtype == DType::boolean) return;
  refuse(operation, Check::indices_dtype, "{} must be of dtype bool{}, got {}",
         operation.called("mask"),
         is_integer(mask.type().dtype) ? " (tscatter convert IN OUT --to bool)" : "",
         to_string(mask.type()));
}

// In data's shape.
Tensor fitted_mask(const Operation& operation, const Tensor& mask, const Tensor& data) {
  const std::string_view called = operation.called("data");
  if (operation.reshapes_mask && mask.count() != data.count()) {
    refuse(operation, Check::indices_shape, "{} must have {} elements, as {} has, got {}",
           operation.called("mask"), data.count(), called, to_string(mask.shape()));
  }
  if (operation.reshapes_mask) return reshaped(mask, data.shape());
  if (broadcasts_to(mask.shape(), data.shape())) return broadcast_to(mask, data.shape());
  refuse(operation, Check::indices_shape, "{} must broadcast to {}, the shape of {}, got {}",
         operation.called("mask"), to_string(data.shape()), called, to_string(mask.shape()));
}

// Makes the mask an index of data; without one, that is all of data.
void take_mask(const Operation& operation, Arguments& arguments) {
  const auto mask = arguments.operands.find("mask");
  arguments.index = {{EllipsisItem{}, "..."}};
  if (mask == arguments.operands.end()) return;
  require_bools(operation, mask->second);
  mask->second = fitted_mask(operation, mask->second, arguments.operand("data"));
  arguments.index = {{OperandItem{"mask"}, std::string(operation.called("mask"))}};
}

// Updates of all places become those where the mask is true.
void take_updates_of_places(const Operation& operation, Arguments& arguments) {
  Tensor& updates = arguments.operands.find("updates")->second;
  const bool is_one_value = updates.count() == 1;
  fit_updates(operation, arguments,
              {.shape = arguments.operand("data").shape(),
               .formula = fmt::format("the shape of {}", operation.called("data"))});
  if (arguments.find("mask") == nullptr) return;
  if (is_one_value) {
    const Shape places = resolve_index(operation, arguments).result;
    updates = strided_view(updates, 0, std::array{ViewAxis{.count = places.front(), .stride = 0}},
                           updates.name());
    return;
  }
  Arguments of_updates{.operands = {{"data", updates}, {"mask", arguments.operand("mask")}},
                       .attributes = {},
                       .index = arguments.index};
  updates = gathered(operation, of_updates, {}, updates.name());
}

}  // namespace

Shape updates_of_mask(const Operation& operation, const Arguments& arguments) {
  if (operation.fits_updates_to_data) return arguments.operand("data").shape();
  Arguments with_index = arguments;
  take_mask(operation, with_index);
  return resolve_index(operation, with_index).result;
}

void prepare_mask(const Operation& operation, Arguments& arguments) {
  require_data_rank(operation, arguments);
  take_mask(operation, arguments);
  if (!operation.fits_updates_to_data) {
    fit_updates(operation, arguments,
                {.shape = resolve_index(operation, arguments).result,
                 .formula = "mask has places that are true"});
  } else if (!arguments.is_prepared) {
    take_updates_of_places(operation, arguments);
  }
}

}  // namespace tscatter::forms
