#include "mpi/job_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "commands/parts.hpp"
#include "jobs/result.hpp"
#include "jobs/run_log.hpp"
#include "mpi/route.hpp"
#include "parts/part_output.hpp"
#include "parts/run_part.hpp"
#include "process/log.hpp"
#include "process/signals.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/engine/engine.hpp"
#include "tscatter/plan/lowered_plan.hpp"

namespace tscatter::app {
namespace {

constexpr std::int64_t parts_per_rank = 8;  // by default, and of a wave

void require_sense(const ApplyFlags& flags) {
  // cli.c94
  if (flags.part || flags.wants_report) {
    fail(ErrorKind::usage, "cli.c94", flags.part ? "--part" : "--json",
         "must not be given to tscatter-mpi, which computes all parts, got {}",
         flags.part ? fmt::format("{}/{}", flags.part->part, flags.part->of) : "--json");
  }
}

// How the entries of the call are dealt; nullopt: only whole parts are, and each rank reads all
// entries for them.
std::optional<EntryRecords> records_of(const Operation& operation, const Arguments& arguments) {
  if (operation.policies.duplicates == DuplicatePolicy::forbidden) return std::nullopt;
  LoweredPlan lowered = operation.lower(
      arguments,
      {.stop = InterruptScope::stop(), .most_listed = 0, .check = EntryCheck::by_reader});
  return EntryRecords::of(std::move(lowered.plan), arguments.operand("updates"));
}

class JobOfRanks {
 public:
  JobOfRanks(Ranks& ranks, const RankFlags& flags, Job job, std::int64_t unit)
      : ranks_{ranks}, flags_{flags}, job_{std::move(job)} {
    if (job_.threads == 0) job_.threads = ranks.cores();
    ranks_.together([&] { call_ = open_parts(job_, job_.name_prefix + "parts", 1, unit); });
    folder_.emplace((job_.base / *job_.output).native());
  }

  void compute_missing() {
    const std::vector<std::int64_t> missing = find_missing();
    if (missing.empty()) return;
    std::optional<EntryRecords> records;
    {
      const InterruptScope scope;
      ranks_.together([&] { records = records_of(*job_.operation, call_.arguments); });
    }
    return records ? compute_routed(*records, missing) : compute_whole(missing);
  }

  // The digest, on rank 0.
  std::string finish() {
    std::string digest;
    ranks_.together([&] {
      if (ranks_.rank() == 0) digest = app::finish(*folder_, {.replacing = job_.replacing});
    });
    return digest;
  }

 private:
  // Rank 0 looks, and says how many parts there are.
  std::vector<std::int64_t> find_missing() {
    std::vector<std::int64_t> missing;
    ranks_.together([&] {
      if (ranks_.rank() == 0) missing = look_for_missing();
    });
    missing.push_back(call_.wanted.parts);
    ranks_.broadcast(missing);
    call_.wanted.parts = missing.back();
    missing.pop_back();
    log_info("rank {} of {}: {} of {} parts are missing", ranks_.rank(), ranks_.size(),
             missing.size(), call_.wanted.parts);
    return missing;
  }

  std::vector<std::int64_t> look_for_missing() {
    const std::optional<PartsJob> present = folder_->job();
    call_.wanted.parts = flags_.parts.value_or(present ? present->parts : usual_parts());
    if (folder_->is_left_by_finish()) return {};
    if (present) require_same_job(call_.wanted, *present, folder_->output());
    std::vector<std::int64_t> missing;
    const auto done = present ? folder_->markers(*present) : std::map<std::int64_t, PartMarker>();
    for (std::int64_t part = 1; part <= call_.wanted.parts; ++part)
      if (!done.contains(part)) missing.push_back(part);
    return missing;
  }

  // No more than there are units.
  std::int64_t usual_parts() const {
    const PartsJob& wanted = call_.wanted;
    const std::int64_t units = (wanted.file_bytes + wanted.unit - 1) / wanted.unit;
    return std::clamp<std::int64_t>(units, 1, parts_per_rank * ranks_.size());
  }

  bool is_own(std::size_t place) const {
    return static_cast<int>(place % static_cast<std::size_t>(ranks_.size())) == ranks_.rank();
  }

  void compute_whole(const std::vector<std::int64_t>& missing) {
    log_info("rank {} of {}: reads all index entries", ranks_.rank(), ranks_.size());
    ranks_.together([&] {
      for (std::size_t i = 0; i < missing.size(); ++i) {
        if (!is_own(i)) continue;
        compute_part(job_, call_, *folder_, missing[i],
                     [&](Output& output, const RunOptions& options) {
                       return apply(*job_.operation, call_.arguments, output, options);
                     });
      }
    });
  }

  void compute_routed(const EntryRecords& records, const std::vector<std::int64_t>& missing) {
    const Route route(ranks_, records, flags_.segment, InterruptScope::stop());
    {
      const InterruptScope scope;
      route.check(job_.threads);
    }
    require_one_folder();
    const auto of_wave = static_cast<std::size_t>(parts_per_rank * ranks_.size());
    for (std::size_t begin = 0; begin < missing.size(); begin += of_wave)
      compute_wave(route, records,
                   std::span(missing).subspan(begin, std::min(of_wave, missing.size() - begin)));
  }

  void require_one_folder() {
    PartsJob present;
    ranks_.together([&] {
      present = folder_->publish(call_.wanted);
      require_same_job(call_.wanted, present, folder_->output());
    });
    const auto run = static_cast<std::int64_t>(present.run >> 1U);
    const bool is_one = ranks_.least(run) == -ranks_.least(-run);
    // cli.c95
    if (!is_one) {
      fail(ErrorKind::usage, "cli.c95", folder_->output(),
           "must be on a file system that all ranks share, got another folder of its parts on "
           "some");
    }
  }

  void compute_wave(const Route& route, const EntryRecords& records,
                    std::span<const std::int64_t> wave) {
    std::vector<RoutedPart> parts;
    std::vector<std::int64_t> own;
    for (std::size_t i = 0; i < wave.size(); ++i) {
      const OutputRange elements =
          PartOutput(*folder_, call_.wanted, wave[i], call_.front).elements(call_.element_size());
      const auto rank = static_cast<int>(i % static_cast<std::size_t>(ranks_.size()));
      parts.push_back({.elements = {.begin = elements.begin, .end = elements.end}, .rank = rank});
      if (rank == ranks_.rank()) own.push_back(wave[i]);
    }
    std::vector<ReceivedEntries> received;
    {
      const InterruptScope scope;
      received = route.exchange(parts);
    }
    ranks_.together([&] {
      for (std::size_t i = 0; i < own.size(); ++i)
        compute_part_of(std::exchange(received[i], {}), records, job_, call_, *folder_, own[i]);
    });
  }

  Ranks& ranks_;
  const RankFlags& flags_;
  Job job_;
  PartsCall call_;
  std::optional<PartsFolder> folder_;
};

}  // namespace

void run_by_ranks(Ranks& ranks, const RankFlags& of_ranks, const Job& job, const ApplyFlags& flags,
                  const Messages& messages) {
  const LoggedTime time;
  require_sense(flags);
  if (flags.is_dry_run) return ranks.rank() == 0 ? apply_job(job, flags, messages) : void();
  JobOfRanks all(ranks, of_ranks, job, flags.unit);
  all.compute_missing();
  const std::string digest = all.finish();
  if (flags.wants_digest && ranks.rank() == 0)
    print(fmt::format("{}  {}\n", digest, escape_control(*job.output)));
}

}  // namespace tscatter::app
