// AnyElementJudge: an ElementJudge whose dtype is known only at run time. Elements are columns, the
// updates that reach them are rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/reduction.hpp"
#include "tscatter/orders/element_judge.hpp"

namespace tscatter::orders {

// Native elements, aligned for their type.
struct Columns {
  const std::byte* data;
  const std::byte* actual;
  const std::byte* in_order;
  std::size_t count;
  std::int64_t divisor = 1;  // a mean's
};

class AnyElementJudge {
 public:
  virtual ~AnyElementJudge() = default;

  // Announces the number of rows of the next columns, which come in the order of the index entries.
  virtual void begin_rows(std::int64_t count) = 0;
  virtual void add_row(const std::byte* terms) = 0;
  // The factors of each row, where its terms are products: all rows have them or none.
  virtual void add_factors(const std::byte* factors) = 0;

  // The rows of the columns at hand.
  virtual std::size_t rows() const = 0;
  virtual const std::byte* row(std::size_t number) const = 0;
  virtual bool has_factors() const = 0;
  virtual const std::byte* factors(std::size_t number) const = 0;

  // As ElementJudge: returns how many columns are reordered but only counted. REQUIRES: `verdicts`
  // has a place for each column.
  virtual std::int64_t judge(const Columns& columns, std::span<ElementVerdict> verdicts,
                             Reordered reordered) = 0;

  // The other columns of the last call that are not in order, ascending. Valid until the next call.
  virtual std::span<const std::uint32_t> differing() const = 0;

  // Whether the order that explained the last columns explains all of these.
  virtual bool is_of_last_order(const Columns& columns) = 0;

  // Forgets what was learnt from earlier columns, so that verdicts do not depend on them.
  virtual void forget() = 0;
};

// REQUIRES: the reduction is defined for the dtype, and is not none.
std::unique_ptr<AnyElementJudge> make_any_element_judge(DType dtype, Reduction reduction,
                                                        const JudgeOptions& options);

}  // namespace tscatter::orders
