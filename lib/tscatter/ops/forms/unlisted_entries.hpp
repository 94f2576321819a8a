// Entries that are not listed, since their list would be longer than memory allows. Not part of the
// installed interface.
#pragma once

#include <memory>

#include "tscatter/ops/operation.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// Lets `writes` read its entries by `reader`: checks all of them, and counts those that are
// dropped, unless that is left to those who read them. Throws Error for the first entry that is
// refused, and Cancelled.
void read_again(ListedWrites& writes, std::shared_ptr<const EntryReader> reader,
                const Parallelism& parallelism);

}  // namespace tscatter
