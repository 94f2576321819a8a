#include "mpi/job_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "commands/parts.hpp"
#include "jobs/result.hpp"
#include "jobs/run_log.hpp"
#include "mpi/route.hpp"
#include "parts/dealt_parts.hpp"
#include "parts/digest.hpp"
#include "process/log.hpp"
#include "process/signals.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

void require_sense(const Job& job, const ApplyFlags& flags) {
  // cli.c94
  if (flags.part || flags.wants_report) {
    fail(ErrorKind::usage, "cli.c94", flags.part ? "--part" : "--json",
         "must not be given to tscatter-mpi, which computes all parts, got {}",
         flags.part ? fmt::format("{}/{}", flags.part->part, flags.part->of) : "--json");
  }
  require_take_over_in_place(job, flags);
}

class JobOfRanks {
 public:
  JobOfRanks(Ranks& ranks, const RankFlags& flags, Job job, const ApplyFlags& of_run)
      : ranks_{ranks}, flags_{flags}, job_{std::move(job)} {
    if (job_.threads == 0) job_.threads = ranks.cores();
    ranks_.together([&] { call_ = open_parts(job_, job_.name_prefix + "parts", 1, of_run.unit); });
    call_.take_over = of_run.take_over;
    folder_.emplace(call_.file);
  }

  void compute_missing() {
    const std::vector<std::int64_t> missing = missing_parts();
    if (missing.empty()) return;
    std::optional<EntryRecords> records;
    {
      const InterruptScope scope;
      ranks_.together([&] { records = records_of(*job_.operation, call_.arguments); });
    }
    return records ? compute_routed(*records, missing) : compute_whole(missing);
  }

  void finish() {
    ranks_.together([&] {
      if (ranks_.rank() == 0)
        digest_ = app::finish(*folder_, {.replacing = job_.replacing}).value_or("");
    });
  }

  // Of the file, on rank 0.
  std::string digest() const {
    const bool is_known = call_.in_place == nullptr;
    const std::int64_t unit = call_.wanted.unit;
    return is_known ? digest_ : hex_text(digest_of(File::open_for_reading(call_.file), unit));
  }

 private:
  // Rank 0 looks, and says how many parts there are.
  std::vector<std::int64_t> missing_parts() {
    std::vector<std::int64_t> missing;
    ranks_.together([&] {
      if (ranks_.rank() == 0) missing = find_missing(call_, *folder_, flags_.parts, ranks_.size());
    });
    missing.push_back(call_.wanted.parts);
    ranks_.broadcast(missing);
    call_.wanted.parts = missing.back();
    missing.pop_back();
    log_info("rank {} of {}: {} of {} parts are missing", ranks_.rank(), ranks_.size(),
             missing.size(), call_.wanted.parts);
    return missing;
  }

  // Calls compute(number) for those that are dealt to this rank.
  template <class Compute>
  void compute_own(const std::vector<RoutedPart>& parts, Compute compute) {
    ranks_.together([&] {
      for (const RoutedPart& each : parts)
        if (each.rank == ranks_.rank()) compute(each.part);
    });
  }

  void compute_whole(const std::vector<std::int64_t>& missing) {
    log_info("rank {} of {}: reads all index entries", ranks_.rank(), ranks_.size());
    compute_own(deal_parts(call_, *folder_, missing, ranks_.size()),
                [&](std::int64_t part) { compute_dealt(job_, call_, *folder_, part); });
  }

  void compute_routed(const EntryRecords& records, const std::vector<std::int64_t>& missing) {
    const Deal deal = Deal::of(records, ranks_.size(), flags_.segment);
    {
      const InterruptScope scope;
      const RefusedEntry first =
          check_dealt(records, deal, ranks_.rank(), job_.threads, InterruptScope::stop());
      ranks_.agree(first.error, first.segment);
    }
    require_one_folder();
    const std::size_t of_wave = parts_of_wave(ranks_.size());
    for (std::size_t begin = 0; begin < missing.size(); begin += of_wave)
      compute_wave(deal, records,
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
           "must be on a file system that all ranks share, got ranks that see a different parts "
           "folder");
    }
  }

  void compute_wave(const Deal& deal, const EntryRecords& records,
                    std::span<const std::int64_t> wave) {
    const std::vector<RoutedPart> parts = deal_parts(call_, *folder_, wave, ranks_.size());
    std::vector<ReceivedEntries> received;
    {
      const InterruptScope scope;
      received = exchange_entries(ranks_, records, deal, parts);
    }
    compute_own(parts, [&, next = received.begin()](std::int64_t part) mutable {
      compute_dealt(std::exchange(*next++, {}), records, job_, call_, *folder_, part);
    });
  }

  Ranks& ranks_;
  const RankFlags& flags_;
  Job job_;
  PartsCall call_;
  std::optional<PartsFolder> folder_;
  std::string digest_;
};

}  // namespace

void run_by_ranks(Ranks& ranks, const RankFlags& of_ranks, const Job& job, const ApplyFlags& flags,
                  const Messages& messages) {
  const LoggedTime time;
  require_sense(job, flags);
  if (flags.is_dry_run) return ranks.rank() == 0 ? apply_job(job, flags, messages) : void();
  JobOfRanks all(ranks, of_ranks, job, flags);
  all.compute_missing();
  all.finish();
  if (flags.wants_digest && ranks.rank() == 0)
    print(fmt::format("{}  {}\n", all.digest(), escape_control(output_name(job).value_or(""))));
}

}  // namespace tscatter::app
