#include "tscatter/engine/readers.hpp"

#include <algorithm>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/kernels/move.hpp"

namespace tscatter {

UpdatesReader::UpdatesReader(const Tensor& updates, std::endian byte_order)
    : updates_{updates},
      view_{updates.source().view()},
      repeats_{updates.source().repeated() &&
               updates.source().repeated()->size() == updates.type().size},
      reverses_{updates.type().word() > 1 && updates.type().byte_order != byte_order} {}

const std::byte* UpdatesReader::fetch(const StridedRun& run) {
  const std::size_t size = updates_.type().size;
  const std::int64_t offset = run.updates * static_cast<std::int64_t>(size);
  const bool is_packed = run.updates_stride == 1 || run.count == 1;
  if (view_ && is_packed && !reverses_) return view_->data() + offset;

  const std::size_t bytes = static_cast<std::size_t>(run.count) * size;
  if (repeats_ && packed_.size() >= bytes) return packed_.data();
  packed_.resize(bytes);
  if (view_) {
    gather(packed_.data(), view_->data() + offset, run.updates_stride, run.count, size);
  } else if (is_packed) {
    updates_.source().read(offset, packed_);
  } else {
    read_strided(run, packed_);
  }
  if (reverses_) reverse_words(packed_, updates_.type().word());
  return packed_.data();
}

const std::byte* UpdatesReader::fetch(const EntryRows& entries) {
  if (entries.rows == 1) return fetch({.updates = entries.first, .count = entries.length});
  const auto size = static_cast<std::int64_t>(updates_.type().size);
  packed_.resize(static_cast<std::size_t>(entries.count() * size));
  copy_rows({.first = packed_.data(), .stride = entries.length * size},
            {.first = view_->data() + entries.first * size, .stride = entries.stride * size},
            entries.rows, entries.length * size);
  if (reverses_) reverse_words(packed_, updates_.type().word());
  return packed_.data();
}

void UpdatesReader::read_strided(const StridedRun& run, std::span<std::byte> into) const {
  const std::size_t size = updates_.type().size;
  for (std::int64_t i = 0; i < run.count; ++i) {
    const std::int64_t element = run.updates + i * run.updates_stride;
    updates_.source().read(element * static_cast<std::int64_t>(size),
                           into.subspan(static_cast<std::size_t>(i) * size, size));
  }
}

namespace {

// Calls visit(from, into) for each point of the axes, the first one fastest.
template <class Axis, class Visit>
void visit_points(std::span<const Axis> axes, std::int64_t from, std::int64_t into,
                  const Visit& visit) {
  if (axes.empty()) return visit(from, into);
  const Axis& slowest = axes.back();
  for (std::int64_t i = 0; i < slowest.count; ++i) {
    visit_points(axes.first(axes.size() - 1), from + i * slowest.from, into + i * slowest.into,
                 visit);
  }
}

}  // namespace

std::vector<BoxReader::Axis> BoxReader::axes_of(const Shape& sizes) const {
  const std::vector<std::int64_t> from = strides_of(tensor_.shape(), tensor_.order());
  const std::vector<std::int64_t> into = strides_of(sizes, MemoryOrder::c);
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t axis = tensor_.order() == MemoryOrder::fortran ? i : sizes.size() - 1 - i;
    if (sizes[axis] == 1) continue;
    const Axis next{.count = sizes[axis], .from = from[axis], .into = into[axis]};
    const bool continues = !axes.empty() && axes.back().from * axes.back().count == next.from &&
                           axes.back().into * axes.back().count == next.into;
    if (continues) {
      axes.back().count *= next.count;
    } else {
      axes.push_back(next);
    }
  }
  return axes;
}

void BoxReader::read(const Position& origin, const Shape& sizes, std::span<std::byte> into) {
  const std::vector<Axis> axes = axes_of(sizes);
  const std::vector<std::int64_t> strides = strides_of(tensor_.shape(), tensor_.order());
  std::int64_t first = 0;
  for (std::size_t axis = 0; axis < origin.size(); ++axis) first += origin[axis] * strides[axis];

  // Axes that are contiguous in the tensor are read as one.
  std::size_t together = 0;
  std::int64_t count = 1;
  for (; together < axes.size() && axes[together].from == count; ++together)
    count *= axes[together].count;
  const auto size = static_cast<std::int64_t>(tensor_.type().size);
  const std::span<const Axis> all(axes);
  visit_points(
      all.subspan(together), first, std::int64_t{0}, [&](std::int64_t element, std::int64_t place) {
        unpack(all.first(together), fetch(element, count).data(), into.data() + place * size);
      });
}

std::span<const std::byte> BoxReader::fetch(std::int64_t element, std::int64_t count) {
  const std::size_t size = tensor_.type().size;
  const std::size_t offset = static_cast<std::size_t>(element) * size;
  const std::size_t bytes = static_cast<std::size_t>(count) * size;
  if (const auto view = tensor_.source().view()) return view->subspan(offset, bytes);
  run_.resize(bytes);
  tensor_.source().read(static_cast<std::int64_t>(offset), run_);
  return run_;
}

void BoxReader::unpack(std::span<const Axis> axes, const std::byte* from, std::byte* into) const {
  const auto size = static_cast<std::int64_t>(tensor_.type().size);
  const Axis run = axes.empty() ? Axis{.count = 1, .from = 1, .into = 1} : axes.front();
  visit_points(axes.subspan(std::min<std::size_t>(axes.size(), 1)), std::int64_t{0},
               std::int64_t{0}, [&](std::int64_t element, std::int64_t place) {
                 spread(into + place * size, run.into, from + element * size, run.count,
                        static_cast<std::size_t>(size));
               });
}

}  // namespace tscatter
