// Kills a run at each of its system calls, and lets each of them fail: inputs stay intact, outputs
// are old or new, nothing is left behind, and the message and exit code are right.
// TSCATTER_FAULTS=N takes every Nth fault only, from the one that TSCATTER_SEED gives;
// TSCATTER_SCENARIO=TEXT takes only scenarios with TEXT in their names.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "app/process.hpp"
#include "catch.hpp"
#include "faults/fault_list.hpp"
#include "faults/scenario.hpp"
#include "property/environment.hpp"

namespace tscatter::faults {
namespace {

// 1 for every fault, N for every Nth.
std::int64_t stride() {
  const std::uint64_t given =
      property::extent("TSCATTER_FAULTS", {.whole = 1, .sample = 7, .slowed = 41});
  return std::max<std::int64_t>(static_cast<std::int64_t>(given), 1);
}

// Which of N neighbours is taken: TSCATTER_SEED.
std::int64_t phase() {
  return static_cast<std::int64_t>(property::from_environment("TSCATTER_SEED", 0)) % stride();
}

// Workers share the tasks differently each time. If the call does not come in its thread, uses the
// one with the same turn among all calls of this number.
TracedResult run_with(const Scenario& scenario, Fault fault, const SystemCall& call) {
  constexpr int tries = 4;
  TracedResult result;
  for (int i = 0; i < tries && !result.was_met; ++i) {
    if (i == tries / 2) fault.turn = call.turn;
    scenario.restore();
    result = traced_run(scenario.tracing(), fault).value();
  }
  return result;
}

struct Counts {
  std::int64_t kills = 0;
  std::int64_t failures = 0;
  std::int64_t survived = 0;  // failures that the run got over
  std::int64_t missed = 0;    // another call was in its place
};

void try_fault(const Scenario& scenario, const Fault& fault, const SystemCall& call,
               Counts& counts) {
  const TracedResult result = run_with(scenario, fault, call);
  INFO(scenario.name() << ": " << text_of(fault, call));
  if (!result.was_met) {
    ++counts.missed;
    return;
  }
  CHECK(scenario.trouble_after(result, fault, call) == "");
  ++(kills(fault) ? counts.kills : counts.failures);
  if (!kills(fault) && result.exit_code == 0) ++counts.survived;
}

void try_all(Scenario& scenario) {
  const TracedResult whole = scenario.run_whole();
  INFO(scenario.name());
  REQUIRE(whole.err == scenario.first_line());
  REQUIRE(whole.exit_code == 0);
  Counts counts;
  std::int64_t taken = 0;
  for (const SystemCall& call : whole.calls) {
    // Without unnamed files, that call fails anyway.
    const bool always_fails = opens_unnamed(call) && !scenario.tracing().knows_unnamed_files;
    if (always_fails) continue;
    for (const Fault& fault : faults_at(call)) {
      if (taken++ % stride() == phase()) try_fault(scenario, fault, call, counts);
    }
  }
  std::cout << fmt::format(
      "faults: {:33} {:4} calls, {:4} kills, {:5} failures, {:5} survived, {} missed\n",
      scenario.name(), whole.calls.size(), counts.kills, counts.failures, counts.survived,
      counts.missed);
  CHECK(counts.missed * 20 < counts.kills + counts.failures);
}

bool can_trace() {
  return traced_run({.words = {program(), "--version"}, .directory = "/", .environment = {}})
      .has_value();
}

}  // namespace

TEST_CASE("whatever call kills a run or fails, files are as before or as after", "[faults]") {
  if (!can_trace()) {
    WARN("skipped: this system allows no tracing, or the test does not know its processor");
    return;
  }
  // In memory there is no disk to wait for.
  if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
  const char* wanted = std::getenv("TSCATTER_SCENARIO");
  for (const auto& scenario : all_scenarios()) {
    if (wanted == nullptr || scenario->name().find(wanted) != std::string::npos) try_all(*scenario);
  }
}

TEST_CASE("the result that the scenarios compare with is the one that was computed here",
          "[faults]") {
  const TemporaryDirectory directory;
  write_file(directory / "d.npy", operands().data);
  write_file(directory / "i.npy", operands().indices);
  write_file(directory / "u.npy", operands().updates);
  output_of({"ScatterNDUpdate-15", "-d", directory / "d.npy", "-i", directory / "i.npy", "-u",
             directory / "u.npy", "-o", directory / "o.npy"});
  CHECK(read_file(directory / "o.npy") == operands().result);
}

}  // namespace tscatter::faults
