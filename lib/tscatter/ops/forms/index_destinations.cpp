#include "tscatter/ops/forms/index_destinations.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t chunk_elements = std::int64_t{64} * 1024;

// The elements, if they are in memory and in native byte order. A file is not mapped for this: its
// pages would enter the page table one by one.
std::optional<std::span<const std::byte>> native_view(const Tensor& tensor) {
  const bool is_file = tensor.source().extent().has_value();
  return is_file || !tensor.type().is_native() ? std::nullopt : tensor.source().view();
}

struct IndexedAxes {
  std::size_t first = 0;     // the axis of data that coordinate 0 of an entry counts along
  std::size_t depth = 1;     // coordinates of an entry
  std::int64_t entries = 0;  // indices holds entries * depth elements
  NegativeIndices negative = NegativeIndices::refused;
};

struct Coordinate {
  std::int64_t size;    // of its axis of data
  std::int64_t stride;  // in destinations
};

// Turns one tensor of indices into destinations. Several workers read pieces of it.
class DestinationReader {
 public:
  DestinationReader(RuleOf rule, const Tensor& data, const Tensor& indices, const IndexedAxes& axes)
      : rule_{rule}, indices_{indices}, axes_{axes} {
    const std::vector<std::int64_t> strides =
        destination_strides(data.header(), axes.first, axes.depth);
    for (std::size_t i = 0; i < axes.depth; ++i) {
      coordinates_.push_back({.size = data.shape()[axes.first + i], .stride = strides[i]});
      destinations_ *= coordinates_.back().size;
    }
  }

  DestinationList read(const Parallelism& parallelism) const {
    DestinationList list(axes_.entries, destinations_);
    list.visit([&](auto destinations) {
      if (indices_.order() == MemoryOrder::c && axes_.depth > 0) {
        read_row_major(destinations, parallelism);
      } else {
        std::ranges::fill(destinations, 0);
        if (axes_.depth > 0) read_fortran(destinations);
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

  template <class Destination>
  void read_row_major(std::span<Destination> destinations, const Parallelism& parallelism) const {
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
            destinations.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
        visit_integer_dtype(indices_.type().dtype,
                            [&]<class T>() { convert<T>(bytes, first * depth, piece); });
      };
    });
  }

  template <class T, class Destination>
  void convert(std::span<const std::byte> bytes, std::int64_t first,
               std::span<Destination> destinations) const {
    const std::byte* from = bytes.data();
    std::int64_t at = first;
    for (Destination& destination : destinations) {
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
      destination = static_cast<Destination>(sum);
    }
  }

  // Reads in the order of the file, but still reports the first bad coordinate in row-major order.
  template <class Destination>
  void read_fortran(std::span<Destination> destinations) const {
    const auto depth = static_cast<std::int64_t>(axes_.depth);
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t first_wrong = none;
    FortranOdometer odometer(indices_.shape());
    for_each_chunk(indices_, [&](std::int64_t, std::span<const std::int64_t> values) {
      for (const std::int64_t value : values) {
        const std::int64_t at = odometer.row_major();
        const Coordinate& coordinate = coordinates_[static_cast<std::size_t>(at % depth)];
        const std::int64_t position = normalized(value, coordinate.size);
        if (position < 0) first_wrong = std::min(first_wrong, at);
        destinations[static_cast<std::size_t>(at / depth)] +=
            static_cast<Destination>(position * coordinate.stride);
        odometer.next();
      }
    });
    if (first_wrong != none) refuse(first_wrong);
  }

  [[noreturn]] void refuse(std::int64_t at) const {
    const auto coordinate = static_cast<std::size_t>(at % static_cast<std::int64_t>(axes_.depth));
    const std::int64_t size = coordinates_[coordinate].size;
    const std::string index = integer_text(indices_, at);
    fail(ErrorKind::rule, rule_.label, rule_.operation,
         "{} must be in [{}, {}) for data axis {}{}, got {}", place_text("indices", indices_, at),
         axes_.negative == NegativeIndices::from_the_end ? -size : 0, size,
         axes_.first + coordinate, negative_hint(index, size), index);
  }

  std::string negative_hint(const std::string& index, std::int64_t size) const {
    if (axes_.negative == NegativeIndices::from_the_end || !index.starts_with('-')) return {};
    if (std::stoll(index) < -size) return {};
    const Operation* other = newest_operation(
        [](const Operation& each) { return each.negative == NegativeIndices::from_the_end; });
    return other == nullptr ? std::string() : fmt::format(" ({} takes negative ones)", other->name);
  }

  RuleOf rule_;
  const Tensor& indices_;
  IndexedAxes axes_;
  std::vector<Coordinate> coordinates_;
  std::int64_t destinations_ = 1;
};

}  // namespace

LoweredPlan lower_entries(const Operation& operation, const Arguments& arguments,
                          const EntryAxes& entries, const Parallelism& parallelism) {
  const Tensor& data = arguments.operand("data");
  const std::int64_t count = element_count(entries.shape);
  ListedWrites writes = listed_writes(data.header(), entries.first, entries.depth,
                                      arguments.operand("updates").header(), entries.shape.size());
  // Without coordinates and elements there is nothing to check or write, however many entries there
  // are.
  if (entries.depth > 0 || data.count() > 0) {
    const DestinationReader reader(rule_of(operation, Check::index_range), data,
                                   arguments.operand("indices"),
                                   {.first = entries.first,
                                    .depth = entries.depth,
                                    .entries = count,
                                    .negative = operation.negative});
    writes.destination_of_entry = reader.read(parallelism);
  }
  writes.named = entries;
  return {.plan = {.writes = std::move(writes)}, .index_entries = count};
}

}  // namespace tscatter
