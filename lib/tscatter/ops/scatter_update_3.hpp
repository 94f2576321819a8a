// ScatterUpdate-3: writes updates to the places of one axis of data that indices names.
// Spec: docs/ops.md, section ScatterUpdate-3.
#pragma once

#include "tscatter/ops/operation.hpp"

namespace tscatter {

extern const Operation scatter_update_3_operation;

}  // namespace tscatter
