// The policies that a call may override, a row each: flags, the keys of jobs, help, the schema and
// reports are made from the table.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/ops/operation.hpp"

namespace tscatter {

struct PolicyWord {
  std::string_view word;
  std::array<std::string_view, 2> aliases = {};
  std::string_view answer = {};  // in the table of an operation's answers; "": it has another text
};

struct PolicyInfo {
  Policy policy;
  std::string_view flag;        // "oob" is --oob
  std::string_view key;         // in jobs, reports and verify, which has flags of its own
  std::string_view alias = {};  // one more flag and key
  std::string_view help;
  std::string_view needs;             // what an operation must have: "index entries"
  std::span<const PolicyWord> words;  // in the order of the enumeration
  void (*set)(Operation& operation, std::size_t word);
  std::size_t (*word)(
      const Operation& operation);  // words.size(): an attribute or a number says it
  // Where a number is an answer, too; nullptr: there are words only.
  void (*set_number)(Operation& operation, const Number& number) = nullptr;
  std::optional<Number> (*number)(const Operation& operation) = nullptr;

  // Whether the words are false and true.
  bool is_switch() const;
};

// In the order of Policy.
std::span<const PolicyInfo> policy_table();

const PolicyInfo& info(Policy policy);

// By flag or key; nullptr if there is none.
const PolicyInfo* find_policy(std::string_view name);

// Whether the operation asks the question at all.
bool can_override(const Operation& operation, Policy policy);

bool reduces(const Operation& operation);       // a reduction other than none
bool has_extremes(const Operation& operation);  // a reduction that is a minimum or maximum
bool has_mean(const Operation& operation);

// The flag or key of the policy, and other names for it, that the operation's own words leave
// free: accumulate is an attribute of some.
std::vector<std::string_view> names_of(const PolicyInfo& policy, std::string_view first,
                                       const Operation& operation);

// The rows that the operation can have.
std::vector<const PolicyInfo*> policies_of(const Operation& operation);

// The number of a word or an alias; nullopt if there is none.
std::optional<std::size_t> find_word(const PolicyInfo& policy, std::string_view word);

// A word, an alias or, where the policy takes one, a number.
bool is_answer(const PolicyInfo& policy, std::string_view text);

// "error, drop-window, drop-elements"; "keep, identity, a number".
std::string words_text(const PolicyInfo& policy);

// What the operation answers; "" if that is left to an attribute.
std::string answer_to(const PolicyInfo& policy, const Operation& operation);

// Answers the question in the operation's place. REQUIRES: can_override; `word` is the number of
// one, `answer` is one.
void override_policy(Operation& operation, const PolicyInfo& policy, std::size_t word);
void override_policy(Operation& operation, const PolicyInfo& policy, std::string_view answer);

// Throws Error (usage, operation.o5) unless the call answers what the operation leaves open.
void require_answers(const Operation& operation);

}  // namespace tscatter
