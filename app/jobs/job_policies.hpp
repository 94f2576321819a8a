// The policies and casts of a job.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/job.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/ops/policies.hpp"
#include "tscatter/verify/verify.hpp"
#include "tscatter/views/cast.hpp"

namespace tscatter::app {

// ---- The policies that a job overrides, and what it takes as legal: read from flags' words and
// keys' values.

// The job's operation becomes a row of its own, with this answer. REQUIRES: the word is one of the
// policy's.
void override_policy(Job& job, const PolicyInfo& policy, std::string_view word);

// The key's value, a word or, for a switch, true or false. Throws Error (usage, job.j5).
void read_policy(Job& job, const PolicyInfo& policy, const nlohmann::json& value,
                 const std::string& where);

// The policy's schema in a job.
nlohmann::ordered_json policy_schema(const PolicyInfo& policy);

// The row of an operation that has the policy, if `operation` has not: " (only for an operation
// with index entries: ScatterUpdate-3)"; "" if `name` is no policy's.
std::string policy_hint(const Operation& operation, std::string_view name);

// What is legal besides the text's own result: words in the order of NanPolicy, of OtherBits and of
// Blocks.
inline constexpr std::array<std::string_view, 4> nan_policy_names{"text", "propagate", "ignore",
                                                                  "any"};
inline constexpr std::array<std::string_view, 2> other_bits_names{"kept", "any"};
inline constexpr std::array<std::string_view, 2> blocks_names{"whole", "mixed"};

// These throw Error (usage, `label`).
NanPolicy parse_nan_policy(const std::string& text, std::string_view label,
                           const std::string& where);
OtherBits parse_other_bits(const std::string& text, std::string_view label,
                           const std::string& where);
Blocks parse_blocks(const std::string& text, std::string_view label, const std::string& where);

// ---- Updates of another dtype than data's: cast as a job allows (--cast), and what became of
// them.

// "no", "safe", "same-kind" (also NumPy's "same_kind") or "unsafe". Throws Error (usage, `label`).
CastPolicy parse_cast(const std::string& text, std::string_view label, const std::string& where);

std::vector<std::string> cast_names();

// Updates with data's dtype; unchanged if they have it, and where the job allows no cast: the
// operation refuses them. Throws Error (rule, cast.k1) if the job's policy does not allow this one.
Tensor cast_as_allowed(const Job& job, const Tensor& updates, const ElementType& data);

// What the cast did to updates; nullopt if they were not cast. Reads them once more. Throws Error
// (file), and Cancelled when *stop becomes true.
std::optional<CastCounts> count_casts(const Arguments& arguments, int threads, StopFlag stop);

}  // namespace tscatter::app
