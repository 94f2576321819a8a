#include "tscatter/ops/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

constexpr std::array rules{
    Rule{"operation.o1", "every required operand is given"},
    Rule{"operation.o2", "an operand or attribute that is given is one that the operation has"},
    Rule{"operation.o3", "an attribute has one of the values that the operation lists"},
};

}  // namespace

const std::span<const Rule> operation_rules = rules;

const Tensor* Arguments::find(std::string_view name) const {
  const auto found = operands.find(name);
  return found == operands.end() ? nullptr : &found->second;
}

const Tensor& Arguments::operand(std::string_view name) const {
  const Tensor* tensor = find(name);
  assert(tensor != nullptr);
  return *tensor;
}

Reduction Arguments::reduction() const {
  const auto found = attributes.find("reduction");
  if (found == attributes.end()) return Reduction::none;
  return reduction_from_name(found->second).value_or(Reduction::none);
}

void check_arguments(const Operation& operation, const Arguments& arguments) {
  for (const OperandInfo& operand : operation.operands) {
    // operation.o1
    if (operand.presence == Presence::required && arguments.find(operand.name) == nullptr) {
      fail(ErrorKind::usage, "operation.o1", operation.id, "{} must be given, got nothing",
           operand.name);
    }
  }
  for (const auto& [name, tensor] : arguments.operands) {
    // operation.o2
    if (!std::ranges::count(operation.operands, name, &OperandInfo::name)) {
      fail(ErrorKind::usage, "operation.o2", operation.id,
           "an operand must be one of the operation's, got {}", name);
    }
  }
  for (const auto& [name, value] : arguments.attributes) {
    const auto attribute = std::ranges::find(operation.attributes, name, &AttributeInfo::name);
    // operation.o2
    if (attribute == operation.attributes.end()) {
      fail(ErrorKind::usage, "operation.o2", operation.id,
           "an attribute must be one of the operation's, got {}", name);
    }
    // operation.o3
    if (!std::ranges::count(attribute->choices, value)) {
      fail(ErrorKind::usage, "operation.o3", operation.id, "{} must be one of {}, got {}", name,
           fmt::join(attribute->choices, ", "), value);
    }
  }
}

}  // namespace tscatter
