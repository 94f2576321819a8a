// Values converted to another dtype, exactly: what `convert --to` does. Rules: docs/formats.md,
// convert.*. Not part of the installed interface.
#pragma once

#include <atomic>
#include <span>

#include "tscatter/core/error.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"

namespace tscatter {

extern const std::span<const Rule> conversion_rules;

// Throws Error (rule, convert.v2) for opaque elements. REQUIRES: float8 ones are numbers already.
void require_numeric(const Tensor& tensor);

// The same values in another dtype, in the tensor's memory order and byte order. Reads all elements
// once, to see that each fits; they are converted when they are read again. Throws Error (rule,
// convert.v1 and convert.v2), and Cancelled when *stop becomes true.
Tensor converted(const Tensor& tensor, DType to, const std::atomic<bool>* stop,
                 Progress* progress = nullptr);

}  // namespace tscatter
