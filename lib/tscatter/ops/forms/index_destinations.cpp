#include "tscatter/ops/forms/index_destinations.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/ops/checks.hpp"
#include "tscatter/ops/integers.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t chunk_elements = std::int64_t{64} * 1024;

// A number that indices hold for each entry.
struct Coordinate {
  std::size_t axis;     // of data
  std::int64_t size;    // of the axis
  std::int64_t stride;  // in destinations
};

// What each entry adds to its destination because of where it stands in indices.
StridedAxes own_places(const IndexEntries& entries, const std::vector<std::int64_t>& strides) {
  StridedAxes own;
  if (!entries.along) {
    own.append({.count = element_count(entries.named.shape), .stride = 0});
    return own;
  }
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const bool is_indexed = entries.named.first + i == *entries.along;
    own.append({.count = entries.named.shape[i], .stride = is_indexed ? 0 : strides[i]});
  }
  return own;
}

// How many entries make a row of data, after the axis along which indices count, where indices are
// as long as data there.
std::int64_t entries_in_row(const IndexEntries& entries, const TensorHeader& data) {
  std::int64_t row = 1;
  if (!entries.along || data.order != MemoryOrder::c) return row;
  const EntryAxes& named = entries.named;
  for (std::size_t i = named.depth; i-- > 0 && named.first + i > *entries.along;) {
    if (named.shape[i] != data.shape[named.first + i]) return 1;
    row *= named.shape[i];
  }
  return std::max<std::int64_t>(row, 1);
}

// Turns one tensor of indices into destinations: all at once, or as often as it is asked for some.
// Several workers read pieces of it.
class DestinationReader final : public EntryReader {
 public:
  DestinationReader(const Operation& operation, const Tensor& data, Tensor indices,
                    const IndexEntries& entries)
      : operation_{operation}, indices_{std::move(indices)} {
    const EntryAxes& named = entries.named;
    const std::vector<std::int64_t> strides =
        destination_strides(data.header(), named.first, named.depth);
    for (std::size_t i = 0; i < named.depth; ++i) {
      const std::size_t axis = named.first + i;
      const std::int64_t size = data.shape()[axis];
      destinations_ *= size;
      if (!entries.along || *entries.along == axis)
        coordinates_.push_back({.axis = axis, .size = size, .stride = strides[i]});
    }
    own_ = own_places(entries, strides);
    are_positions_ =
        !entries.along && depth() == 1 && destinations_ < std::numeric_limits<std::uint32_t>::max();
    if (indices_.order() == MemoryOrder::c && depth() > 0) view_ = native_view(indices_);
  }

  std::int64_t size() const override { return own_.count(); }

  void read(std::int64_t first, std::span<std::uint64_t> into) const override {
    read_some(first, into);
  }
  void read(std::int64_t first, std::span<std::uint32_t> into) const override {
    read_some(first, into);
  }
  std::int64_t check(std::int64_t first, std::int64_t count) const override {
    const bool is_plain = view_ && are_positions_;
    return is_plain && plain(*view_).are_in_range(first, count) ? 0
                                                                : EntryReader::check(first, count);
  }
  bool reads_memory() const override { return view_.has_value(); }
  std::optional<PlainEntries> plain_entries() const override {
    const bool are_plain = view_ && are_positions_ && !moves(operation_.policies);
    return are_plain ? std::optional(plain(*view_).entries()) : std::nullopt;
  }

  // From now on an entry that would be dropped has changed since it was checked.
  void keep_all() { keeps_all_ = true; }

  DestinationList list(const Parallelism& parallelism) const {
    DestinationList list(own_.count(), destinations_);
    list.visit([&](auto destinations) {
      if (indices_.order() == MemoryOrder::c && depth() > 0) {
        read_pieces(destinations, parallelism);
      } else {
        put_own(destinations);
        if (depth() > 0) read_fortran(destinations);
      }
    });
    if (can_drop(operation_.policies)) list.count_dropped();
    return list;
  }

 private:
  // How many elements of indices an entry has.
  std::int64_t depth() const { return static_cast<std::int64_t>(coordinates_.size()); }

  // REQUIRES: are_positions_.
  PlainIndices plain(std::span<const std::byte> bytes) const {
    return {bytes, indices_.type().dtype, destinations_, operation_.policies.negative};
  }

  template <class Destination>
  void read_some(std::int64_t first, std::span<Destination> into) const {
    if (view_) return convert(view_->subspan(bytes_before(first)), first, into);
    std::vector<std::byte> bytes;
    const auto count = static_cast<std::int64_t>(into.size());
    read_row_major(indices_, first * depth(), count * depth(), bytes);
    convert(bytes, first, into);
  }

  std::size_t bytes_before(std::int64_t entry) const {
    return static_cast<std::size_t>(entry * depth()) * indices_.type().size;
  }

  template <class Destination>
  void read_pieces(std::span<Destination> destinations, const Parallelism& parallelism) const {
    const std::int64_t entries = std::max<std::int64_t>(chunk_elements / depth(), 1);
    const std::int64_t tasks = (own_.count() + entries - 1) / entries;
    for_each_task(tasks, parallelism, indices_.byte_size(), [&] {
      return [&, buffer = std::vector<std::byte>()](std::int64_t task) mutable {
        const std::int64_t first = task * entries;
        const std::int64_t count = std::min(entries, own_.count() - first);
        if (!view_) read_native(indices_, first * depth(), count * depth(), buffer);
        const std::span<const std::byte> bytes =
            view_ ? view_->subspan(bytes_before(first)) : buffer;
        const auto piece =
            destinations.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
        convert(bytes, first, piece);
      };
    });
  }

  // Calls visit with the coordinates of an entry: an array, where they are few enough to stay in
  // registers.
  template <class Visit>
  void visit_coordinates(const Visit& visit) const {
    const std::vector<Coordinate>& all = coordinates_;
    switch (all.size()) {
      case 1: return visit(std::array{all[0]});
      case 2: return visit(std::array{all[0], all[1]});
      case 3: return visit(std::array{all[0], all[1], all[2]});
      default: return visit(std::span(all));
    }
  }

  // `bytes`: the indices of the entries from `first` on.
  template <class Destination>
  void convert(std::span<const std::byte> bytes, std::int64_t first,
               std::span<Destination> destinations) const {
    if constexpr (std::is_same_v<Destination, std::uint32_t>) {
      if (are_positions_ && plain(bytes).read(0, destinations)) return;
    }
    visit_integer_dtype(indices_.type().dtype, [&]<class T>() {
      visit_coordinates([&](const auto& coordinates) {
        convert_of<T>(coordinates, bytes.data(), first, destinations);
      });
    });
  }

  template <class T, class Destination, class Coordinates>
  void convert_of(const Coordinates& coordinates, const std::byte* from, std::int64_t first,
                  std::span<Destination> destinations) const {
    Destination* into = destinations.data();
    const Policies policies = operation_.policies;
    const auto end = first + static_cast<std::int64_t>(destinations.size());
    own_.visit_pieces(
        first, end,
        [&](std::int64_t entry, std::int64_t count, std::int64_t own, std::int64_t stride) {
          for (std::int64_t i = 0; i < count; ++i) {
            std::int64_t sum = own + i * stride;
            bool is_written = true;
            for (const Coordinate& coordinate : coordinates) {
              T index;
              std::memcpy(&index, from, sizeof(T));
              const std::int64_t position = place_of(index, coordinate.size, policies);
              if (position < 0) {
                if (position == refused_place)
                  refuse((entry + i) * depth() + (&coordinate - coordinates.data()));
                if (keeps_all_) refuse_changed_entries();
                is_written = false;
              }
              sum += position * coordinate.stride;
              from += sizeof(T);
            }
            *into++ = is_written ? static_cast<Destination>(sum) : dropped_entry<Destination>;
          }
        });
  }

  template <class Destination>
  void put_own(std::span<Destination> destinations) const {
    own_.visit_pieces(
        0, own_.count(),
        [&](std::int64_t entry, std::int64_t count, std::int64_t own, std::int64_t stride) {
          for (std::int64_t i = 0; i < count; ++i)
            destinations[static_cast<std::size_t>(entry + i)] =
                static_cast<Destination>(own + i * stride);
        });
  }

  // Reads in the order of the file, but still reports the first bad coordinate in row-major order.
  template <class Destination>
  void read_fortran(std::span<Destination> destinations) const {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t first_wrong = none;
    FortranOdometer odometer(indices_.shape());
    for_each_value(indices_, [&](const auto index) {
      const std::int64_t at = odometer.row_major();
      const Coordinate& coordinate = coordinates_[static_cast<std::size_t>(at % depth())];
      Destination& destination = destinations[static_cast<std::size_t>(at / depth())];
      const std::int64_t position = place_of(index, coordinate.size, operation_.policies);
      if (position < 0) {
        if (position == refused_place) first_wrong = std::min(first_wrong, at);
        destination = dropped_entry<Destination>;
      } else if (!is_dropped(destination)) {
        destination += static_cast<Destination>(position * coordinate.stride);
      }
      odometer.next();
    });
    if (first_wrong != none) refuse(first_wrong);
  }

  [[noreturn]] void refuse(std::int64_t at) const {
    const Coordinate& coordinate = coordinates_[static_cast<std::size_t>(at % depth())];
    refuse_outside(operation_, indices_, at, coordinate.axis, coordinate.size);
  }

  Operation operation_;
  Tensor indices_;
  std::vector<Coordinate> coordinates_;
  StridedAxes own_;
  std::int64_t destinations_ = 1;
  bool are_positions_ = false;  // an index is its destination
  bool keeps_all_ = false;
  std::optional<std::span<const std::byte>> view_;
};

}  // namespace

LoweredPlan lower_entries(const Operation& operation, const Arguments& arguments,
                          const IndexEntries& entries, const Lowering& lowering) {
  const Tensor& data = arguments.operand("data");
  const EntryAxes& named = entries.named;
  ListedWrites writes = listed_writes(data.header(), named.first, named.depth,
                                      arguments.operand("updates").header(), named.shape.size());
  writes.entries_in_row = entries_in_row(entries, data.header());
  // Without coordinates and elements there is nothing to check or write, however many entries there
  // are.
  if (named.depth > 0 || data.count() > 0) {
    const auto reader =
        std::make_shared<DestinationReader>(operation, data, arguments.operand("indices"), entries);
    const bool is_left = may_be_left(writes, *reader, lowering);
    if (is_left || !lowering.may_list(reader->size())) read_again(writes, reader, lowering);
    if (writes.reader == nullptr || (is_left && writes.reader_dropped > 0)) {
      writes.reader = nullptr;
      writes.is_left_to_reader = false;
      writes.destination_of_entry = reader->list(lowering.parallelism);
    } else if (is_left) {
      reader->keep_all();
    }
  }
  writes.named = named;
  LoweredPlan lowered{.plan = {}, .index_entries = element_count(named.shape)};
  if (can_drop(operation.policies)) lowered.dropped = writes.dropped();
  lowered.plan.writes = std::move(writes);
  return lowered;
}

namespace {

constexpr int sign = 63;

// Without branches: which indices are negative cannot be foretold.
template <class T>
bool are_in_range_of(const std::byte* indices, std::int64_t count, std::uint64_t size,
                     std::uint64_t from_end) {
  std::uint64_t outside = 0;  // its sign: some index is below the range or above it
  vectorised([=, &outside] {
    std::uint64_t any = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto index = static_cast<std::uint64_t>(saturated(load<T>(indices, i)));
      any |= (index + from_end) | (size - 1 - index);
    }
    outside = any;
  });
  return outside >> sign == 0;
}

template <class T>
bool read_of(const std::byte* indices, std::int64_t count, std::uint64_t size,
             std::uint64_t from_end, std::uint32_t* into) {
  std::uint64_t outside = 0;  // its sign: some position is negative or not below the size
  vectorised([=, &outside] {
    std::uint64_t any = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t index = saturated(load<T>(indices, i));
      const std::uint64_t is_negative = index < 0 ? ~std::uint64_t{0} : 0;
      const std::uint64_t position = static_cast<std::uint64_t>(index) + (from_end & is_negative);
      any |= position | (size - 1 - position);
      into[i] = static_cast<std::uint32_t>(position);
    }
    outside = any;
  });
  return outside >> sign == 0;
}

std::uint64_t from_end(std::int64_t size, NegativeIndex negative) {
  return negative == NegativeIndex::from_the_end ? static_cast<std::uint64_t>(size) : 0;
}

}  // namespace

bool PlainIndices::are_in_range(std::int64_t first, std::int64_t count) const {
  return visit_integer_dtype(dtype_, [&]<class T>() {
    const std::byte* begin = indices_.data() + static_cast<std::size_t>(first) * sizeof(T);
    return are_in_range_of<T>(begin, count, static_cast<std::uint64_t>(size_),
                              from_end(size_, negative_));
  });
}

bool PlainIndices::read(std::int64_t first, std::span<std::uint32_t> into) const {
  return visit_integer_dtype(dtype_, [&]<class T>() {
    const std::byte* begin = indices_.data() + static_cast<std::size_t>(first) * sizeof(T);
    return read_of<T>(begin, std::ssize(into), static_cast<std::uint64_t>(size_),
                      from_end(size_, negative_), into.data());
  });
}

}  // namespace tscatter
