#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include "batch/shards/dealt_cases.hpp"
#include "commands/batch.hpp"
#include "mpi/commands_of_ranks.hpp"
#include "process/log.hpp"
#include "process/signals.hpp"
#include "text/figure.hpp"

namespace tscatter::app {
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

}  // namespace tscatter::app
