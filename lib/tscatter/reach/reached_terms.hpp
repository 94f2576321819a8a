// ReachedTerms: which updates reach some elements of the output, in the order of their index
// entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/orders/in_order_value.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// How updates meet in the plan; and in a call of the operation.
orders::Combination combination_of(const ScatterPlan& plan);
orders::Combination combination_of(const Operation& operation, const Attributes& attributes);

// Addresses of native elements, in the order of the entries.
using Terms = std::vector<const std::byte*>;

// An element of the output: data's value and the updates that reach it. Native elements; bools are
// 0 or 1.
struct ReachedTerms {
  std::vector<std::byte> data;
  std::vector<std::byte> updates;     // one after another
  std::vector<std::int64_t> entries;  // of the updates, ascending; of a slice -1

  std::size_t writers() const { return entries.size(); }
  Terms terms() const;
};

// How updates may be read otherwise.
struct UpdatesReading {
  // The entry whose part of updates an entry takes; none: its own.
  std::function<std::int64_t(std::int64_t entry)> row = {};
  // The element of updates, by its number in the order of the file, that stands for another one.
  std::function<std::int64_t(std::int64_t number)> element = {};
};

// How much may reach some elements.
struct ReachedLimits {
  std::size_t bytes;    // of updates, with the numbers of their entries
  std::size_t entries;  // that go to their destinations
};

// In an examination: of elements that are wrong, and of others that are right.
inline constexpr ReachedLimits limits_of_wrong{.bytes = std::size_t{12} << 20U,
                                               .entries = std::size_t{1} << 19U};
inline constexpr ReachedLimits limits_of_right{.bytes = std::size_t{4} << 20U,
                                               .entries = std::size_t{1} << 17U};
inline constexpr ReachedLimits limits_of_all{
    .bytes = limits_of_wrong.bytes + limits_of_right.bytes,
    .entries = limits_of_wrong.entries + limits_of_right.entries};

// What reaches the elements with these numbers, in the order of data's file; nullopt if that is
// more than limits_of_all. Throws Error (file). REQUIRES: the plan was lowered from data and
// updates, and by Operation::lower().
std::optional<std::vector<ReachedTerms>> reached_terms(const LoweredPlan& lowered,
                                                       const Tensor& data, const Tensor& updates,
                                                       std::span<const std::int64_t> numbers,
                                                       const UpdatesReading& reading = {});

// Room for what reaches elements: which of some can be examined. REQUIRES of the plan: as above.
class ReachedRoom {
 public:
  // `element_size`: of data.
  ReachedRoom(const LoweredPlan& lowered, std::size_t element_size,
              std::span<const std::int64_t> numbers, const ReachedLimits& limits);

  // Whether there is room for the i-th number, too; then it is taken.
  bool take(std::size_t i);

 private:
  std::size_t update_bytes_;
  ReachedLimits left_;
  std::vector<std::size_t> place_of_;  // of each number, among the destinations
  std::vector<std::size_t> entries_;   // of each destination
  std::vector<bool> is_taken_;         // each destination
};

}  // namespace tscatter
