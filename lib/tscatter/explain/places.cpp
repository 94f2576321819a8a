#include "tscatter/explain/places.hpp"

#include <utility>

namespace tscatter {
namespace {

Shape indexed_shape(const Shape& shape, const EntryAxes& entries) {
  const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(entries.first);
  return {begin, begin + static_cast<std::ptrdiff_t>(entries.depth)};
}

}  // namespace

Places::Places(const TensorHeader& data, EntryAxes entries)
    : rank_{data.rank()},
      entries_{std::move(entries)},
      destinations_{indexed_shape(data.shape, entries_), data.order},
      data_{data.shape, data.order} {}

Place Places::place_of_destination(std::int64_t destination) const {
  const Position index = destinations_.position(destination);
  Place place(rank_);
  for (std::size_t i = 0; i < index.size(); ++i) place[entries_.first + i] = index[i];
  return place;
}

}  // namespace tscatter
