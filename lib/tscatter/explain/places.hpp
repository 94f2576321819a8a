// Places: turns the numbers of a plan (destinations, entries, elements of data in the order of the
// file) into positions. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "tscatter/core/numbering.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/explain/explain.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

class Places {
 public:
  Places(const TensorHeader& data, EntryAxes entries)
      : rank_{data.rank()},
        entries_{std::move(entries)},
        destinations_{indexed_shape(data.shape, entries_), data.order},
        data_{data.shape, data.order} {}

  // The destination's coordinates along the indexed axes; the other axes are whole.
  Place place_of_destination(std::int64_t destination) const {
    const Position index = destinations_.position(destination);
    Place place(rank_);
    for (std::size_t i = 0; i < index.size(); ++i) place[entries_.first + i] = index[i];
    return place;
  }

  // The destination's number in row-major order of the indexed axes.
  std::int64_t row_major_destination(std::int64_t destination) const {
    return destinations_.row_major(destination);
  }

  Position entry(std::int64_t number) const { return entries_.position(number); }

  // The entries number_of(0) … number_of(count - 1).
  template <class NumberOf>
  EntryList entry_list(std::int64_t count, const NumberOf& number_of) const {
    constexpr std::int64_t first = 6;
    constexpr std::int64_t last = 2;
    const bool is_long = count > EntryList::most_entries;
    EntryList list;
    for (std::int64_t k = 0; k < (is_long ? first : count); ++k)
      list.first.push_back(entry(number_of(k)));
    for (std::int64_t k = count - last; is_long && k < count; ++k)
      list.last.push_back(entry(number_of(k)));
    return list;
  }

  // Of elements.
  Position in_data(std::int64_t number) const { return data_.position(number); }
  bool data_is_row_major() const { return data_.is_row_major(); }
  std::int64_t row_major_in_data(std::int64_t number) const { return data_.row_major(number); }

 private:
  static Shape indexed_shape(const Shape& shape, const EntryAxes& entries) {
    const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(entries.first);
    return {begin, begin + static_cast<std::ptrdiff_t>(entries.depth)};
  }

  std::size_t rank_;
  EntryAxes entries_;
  Numbering destinations_;
  Numbering data_;
};

}  // namespace tscatter
