#include "tscatter/ops/checks.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/memory_size.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t chunk_elements = std::int64_t{64} * 1024;

template <class T>
std::int64_t saturated(T value) {
  if (std::in_range<std::int64_t>(value)) return static_cast<std::int64_t>(value);
  return std::numeric_limits<std::int64_t>::max();
}

// Elements as they lie in memory, where they lie there in native byte order. A file is not mapped
// for this: its pages would be entered into the page table one by one.
std::optional<std::span<const std::byte>> native_view(const Tensor& tensor) {
  const bool is_file = tensor.source().extent().has_value();
  return is_file || !tensor.type().is_native() ? std::nullopt : tensor.source().view();
}

// Elements as they lie in the file, in native byte order.
void read_native(const Tensor& tensor, std::int64_t first, std::int64_t count,
                 std::vector<std::byte>& into) {
  const auto size = static_cast<std::int64_t>(tensor.type().size);
  into.resize(static_cast<std::size_t>(count * size));
  read_elements(tensor, first, into);
}

// Calls visit(first, values) for consecutive pieces of the tensor, in the order of its file.
template <class Visit>
void for_each_chunk(const Tensor& tensor, std::int64_t elements, const Visit& visit) {
  std::vector<std::int64_t> values;
  std::vector<std::byte> bytes;
  for (std::int64_t first = 0; first < tensor.count(); first += elements) {
    const std::int64_t count = std::min(elements, tensor.count() - first);
    read_native(tensor, first, count, bytes);
    values.resize(static_cast<std::size_t>(count));
    visit_integer_dtype(tensor.type().dtype, [&]<class T>() {
      for (std::size_t i = 0; i < values.size(); ++i) {
        T value;
        std::memcpy(&value, &bytes[i * sizeof(T)], sizeof(T));
        values[i] = saturated(value);
      }
    });
    visit(first, std::span<const std::int64_t>(values));
  }
}

// Counts through a Fortran-ordered tensor in the order of its file, and knows where that is in
// row-major order.
class FortranOdometer {
 public:
  explicit FortranOdometer(const Shape& shape)
      : shape_{shape}, strides_{strides_of(shape, MemoryOrder::c)}, position_(shape.size(), 0) {}

  std::int64_t row_major() const { return row_major_; }

  void next() {
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      row_major_ += strides_[axis];
      if (++position_[axis] < shape_[axis]) return;
      row_major_ -= strides_[axis] * shape_[axis];
      position_[axis] = 0;
    }
  }

 private:
  const Shape& shape_;
  std::vector<std::int64_t> strides_;
  Position position_;
  std::int64_t row_major_ = 0;
};

struct Coordinate {
  std::int64_t size;    // of its axis of data
  std::int64_t stride;  // in slots
};

// One tensor of indices on its way to slots. Pieces of it are read by several workers.
class SlotReader {
 public:
  SlotReader(RuleOf rule, const Tensor& data, const Tensor& indices, const IndexedAxes& axes)
      : rule_{rule}, indices_{indices}, axes_{axes} {
    const std::vector<std::int64_t> strides = slot_strides(data.header(), axes.first, axes.depth);
    for (std::size_t i = 0; i < axes.depth; ++i) {
      coordinates_.push_back({.size = data.shape()[axes.first + i], .stride = strides[i]});
      slots_ *= coordinates_.back().size;
    }
  }

  SlotList read(const Parallelism& parallelism) const {
    SlotList list(axes_.entries, slots_);
    list.visit([&](auto slots) {
      if (indices_.order() == MemoryOrder::c && axes_.depth > 0) {
        read_row_major(slots, parallelism);
      } else {
        std::ranges::fill(slots, 0);
        if (axes_.depth > 0) read_fortran(slots);
      }
    });
    return list;
  }

 private:
  // The index counted from the front; -1 when it is out of range.
  template <class T>
  std::int64_t normalized(T index, std::int64_t size) const {
    constexpr std::int64_t out_of_range = -1;
    if (std::cmp_greater_equal(index, size)) return out_of_range;
    const std::int64_t position = saturated(index);
    if (position >= 0) return position;
    if (axes_.negative == NegativeIndices::refused) return out_of_range;
    return std::max(position + size, out_of_range);
  }

  template <class Slot>
  void read_row_major(std::span<Slot> slots, const Parallelism& parallelism) const {
    const auto depth = static_cast<std::int64_t>(axes_.depth);
    const std::int64_t entries = std::max<std::int64_t>(chunk_elements / depth, 1);
    const std::int64_t tasks = (axes_.entries + entries - 1) / entries;
    const std::int64_t entry_size = depth * static_cast<std::int64_t>(indices_.type().size);
    const auto view = native_view(indices_);
    for_each_task(tasks, parallelism.threads, parallelism.stop, [&] {
      return [&, buffer = std::vector<std::byte>()](std::int64_t task) mutable {
        const std::int64_t first = task * entries;
        const std::int64_t count = std::min(entries, axes_.entries - first);
        if (!view) read_native(indices_, first * depth, count * depth, buffer);
        const std::span<const std::byte> bytes =
            view ? view->subspan(static_cast<std::size_t>(first * entry_size)) : buffer;
        const auto piece =
            slots.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
        visit_integer_dtype(indices_.type().dtype,
                            [&]<class T>() { convert<T>(bytes, first * depth, piece); });
      };
    });
  }

  template <class T, class Slot>
  void convert(std::span<const std::byte> bytes, std::int64_t first, std::span<Slot> slots) const {
    const std::byte* from = bytes.data();
    std::int64_t at = first;
    for (Slot& slot : slots) {
      std::int64_t sum = 0;
      for (const Coordinate& coordinate : coordinates_) {
        T index;
        std::memcpy(&index, from, sizeof(T));
        const std::int64_t position = normalized(index, coordinate.size);
        if (position < 0) refuse(at);
        sum += position * coordinate.stride;
        from += sizeof(T);
        ++at;
      }
      slot = static_cast<Slot>(sum);
    }
  }

  // In the order of the file; what is named is still the first in row-major order.
  template <class Slot>
  void read_fortran(std::span<Slot> slots) const {
    const auto depth = static_cast<std::int64_t>(axes_.depth);
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t first_wrong = none;
    FortranOdometer odometer(indices_.shape());
    for_each_chunk(
        indices_, chunk_elements, [&](std::int64_t, std::span<const std::int64_t> values) {
          for (const std::int64_t value : values) {
            const std::int64_t at = odometer.row_major();
            const Coordinate& coordinate = coordinates_[static_cast<std::size_t>(at % depth)];
            const std::int64_t position = normalized(value, coordinate.size);
            if (position < 0) first_wrong = std::min(first_wrong, at);
            slots[static_cast<std::size_t>(at / depth)] +=
                static_cast<Slot>(position * coordinate.stride);
            odometer.next();
          }
        });
    if (first_wrong != none) refuse(first_wrong);
  }

  [[noreturn]] void refuse(std::int64_t at) const {
    const auto coordinate = static_cast<std::size_t>(at % static_cast<std::int64_t>(axes_.depth));
    const std::int64_t size = coordinates_[coordinate].size;
    fail(ErrorKind::rule, rule_.label, rule_.operation,
         "{} must be in [{}, {}) for data axis {}, got {}", place_text("indices", indices_, at),
         axes_.negative == NegativeIndices::from_the_end ? -size : 0, size,
         axes_.first + coordinate, integer_text(indices_, at));
  }

  RuleOf rule_;
  const Tensor& indices_;
  IndexedAxes axes_;
  std::vector<Coordinate> coordinates_;
  std::int64_t slots_ = 1;
};

std::int64_t storage_index(const Tensor& tensor, std::int64_t row_major) {
  const Position position = position_of(tensor.shape(), row_major);
  const std::vector<std::int64_t> strides = strides_of(tensor.shape(), tensor.order());
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < position.size(); ++axis)
    index += position[axis] * strides[axis];
  return index;
}

}  // namespace

SlotList read_slots(RuleOf rule, const Tensor& data, const Tensor& indices, const IndexedAxes& axes,
                    const Parallelism& parallelism) {
  return SlotReader(rule, data, indices, axes).read(parallelism);
}

void require_rank_at_least_1(RuleOf rule, std::string_view operand, const Tensor& tensor) {
  if (tensor.rank() == 0) {
    fail(ErrorKind::rule, rule.label, rule.operation, "{} must have rank 1 or more, got rank 0",
         operand);
  }
}

void require_integers(RuleOf rule, std::string_view operand, const Tensor& tensor) {
  if (!is_integer(tensor.type().dtype)) {
    fail(ErrorKind::rule, rule.label, rule.operation, "{} must be of an integer dtype, got {}",
         operand, to_string(tensor.type()));
  }
}

void require_shape(RuleOf rule, std::string_view operand, const Tensor& tensor, const Shape& shape,
                   std::string_view formula) {
  if (tensor.shape() != shape) {
    fail(ErrorKind::rule, rule.label, rule.operation, "{} must have shape {} ({}), got {}", operand,
         to_string(shape), formula, to_string(tensor.shape()));
  }
}

void require_dtype_of_data(RuleOf rule, const Tensor& updates, const Tensor& data) {
  if (!same_dtype(updates.type(), data.type())) {
    fail(ErrorKind::rule, rule.label, rule.operation, "updates must have data's dtype {}, got {}",
         to_string(data.type()), to_string(updates.type()));
  }
}

std::vector<std::int64_t> read_integers(const Tensor& tensor) {
  std::vector<std::int64_t> all(memory_size(tensor.count(), sizeof(std::int64_t)));
  const bool is_fortran = tensor.order() == MemoryOrder::fortran;
  FortranOdometer odometer(tensor.shape());
  for_each_chunk(tensor, chunk_elements,
                 [&](std::int64_t first, std::span<const std::int64_t> values) {
                   for (std::size_t i = 0; i < values.size(); ++i, odometer.next()) {
                     const std::int64_t at =
                         is_fortran ? odometer.row_major() : first + static_cast<std::int64_t>(i);
                     all[static_cast<std::size_t>(at)] = values[i];
                   }
                 });
  return all;
}

std::string integer_text(const Tensor& tensor, std::int64_t index) {
  std::vector<std::byte> bytes;
  read_native(tensor, storage_index(tensor, index), 1, bytes);
  return visit_integer_dtype(tensor.type().dtype, [&]<class T>() {
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return std::to_string(value);
  });
}

std::string place_text(std::string_view operand, const Tensor& tensor, std::int64_t index) {
  if (tensor.rank() == 0) return std::string(operand);
  return std::string(operand) + to_string(position_of(tensor.shape(), index));
}

}  // namespace tscatter
