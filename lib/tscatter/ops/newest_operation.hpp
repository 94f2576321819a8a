// The operation that a message proposes beside another one.
#pragma once

#include <string_view>

#include "tscatter/ops/operation.hpp"

namespace tscatter {

// The operation of the highest version in the namespace of `beside`, a name or an id, that passes
// the test, of equal ones the last; nullptr if there is none.
template <class Test>
const Operation* newest_operation(std::string_view beside, const Test& test) {
  const Operation* newest = nullptr;
  for (const Operation* each : operations()) {
    if (namespace_of(each->name) != namespace_of(beside) || !test(*each)) continue;
    if (newest == nullptr || version_of(each->name) >= version_of(newest->name)) newest = each;
  }
  return newest;
}

}  // namespace tscatter
