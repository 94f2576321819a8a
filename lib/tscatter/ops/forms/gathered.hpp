// gathered(): what NumPy's index names, read: a[index]. Not part of the installed interface.
#pragma once

#include <string>

#include "tscatter/ops/operation.hpp"

namespace tscatter {

// The tensor data[index], whose elements are read when they are asked for. Positions are checked
// first. Throws Error (rule; file) and Cancelled. REQUIRES: `arguments` has data and an index; the
// operands outlive the tensor.
Tensor gathered(const Arguments& arguments, const Parallelism& parallelism, std::string name);

// Its rules.
std::span<const OperationRule> gathered_rules();

}  // namespace tscatter
