// What becomes of a job when a rank is killed at a call of MPI, or the call fails: each call of
// each rank.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "mpi/mpi_job.hpp"
#include "property/environment.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;
using mpi::Ended;
using mpi::Job;
using mpi::Mpi;

constexpr int ranks = 3;
constexpr const char* folder = "o.npy.tscatter-parts";

// Four rounds, and six parts.
const Strings flags{"--unit", "4K", "--parts", "6", "--segment", "300"};

struct CallFault {
  int rank;
  std::size_t call;
  std::string deed;
};

Ended run_with(const Job& job, const Mpi& mpi, const Strings& words, const std::string& variable) {
  const Strings all =
      Job::joined({"timeout", "-k", "5", "60", mpi.launcher, "-n", std::to_string(ranks)},
                  Job::joined({mpi.with_faults}, words));
  return job.shell(fmt::format("cd '{}' && export {} && exec {}", job.directory.path().native(),
                               variable, mpi::quoted(all)));
}

Ended run_with(const Job& job, const Mpi& mpi, const Strings& words, const CallFault& fault) {
  return run_with(job, mpi, words,
                  fmt::format("TSCATTER_MPI_FAULT='{} {} {}'", fault.rank, fault.call, fault.deed));
}

// The names of each rank's calls in a run without a fault.
std::vector<Strings> calls_of(const Job& job, const Mpi& mpi, const Strings& words) {
  const Ended ended = run_with(job, mpi, words, "TSCATTER_MPI_CALLS=calls");
  INFO(ended.err);
  REQUIRE(ended.exit_code == 0);
  std::vector<Strings> calls(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const fs::path file = job.directory / fmt::format("calls.{}", rank);
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);)
      calls[static_cast<std::size_t>(rank)].push_back(line);
    fs::remove(file);
  }
  return calls;
}

std::vector<CallFault> faults_of(const std::vector<Strings>& calls) {
  std::vector<CallFault> faults;
  for (int rank = 0; rank < ranks; ++rank) {
    for (std::size_t call = 0; call < calls[static_cast<std::size_t>(rank)].size(); ++call) {
      for (const char* deed : {"kill", "kill-after", "fail"})
        faults.push_back({.rank = rank, .call = call, .deed = deed});
    }
  }
  return faults;
}

// Every so many of them: all, a sample, or few.
std::uint64_t stride() { return property::extent("TSCATTER_MPI_FAULTS", {1, 43, 97}); }

template <class Visit>
void for_some(const std::vector<CallFault>& faults, std::mt19937_64& random, const Visit& visit) {
  for (std::size_t i = random() % stride(); i < faults.size(); i += stride()) {
    INFO("rank " << faults[i].rank << ", call " << faults[i].call << ", " << faults[i].deed);
    visit(faults[i]);
  }
}

void check_ended(const Ended& ended) {
  constexpr int too_long = 124;  // of timeout
  INFO(ended.err);
  CHECK(ended.exit_code != 0);
  CHECK(ended.exit_code != too_long);
}

void finish_by_array(const Job& job) {
  for (int part = 1; part <= 6; ++part)
    job.run(job.with({"-o", "o.npy", "--unit", "4K", "--part", fmt::format("{}/6", part)}));
  job.run({"finish", "o.npy", "--wait", "0"});
}

}  // namespace

TEST_CASE("a rank that dies or fails at any call of MPI ends the job without an output", "[mpi]") {
  const std::uint64_t seed = property::from_environment("TSCATTER_SEED", std::random_device{}());
  INFO("TSCATTER_SEED=" << seed);
  std::mt19937_64 random(seed);
  const Job job;
  const Strings words = job.with(Job::joined({"-o", "o.npy"}, flags));
  for (const Mpi& mpi : mpi::mpis()) {
    const std::vector<Strings> calls = calls_of(job, mpi, words);
    CHECK(std::ranges::count(calls.front(), "MPI_Alltoallv") == 4);
    for_some(faults_of(calls), random, [&](const CallFault& fault) {
      fs::remove(job.directory / "o.npy");
      check_ended(run_with(job, mpi, words, fault));
      // After the last part of the work it may be there: then it is whole.
      if (job.has("o.npy")) CHECK(job.is_whole());
      if (random() % 2 == 0) {
        const Ended again = job.mpi(mpi, 2, words);
        INFO(again.err);
        CHECK(again.exit_code == 0);
      } else {
        finish_by_array(job);
      }
      CHECK(job.is_whole());
      CHECK(!job.has(folder));
      fs::remove_all(job.directory / folder);
    });
  }
}

TEST_CASE("file.f3: indices that are cut during the exchange end the job, by one message",
          "[mpi]") {
  const Job job;
  const Strings words = job.with(Job::joined({"-o", "o.npy"}, flags));
  fs::copy_file(job.directory / "i.npy", job.directory / "indices");
  for (const Mpi& mpi : mpi::mpis()) {
    const std::vector<Strings> calls = calls_of(job, mpi, words);
    const auto first = std::ranges::find(calls[1], "MPI_Alltoall");
    fs::remove(job.directory / "o.npy");
    const Ended ended = run_with(
        job, mpi, words,
        CallFault{
            .rank = 1, .call = static_cast<std::size_t>(first - calls[1].begin()), .deed = "cut"});
    INFO(ended.err);
    CHECK(ended.exit_code == 3);
    REQUIRE(mpi::said(ended.err).size() == 1);
    CHECK(mpi::said(ended.err).front().ends_with("[file.f3]"));
    CHECK(!job.has("o.npy"));
    fs::remove(job.directory / "i.npy");
    fs::copy_file(job.directory / "indices", job.directory / "i.npy");
    fs::remove_all(job.directory / folder);
  }
}

}  // namespace tscatter
