// ScatterNDUpdate-15: as ScatterNDUpdate-3, with a reduction, and negative indices that count from
// the end. Spec: docs/ops.md, section ScatterNDUpdate-15.
#pragma once

#include "tscatter/ops/operation.hpp"

namespace tscatter {

extern const Operation scatter_nd_update_15_operation;

}  // namespace tscatter
