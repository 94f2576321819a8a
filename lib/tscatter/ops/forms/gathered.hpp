// gathered(): what NumPy's index names, read: a[index].
#pragma once

#include <string>

#include "tscatter/core/progress.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {

// The tensor data[index], whose elements are read when they are asked for. Positions are checked
// first, by the rules of `operation`. Throws Error (rule; file) and Cancelled. REQUIRES: it is of
// the form index, and outlives the tensor, as the operands do; `arguments` has data and an index.
Tensor gathered(const Operation& operation, const Arguments& arguments,
                const Parallelism& parallelism, std::string name);

}  // namespace tscatter
