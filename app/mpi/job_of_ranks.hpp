// A job that all ranks compute together: its parts are dealt to them, its index entries exchanged.
#pragma once

#include <cstdint>
#include <optional>

#include "commands/apply.hpp"
#include "mpi/ranks.hpp"

namespace tscatter::app {

// What the words of tscatter-mpi say beside those of tscatter.
struct RankFlags {
  std::optional<std::int64_t> parts;  // nullopt: as in the job's folder, else 8 for each rank
  std::int64_t segment = std::int64_t{64} * 1024;  // entries that a rank reads at once, at most
};

// Computes the parts that are not done, and puts the result under its name. Called by all ranks.
// Throws as Ranks::together: Error (usage, part.p6, cli.c94 and cli.c95; file, part.p2, part.p3 and
// part.p7; and those of a run) and Cancelled.
void run_by_ranks(Ranks& ranks, const RankFlags& of_ranks, const Job& job, const ApplyFlags& flags,
                  const Messages& messages);

}  // namespace tscatter::app
