#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/memory.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t piece = 4096;  // entries that are read at once without a view

// Fills `into` with the position that each index means, where some indices may be out of range.
// Returns how many are dropped; calls refuse(i) for one that must not be out of range.
template <class T, class Refuse>
std::int64_t place_each(std::span<std::uint32_t> into, const std::byte* indices, std::int64_t size,
                        const Policies& policies, const Refuse& refuse) {
  std::int64_t dropped = 0;
  for (std::size_t i = 0; i < into.size(); ++i) {
    const auto entry = static_cast<std::int64_t>(i);
    const std::int64_t position = place_of(load<T>(indices, entry), size, policies);
    into[i] = position < 0 ? dropped_entry<std::uint32_t> : static_cast<std::uint32_t>(position);
    if (position >= 0) continue;
    if (position == refused_place) refuse(entry);
    ++dropped;
  }
  return dropped;
}

class PositionsOfIndices final : public IndexedPositions {
 public:
  PositionsOfIndices(const Operation& operation, Arguments arguments, std::size_t axis)
      : operation_{operation},
        arguments_{std::move(arguments)},
        indices_{arguments_.operand("indices")},
        axis_{axis},
        size_{arguments_.operand("data").shape()[axis]},
        view_{indices_.source().view()} {}

  std::int64_t read(const EntryRows& entries, std::uint32_t* into) const override {
    std::int64_t dropped = 0;
    if (entries.rows == 1) prefetch_row(entries.first + 2 * entries.length, entries.length);
    for (std::int64_t row = 0; row < entries.rows; ++row) {
      if (row + ahead < entries.rows)
        prefetch_row(entries.first + (row + ahead) * entries.stride, entries.length);
      dropped += read_row(entries.first + row * entries.stride, entries.length,
                          into + row * entries.length);
    }
    return dropped;
  }

  // Checks so many indices; returns how many are dropped. `scratch` has room for them.
  std::int64_t check(std::int64_t first, std::int64_t count, std::uint32_t* scratch) const {
    const bool are_plain =
        view_ && plain(view_->data(), indices_.count()).are_in_range(first, count);
    return are_plain ? 0 : read({.first = first, .length = count}, scratch);
  }

  bool has_view() const override { return view_.has_value(); }
  void check_view() const override { indices_.source().check_view(); }

  ListedWrites listed(const Parallelism& parallelism,
                      std::optional<std::int64_t> most_listed) const override {
    LoweredPlan lowered = forms::lower_elements(
        operation_, arguments_, {.parallelism = parallelism, .most_listed = most_listed});
    return std::get<ListedWrites>(std::move(lowered.plan.writes));
  }

 private:
  static constexpr std::int64_t ahead = 8;  // rows

  void prefetch_row(std::int64_t first, std::int64_t count) const {
    const auto size = static_cast<std::int64_t>(indices_.type().size);
    if (view_) prefetch(view_->data() + first * size, count * size);
  }

  std::int64_t read_row(std::int64_t first, std::int64_t count, std::uint32_t* into) const {
    const auto size = static_cast<std::int64_t>(indices_.type().size);
    if (view_) return resolve(view_->data() + first * size, first, count, into);
    std::array<std::byte, piece * sizeof(std::int64_t)> bytes;
    std::int64_t dropped = 0;
    for (std::int64_t begin = 0; begin < count; begin += piece) {
      const std::int64_t some = std::min(piece, count - begin);
      read_elements(indices_, first + begin,
                    std::span(bytes).first(static_cast<std::size_t>(some * size)));
      dropped += resolve(bytes.data(), first + begin, some, into + begin);
    }
    return dropped;
  }

  PlainIndices plain(const std::byte* indices, std::int64_t count) const {
    const ElementType& type = indices_.type();
    return {{indices, static_cast<std::size_t>(count) * type.size},
            type.dtype,
            size_,
            operation_.policies.negative};
  }

  std::int64_t resolve(const std::byte* indices, std::int64_t first, std::int64_t count,
                       std::uint32_t* into) const {
    if (plain(indices, count).read(0, {into, static_cast<std::size_t>(count)})) return 0;
    return visit_integer_dtype(indices_.type().dtype, [&]<class T>() -> std::int64_t {
      const auto refuse_entry = [&](std::int64_t i) { refuse(first + i); };
      return place_each<T>(std::span(into, static_cast<std::size_t>(count)), indices, size_,
                           operation_.policies, refuse_entry);
    });
  }

  [[noreturn]] void refuse(std::int64_t at) const {
    refuse_outside(operation_, indices_, at, axis_, size_);
  }

  Operation operation_;
  Arguments arguments_;
  const Tensor& indices_;
  std::size_t axis_;
  std::int64_t size_;
  std::optional<std::span<const std::byte>> view_;
};

// Data's axes [begin, end), as indices run through them.
StridedAxes entries_between(const Shape& indices, const Shape& data, std::size_t begin,
                            std::size_t end) {
  const std::vector<std::int64_t> strides =
      strides_of(Shape(data.begin() + static_cast<std::ptrdiff_t>(begin),
                       data.begin() + static_cast<std::ptrdiff_t>(end)),
                 MemoryOrder::c);
  StridedAxes axes;
  for (std::size_t axis = begin; axis < end; ++axis)
    axes.append({.count = indices[axis], .stride = strides[axis - begin]});
  return axes;
}

std::int64_t places_between(const Shape& shape, std::size_t begin, std::size_t end) {
  std::int64_t places = 1;
  for (std::size_t axis = begin; axis < end; ++axis) places *= shape[axis];
  return places;
}

// Whether some rows of indices, spread over all, repeat one value each, as when row numbers were
// repeated to the shape of updates.
bool seems_to_fold(const Tensor& indices, std::int64_t row) {
  constexpr std::int64_t rows_tried = 16;
  constexpr std::int64_t entries_tried = 64;
  const std::size_t size = indices.type().size;
  const std::int64_t rows = indices.count() / std::max<std::int64_t>(row, 1);
  if (row < 2 || rows == 0) return false;
  std::vector<std::byte> bytes;
  for (std::int64_t i = 0; i < std::min(rows, rows_tried); ++i) {
    read_native(indices, rows * i / rows_tried * row, std::min(row, entries_tried), bytes);
    const bool repeats =
        std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(), bytes.begin());
    if (!repeats) return false;
  }
  return true;
}

// The check of all indices. Returns how many entries are dropped.
std::int64_t count_dropped(const PositionsOfIndices& positions, const Tensor& indices,
                           const Parallelism& parallelism) {
  constexpr std::int64_t at_once = 16 * piece;
  const std::int64_t entries = indices.count();
  std::atomic<std::int64_t> dropped{0};
  for_each_task((entries + at_once - 1) / at_once, parallelism, indices.byte_size(), [&] {
    return [&, into = std::vector<std::uint32_t>(piece)](std::int64_t task) mutable {
      const std::int64_t end = std::min((task + 1) * at_once, entries);
      for (std::int64_t first = task * at_once; first < end; first += piece) {
        const std::int64_t count = std::min(piece, end - first);
        dropped += positions.check(first, count, into.data());
      }
    };
  });
  positions.check_view();
  return dropped;
}

bool suits(const Operation& operation, const Arguments& arguments, std::size_t axis) {
  constexpr std::int64_t fewest = 4;  // of data's elements, one in so many
  const Tensor& data = arguments.operand("data");
  const Tensor& indices = arguments.operand("indices");
  const Tensor& updates = arguments.operand("updates");
  const bool are_in_order = data.order() == MemoryOrder::c && indices.order() == MemoryOrder::c &&
                            updates.order() == MemoryOrder::c && indices.type().is_native();
  return are_in_order && operation.policies.duplicates == DuplicatePolicy::ordered &&
         indices.count() > 0 && indices.count() >= data.count() / fewest &&
         std::max(data.shape()[axis], indices.shape()[axis]) <
             std::numeric_limits<std::uint32_t>::max();
}

}  // namespace

std::optional<LoweredPlan> lower_indexed(const Operation& operation, const Arguments& arguments,
                                         std::size_t axis, const Lowering& lowering) {
  if (!suits(operation, arguments, axis)) return std::nullopt;
  const Shape& data = arguments.operand("data").shape();
  const Tensor& indices = arguments.operand("indices");
  const Shape& shape = indices.shape();
  IndexedWrites writes{
      .positions = nullptr,
      .outer = places_between(data, 0, axis),
      .length = data[axis],
      .inner = places_between(data, axis + 1, data.size()),
      .outer_entries = entries_between(shape, data, 0, axis),
      .entries_along = shape[axis],
      .inner_entries = entries_between(shape, data, axis + 1, data.size()),
  };
  const bool has_whole_rows = writes.inner_entries.count() == writes.inner;
  if (has_whole_rows && seems_to_fold(indices, writes.inner)) return std::nullopt;
  const auto positions = std::make_shared<PositionsOfIndices>(operation, arguments, axis);
  writes.dropped = count_dropped(*positions, indices, lowering.parallelism);
  writes.positions = positions;
  std::optional<LoweredPlan> lowered(std::in_place);
  lowered->index_entries = indices.count();
  if (can_drop(operation.policies)) lowered->dropped = writes.dropped;
  lowered->plan.writes = std::move(writes);
  return lowered;
}

namespace {

std::int64_t count_dropped(const EntryReader& reader, const Parallelism& parallelism) {
  constexpr std::int64_t at_once = std::int64_t{16} * 1024;
  const std::int64_t entries = reader.size();
  std::atomic<std::int64_t> dropped{0};
  for_each_task((entries + at_once - 1) / at_once, parallelism, entries, [&] {
    return [&](std::int64_t task) {
      const std::int64_t first = task * at_once;
      dropped += reader.check(first, std::min(at_once, entries - first));
    };
  });
  return dropped;
}

}  // namespace

bool may_be_left(const ListedWrites& writes, const EntryReader& reader, const Lowering& lowering) {
  const bool are_elements = writes.blocks.count() == 1 && writes.batches.count() == 1 &&
                            writes.entries_in_row == 1 && writes.has_linear_entries();
  return !lowering.needs_list && lowering.may_list(reader.size()) && are_elements &&
         reader.reads_memory() && writes.destinations < std::numeric_limits<std::uint32_t>::max();
}

void read_again(ListedWrites& writes, std::shared_ptr<const EntryReader> reader,
                const Lowering& lowering) {
  // More than can be numbered would never be read.
  memory_size(reader->size(), sizeof(std::uint64_t));
  writes.is_left_to_reader = may_be_left(writes, *reader, lowering);
  if (lowering.check == EntryCheck::by_reader) {
    writes.reader = std::move(reader);
    return;
  }
  writes.reader_dropped = count_dropped(*reader, lowering.parallelism);
  writes.reader = std::move(reader);
}

}  // namespace tscatter
