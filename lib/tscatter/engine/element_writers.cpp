#include "tscatter/engine/element_writers.hpp"

#include <bit>
#include <cstring>
#include <vector>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/engine/grouped_entries.hpp"

namespace tscatter {
namespace {

std::endian working_order(const Tensor& data, Reduction reduction) {
  return reduction == Reduction::none ? data.type().byte_order : std::endian::native;
}

// Calls function.operator()<size>(). REQUIRES: size is 8, or with `widest` of 4: 1, 2 or 4.
template <std::size_t widest, class Function>
void visit_value_size(std::size_t size, const Function& function) {
  if constexpr (widest == 8) return function.template operator()<8>();
  if (size == 1) return function.template operator()<1>();
  if (size == 2) return function.template operator()<2>();
  function.template operator()<4>();
}

}  // namespace

template <class Record>
bool ElementWriters<Record>::fits(const ListedWrites& writes, const ElementType& type,
                                  const Grouping& grouping) {
  constexpr std::size_t widest = sizeof(Record::value);
  const bool fits_record =
      widest == 8 ? type.size == 8 : type.size == 1 || type.size == 2 || type.size == 4;
  const bool is_single = writes.blocks.count() == 1 && writes.batches.count() == 1;
  const bool is_sequential = writes.has_linear_entries() && writes.entries.stride() == 1;
  const BucketGrid grid = grid_of_elements(writes, grouping);
  return fits_record && !grouping.keeps_entries && is_single && is_sequential &&
         grid.width() <= grouping.tile_elements;
}

template <class Record>
ElementWriters<Record>::ElementWriters(ListedWrites writes, const Tensor& data,
                                       const Tensor& updates, const Grouping& grouping)
    : loop_{scatter_loop<Record>(data.type().dtype, data.type().size, grouping.reduction)} {
  const std::size_t size = data.type().size;
  const BucketGrid grid = grid_of_elements(writes, grouping);
  const std::endian order = working_order(data, grouping.reduction);
  Progress* const progress = grouping.parallelism.progress;
  if (progress != nullptr) progress->begin(updates.byte_size());
  const auto make = [&] {
    return [&, values = std::vector<std::byte>()](std::int64_t first, auto destinations,
                                                  const auto& write) mutable {
      values.resize(destinations.size() * size);
      if (progress != nullptr) progress->add(static_cast<std::int64_t>(values.size()));
      read_elements(updates, first, values, order);
      visit_value_size<sizeof(Record::value)>(
          size, [&values, &write, destinations, &grid]<std::size_t width>() {
            const auto put = write;  // copies, as for Buckets' Places
            const BucketGrid places = grid;
            const std::byte* value = values.data();
            for (const auto destination : destinations) {
              Record record{.destination = places.place_of(static_cast<std::int64_t>(destination)),
                            .value = {}};
              std::memcpy(record.value.data(), value, width);
              put(destination, record);
              value += width;
            }
          });
    };
  };
  records_ = grouping.window
                 ? Buckets<Record>(*grouping.window, grouping.parallelism, make)
                 : Buckets<Record>(writes.destination_of_entry, grid, grouping.parallelism, make);
}

template <class Record>
std::int64_t ElementWriters<Record>::count_distinct(const Grouping& grouping) const {
  return count_distinct_in(records_, grouping, true);
}

template class ElementWriters<SmallRecord>;
template class ElementWriters<LargeRecord>;

}  // namespace tscatter
