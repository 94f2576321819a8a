// The operation that a message proposes beside another one. Not part of the installed interface.
#pragma once

#include <algorithm>
#include <string_view>

#include "tscatter/ops/operation.hpp"

namespace tscatter {

// The newest operation in the namespace of `beside`, a name or an id, that passes the test;
// nullptr if there is none.
template <class Test>
const Operation* newest_operation(std::string_view beside, const Test& test) {
  const auto all = operations();
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Operation* each) {
    return namespace_of(each->name) == namespace_of(beside) && test(*each);
  });
  return found == all.rend() ? nullptr : *found;
}

}  // namespace tscatter
