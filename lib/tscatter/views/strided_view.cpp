#include "tscatter/views/strided_view.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace tscatter {
namespace {

// In bytes. A run lies together in the base and in the view; axes are the loops around it.
class StridedSource final : public Source {
 public:
  StridedSource(const Tensor& base, std::int64_t origin, std::span<const ViewAxis> axes)
      : base_{base.shared_source()}, origin_{origin * size_of(base)}, element_{size_of(base)} {
    append({.count = element_, .stride = 1});
    for (std::size_t i = axes.size(); i-- > 0;)
      append({.count = axes[i].count, .stride = axes[i].stride * element_});
    if (!axes_.empty() && axes_.back().stride == 1) {
      run_ = axes_.back().count;
      axes_.pop_back();
    }
    blocks_.assign(axes_.size() + 1, run_);
    for (std::size_t i = axes_.size(); i-- > 0;) blocks_[i] = blocks_[i + 1] * axes_[i].count;
  }

  const Source& base() const { return *base_; }

  std::int64_t size() const override { return blocks_.front(); }

  void read(std::int64_t offset, std::span<std::byte> into) const override {
    if (!into.empty()) fill(0, origin_, offset, into);
  }

  std::optional<std::span<const std::byte>> view() const override {
    const auto bytes = axes_.empty() ? base_->view() : std::nullopt;
    if (!bytes) return std::nullopt;
    return run_ == 0
               ? bytes->first(0)
               : bytes->subspan(static_cast<std::size_t>(origin_), static_cast<std::size_t>(run_));
  }

  std::optional<Extent> extent() const override {
    const auto whole = axes_.empty() ? base_->extent() : std::nullopt;
    if (!whole) return std::nullopt;
    return Extent{.descriptor = whole->descriptor, .offset = whole->offset + origin_};
  }

  void check_view() const override { base_->check_view(); }
  void check_content(const Parallelism& parallelism) const override {
    base_->check_content(parallelism);
  }

  std::optional<std::span<const std::byte>> repeated() const override {
    if (const auto element = base_->repeated()) return element;
    const bool is_single = run_ == element_ && std::ranges::all_of(axes_, [](const ViewAxis& each) {
                             return each.stride == 0;
                           });
    const auto bytes = is_single ? base_->view() : std::nullopt;
    if (!bytes) return std::nullopt;
    return bytes->subspan(static_cast<std::size_t>(origin_), static_cast<std::size_t>(element_));
  }

 private:
  static std::int64_t size_of(const Tensor& base) {
    return static_cast<std::int64_t>(base.type().size);
  }

  // Puts an axis around the present ones; axes that continue each other become one.
  void append(ViewAxis axis) {
    if (axis.count == 1) return;
    const bool continues =
        !axes_.empty() && axis.stride == axes_.front().count * axes_.front().stride;
    if (continues) {
      axes_.front().count *= axis.count;
    } else {
      axes_.insert(axes_.begin(), axis);
    }
  }

  // Fills `into` from what lies within the axis, `skip` bytes after its beginning, until either
  // ends, and removes what is filled from its front. `at`: in the base.
  void fill(std::size_t axis, std::int64_t at, std::int64_t skip,
            std::span<std::byte>& into) const {
    if (axis == axes_.size()) return read_run(at + skip, run_ - skip, into);
    const std::int64_t block = blocks_[axis + 1];
    std::int64_t rest = skip % block;
    std::int64_t whole = 0;  // steps that were filled from their beginning
    for (std::int64_t i = skip / block; i < axes_[axis].count && !into.empty(); ++i) {
      if (axis + 1 == axes_.size() && rest == 0 && axes_[axis].stride != 0) {
        i += read_runs(at + i * axes_[axis].stride, axes_[axis], axes_[axis].count - i, into) - 1;
        continue;
      }
      if (axes_[axis].stride == 0 && whole > 0) {
        repeat(block, axes_[axis].count - i, into);
        return;
      }
      whole += rest == 0 ? 1 : 0;
      fill(axis + 1, at + i * axes_[axis].stride, rest, into);
      rest = 0;
    }
  }

  void read_run(std::int64_t at, std::int64_t length, std::span<std::byte>& into) const {
    const std::size_t count = std::min(static_cast<std::size_t>(length), into.size());
    base_->read(at, into.first(count));
    into = into.subspan(count);
  }

  // The block that stands before `into`, so many times again.
  static void repeat(std::int64_t block, std::int64_t times, std::span<std::byte>& into) {
    const std::size_t wanted = std::min(static_cast<std::size_t>(block * times), into.size());
    const std::byte* const from = into.data() - block;
    auto known = static_cast<std::size_t>(block);
    for (std::size_t done = 0; done < wanted; known *= 2) {
      const std::size_t count = std::min(known, wanted - done);
      std::memcpy(into.data() + done, from, count);
      done += count;
    }
    into = into.subspan(wanted);
  }

  // Runs that are a stride apart, at most `most`; what does not fit into `into` is cut. Returns how
  // many were begun.
  std::int64_t read_runs(std::int64_t at, const ViewAxis& axis, std::int64_t most,
                         std::span<std::byte>& into) const {
    constexpr std::int64_t scratch = std::int64_t{64} * 1024;
    const std::int64_t fitting = static_cast<std::int64_t>(into.size()) / run_;
    const std::int64_t apart = axis.stride < 0 ? -axis.stride : axis.stride;
    const bool is_dense = apart <= 16 * run_;
    const std::int64_t together =
        is_dense ? std::max<std::int64_t>((scratch - run_) / apart, 0) + 1 : 1;
    const std::int64_t count = std::min(most, fitting);
    if (const auto bytes = base_->view()) {
      gather(bytes->data() + at, axis.stride, count, into);
      if (count > 0) return count;
    }
    std::vector<std::byte> between;
    for (std::int64_t i = 0; i < count;) {
      const std::int64_t some = std::min(together, count - i);
      const std::int64_t first = at + i * axis.stride;
      const std::int64_t lowest = axis.stride < 0 ? first + (some - 1) * axis.stride : first;
      between.resize(static_cast<std::size_t>((some - 1) * apart + run_));
      base_->read(lowest, between);
      gather(between.data() + (first - lowest), axis.stride, some, into);
      i += some;
    }
    if (count > 0) return count;
    read_run(at, run_, into);
    return 1;
  }

  void gather(const std::byte* from, std::int64_t stride, std::int64_t count,
              std::span<std::byte>& into) const {
    std::byte* place = into.data();
    const auto move = [&]<std::size_t size>() {
      for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(place + static_cast<std::size_t>(i) * size, from + i * stride, size);
    };
    switch (run_) {
      case 1: move.template operator()<1>(); break;
      case 2: move.template operator()<2>(); break;
      case 4: move.template operator()<4>(); break;
      case 8: move.template operator()<8>(); break;
      default:
        for (std::int64_t i = 0; i < count; ++i)
          std::memcpy(place + i * run_, from + i * stride, static_cast<std::size_t>(run_));
    }
    into = into.subspan(static_cast<std::size_t>(count * run_));
  }

  std::shared_ptr<const Source> base_;
  std::int64_t origin_;
  std::int64_t element_;
  std::int64_t run_ = 1;
  std::vector<ViewAxis> axes_;        // outermost first
  std::vector<std::int64_t> blocks_;  // bytes of the view within each axis; last: a run
};

}  // namespace

Tensor strided_view(const Tensor& base, std::int64_t origin, std::span<const ViewAxis> axes,
                    std::string name) {
  Shape shape;
  for (const ViewAxis& axis : axes) shape.push_back(axis.count);
  return {{.type = base.type(), .shape = std::move(shape)},
          std::make_shared<StridedSource>(base, origin, axes),
          std::move(name)};
}

const Source& source_behind(const Tensor& tensor) {
  const Source* source = &tensor.source();
  while (const auto* view = dynamic_cast<const StridedSource*>(source)) source = &view->base();
  return *source;
}

Tensor in_c_order(const Tensor& tensor) {
  if (tensor.order() == MemoryOrder::c) return tensor;
  const std::vector<std::int64_t> strides = strides_of(tensor.shape(), tensor.order());
  std::vector<ViewAxis> axes;
  for (std::size_t i = 0; i < strides.size(); ++i)
    axes.push_back({.count = tensor.shape()[i], .stride = strides[i]});
  return strided_view(tensor, 0, axes, tensor.name());
}

Tensor reshaped(const Tensor& tensor, Shape shape) {
  if (tensor.shape() == shape) return tensor;
  const Tensor from = in_c_order(tensor);
  return {{.type = from.type(), .shape = std::move(shape)}, from.shared_source(), from.name()};
}

Tensor broadcast_to(const Tensor& tensor, const Shape& shape) {
  if (tensor.shape() == shape) return tensor;
  const std::vector<std::int64_t> strides = strides_of(tensor.shape(), tensor.order());
  const std::size_t more = shape.size() - tensor.rank();
  std::vector<ViewAxis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool is_repeated = i < more || tensor.shape()[i - more] != shape[i];
    axes.push_back({.count = shape[i], .stride = is_repeated ? 0 : strides[i - more]});
  }
  return strided_view(tensor, 0, axes, tensor.name());
}

}  // namespace tscatter
