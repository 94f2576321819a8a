#include "jobs/job_policies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "jobs/job_json.hpp"
#include "jobs/job_keys.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/ops/newest_operation.hpp"

namespace tscatter::app {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::vector<std::string> policy_words(const PolicyInfo& policy) {
  std::vector<std::string> words;
  for (const PolicyWord& each : policy.words) words.emplace_back(each.word);
  return words;
}

std::string read_word(const PolicyInfo& policy, const json& value, const std::string& where) {
  if (policy.is_switch()) return read_boolean(value, where) ? "true" : "false";
  const bool is_number = policy.set_number != nullptr && number_of(value);
  std::string word = is_number ? json_text(value) : read_string(value, where);
  // job.j5
  if (!is_answer(policy, word)) {
    fail(ErrorKind::usage, "job.j5", where, "must be one of {}{}, got {}", words_text(policy),
         nearest_hint(word, policy_words(policy)), word);
  }
  return word;
}

}  // namespace

void override_policy(Job& job, const PolicyInfo& policy, std::string_view word) {
  auto own = std::make_shared<Operation>(*job.operation);
  tscatter::override_policy(*own, policy, word);
  job.operation = own.get();
  job.own = std::move(own);
}

void read_policy(Job& job, const PolicyInfo& policy, const json& value, const std::string& where) {
  override_policy(job, policy, read_word(policy, value, where));
}

ordered_json policy_schema(const PolicyInfo& policy) {
  ordered_json schema{{"description", fmt::format("another policy: {}", policy.help)}};
  if (policy.is_switch()) {
    schema["type"] = "boolean";
  } else if (policy.set_number != nullptr) {
    schema["anyOf"] = {
        {{"enum", policy_words(policy)}}, {{"type", "number"}}, {{"enum", {"inf", "-inf", "nan"}}}};
  } else {
    schema["enum"] = policy_words(policy);
  }
  return schema;
}

std::string policy_hint(const Operation& operation, std::string_view name) {
  const PolicyInfo* policy = find_policy(name);
  if (policy == nullptr || can_override(operation, policy->policy)) return {};
  const Operation* other = newest_operation(
      operation.id, [&](const Operation& each) { return can_override(each, policy->policy); });
  if (other == nullptr) return fmt::format(" (only for an operation with {})", policy->needs);
  return fmt::format(" (only for an operation with {}: {})", policy->needs, other->name);
}

namespace {

// The value of the word, which is one of the names in the order of the values.
template <class Word, std::size_t count>
Word parse_word(const std::array<std::string_view, count>& names, const std::string& text,
                std::string_view label, const std::string& where, std::string_view hint = {}) {
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i] == text) return static_cast<Word>(i);
  }
  const std::vector<std::string> words(names.begin(), names.end());
  const std::vector<std::string> first(words.begin(), words.end() - 1);
  fail(ErrorKind::usage, label, where, "must be {} or {}{}, got {}", fmt::join(first, ", "),
       words.back(), hint.empty() ? nearest_hint(text, words) : hint, text);
}

}  // namespace

NanPolicy parse_nan_policy(const std::string& text, std::string_view label,
                           const std::string& where) {
  const bool is_of_extremes = text == "ieee" || text == "data" || text == "update";
  return parse_word<NanPolicy>(
      nan_policy_names, text, label, where,
      is_of_extremes ? " (the rule of min and max is the key extremes)" : "");
}

OtherBits parse_other_bits(const std::string& text, std::string_view label,
                           const std::string& where) {
  return parse_word<OtherBits>(other_bits_names, text, label, where);
}

Blocks parse_blocks(const std::string& text, std::string_view label, const std::string& where) {
  return parse_word<Blocks>(blocks_names, text, label, where);
}

namespace {

std::string_view name_of(CastPolicy policy) {
  return cast_policy_names[static_cast<std::size_t>(policy)];
}

// " (--cast unsafe)": the first policy that allows the cast; "" if none does.
std::string wider_policy(const Job& job, const ElementType& from, const ElementType& to) {
  for (const CastPolicy each : {CastPolicy::safe, CastPolicy::same_kind, CastPolicy::unsafe}) {
    if (can_cast(from, to, each))
      return fmt::format(" ({}cast {})", job.name_prefix, name_of(each));
  }
  return "";
}

}  // namespace

CastPolicy parse_cast(const std::string& text, std::string_view label, const std::string& where) {
  const std::string name = text == "same_kind" ? "same-kind" : text;
  const auto found = std::ranges::find(cast_policy_names, name);
  if (found == cast_policy_names.end()) {
    fail(ErrorKind::usage, label, where, "must be no, safe, same-kind or unsafe{}, got {}",
         nearest_hint(text, cast_names()), text);
  }
  return static_cast<CastPolicy>(found - cast_policy_names.begin());
}

std::vector<std::string> cast_names() {
  return {cast_policy_names.begin(), cast_policy_names.end()};
}

Tensor cast_as_allowed(const Job& job, const Tensor& updates, const ElementType& data) {
  const ElementType& from = updates.type();
  if (job.cast == CastPolicy::no || same_dtype(from, data)) return updates;
  // cast.k1
  if (!can_cast(from, data, job.cast)) {
    fail(ErrorKind::rule, "cast.k1", job.name_of("updates"),
         "updates must be of a dtype that casts to {} by {}{}, got {}", to_string(data),
         name_of(job.cast), wider_policy(job, from, data), to_string(from));
  }
  return cast_to(updates, data);
}

std::optional<CastCounts> count_casts(const Arguments& arguments, int threads, StopFlag stop) {
  const Tensor* const updates = arguments.find("updates");
  if (updates == nullptr) return std::nullopt;
  return tscatter::count_casts(*updates, {.threads = threads, .stop = stop});
}

}  // namespace tscatter::app
