#include "tscatter/engine/box_reader.hpp"

#include <algorithm>

#include "tscatter/kernels/move.hpp"

namespace tscatter {
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
