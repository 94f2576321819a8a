// MaskWrites: the writes of a mask over the first axes of data, which is read beside data; there is
// no list of the places where it is true.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

// How often a mask is true before each of its pieces, so that a reader may begin at any place. A
// byte that is not 0 is true.
class MaskCounts {
 public:
  // Reads the mask once. REQUIRES: it is of bools, in C order. Throws Error (file) and Cancelled.
  MaskCounts(Tensor mask, const Parallelism& parallelism);

  const Tensor& mask() const { return mask_; }
  std::int64_t trues() const { return before_.back(); }

  // How often the mask is true at the places [0, place) and [begin, end). Throws Error (file).
  std::int64_t before(std::int64_t place) const;
  std::int64_t within(std::int64_t begin, std::int64_t end) const {
    return before(end) - before(begin);
  }

  // The mask's bytes from the place on. Throws Error (file).
  void read(std::int64_t place, std::span<std::byte> into) const;

  // The places of the trues of the numbers first, first + 1, …. Throws Error (file): also if the
  // mask has changed since it was counted.
  void places(std::int64_t first, std::span<std::int64_t> into) const;

 private:
  static constexpr std::int64_t piece = std::int64_t{8} * 1024;

  Tensor mask_;
  std::vector<std::int64_t> before_;  // each piece, and the end
};

// Where the mask is true, a block of updates goes: the k-th true element takes block k. Mask and
// data are in C order.
//
// data [2,3], mask [[1,0,0],[1,1,0]], updates [3]: block 1, to the elements 0, 3 and 4
// data [3,4], mask [1,0,1], updates [2,4]: block 4, to the rows 0 and 2
struct MaskWrites {
  std::shared_ptr<const MaskCounts> mask;
  std::int64_t block = 1;

  std::int64_t elements() const { return mask->trues() * block; }
};

}  // namespace tscatter
