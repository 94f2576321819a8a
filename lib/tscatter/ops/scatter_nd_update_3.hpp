// ScatterNDUpdate-3: overwrites the elements or slices of data that the entries of indices name.
// Spec: docs/ops.md, section ScatterNDUpdate-3.
#pragma once

#include "tscatter/ops/operation.hpp"

namespace tscatter {

extern const Operation scatter_nd_update_3_operation;

}  // namespace tscatter
