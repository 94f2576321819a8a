#include "tscatter/ops/registry.hpp"

#include <array>
#include <string>

#include "tscatter/core/nearest.hpp"
#include "tscatter/ops/scatter_nd_update_15.hpp"
#include "tscatter/ops/scatter_nd_update_3.hpp"
#include "tscatter/ops/scatter_update_3.hpp"
#include "tscatter/ops/slice_scatter_15.hpp"

namespace tscatter {
namespace {

constexpr std::array<const Operation*, 4> registry{
    &scatter_nd_update_3_operation,
    &scatter_nd_update_15_operation,
    &scatter_update_3_operation,
    &slice_scatter_15_operation,
};

}  // namespace

std::span<const Operation* const> operations() { return registry; }

const Operation* find_operation(std::string_view name) {
  const std::string wanted = folded(name);
  const Operation* newest = nullptr;
  for (const Operation* operation : registry) {
    if (folded(operation->name) == wanted) return operation;
    const std::string_view unversioned = operation->name.substr(0, operation->name.rfind('-'));
    if (folded(unversioned) == wanted) newest = operation;
  }
  return newest;
}

}  // namespace tscatter
