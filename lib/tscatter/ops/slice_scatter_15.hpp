// SliceScatter-15: writes updates over a slice of data, given by start, stop and step along some
// axes. Spec: docs/ops.md, section SliceScatter-15.
#pragma once

#include "tscatter/ops/operation.hpp"

namespace tscatter {

extern const Operation slice_scatter_15_operation;

}  // namespace tscatter
