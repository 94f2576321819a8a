// The operation that a message proposes beside another one. Not part of the installed interface.
#pragma once

#include <charconv>
#include <string_view>

#include "tscatter/ops/operation.hpp"

namespace tscatter {

// The number at the end of a name: 15 of ScatterNDUpdate-15; 0 if there is none.
inline int version_of(std::string_view operation) {
  int version = 0;
  const std::size_t dash = operation.rfind('-');
  if (dash != std::string_view::npos) {
    const std::string_view digits = operation.substr(dash + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), version);
  }
  return version;
}

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
