#include <fmt/format.h>

#include <algorithm>

#include "commands/operation_flags.hpp"

namespace tscatter::app {
namespace {

std::string help_of(const PolicyInfo& policy) {
  if (policy.is_switch()) return std::string(policy.help);
  return fmt::format("{}: {}", policy.help, words_text(policy));
}

// A number is an answer that is no choice.
std::function<std::string(const std::string&)> hint_of(const PolicyInfo& policy) {
  if (policy.set_number == nullptr) return {};
  return [](const std::string&) { return std::string(" (or a number)"); };
}

// Without a value a switch is on.
Flag policy_flag(const PolicyInfo& policy, PolicyNames names, const SetPolicy& set) {
  const bool has_two = names == PolicyNames::flags && policy.flag != policy.key;
  Flag flag{.name = std::string(names == PolicyNames::flags ? policy.flag : policy.key),
            .group = "Policies, instead of the operation's own",
            .value = policy.is_switch() ? "BOOL" : "NAME",
            .implied = policy.is_switch() ? "true" : "",
            .help = [&policy] { return help_of(policy); },
            .into = {.is_alias = [&policy](const auto& text) { return is_answer(policy, text); },
                     .hint = hint_of(policy),
                     .set = [&policy, set](const auto& text, const auto&) { set(policy, text); }}};
  for (const PolicyWord& each : policy.words) flag.into.choices.emplace_back(each.word);
  if (has_two) flag.alias = policy.key;
  return flag;
}

}  // namespace

std::vector<Flag> policy_flags(const Operation& operation, PolicyNames names,
                               const SetPolicy& set) {
  std::vector<Flag> flags;
  for (const PolicyInfo* each : policies_of(operation)) {
    flags.push_back(policy_flag(*each, names, set));
    if (operation.unanswered.contains(each->policy)) flags.back().presence = Presence::required;
  }
  return flags;
}

}  // namespace tscatter::app
