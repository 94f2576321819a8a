#include "tscatter/ops/forms/resolved_index.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/views/strided_view.hpp"

namespace tscatter::forms {
namespace {

template <class Item>
const Item* item_of(const IndexItem& item) {
  return std::get_if<Item>(&item.what);
}

// An integer as positions that are a single one.
class OneIndex final : public Source {
 public:
  explicit OneIndex(std::int64_t index) : index_{index} {}

  std::int64_t size() const override { return sizeof(index_); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    read_memory(*view(), offset, into);
  }
  std::optional<std::span<const std::byte>> view() const override {
    return std::as_bytes(std::span(&index_, 1));
  }

 private:
  std::int64_t index_;
};

Tensor single(std::int64_t index, const std::string& name) {
  return {{.type = ElementType::of(DType::int64)}, std::make_shared<OneIndex>(index), name};
}

class IndexResolver {
 public:
  IndexResolver(const Operation& operation, const Arguments& arguments,
                const Parallelism& parallelism)
      : operation_{operation},
        arguments_{arguments},
        parallelism_{parallelism},
        data_{arguments.operand("data")} {}

  ResolvedIndex resolve() {
    const std::size_t left_out = data_.rank() - count_axes();
    takes_integers_ = has_positions();
    bool has_ellipsis = false;
    for (const IndexItem& item : arguments_.index) {
      if (item_of<EllipsisItem>(item) != nullptr) {
        has_ellipsis = true;
        take_whole(left_out);
        end_positions();
      } else {
        take(item);
      }
    }
    if (!has_ellipsis) take_whole(left_out);
    put_together();
    return std::move(index_);
  }

 private:
  const Tensor* tensor_of(const IndexItem& item) const {
    const auto* operand = item_of<OperandItem>(item);
    return operand == nullptr ? nullptr : &arguments_.operand(operand->operand);
  }

  bool is_flat() const { return operation_.form == Form::flat; }

  bool is_mask(const Tensor& tensor) const { return tensor.type().dtype == DType::boolean; }

  // How many axes of data the item stands for.
  std::size_t axes_of(const IndexItem& item) const {
    if (item_of<EllipsisItem>(item) != nullptr || item_of<NewAxisItem>(item) != nullptr) return 0;
    const Tensor* tensor = tensor_of(item);
    if (tensor == nullptr) return 1;
    if (is_flat()) return data_.rank();
    return is_mask(*tensor) ? tensor->rank() : 1;
  }

  bool has_new_axis() const {
    return std::ranges::any_of(arguments_.index, [](const IndexItem& item) {
      return item_of<NewAxisItem>(item) != nullptr;
    });
  }

  std::size_t count_axes() const {
    std::size_t axes = 0;
    std::size_t ellipses = 0;
    for (const IndexItem& item : arguments_.index) {
      axes += axes_of(item);
      if (item_of<EllipsisItem>(item) != nullptr) ++ellipses;
    }
    if (!operation_.takes_new_axes && has_new_axis()) {
      refuse(operation_, Check::indices_rank,
             "an index must have no new axis (: takes a whole axis), got None");
    }
    if (axes > data_.rank()) {
      refuse(
          operation_, Check::indices_rank,
          "{} has {} {}, and the index has items for {} (positions along one axis are a list: [[0, "
          "1]])",
          data_.name(), data_.rank(), data_.rank() == 1 ? "axis" : "axes", axes);
    }
    if (ellipses > 1) {
      refuse(operation_, Check::indices_rank, "an index must have at most one item ..., got {}",
             ellipses);
    }
    return axes;
  }

  // Beside positions, or where a policy says what becomes of it, an integer is a position, too.
  bool has_positions() const {
    std::size_t axis = 0;
    for (const IndexItem& item : arguments_.index) {
      if (tensor_of(item) != nullptr) return true;
      if (item_of<EllipsisItem>(item) != nullptr) axis += data_.rank() - count_axes();
      const auto* integer = item_of<IntegerItem>(item);
      if (integer != nullptr && !place_along(*integer, axis)) return true;
      axis += axes_of(item);
    }
    return false;
  }

  std::optional<std::int64_t> place_along(const IntegerItem& item, std::size_t axis) const {
    const std::int64_t size = data_.shape()[axis];
    const bool wraps = operation_.policies.negative == NegativeIndex::from_the_end;
    const std::int64_t place = item.index < 0 && wraps ? item.index + size : item.index;
    return is_inside(place, size) ? std::optional(place) : std::nullopt;
  }

  void take_whole(std::size_t axes) {
    for (std::size_t i = 0; i < axes; ++i)
      take_slice({.first = 0, .step = 1, .count = data_.shape()[axis_]});
  }

  void take(const IndexItem& item) {
    if (const auto* slice = item_of<SliceItem>(item)) return take_slice(range_of(*slice, item));
    if (item_of<NewAxisItem>(item) != nullptr) return take_new_axis();
    if (const auto* integer = item_of<IntegerItem>(item)) return take_integer(*integer, item);
    take_positions(*tensor_of(item), item);
  }

  SliceRange range_of(const SliceItem& item, const IndexItem& written) const {
    const std::int64_t step = item.step.value_or(1);
    if (step == 0) {
      refuse(operation_, Check::step_not_zero, "the step of {} must not be 0", written.text);
    }
    return clamp_slice(item.start, item.stop, step, data_.shape()[axis_]);
  }

  void take_slice(const SliceRange& slice) {
    index_.result.push_back(slice.count);
    index_.axes.emplace_back(axis_++);
    index_.slices.emplace_back(slice);
    end_positions();
  }

  void take_new_axis() {
    index_.result.push_back(1);
    index_.axes.emplace_back(std::nullopt);
    end_positions();
  }

  void take_integer(const IntegerItem& item, const IndexItem& written) {
    if (takes_integers_) return take_positions(single(item.index, written.text), written);
    index_.slices.emplace_back(
        SliceRange{.first = *place_along(item, axis_), .step = 1, .count = 1});
    ++axis_;
  }

  void take_positions(const Tensor& tensor, const IndexItem& item) {
    IndexPositions made{.tensor = tensor, .text = item.text, .axis = axis_, .axes = 1};
    if (is_mask(tensor) && !is_flat()) {
      require_mask_shape(tensor, item);
      made.axes = tensor.rank();
      made.tensor = in_c_order(tensor);
      made.mask = std::make_shared<const MaskCounts>(made.tensor, parallelism_);
    } else {
      require_positions_dtype(tensor, item);
      made.axes = axes_of(item);
      made.is_flat = is_flat();
    }
    begin_positions();
    axis_ += made.axes;
    index_.slices.resize(axis_);
    index_.positions.push_back(std::move(made));
  }

  void require_positions_dtype(const Tensor& tensor, const IndexItem& item) const {
    if (takes_indices_of(operation_, tensor.type().dtype)) return;
    refuse(operation_, Check::indices_dtype, "{} must be {}{}, got {}", item.text,
           index_dtypes_text(operation_), is_flat() ? "" : ", or a mask of dtype bool",
           to_string(tensor.type()));
  }

  void require_mask_shape(const Tensor& mask, const IndexItem& item) const {
    const auto from = data_.shape().begin() + static_cast<std::ptrdiff_t>(axis_);
    const Shape expected(from, from + static_cast<std::ptrdiff_t>(mask.rank()));
    if (mask.rank() == 0) {
      refuse(operation_, Check::indices_shape, "the mask {} must have one axis or more, got rank 0",
             item.text);
    }
    if (mask.shape() == expected) return;
    refuse(operation_, Check::indices_shape,
           "the mask {} must have the shape {} of {} from axis {} on, got {}", item.text,
           to_string(expected), data_.name(), axis_, to_string(mask.shape()));
  }

  // Positions stay where the first of them is, unless something stands between two of them.
  void begin_positions() {
    if (index_.positions.empty()) {
      index_.together_at = index_.result.size();
    } else if (is_divided_) {
      index_.together_at = 0;
    }
  }
  void end_positions() { is_divided_ = is_divided_ || !index_.positions.empty(); }

  void put_together() {
    for (const IndexPositions& each : index_.positions) {
      const auto both = broadcast_shape(index_.together, each.shape());
      if (!both) refuse_shapes();
      index_.together = *both;
    }
    const auto at = static_cast<std::ptrdiff_t>(index_.together_at);
    index_.result.insert(index_.result.begin() + at, index_.together.begin(),
                         index_.together.end());
    index_.axes.insert(index_.axes.begin() + at, index_.together.size(), std::nullopt);
  }

  [[noreturn]] void refuse_shapes() const {
    std::string shapes;
    for (const IndexPositions& each : index_.positions) {
      shapes +=
          fmt::format("{}{} of {}", shapes.empty() ? "" : ", ", to_string(each.shape()), each.text);
    }
    refuse(operation_, Check::indices_shape,
           "the shapes of an index's positions must broadcast to one, got {}", shapes);
  }

  const Operation& operation_;
  const Arguments& arguments_;
  const Parallelism& parallelism_;
  const Tensor& data_;
  ResolvedIndex index_;
  std::size_t axis_ = 0;         // of data: the next one
  bool takes_integers_ = false;  // as positions
  bool is_divided_ = false;      // an item that is none stands after positions
};

}  // namespace

ResolvedIndex resolve_index(const Operation& operation, const Arguments& arguments,
                            const Parallelism& parallelism) {
  return IndexResolver(operation, arguments, parallelism).resolve();
}

Shape shape_named_by(const Operation& operation, Arguments arguments,
                     std::vector<IndexItem> items) {
  arguments.index = std::move(items);
  return resolve_index(operation, arguments).result;
}

}  // namespace tscatter::forms
