// Random jobs of every operation by any number of ranks.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "mpi/mpi_job.hpp"
#include "property/environment.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;
using mpi::Ended;
using mpi::Mpi;
using nlohmann::ordered_json;

// NAME.json, which leaves NAME.npy.
struct RandomJob {
  std::string name;
  std::int64_t entries = 0;  // about
};

class RandomJobs {
 public:
  RandomJobs(std::uint64_t seed, std::uint64_t count) {
    for (Strings call : generated_calls()) {
      const std::string folder = fmt::format("g{}", folders_++);
      for (const std::string& word :
           {std::string("--count"), std::to_string(count), std::string("--seed"),
            std::to_string(seed), std::string("--max-elements"), std::string("16384"),
            std::string("-o"), folder})
        call.push_back(word);
      const Result made = job.run(call);
      INFO(mpi::quoted(call) << made.err);
      REQUIRE(made.exit_code == 0);
      write_jobs(folder);
    }
    for (const RandomJob& each : jobs) {
      prepare(each);
      REQUIRE(job.run({"run", each.name + ".json"}).exit_code == 0);
      fs::rename(job.directory / (each.name + ".npy"), job.directory / (each.name + ".whole"));
    }
  }

  void prepare(const RandomJob& each) const { fs::remove(job.directory / (each.name + ".npy")); }

  // What is not as after a run on one machine; "" if all is.
  std::string trouble(const RandomJob& each) const {
    const std::string file = each.name + ".npy";
    if (!job.has(file)) return "no output";
    if (job.has(file + ".tscatter-parts")) return "its parts are left";
    return job.bytes(file) == job.bytes(each.name + ".whole") ? "" : "other bytes";
  }

  mpi::Job job;
  std::vector<RandomJob> jobs;

 private:
  // Flags with which each operation makes jobs that stress its form.
  static std::vector<Strings> generated_calls() {
    std::vector<Strings> calls;
    for (const Operation* operation : operations()) {
      const Strings names{"generate", std::string(operation->name)};
      if (operation->name != "generic.scatter") {
        calls.push_back(names);
        continue;
      }
      for (const char* form : {"rows", "nd", "elements", "window"}) {
        for (const char* outside : {"error", "drop-elements"})
          calls.push_back({"generate", "generic.scatter", "--form", form, "--oob", outside,
                           "--negative", "outside", "--nan", "propagate", "--accumulate", "f64",
                           "--self", "identity", "--unique", "false"});
      }
    }
    return calls;
  }

  // A job for each line of cases.jsonl.
  void write_jobs(const std::string& folder) {
    std::ifstream cases(job.directory / folder / "cases.jsonl");
    for (std::string line; std::getline(cases, line);) {
      if (line.starts_with("#")) continue;
      ordered_json object = ordered_json::parse(line);
      const std::string name = fmt::format("job{}", jobs.size());
      const RandomJob each{.name = folder + "/" + name, .entries = entries_of(folder, object)};
      object["output"] = name + ".npy";
      write_file(job.directory / (each.name + ".json"), object.dump());
      jobs.push_back(each);
    }
  }
  // An index has 4 bytes or 8.
  std::int64_t entries_of(const std::string& folder, const ordered_json& object) const {
    if (!object.contains("indices") || !object["indices"].is_string()) return 0;
    const fs::path file = job.directory / folder / object["indices"].get<std::string>();
    return fs::exists(file) ? static_cast<std::int64_t>(fs::file_size(file)) / 8 : 0;
  }

  int folders_ = 0;
};

// All jobs by 1 or 2 ranks, a third of them by 3, an eighth by 8.
void run_by(const Mpi& mpi, int ranks, const RandomJobs& all, std::mt19937_64& random) {
  std::vector<const RandomJob*> chosen;
  std::vector<Strings> lines;
  for (const RandomJob& each : all.jobs) {
    // Many ranks on few processors take their time.
    if (ranks >= 3 && random() % static_cast<unsigned>(ranks) != 0) continue;
    chosen.push_back(&each);
    all.prepare(each);
    const std::string file = each.name + ".json";
    const std::string parts = std::to_string(1 + random() % 20);
    const auto rounds = static_cast<std::int64_t>(1 + random() % 5);
    const std::string segment = std::to_string(each.entries / (ranks * rounds) + 1);
    // An array has begun the job: its parts stay.
    if (random() % 4 == 0) all.job.run({"run", "--unit", "4K", "--part", "1/" + parts, file});
    lines.push_back(
        {"run", "--unit", "4K", "--parts", parts, "--segment", segment, "-j", "1", file});
  }
  const Ended ended = all.job.lines(mpi, ranks, lines);
  INFO(mpi.launcher << " -n " << ranks << "\n" << ended.out << ended.err);
  CHECK(ended.exit_code == 0);
  // Each line was run to its end, whatever the launcher says.
  std::string codes;
  for (std::size_t i = 0; i < chosen.size(); ++i) codes += "0\n";
  CHECK(ended.out == codes);
  for (const RandomJob* each : chosen) {
    INFO(each->name << " " << all.job.bytes(each->name + ".json"));
    CHECK(all.trouble(*each) == "");
  }
}

}  // namespace

TEST_CASE("any number of ranks leaves the bytes of one machine, for every form", "[mpi]") {
  const std::uint64_t seed = property::from_environment("TSCATTER_SEED", std::random_device{}());
  const std::uint64_t count = property::extent("TSCATTER_MPI_CASES", {20, 2, 1});
  INFO("TSCATTER_SEED=" << seed);
  std::mt19937_64 random(seed);
  const RandomJobs all(seed, count);
  for (const Mpi& mpi : mpi::mpis()) {
    for (const int ranks : {1, 2, 3, 8, 16}) run_by(mpi, ranks, all, random);
  }
}

}  // namespace tscatter
