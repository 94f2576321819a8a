// How the entries of a run are grouped: its tiles or boxes, and how many workers memory allows. Not
// part of the installed interface.
#pragma once

#include <cstdint>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/engine/grouping.hpp"
#include "tscatter/engine/run_options.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter {

// Tiles that a worker has at least: for less, another worker is not worth its start.
inline constexpr std::int64_t tiles_per_worker = 4;

Grouping grouping_of(const ScatterPlan& plan, const Tensor& data, const Tensor& updates,
                     Sink& output, const RunOptions& options);

}  // namespace tscatter
