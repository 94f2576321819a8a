// WrongPlaces: where wrong elements lie: how many each index has, and a picture where one is
// wanted. Not part of the installed interface.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "tscatter/compare/difference_grid.hpp"
#include "tscatter/compare/place_counts.hpp"
#include "tscatter/core/numbering.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

class WrongPlaces {
 public:
  // `limits`: of the picture; nullopt: none.
  WrongPlaces(const TensorHeader& data, const Numbering& numbering,
              const std::optional<GridLimits>& limits)
      : data_{data}, numbering_{numbering}, limits_{limits}, counts_{numbering} {}

  // One worker's.
  class Worker {
   public:
    explicit Worker(WrongPlaces& places);

    bool draws() const { return grid_.has_value(); }
    void add(std::int64_t number);
    // Of the same element, where the worker draws: native elements.
    void draw(std::int64_t number, std::span<const std::byte> actual,
              std::span<const std::byte> in_order);

    // Adds to the whole what the worker counted. Call once; not from two threads at a time.
    void finish();

   private:
    WrongPlaces& places_;
    PlaceCounts::Worker counts_;
    std::optional<DifferenceGrid> grid_;
  };

  // Of all `wrong` elements. REQUIRES: wrong > 0.
  DifferencePlace place(std::int64_t wrong) const { return counts_.place(wrong); }
  std::optional<DifferenceGrid> grid() && { return std::move(grid_); }

 private:
  const TensorHeader& data_;
  const Numbering& numbering_;
  std::optional<GridLimits> limits_;
  PlaceCounts counts_;
  std::optional<DifferenceGrid> grid_;
};

}  // namespace tscatter
