// TermTable: what meets in each of several elements: data's value, and the updates in the order of
// their index entries. Not part of the installed interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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
  // Row 0 is data's, row k + 1 that of update k.
  std::byte* row(std::int64_t index) {
    return rows_.data() + static_cast<std::size_t>(index) * row_;
  }

 private:
  std::int64_t updates_;
  std::size_t row_;
  std::size_t columns_ = 0;
  std::vector<std::byte> rows_;
};

}  // namespace tscatter::orders
