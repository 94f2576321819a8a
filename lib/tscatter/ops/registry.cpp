#include <algorithm>
#include <string>
#include <vector>

#include "tscatter/core/nearest.hpp"
#include "tscatter/ops/names/openvino.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {

std::span<const Operation* const> operations() {
  static const std::vector<const Operation*> all = [] {
    std::vector<const Operation*> rows;
    for (const Operation& row : openvino_operations) rows.push_back(&row);
    return rows;
  }();
  return all;
}

const Operation* find_operation(std::string_view name) {
  const auto exact = std::ranges::find(operations(), name, &Operation::name);
  if (exact != operations().end()) return *exact;
  const std::string wanted = folded(name);
  const Operation* newest = nullptr;
  for (const Operation* operation : operations()) {
    if (folded(operation->name) == wanted) return operation;
    const std::string_view unversioned = operation->name.substr(0, operation->name.rfind('-'));
    if (folded(unversioned) == wanted) newest = operation;
  }
  return newest;
}

}  // namespace tscatter
