// Several elements at once: column c has the value data[c], the updates terms[k][c] that reach it,
// in the order of their index entries, and the judged value actual[c]. All columns have the same
// number of writers. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tscatter/core/element_bits.hpp"

namespace tscatter::orders {

// Whether order matters: integers wrap around and bools are combined logically, so every order
// leaves the same bits.
template <class T>
inline constexpr bool orders_matter_v = is_real_v<T> || is_complex_v<T>;

// T is a type of visit_dtype, native and aligned. Column c of each row is at [c].
template <class T>
struct TermRows {
  std::span<const T> data;
  std::span<const T> actual;  // as many as data; may be empty if nothing is judged
  std::span<const T* const> terms;
  std::span<const T> in_order = {};  // the in-order results, if known
  std::int64_t divisor = 1;          // of what the terms add up to: a mean's

  std::size_t columns() const { return data.size(); }
  std::size_t writers() const { return terms.size(); }
};

}  // namespace tscatter::orders
