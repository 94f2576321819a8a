// What meets in each of several elements, side by side as columns: data's value, and the updates in
// the order of their index entries. TermTable for a dtype that is known at run time, TermRows for a
// type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tscatter/core/visit_dtype.hpp"

namespace tscatter::orders {

class TermTable {
 public:
  TermTable() = default;
  TermTable(const TermTable&) = delete;
  TermTable& operator=(const TermTable&) = delete;
  virtual ~TermTable() = default;

  virtual std::size_t columns() const = 0;
  virtual std::int64_t updates() const = 0;

  // Whether all rows are valid together.
  virtual bool stays() const = 0;

  // Rows of columns() packed native elements. A row is valid until the next call, unless it stays.
  virtual const std::byte* data() = 0;
  virtual const std::byte* update(std::int64_t index) = 0;
};

// Rows in memory.
class StoredTerms final : public TermTable {
 public:
  StoredTerms(std::int64_t updates, std::size_t capacity, std::size_t element_size)
      : updates_{updates},
        row_{capacity * element_size},
        rows_(static_cast<std::size_t>(updates + 1) * row_) {}

  std::size_t columns() const override { return columns_; }
  std::int64_t updates() const override { return updates_; }
  bool stays() const override { return true; }
  const std::byte* data() override { return row(0); }
  const std::byte* update(std::int64_t index) override { return row(index + 1); }

  void set_columns(std::size_t columns) { columns_ = columns; }
  // Row 0 is data's, row k + 1 is update k's.
  std::byte* row(std::int64_t index) {
    return rows_.data() + static_cast<std::size_t>(index) * row_;
  }

 private:
  std::int64_t updates_;
  std::size_t row_;
  std::size_t columns_ = 0;
  std::vector<std::byte> rows_;
};

// Whether order matters: integers wrap around and bools are combined logically, so every order
// leaves the same bits.
template <class T>
inline constexpr bool orders_matter_v = is_real_v<T> || is_complex_v<T>;

// T is a type of visit_dtype, native and aligned. Column c has the value data[c], the updates
// terms[k][c], and the judged value actual[c]. All columns have the same number of writers.
template <class T>
struct TermRows {
  std::span<const T> data;
  std::span<const T> actual;  // as many as data; may be empty if nothing is judged
  std::span<const T* const> terms;
  std::span<const T> in_order = {};  // the in-order results, if known
  std::int64_t divisor = 1;          // of what the terms add up to: a mean's
  // What was multiplied by a number to get the terms, if that is known.
  std::span<const T* const> factors = {};

  std::size_t columns() const { return data.size(); }
  std::size_t writers() const { return terms.size(); }
};

}  // namespace tscatter::orders
