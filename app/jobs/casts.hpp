// Updates of another dtype than data's: cast as a job allows (--cast), and what became of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/job.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/views/cast.hpp"

namespace tscatter::app {

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
