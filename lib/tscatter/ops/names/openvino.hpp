// The operations of OpenVINO's opsets. Spec: docs/ops.md, a section for each. Not part of the
// installed interface.
#pragma once

#include <span>

#include "tscatter/ops/operation.hpp"

namespace tscatter {

// In alphabetical order, the versions of one operation in ascending order.
extern const std::span<const Operation> openvino_operations;

}  // namespace tscatter
