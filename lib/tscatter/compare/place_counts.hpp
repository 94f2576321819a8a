// PlaceCounts: how many differences each index of each axis has. Leading axes have counts shared by
// all workers; for the trailing ones each worker has an array with a count for each element.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/compare/census.hpp"
#include "tscatter/core/int128.hpp"
#include "tscatter/core/shape.hpp"

namespace tscatter {

// An element's flags, as the kernels set them.
namespace element_flags {
inline constexpr std::uint8_t beyond = 1;
inline constexpr std::uint8_t differing = 2;
inline constexpr std::uint8_t not_finite = 4;
}  // namespace element_flags

class PlaceCounts {
 public:
  explicit PlaceCounts(const Numbering& numbering);

  // One worker's counts.
  class Worker {
   public:
    explicit Worker(PlaceCounts& counts);

    // Counts the flags `beyond` of the elements from `number` on.
    void add(std::span<const std::uint8_t> flags, std::int64_t number);

    // Adds the worker's counts to the whole. Call once; not from two threads at a time.
    void finish();

   private:
    void add_to_tail(std::span<const std::uint8_t> flags, std::int64_t number);
    void add_to_leading(std::span<const std::uint8_t> flags, std::int64_t number);
    void add_piece(std::span<const std::uint8_t> flags, std::int64_t number);
    void widen_box(std::size_t axis, std::int64_t first, std::int64_t last);

    PlaceCounts& counts_;
    std::vector<std::uint32_t> tail_;
    Shape low_;  // of the leading axes
    Shape high_;
  };

  // The place of all `total` differences. REQUIRES: total > 0.
  DifferencePlace place(std::int64_t total) const;

 private:
  struct Axis {
    std::int64_t size = 1;
    std::int64_t width = 1;   // indices that are counted together
    std::int64_t stride = 1;  // in numbers
    std::size_t first = 0;    // of its counts
    std::int64_t ranges() const { return (size + width - 1) / width; }
  };

  std::int64_t count(const Axis& axis, std::int64_t range) const {
    return counts_[axis.first + static_cast<std::size_t>(range)];
  }
  Int128 excess(const Axis& axis, std::int64_t total) const;
  void choose_axis(DifferencePlace& place, std::int64_t total) const;
  void list_shares(const Axis& axis, DifferencePlace& place) const;

  const Numbering& numbering_;
  std::vector<Axis> axes_;   // as walked
  std::size_t leading_ = 0;  // axes before the tail
  std::int64_t tail_size_ = 1;
  std::vector<std::atomic<std::int64_t>> counts_;
  Shape low_;  // of the leading axes
  Shape high_;
};

}  // namespace tscatter
