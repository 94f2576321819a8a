// The flags that override policies of an operation, from their table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::app {

// How a command calls the policies: verify has a flag of its own named nan.
enum class PolicyNames : std::uint8_t { flags, keys };

// `set` gets the policy and a word of it.
using SetPolicy = std::function<void(const PolicyInfo& policy, const std::string& word)>;

std::vector<Flag> policy_flags(const Operation& operation, PolicyNames names, const SetPolicy& set);

}  // namespace tscatter::app
