#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "commands/parts.hpp"
#include "jobs/result.hpp"
#include "jobs/run_log.hpp"
#include "mpi/commands_of_ranks.hpp"
#include "parts/routed_entries.hpp"
#include "process/log.hpp"
#include "process/signals.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

void require_sense(const ApplyFlags& flags) {
  // cli.c94
  if (flags.part || flags.wants_report()) {
    fail(ErrorKind::usage, "cli.c94", flags.part ? "--part" : "--json",
         "must not be given to tscatter-mpi, which computes all parts, got {}",
         flags.part ? fmt::format("{}/{}", flags.part->part, flags.part->of) : "--json");
  }
}

// Rank 0 looks which parts are missing, and says how many there are.
std::vector<std::int64_t> missing_parts(Ranks& ranks, const Dealing& dealing, DealtJob& job) {
  std::vector<std::int64_t> missing;
  ranks.together([&] {
    if (ranks.rank() == 0) missing = job.find_missing(dealing.parts);
  });
  missing.push_back(job.parts());
  ranks.broadcast(missing);
  job.have_parts(missing.back());
  missing.pop_back();
  log_info("rank {} of {}: {} of {} parts are missing", ranks.rank(), ranks.size(), missing.size(),
           job.parts());
  return missing;
}

// Calls compute(number) for each part that is dealt to this rank.
template <class Compute>
void compute_own(Ranks& ranks, const std::vector<RoutedPart>& parts, Compute compute) {
  ranks.together([&] {
    for (const RoutedPart& each : parts)
      if (each.rank == ranks.rank()) compute(each.part);
  });
}

void require_one_folder(Ranks& ranks, const DealtJob& job) {
  std::int64_t run = 0;
  ranks.together([&] { run = job.join(); });
  const bool is_one = ranks.least(run) == -ranks.least(-run);
  // cli.c95
  if (!is_one) {
    fail(ErrorKind::usage, "cli.c95", job.folder().output(),
         "must be on a file system that all ranks share: some ranks see another parts folder");
  }
}

// Each part checks all index entries before it makes anything: so the folder is looked at behind.
void compute_whole(Ranks& ranks, const DealtJob& job, std::span<const std::int64_t> missing) {
  log_info("rank {} of {}: reads all index entries", ranks.rank(), ranks.size());
  compute_own(ranks, job.deal(missing), [&](std::int64_t part) { job.compute(part); });
  require_one_folder(ranks, job);
}

void compute_wave(Ranks& ranks, const DealtJob& job, const EntryRecords& records, const Deal& deal,
                  std::span<const std::int64_t> wave) {
  const std::vector<RoutedPart> parts = job.deal(wave);
  const auto exchange = [&](const auto& parcels, bool ends, std::vector<std::byte>& arrived) {
    return ranks.exchange(parcels, ends, arrived);
  };
  RoutedEntries routed;
  {
    const InterruptScope scope;
    routed = route_entries(records, deal, ranks.rank(), parts, exchange);
  }
  ranks.agree(routed.error);
  compute_own(ranks, parts, [&, next = routed.of_own_parts.begin()](std::int64_t part) mutable {
    job.compute(part, std::exchange(*next++, {}), records);
  });
}

void compute_routed(Ranks& ranks, const Dealing& dealing, const DealtJob& job,
                    const EntryRecords& records, std::span<const std::int64_t> missing) {
  const Deal deal = Deal::of(records, ranks.size(), dealing.segment);
  const RefusedEntry first = check_dealt(records, deal, ranks.rank(), job.threads());
  ranks.agree(first.error, first.segment);
  require_one_folder(ranks, job);
  const std::size_t of_wave = job.parts_of_wave();
  for (std::size_t begin = 0; begin < missing.size(); begin += of_wave)
    compute_wave(ranks, job, records, deal,
                 missing.subspan(begin, std::min(of_wave, missing.size() - begin)));
}

void compute_missing(Ranks& ranks, const Dealing& dealing, DealtJob& job) {
  const std::vector<std::int64_t> missing = missing_parts(ranks, dealing, job);
  if (missing.empty()) return;
  std::optional<EntryRecords> records;
  ranks.together([&] { records = job.records(); });
  return records ? compute_routed(ranks, dealing, job, *records, missing)
                 : compute_whole(ranks, job, missing);
}

}  // namespace

void run_by_ranks(Ranks& ranks, const Dealing& dealing, const Job& job, const ApplyFlags& flags,
                  const Messages& messages) {
  const LoggedTime time;
  require_sense(flags);
  if (flags.is_dry_run) return ranks.rank() == 0 ? apply_job(job, flags, messages) : void();
  Job own = job;
  if (own.threads == 0) own.threads = ranks.cores();
  std::optional<DealtJob> dealt;
  ranks.together([&] { dealt.emplace(own, flags.unit, ranks.size()); });
  compute_missing(ranks, dealing, *dealt);
  std::string digest;
  ranks.together([&] {
    if (ranks.rank() == 0) digest = finish(dealt->folder(), {.replacing = job.replacing});
  });
  if (!flags.wants_digest || ranks.rank() != 0) return;
  print(fmt::format("{}  {}\n", digest, escape_control(output_name(job).value_or(""))));
}

}  // namespace tscatter::app
