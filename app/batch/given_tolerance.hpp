// The tolerances of a case, and those that its file gives to all cases by dtype: {"defaults":
// {"float16": {"rtol": 1e-2}}}. docs/batch.md
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tscatter/compare/tolerance.hpp"
#include "tscatter/core/dtype.hpp"

namespace tscatter::app {

inline constexpr std::array<std::string_view, 4> tolerance_keys{"rtol", "atol", "max_ulp",
                                                                "equal_nan"};

// Each key as it was written, or not.
struct GivenTolerance {
  std::optional<double> rtol = {};
  std::optional<double> atol = {};
  std::optional<std::uint64_t> max_ulp = {};
  std::optional<bool> equal_nan = {};

  bool is_empty() const { return !rtol && !atol && !max_ulp && !equal_nan; }

  // Each key by itself: this one's, or else the other one's.
  Tolerance before(const GivenTolerance& other) const;
};

// Takes the keys out of the object. `where` is the object's place. Throws Error (usage, job.j5).
GivenTolerance take_tolerance(nlohmann::json& object, const std::string& where);

// What one file says before its cases.
struct CaseDefaults {
  std::array<GivenTolerance, dtype_table.size()> tolerances = {};  // by the dtype of the result
  std::string line = {};
  std::uint64_t hash = 0;  // of the line
};

inline constexpr std::string_view defaults_key = "defaults";

// Reads the value of the key. `where`: the key's place. Throws Error (usage, job.j5 and job.j16).
CaseDefaults read_defaults(const nlohmann::json& given, const std::string& where);

}  // namespace tscatter::app
