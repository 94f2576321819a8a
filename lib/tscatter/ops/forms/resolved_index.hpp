// ResolvedIndex: the items of NumPy's index, each for its axes of data, and the shape that they
// give.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/shape.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/unlisted_writes.hpp"

namespace tscatter::forms {

// Positions along an axis of data or, in the form flat, in row-major order along all of them; or
// the places of several axes where a mask is true.
struct IndexPositions {
  Tensor tensor;                                     // integers, or a mask in C order
  std::string text;                                  // the item as it was written
  std::size_t axis;                                  // of data, the first
  std::size_t axes;                                  // 1; of a mask its rank; flat: all
  std::shared_ptr<const MaskCounts> mask = nullptr;  // nullptr: integers
  bool is_flat = false;

  // Of a mask: as many as are true.
  Shape shape() const { return mask == nullptr ? tensor.shape() : Shape{mask->trues()}; }
};

// data [4,5,6], index [[1,2],:,[[0],[3]]]: slices {none, all of 5, none}, positions of axis 0, [2],
// and of axis 2, [2,1], together [2,2], which come first: result [2,2,5], axes {none, none, 1}
struct ResolvedIndex {
  std::vector<std::optional<SliceRange>> slices;  // of each axis of data; nullopt: positions
  std::vector<IndexPositions> positions;
  Shape together;               // what the shapes of all positions broadcast to
  std::size_t together_at = 0;  // the axis of the result with which they begin
  Shape result;                 // updates broadcast to it
  // The axis of data that each axis of the result runs along; nullopt: positions, or a new axis.
  std::vector<std::optional<std::size_t>> axes;

  // Whether the axis of data, of that size, is taken as it is.
  bool is_whole(std::size_t axis, std::int64_t size) const {
    const std::optional<SliceRange>& slice = slices[axis];
    if (!slice || slice->count != size) return false;
    return size == 0 || (slice->first == 0 && (slice->step == 1 || size == 1));
  }
};

// Resolves the index of a call. Masks are read, to count where they are true; positions are not.
// Throws Error (rule): by the operation's rules indices_rank, indices_dtype, indices_shape,
// index_range and step_not_zero. REQUIRES: check_arguments passed; data has rank 1 or more.
ResolvedIndex resolve_index(const Operation& operation, const Arguments& arguments,
                            const Parallelism& parallelism = {});

// The shape of what these items name. Throws Error as resolve_index().
Shape shape_named_by(const Operation& operation, Arguments arguments, std::vector<IndexItem> items);

// ---- gathered(): what NumPy's index names, read: a[index].

// The tensor data[index], whose elements are read when they are asked for. Positions are checked
// first, by the rules of `operation`. Throws Error (rule; file) and Cancelled. REQUIRES: it is of
// the form index, and outlives the tensor, as the operands do; `arguments` has data and an index.
Tensor gathered(const Operation& operation, const Arguments& arguments,
                const Parallelism& parallelism, std::string name);

}  // namespace tscatter::forms
