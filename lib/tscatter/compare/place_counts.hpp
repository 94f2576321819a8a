// PlaceCounts: how many differences lie at each index of each axis. Leading axes are counted for
// all workers together; the trailing ones in an array of each worker, element by element.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/compare/census.hpp"
#include "tscatter/core/int128.hpp"
#include "tscatter/core/numbering.hpp"

namespace tscatter {

// Flags of an element, as the kernels leave them.
namespace element_flags {
inline constexpr std::uint8_t beyond = 1;
inline constexpr std::uint8_t differing = 2;
inline constexpr std::uint8_t not_finite = 4;
}  // namespace element_flags

class PlaceCounts {
 public:
  explicit PlaceCounts(const Numbering& numbering);

  // What one worker counts.
  class Worker {
   public:
    explicit Worker(PlaceCounts& counts);

    // Counts the flags `beyond` of the elements from `number` on.
    void add(std::span<const std::uint8_t> flags, std::int64_t number);

    // Adds what was counted to the whole. Called once; not from two threads at a time.
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

  // Where all of them lie: `total` of them, which is not 0.
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
