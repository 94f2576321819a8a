// LoweredPlan: the plan of one call, and how many index entries it has.
#pragma once

#include <cstdint>
#include <optional>

#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

struct LoweredPlan {
  ScatterPlan plan;
  std::int64_t index_entries = 0;                      // 0 for a slice: it has none
  std::optional<std::int64_t> dropped = std::nullopt;  // of them; nullopt: the policy drops none

  // Of a slice: none.
  EntryAxes entries() const {
    const auto* listed = std::get_if<ListedWrites>(&plan.writes);
    return listed == nullptr ? EntryAxes{} : listed->named;
  }
};

}  // namespace tscatter
