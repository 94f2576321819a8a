// tscatter-mpi batch: the report of one machine, but for its times.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "mpi/mpi_job.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;
using mpi::Ended;
using mpi::Job;
using mpi::Mpi;
using nlohmann::ordered_json;

// Generated cases, of which every fourth is made wrong, and some of each other kind.
class BatchOfRanks {
 public:
  BatchOfRanks() {
    REQUIRE(job.run({"generate", "ScatterNDUpdate-15", "--count", "40", "--seed", "7",
                     "--max-elements", "2000", "-o", "made"})
                .exit_code == 0);
    std::ifstream cases(job.directory / "made" / "cases.jsonl");
    std::string lines = "{\"defaults\": {\"float32\": {\"rtol\": 1e-3}}}\n";
    int count = 0;
    for (std::string line; std::getline(cases, line);) {
      if (line.starts_with("#")) continue;
      ordered_json object = ordered_json::parse(line);
      if (count++ % 4 == 0) object["expected"] = object["data"];
      lines += object.dump() + "\n";
    }
    const ordered_json call{{"op", "ScatterNDUpdate-15"},
                            {"data", {1, 2, 3}},
                            {"indices", {{0}, {2}}},
                            {"updates", {5, 6}}};
    for (
        const char* more :
        {R"({"expected": [5, 2, 6]})",
         R"({"name": "known", "expected": [0, 0, 0], "xfail": "a bug"})",
         R"({"name": "unknown", "expected": [5, 2, 6], "xfail": "no bug"})",
         R"({"name": "later", "expected": [5, 2, 6], "skip": "slow"})",
         R"({"name": "illegal", "actual": [5, 4, 6]})",
         R"({"name": "refused", "indices": [[3]], "updates": [5], "expected_error": "scatter_nd_update_15.c6"})",
         R"({"name": "written", "output": "written.npy"})",
         R"({"name": "member", "output": "written.npz:a"})",
         R"({"name": "known", "expected": [5, 2, 6]})",
         R"({"name": "changed", "data": "changed.npy", "in_place": true})",
         R"({"name": "wrong key", "expectd": [5, 2, 6]})"}) {
      ordered_json object = call;
      object.update(ordered_json::parse(more));
      lines += object.dump() + "\n";
    }
    write_file(job.directory / "made" / "cases.jsonl", lines + "{\n");
  }

  // A copy of all, in which a run is made.
  void copy_to(const std::string& folder) const {
    fs::remove_all(job.directory / folder);
    fs::copy(job.directory / "made", job.directory / folder);
    job.run({"convert", "[1, 2, 3]", folder + "/changed.npy", "--dtype", "int32"});
  }

  Job job;
};

// Without what is another time at each run.
std::string without_times(const std::string& text) {
  static const std::regex times(
      R"re("seconds":[-+0-9.e]+|time(stamp)?="[^"]*"|(< )?[0-9.]+ m?s\b|[0-9-]+ [0-9]+:[0-9:]+( [A-Z]+)?)re");
  return std::regex_replace(text, times, "");
}

const Strings batch_words{"batch",   "cases.jsonl", "--junit", "r.xml", "--html",       "r.html",
                          "--state", "state",       "--color", "never", "--failed-dir", "kept"};

Ended run_alone(const BatchOfRanks& batch, const Strings& words) {
  return batch.job.shell("cd '" + (batch.job.directory / "one").native() + "' && exec " +
                         mpi::quoted(Job::joined({program()}, words)));
}

Ended run_by_ranks(const BatchOfRanks& batch, const Mpi& mpi, int ranks, const Strings& words) {
  return batch.job.shell(
      "cd '" + (batch.job.directory / "many").native() + "' && exec " +
      mpi::quoted(Job::joined({mpi.launcher, "-n", std::to_string(ranks), mpi.program}, words)));
}

void check_same(const Ended& many, const Ended& one) {
  INFO(many.err);
  CHECK(many.exit_code == one.exit_code);
  CHECK(without_times(many.out) == without_times(one.out));
  CHECK(mpi::said(many.err) == mpi::said(one.err));
}

Strings names_of_files(const fs::path& folder) {
  Strings names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().native());
  std::ranges::sort(names);
  return names;
}

// Reports and results in the two folders.
void check_same_files(const Job& job) {
  for (const std::string report : {"r.xml", "r.html"}) {
    INFO(report);
    CHECK(
        (without_times(job.bytes("many/" + report)) == without_times(job.bytes("one/" + report))));
  }
  for (const std::string file : {"written.npy", "changed.npy", "written.npz"})
    CHECK((job.bytes("many/" + file) == job.bytes("one/" + file)));
  CHECK(names_of_files(job.directory / "many" / "kept") ==
        names_of_files(job.directory / "one" / "kept"));
}

}  // namespace

TEST_CASE("the cases of a batch are dealt to ranks, and its report is that of one machine",
          "[mpi]") {
  const BatchOfRanks batch;
  const std::vector<std::pair<int, Strings>> runs{
      {1, {"--by-word"}}, {3, {"--json", "--details", "3"}}, {5, {"--by-word", "--details", "9"}}};
  for (const Mpi& mpi : mpi::mpis()) {
    for (const auto& [ranks, form] : runs) {
      INFO(mpi.launcher << " -n " << ranks << " " << form.front());
      for (const char* folder : {"one", "many"}) batch.copy_to(folder);
      const Strings words = Job::joined(batch_words, form);
      const Ended one = run_alone(batch, words);
      INFO(one.err);
      CHECK(one.exit_code == 1);
      check_same(run_by_ranks(batch, mpi, ranks, words), one);
      check_same_files(batch.job);
    }
    // The state is that of one machine, too.
    const Strings again{"batch", "cases.jsonl", "--state", "state", "--last-failed", "--json"};
    check_same(run_by_ranks(batch, mpi, 3, again), run_alone(batch, again));
  }
}

TEST_CASE("what rank 0 does alone of batches, and what it refuses", "[mpi]") {
  const BatchOfRanks batch;
  for (const char* folder : {"one", "many"}) batch.copy_to(folder);
  for (const Mpi& mpi : mpi::mpis()) {
    for (const Strings& words :
         {Strings{"batch", "cases.jsonl", "--list"},
          Strings{"batch", "cases.jsonl", "--filter", "no such"}, Strings{"batch", "none.jsonl"},
          Strings{"batch", "cases.jsonl", "--junit", "x.html"},
          Strings{"batch", "cases.jsonl", "--update-golden", "-n", "--color", "never"}})
      check_same(run_by_ranks(batch, mpi, 2, words), run_alone(batch, words));
  }
}

TEST_CASE("a batch whose ranks do work at once runs cases on each of them", "[mpi]") {
  const Job job;
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    lines +=
        R"({"op": "ScatterNDUpdate-15", "data": "d.npy", "indices": "i.npy", "updates": "u.npy", "reduction": "sum", "output": "o)" +
        std::to_string(i) + R"(.npy"})" + "\n";
  }
  write_file(job.directory / "cases.jsonl", lines);
  for (const Mpi& mpi : mpi::mpis()) {
    const Ended ended =
        job.mpi(mpi, 3, {"batch", "cases.jsonl", "-j", "1", "-v", "--state", "state"});
    INFO(ended.err);
    CHECK(ended.exit_code == 0);
    for (int rank = 1; rank < 3; ++rank) {
      const std::regex words("rank " + std::to_string(rank) + " of 3: ran [1-9][0-9]* cases?");
      CHECK(std::regex_search(ended.err, words));
    }
    for (int i = 0; i < 12; ++i)
      CHECK(job.bytes("o" + std::to_string(i) + ".npy") == job.bytes("whole.npy"));
  }
}

}  // namespace tscatter
