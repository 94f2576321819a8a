// The lowering shared by the forms with index entries: turns the index tensor into destinations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/destinations.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

struct IndexEntries {
  EntryAxes named;
  // The one axis along which indices say where an entry goes; along the other named axes it goes
  // where it stands in indices. nullopt: indices have a coordinate along each named axis.
  std::optional<std::size_t> along = std::nullopt;
};

// The plan of a call with these index entries: the destination of each (plan/scatter_plan.hpp).
// Checks each coordinate against its axis. One that is out of range is moved, or its entry dropped,
// as the operation's policy says; here an entry's window is a whole part of data, so that either
// way of dropping drops the entry. Throws Error (the rule of Check::index_range) for the first
// coordinate in row-major order that the policy has no place for. REQUIRES: prepared arguments.
LoweredPlan lower_entries(const Operation& operation, const Arguments& arguments,
                          const IndexEntries& entries, const Lowering& lowering);

// The lowering of the form elements without a list: checks the indices, and lets the engine read
// them again. The plan of a call of the form elements, in which indices stay where they are.
// nullopt where a list serves better: an operand is in Fortran order, or indices in foreign byte
// order; duplicates are forbidden; there are few entries beside data; rows of indices repeat one
// value, so that their entries fold. Throws Error as lower_entries does. REQUIRES: prepared
// arguments; `operation` outlives the plan.
std::optional<LoweredPlan> lower_indexed(const Operation& operation, const Arguments& arguments,
                                         std::size_t axis, const Lowering& lowering);

// Whether the entries need no list, although one would fit, if none is dropped: single elements
// whose reader reads memory. Rows are written faster from a list.
bool may_be_left(const ListedWrites& writes, const EntryReader& reader, const Lowering& lowering);

// Entries that are not listed, since their list would be longer than memory allows. Makes `writes`
// read its entries through `reader`. Checks all entries and counts the dropped ones, unless
// `lowering` leaves that to whoever reads them. Throws Error for the first entry that is
// refused, and Cancelled.
void read_again(ListedWrites& writes, std::shared_ptr<const EntryReader> reader,
                const Lowering& lowering);

// ---- Which position an index means. Only this header knows the policies for negative indices and
// for indices out of range.

// In the place of a position, both less than 0.
inline constexpr std::int64_t dropped_place = -1;  // the entry writes nothing
inline constexpr std::int64_t refused_place = -2;  // the call is refused

// By one comparison. REQUIRES: size >= 0.
inline bool is_inside(std::int64_t position, std::int64_t size) {
  return static_cast<std::uint64_t>(position) < static_cast<std::uint64_t>(size);
}

// Whether an index that is out of range goes to a place.
inline bool moves(const Policies& policies) {
  return policies.outside == OutsideIndex::clip_start ||
         policies.outside == OutsideIndex::clip_index || policies.outside == OutsideIndex::modulo;
}

// Where an index that is out of range goes.
template <class T>
std::int64_t moved(T index, std::int64_t size, OutsideIndex policy) {
  switch (policy) {
    case OutsideIndex::error: return refused_place;
    case OutsideIndex::drop_window:
    case OutsideIndex::drop_elements: return dropped_place;
    case OutsideIndex::clip_start:
    case OutsideIndex::clip_index:
      if (size == 0) return refused_place;
      return std::cmp_less(index, 0) ? 0 : size - 1;
    case OutsideIndex::modulo: return size == 0 ? refused_place : wrapped(index, size);
  }
  unreachable();
}

// The position on an axis of that size, dropped_place or refused_place.
template <class T>
std::int64_t place_of(T index, std::int64_t size, const Policies& policies) {
  std::int64_t position = saturated(index);
  if (is_inside(position, size)) [[likely]]
    return position;
  if (position < 0 && policies.negative == NegativeIndex::dropped) return dropped_place;
  if (position < 0 && policies.negative == NegativeIndex::from_the_end) position += size;
  return is_inside(position, size) ? position : moved(index, size, policies.outside);
}

// Indices that lie side by side as native integers, each along the same axis, of a size that fits
// 32 bits.
class PlainIndices {
 public:
  PlainIndices(std::span<const std::byte> indices, DType dtype, std::int64_t size,
               NegativeIndex negative)
      : indices_{indices}, dtype_{dtype}, size_{size}, negative_{negative} {}

  PlainEntries entries() const {
    return {.indices = indices_.data(),
            .dtype = dtype_,
            .from_the_end = negative_ == NegativeIndex::from_the_end};
  }
  // Whether the indices from `first` on, so many, are in range.
  bool are_in_range(std::int64_t first, std::int64_t count) const;
  // Fills `into` with the positions of the indices from `first` on. Returns false if some are out
  // of range; `into` then holds anything.
  bool read(std::int64_t first, std::span<std::uint32_t> into) const;

 private:
  std::span<const std::byte> indices_;
  DType dtype_;
  std::int64_t size_;
  NegativeIndex negative_;
};

}  // namespace tscatter
