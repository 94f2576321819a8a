// ColumnJudge: the judge of orders/ for elements of a dtype that is known when the program runs.
// Elements are columns, the updates that reach them rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/orders/judge.hpp"

namespace tscatter {

// Native elements, each at an address that its type may have.
struct Columns {
  const std::byte* data;
  const std::byte* actual;
  const std::byte* in_order;
  std::size_t count;
};

class ColumnJudge {
 public:
  virtual ~ColumnJudge() = default;

  // The rows of the columns to come, in the order of the index entries.
  virtual void begin_rows(std::int64_t count) = 0;
  virtual void add_row(const std::byte* terms) = 0;

  // REQUIRES: `verdicts` has a place for each column.
  virtual void judge(const Columns& columns, std::span<orders::ElementVerdict> verdicts) = 0;

  // The columns of the last call that are not in order, ascending. Until the next call.
  virtual std::span<const std::uint32_t> differing() const = 0;

  // Whether one order explains all of the columns: the one that explained the last ones.
  virtual bool is_of_last_order(const Columns& columns) = 0;

  // Forgets what earlier columns have taught, so that verdicts do not depend on them.
  virtual void forget() = 0;
};

// REQUIRES: the reduction is defined for the dtype, and is not none.
std::unique_ptr<ColumnJudge> make_column_judge(DType dtype, Reduction reduction,
                                               const orders::JudgeOptions& options);

// The order of the terms (from 0) that leaves `actual` in one element; empty where none is found.
// Native bytes. REQUIRES: as for make_column_judge.
std::vector<std::int64_t> explaining_order(DType dtype, Reduction reduction,
                                           std::span<const std::byte> data,
                                           std::span<const std::byte> actual,
                                           std::span<const std::vector<std::byte>> terms);

}  // namespace tscatter
