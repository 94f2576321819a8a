// Rows of generic.scatter that answer every question.
#pragma once

#include "tscatter/ops/operation.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter {

// All answers but those left out; the form is one that a call may choose.
inline Operation answered(Form form, PolicySet left_out = {}) {
  Operation row = *find_operation("generic.scatter");
  for (const PolicyInfo& each : policy_table()) {
    if (left_out.contains(each.policy)) continue;
    const bool is_form = each.policy == Policy::form;
    override_policy(row, each, is_form ? static_cast<std::size_t>(form) : 0);
  }
  return row;
}

}  // namespace tscatter
