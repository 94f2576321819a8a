#include "jobs/casts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {
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
