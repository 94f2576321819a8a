// Which elements a plan writes: all of them, or a sample; and numbers in the other memory order.
#pragma once

#include <cstdint>
#include <vector>

#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter::diagnose {

// A few numbers below `total`, ascending: all, or one of each of `most` parts as long as each
// other, always the same one.
std::vector<std::int64_t> spread(std::int64_t total, std::int64_t most);

// The numbers of elements that the plan writes, in the order of data's file, spread over entries,
// batches and blocks: at most `most`. Of the entries only those that `other` sends elsewhere, if it
// has as many of the same kind. REQUIRES of the plans: made by Operation::lower().
std::vector<std::int64_t> written_places(const LoweredPlan& lowered, std::int64_t most,
                                         const LoweredPlan* other = nullptr);

// The number that the element would have in the other memory order.
std::int64_t transposed(const TensorHeader& header, std::int64_t number);

}  // namespace tscatter::diagnose
