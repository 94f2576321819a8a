// tscatter-mpi under each MPI of the machine: the bytes of one machine, whatever the ranks.
#include <fmt/format.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "property/environment.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// A launcher, tscatter-mpi, and the program of many_lines.cpp, by one MPI.
struct Mpi {
  std::string launcher;
  std::string program;
  std::string many_lines;
};

// "LAUNCHER,PROGRAM,MANY_LINES|…"
std::vector<Mpi> mpis() {
  std::vector<Mpi> all;
  std::istringstream texts(TSCATTER_MPIS);
  for (std::string text; std::getline(texts, text, '|');) {
    std::istringstream words(text);
    Mpi mpi;
    std::getline(words, mpi.launcher, ',');
    std::getline(words, mpi.program, ',');
    std::getline(words, mpi.many_lines, ',');
    all.push_back(mpi);
  }
  return all;
}

std::string quoted(const Strings& words) {
  std::string line;
  for (const std::string& word : words) line += " '" + word + "'";
  return line;
}

struct Ended {
  int exit_code;
  std::string out;
  std::string err;
};

// Rows of three float32 are summed into [5000, 3]: 60,128 bytes, 15 units of 4096.
struct Job {
  TemporaryDirectory directory;
  Strings call{"ScatterNDUpdate", "-d", "d.npy", "-i", "i.npy", "-u", "u.npy", "-r", "sum"};

  Job() {
    run({"convert", "5000x3xf32=0.1", "d.npy"});
    write_indices([](std::int64_t i) { return i * 7919 % 4001; });
    write_updates();
    run(with({"-o", "whole.npy"}));
  }

  // Of any two orders their sums differ.
  void write_updates() const {
    std::string rows = "[";
    for (int i = 0; i < 3000; ++i) {
      const double value = (i * 7919 % 1009) * (i % 3 == 0 ? 1e-3 : 1e3);
      rows += fmt::format("{}[{}, {}, {}]", i == 0 ? "" : ",", value, -value / 3, i);
    }
    write_file(directory / "u.json", rows + "]");
    run({"convert", "u.json", "u.npy", "--dtype", "float32"});
  }

  template <class IndexOf>
  void write_indices(const IndexOf& index_of, std::int64_t entries = 3000) const {
    std::string indices = "[";
    for (std::int64_t i = 0; i < entries; ++i)
      indices += fmt::format("{}[{}]", i == 0 ? "" : ",", index_of(i));
    write_file(directory / "i.json", indices + "]");
    run({"convert", "i.json", "i.npy", "--dtype", "int32"});
  }
  Result run(const Strings& words) const { return Command(words).in(directory.path()).run(); }
  Strings with(const Strings& more) const {
    Strings words = call;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  bool has(const std::string& name) const { return fs::exists(directory / name); }
  std::string bytes(const std::string& name) const { return read_file(directory / name); }
  bool is_whole() const { return bytes("o.npy") == bytes("whole.npy"); }
  std::string line(const Mpi& mpi, int ranks, const Strings& words) const {
    return fmt::format("cd '{}' && exec '{}' -n {} {}", directory.path().native(), mpi.launcher,
                       ranks, quoted(words));
  }
  Ended shell(const std::string& line) const {
    const std::string all = "( " + line + " ) > '" + (directory / "out").native() + "' 2> '" +
                            (directory / "err").native() + "' < /dev/null";
    const int status = std::system(all.c_str());
    return {.exit_code = WEXITSTATUS(status), .out = bytes("out"), .err = bytes("err")};
  }
  // Rank 0 in folder a, which has all files, and rank 1 in b, which has these.
  Ended in_two_folders(const Mpi& mpi, const Strings& files) const {
    for (const char* name : {"a", "b"}) {
      fs::remove_all(directory / name);
      fs::create_directory(directory / name);
    }
    for (const char* file : {"d.npy", "i.npy", "u.npy"})
      fs::create_hard_link(directory / file, directory / "a" / file);
    for (const std::string& file : files)
      fs::create_hard_link(directory / file, directory / "b" / file);
    return shell(fmt::format("exec '{1}' -n 1 -wdir '{0}/a' {2} : -n 1 -wdir '{0}/b' {2}",
                             directory.path().native(), mpi.launcher,
                             quoted({mpi.program}) + quoted(with({"-o", "o.npy"}))));
  }
  Ended mpi(const Mpi& mpi, int ranks, const Strings& words) const {
    Strings all{mpi.program};
    all.insert(all.end(), words.begin(), words.end());
    return shell(line(mpi, ranks, all));
  }
};

// The lines of our own; launchers add theirs.
Strings said(const std::string& err) {
  Strings lines;
  std::istringstream stream(err);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t at = line.find("tscatter: ");
    if (at != std::string::npos) lines.push_back(line.substr(at + 10));
  }
  return lines;
}

// One job for each line of cases.jsonl; returns their files.
Strings write_jobs(const Job& job, const std::string& folder) {
  Strings names;
  std::ifstream cases(job.directory / folder / "cases.jsonl");
  for (std::string line; std::getline(cases, line);) {
    if (line.starts_with("#")) continue;
    ordered_json object = ordered_json::parse(line);
    const std::string name = fmt::format("{}/job{}", folder, names.size());
    object["output"] = fmt::format("job{}.npy", names.size());
    write_file(job.directory / (name + ".json"), object.dump());
    names.push_back(name);
  }
  return names;
}

// Of so many entries that the list of the job takes about so many rounds: an index has 4 bytes
// or 8.
std::int64_t segment_of(const Job& job, const std::string& name, int ranks, std::uint64_t rounds) {
  const ordered_json object = ordered_json::parse(job.bytes(name + ".json"));
  if (!object.contains("indices") || !object["indices"].is_string()) return 7;
  const fs::path file = (job.directory / name).parent_path() / object["indices"];
  const auto entries = fs::exists(file) ? static_cast<std::int64_t>(fs::file_size(file)) / 8 : 0;
  return entries / (ranks * static_cast<std::int64_t>(rounds)) + 1;
}

// Flags with which each operation makes jobs that stress its form.
std::vector<Strings> generated_calls() {
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

// Kills one of the processes of this program that write this output, once it has begun.
void kill_one(const std::string& program, const std::string& output) {
  using std::chrono::milliseconds;
  for (int i = 0; i < 2000; ++i) {
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().native();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream file(entry.path() / "cmdline");
      const std::string words(std::istreambuf_iterator<char>(file), {});
      if (!words.starts_with(program + '\0') || words.find(output) == std::string::npos) continue;
      std::this_thread::sleep_for(milliseconds(200));
      ::kill(std::stoi(name), SIGKILL);
      return;
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
}

}  // namespace

TEST_CASE("any number of ranks leaves the bytes of one machine, for every form", "[mpi]") {
  const std::uint64_t seed = property::from_environment("TSCATTER_SEED", std::random_device{}());
  const std::uint64_t count = property::extent("TSCATTER_MPI_CASES", {20, 2, 1});
  INFO("TSCATTER_SEED=" << seed);
  std::mt19937_64 random(seed);
  const Job job;
  std::vector<std::string> jobs;
  for (Strings call : generated_calls()) {
    const std::string folder = fmt::format("g{}", jobs.size());
    for (const std::string& word :
         {std::string("--count"), std::to_string(count), std::string("--seed"),
          std::to_string(seed), std::string("--max-elements"), std::string("16384"),
          std::string("-o"), folder})
      call.push_back(word);
    const Result made = job.run(call);
    INFO(quoted(call) << made.err);
    REQUIRE(made.exit_code == 0);
    for (const std::string& name : write_jobs(job, folder)) jobs.push_back(name);
  }
  for (const std::string& name : jobs) {
    REQUIRE(job.run({"run", name + ".json"}).exit_code == 0);
    fs::rename(job.directory / (name + ".npy"), job.directory / (name + ".whole"));
  }
  for (const Mpi& mpi : mpis()) {
    for (const int ranks : {1, 2, 3, 8}) {
      std::string lines;
      for (const std::string& name : jobs) {
        const std::string parts = std::to_string(1 + random() % 20);
        const std::string segment = std::to_string(segment_of(job, name, ranks, 1 + random() % 5));
        const std::string file = name + ".json";
        // An array has begun the job: its parts stay.
        if (random() % 4 == 0) job.run({"run", "--unit", "4K", "--part", "1/" + parts, file});
        lines += ordered_json{"run",       "--unit", "4K", "--parts", parts,
                              "--segment", segment,  "-j", "1",       file}
                     .dump() +
                 "\n";
      }
      write_file(job.directory / "lines", lines);
      const Ended ended = job.shell(job.line(mpi, ranks, {mpi.many_lines, "lines"}));
      INFO(mpi.launcher << " -n " << ranks << "\n" << ended.err);
      CHECK(ended.exit_code == 0);
      for (const std::string& name : jobs) {
        const bool is_there = job.has(name + ".npy");
        const bool is_same = is_there && job.bytes(name + ".npy") == job.bytes(name + ".whole");
        if (!is_same) FAIL_CHECK(name << " " << job.bytes(name + ".json"));
        if (is_there) fs::remove(job.directory / (name + ".npy"));
        CHECK(!job.has(name + ".npy.tscatter-parts"));
      }
    }
  }
}

TEST_CASE("entries that meet keep their order, whatever rank has read them", "[mpi]") {
  const Job job;
  job.write_indices([](std::int64_t i) { return i * i % 101; });
  job.run(job.with({"-o", "whole.npy"}));
  for (const Mpi& mpi : mpis()) {
    for (const int ranks : {2, 3, 8}) {
      const Ended ended = job.mpi(
          mpi, ranks,
          job.with({"-o", "o.npy", "--unit", "4K", "--parts", "9", "--segment", "16", "--digest"}));
      INFO(ended.err);
      CHECK(ended.exit_code == 0);
      CHECK(ended.out == job.run({"digest", "o.npy", "--unit", "4K"}).out);
      CHECK(job.is_whole());
      fs::remove(job.directory / "o.npy");
    }
  }
}

TEST_CASE("the first broken entry of all is refused, once, and nothing is created", "[mpi]") {
  const Job job;
  // Of segments of 10 entries these are 170 and 29: with 3 ranks, both of rank 2; with 2, of 0
  // and 1.
  job.write_indices([](std::int64_t i) { return i == 1705 || i == 293 ? 5000 + i : i; });
  const Result alone = job.run(job.with({"-o", "o.npy"}));
  REQUIRE(alone.exit_code == 5);
  for (const Mpi& mpi : mpis()) {
    for (const int ranks : {1, 2, 3, 8}) {
      const Ended ended =
          job.mpi(mpi, ranks, job.with({"-o", "o.npy", "--unit", "4K", "--segment", "10"}));
      CHECK(ended.exit_code == 5);
      CHECK(said(ended.err) == said(alone.err));
      CHECK(!job.has("o.npy"));
      CHECK(!job.has("o.npy.tscatter-parts"));
    }
  }
}

TEST_CASE("words that are wrong are refused once, and help is printed once", "[mpi]") {
  const Job job;
  for (const Mpi& mpi : mpis()) {
    const Ended wrong = job.mpi(mpi, 3, job.with({"-o", "o.npy", "--partz", "3"}));
    CHECK(wrong.exit_code == 2);
    CHECK(said(wrong.err) ==
          Strings{"ScatterNDUpdate-15: a flag must be one that the command has (nearest: --parts), "
                  "got --partz [cli.c2]"});
    CHECK(job.mpi(mpi, 3, {"--version"}).out == job.run({"--version"}).out);
    CHECK(job.mpi(mpi, 3, {"show", "d.npy"}).out == job.run({"show", "d.npy"}).out);
    CHECK(job.mpi(mpi, 2, job.with({"-o", "o.npy", "-n"})).out ==
          job.run(job.with({"-o", "o.npy", "-n"})).out);
  }
}

TEST_CASE("cli.c94: tscatter-mpi computes all parts", "[mpi]") {
  const Job job;
  const std::string rule = "must not be given to tscatter-mpi, which computes all parts, got ";
  for (const Mpi& mpi : mpis()) {
    const Ended part = job.mpi(mpi, 2, job.with({"-o", "o.npy", "--part", "1/2"}));
    CHECK(part.exit_code == 2);
    CHECK(said(part.err) == Strings{"--part: " + rule + "1/2 [cli.c94]"});
    const Ended json = job.mpi(mpi, 2, job.with({"-o", "o.npy", "--json"}));
    CHECK(json.exit_code == 2);
    CHECK(json.err.find(rule + "--json") != std::string::npos);
  }
}

TEST_CASE("part.p6: a change in place and stdin are refused", "[mpi]") {
  const Job job;
  const std::string rule =
      "--parts: a job that is computed by parts must read files or values and write a .npy, got ";
  for (const Mpi& mpi : mpis()) {
    const Ended in_place = job.mpi(mpi, 2, job.with({"--in-place"}));
    CHECK(in_place.exit_code == 2);
    CHECK(said(in_place.err) == Strings{rule + "a change in place [part.p6]"});
  }
}

TEST_CASE("cli.c95: all ranks see the folder of the parts", "[mpi]") {
  const Job job;
  for (const Mpi& mpi : mpis()) {
    const Ended ended = job.in_two_folders(mpi, {"d.npy", "i.npy", "u.npy"});
    CHECK(ended.exit_code == 2);
    CHECK(said(ended.err) == Strings{"o.npy: must be on a file system that all ranks share, got "
                                     "another folder of its parts on some [cli.c95]"});
  }
}

TEST_CASE("what fails on one rank ends the job on all, and that rank says it", "[mpi]") {
  const Job job;
  for (const Mpi& mpi : mpis()) {
    const Ended ended = job.in_two_folders(mpi, {"d.npy", "i.npy"});
    CHECK(ended.exit_code == 3);
    CHECK(said(ended.err) ==
          Strings{"u.npy: --updates must be a file that can be opened, or a value (see tscatter "
                  "help operands), got no such file or directory [file.f1]"});
    CHECK(!job.has("a/o.npy.tscatter-parts"));
  }
}

TEST_CASE("what an array has done is not computed again, and it mends what ranks have begun",
          "[mpi]") {
  const Job job;
  for (const Mpi& mpi : mpis()) {
    for (const char* part : {"2/7", "7/7"})
      job.run(job.with({"-o", "o.npy", "--unit", "4K", "--part", part}));
    // P is that of the job.
    const Ended ended = job.mpi(mpi, 3, job.with({"-o", "o.npy", "--unit", "4K", "-v"}));
    INFO(ended.err);
    CHECK(ended.exit_code == 0);
    CHECK(ended.err.find("5 of 7 parts are missing") != std::string::npos);
    CHECK(ended.err.find("part 1 of 7") != std::string::npos);
    CHECK(ended.err.find("part 2 of 7") == std::string::npos);
    CHECK(job.is_whole());
    fs::remove(job.directory / "o.npy");
  }
}

TEST_CASE("a rank that is killed ends the job, and other ranks or an array finish it", "[mpi]") {
  const Job job;
  // Of one entry a round, these cannot be done before it is killed.
  job.write_indices([](std::int64_t i) { return i * 7919 % 4001; }, 300'000);
  job.run({"convert", "300000x3xf32=0.3", "u.npy"});
  job.run(job.with({"-o", "whole.npy"}));
  const std::string output = (job.directory / "o.npy").native();
  const Strings call = job.with({"-o", output, "--unit", "4K"});
  for (const Mpi& mpi : mpis()) {
    for (const bool by_array : {false, true}) {
      job.run(job.with({"-o", output, "--unit", "4K", "--part", "4/15"}));
      Strings words{mpi.program};
      words.insert(words.end(), call.begin(), call.end());
      for (const char* word : {"--segment", "1"}) words.emplace_back(word);
      Ended ended{};
      std::thread running([&] { ended = job.shell(job.line(mpi, 3, words)); });
      kill_one(mpi.program, output);
      running.join();
      INFO(ended.err);
      CHECK(ended.exit_code != 0);
      CHECK(!job.has("o.npy"));
      CHECK(job.run({"parts", "o.npy", "--missing"}).out == "1-3,5-15\n");
      if (by_array) {
        for (int part = 1; part <= 15; ++part)
          job.run(job.with({"-o", "o.npy", "--unit", "4K", "--part", fmt::format("{}/15", part)}));
        job.run({"finish", "o.npy", "--wait", "0"});
      } else {
        CHECK(job.mpi(mpi, 2, call).exit_code == 0);
      }
      CHECK(job.is_whole());
      fs::remove(job.directory / "o.npy");
    }
  }
}

}  // namespace tscatter
