#include "mpi/commands_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "batch/shards/dealt_cases.hpp"
#include "cli/program.hpp"
#include "cli/targets.hpp"
#include "commands/apply.hpp"
#include "commands/batch.hpp"
#include "commands/commands.hpp"
#include "jobs/result.hpp"
#include "jobs/run_log.hpp"
#include "parts/dealt_job.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "text/figure.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

// The command for all ranks: what fails on one ends it on all, and that rank says it.
Command by_all(Command command, Ranks& ranks, std::vector<Flag> flags) {
  command.bind = [bind = std::move(command.bind), &ranks, flags](const Operation* operation) {
    Invocation invocation = bind(operation);
    invocation.flags = joined(std::move(invocation.flags), flags);
    for (Flag& flag : invocation.flags) {
      if (flag.name == "unit") flag.only_with = {};  // ranks always work by units
    }
    invocation.run = [run = std::move(invocation.run), &ranks](const Messages& messages) {
      int exit_code = 0;
      try {
        ranks.together([&] { exit_code = run(messages); });
      } catch (const FailedElsewhere&) {
        return 0;
      }
      return exit_code;
    };
    return invocation;
  };
  return command;
}

// The command on a rank that leaves it to rank 0.
Command by_another(Command command) {
  const auto idle = [](Invocation invocation) {
    // It holds what the flags write into.
    invocation.run = [run = std::move(invocation.run)](const Messages&) { return 0; };
    return invocation;
  };
  for (auto* const bind : {&command.bind, &command.bind_word}) {
    if (!*bind) continue;
    *bind = [bound = std::move(*bind), idle](const Operation* operation) {
      return idle(bound(operation));
    };
  }
  if (command.bind_case)
    command.bind_case = [bind = std::move(command.bind_case), idle] { return idle(bind()); };
  return command;
}

std::vector<Command> commands_of_ranks(Ranks& ranks) {
  const auto dealing = std::make_shared<Dealing>();
  const RunJob run = [&ranks, dealing](const Job& job, const ApplyFlags& flags,
                                       const Messages& messages) {
    run_by_ranks(ranks, *dealing, job, flags, messages);
  };
  const RunBatch batch = [&ranks](const BatchFlags& flags, const Messages& messages) {
    return batch_by_ranks(ranks, flags, messages);
  };
  std::vector<Command> all;
  for (const Command& command : commands()) {
    const auto verb = std::ranges::find(index_verbs(), command.name, &IndexVerb::word);
    if (verb != index_verbs().end()) {
      all.push_back(by_all(verb_command(*verb, run), ranks, dealing_flags(*dealing)));
    } else if (command.operation != nullptr) {
      all.push_back(by_all(apply_command(*command.operation, run), ranks, dealing_flags(*dealing)));
    } else if (command.name == "run") {
      all.push_back(by_all(run_command(run), ranks, dealing_flags(*dealing)));
    } else if (command.name == "batch") {
      all.push_back(by_all(batch_command(batch), ranks, {}));
    } else {
      all.push_back(ranks.rank() == 0 ? command : by_another(command));
    }
  }
  return all;
}

}  // namespace

int run_words(Ranks& ranks, const std::vector<std::string>& words) {
  ranks.begin();
  const int exit_code =
      run_program(commands_of_ranks(ranks), words, [&ranks] { return ranks.prints(); });
  return static_cast<int>(-ranks.least(-exit_code));
}

namespace {

constexpr std::chrono::milliseconds pause{5};  // between two exchanges

// Cases that change goldens take turns within one process.
bool is_dealt(const BatchFlags& flags) {
  return !flags.lists && !flags.updates_golden && !is_merge(flags);
}

// As rank 0 says.
bool is_dealt_by(const Ranks& ranks, const BatchFlags& flags) {
  std::vector<std::int64_t> said(1, is_dealt(flags) ? 1 : 0);
  ranks.broadcast(said);
  return said.front() == 1;
}

// Cases at once on each rank. For each that runs elsewhere a thread of rank 0 waits.
int workers_of_each(const Ranks& ranks, const BatchFlags& flags) {
  constexpr int most_of_all = 1024;
  const auto own = static_cast<int>(ranks.least(flags.threads > 0 ? flags.threads : ranks.cores()));
  return std::min(own, std::max(most_of_all / ranks.size(), 1));
}

// Rank 0. The batch runs beside the thread that may call MPI.
int deal(Ranks& ranks, const BatchFlags& flags, const Messages& messages, int of_each) {
  DealtCases cases(ranks.size(), of_each, failure_wanted(flags));
  const CaseWorkers workers{
      .count = of_each * ranks.size(),
      .run_case = [&cases](CaseRunner& here, const CaseTicket& ticket, int threads) {
        return cases.run(here, ticket, threads);
      }};
  auto batch = std::async(std::launch::async, [&] { return run_batch(flags, messages, workers); });
  std::vector<std::byte> arrived;
  bool goes_on = true;
  while (goes_on && batch.wait_for(pause) != std::future_status::ready) {
    goes_on = ranks.exchange(cases.take_requests(), false, arrived);
    if (goes_on) cases.give_replies(arrived);
  }
  // Another rank has failed, and says why: what becomes of the batch is nothing to say.
  if (!goes_on) {
    cases.close();
    batch.wait();
    ranks.agree(nullptr);
  }
  ranks.exchange({}, true, arrived);
  int exit_code = 0;
  ranks.together([&] { exit_code = batch.get(); });
  return exit_code;
}

// Another rank, until rank 0 has no more cases.
void serve(Ranks& ranks, const BatchFlags& flags, int of_each) {
  const InterruptScope scope;
  std::vector<std::byte> arrived;
  std::exception_ptr error;
  try {
    const CaseFiles files(flags.cases);
    ServedCases cases(files, runner_options(flags, {}), of_each);
    std::vector<std::vector<std::byte>> parcels(static_cast<std::size_t>(ranks.size()));
    for (;;) {
      parcels.front() = cases.take_replies();
      if (!ranks.exchange(parcels, false, arrived)) break;
      cases.give_requests(arrived);
      std::this_thread::sleep_for(pause);
    }
    log_info("rank {} of {}: ran {}", ranks.rank(), ranks.size(), several(cases.done(), "case"));
  } catch (...) {
    error = std::current_exception();
  }
  if (error) ranks.exchange({}, true, arrived);
  ranks.agree(error);
}

}  // namespace

int batch_by_ranks(Ranks& ranks, const BatchFlags& flags, const Messages& messages) {
  if (!is_dealt_by(ranks, flags)) return ranks.rank() == 0 ? run_batch(flags, messages) : 0;
  const int of_each = workers_of_each(ranks, flags);
  if (ranks.rank() == 0) return deal(ranks, flags, messages, of_each);
  serve(ranks, flags, of_each);
  return 0;
}

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
