// tscatter-mpi under each MPI of the machine: the bytes of one machine, whatever the ranks.
#include <fmt/format.h>

#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "mpi/mpi_job.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;

using mpi::Ended;
using mpi::Job;
using mpi::Mpi;
using mpi::mpis;
using mpi::said;

}  // namespace

TEST_CASE("entries that meet keep their order, whatever rank has read them", "[mpi]") {
  const Job job;
  job.write_indices([](std::int64_t i) { return i * i % 101; });
  job.run(job.with({"-o", "whole.npy"}));
  for (const Mpi& mpi : mpis()) {
    for (const int ranks : {3, 8}) {
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

TEST_CASE("a word for an index is dealt like its operation", "[mpi]") {
  const Job job;
  job.write_indices([](std::int64_t i) { return i * i % 101; });
  const auto add = [](const Strings& more) {
    return Job::joined({"add", "d.npy[i.npy[:, 0]]", "u.npy"}, more);
  };
  job.run(job.with({"-o", "whole.npy"}));
  REQUIRE(job.run(add({"-o", "o.npy"})).exit_code == 0);
  REQUIRE(job.is_whole());
  fs::remove(job.directory / "o.npy");
  for (const Mpi& mpi : mpis()) {
    const Ended ended =
        job.mpi(mpi, 3, add({"-o", "o.npy", "--unit", "4K", "--parts", "9", "--segment", "16"}));
    INFO(ended.err);
    CHECK(ended.exit_code == 0);
    CHECK(job.is_whole());
    fs::remove(job.directory / "o.npy");
    CHECK(said(job.mpi(mpi, 2, {"get", "d.npy[0]"}).err).empty());
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
    for (const int ranks : {2, 3}) {
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
          Strings{"ScatterNDUpdate-15: has no flag --partz (nearest: --parts) [cli.c2]"});
    CHECK(job.mpi(mpi, 3, {"--version"}).out == job.run({"--version"}).out);
    CHECK(job.mpi(mpi, 3, {"show", "d.npy"}).out == job.run({"show", "d.npy"}).out);
    CHECK(job.mpi(mpi, 2, job.with({"-o", "o.npy", "-n"})).out ==
          job.run(job.with({"-o", "o.npy", "-n"})).out);
  }
}

TEST_CASE("cli.c94, part.p6: what parts and ranks cannot do", "[mpi]") {
  const Job job;
  job.copy_data();
  const std::string c94 = "must not be given to tscatter-mpi, which computes all parts, got ";
  for (const Mpi& mpi : mpis()) {
    const Ended ended =
        job.lines(mpi, 2,
                  {job.with({"-o", "p.npy", "--part", "1/2"}), job.with({"-o", "p.npy", "--json"}),
                   job.with({"-o", "o.npz:a"}), job.in_place()});
    CHECK(ended.exit_code == 2);
    CHECK(ended.out == "2\n2\n2\n2\n");
    CHECK(said(ended.err) ==
          Strings{"--part: " + c94 + "1/2 [cli.c94]",
                  "--parts: a job that is computed by parts must read files or values and write a "
                  ".npy, got o.npz:a [part.p6]",
                  "--parts: parts are for jobs that write a new file, -o: in place, one run takes "
                  "index lists of any length (--memory) [part.p6]"});
    // In the form that was asked for.
    CHECK(ended.err.find(c94 + "--json") != std::string::npos);
    CHECK(job.is_untouched());
    CHECK(!job.has("p.npy"));
  }
}

TEST_CASE("part.p2: what a killed finish has left is not taken for this job's result", "[mpi]") {
  const Job job;
  for (const Mpi& mpi : mpis()) {
    job.copy_data();
    fs::create_directory(job.directory / "o.npy.tscatter-parts");
    write_file(job.directory / "o.npy.tscatter-parts" / "finished", "0123456789abcdef");
    const Ended ended = job.mpi(mpi, 2, job.with({"-o", "o.npy"}));
    CHECK(ended.exit_code == 3);
    CHECK(said(ended.err) == Strings{"o.npy: the job whose parts are there is finished: run "
                                     "tscatter finish o.npy [part.p2]"});
    CHECK(job.is_untouched());
    fs::remove_all(job.directory / "o.npy.tscatter-parts");
  }
}

TEST_CASE("a job that one rank cannot read ends on all", "[mpi]") {
  const Job job;
  write_file(job.directory / "d.json",
             R"({"op":"ScatterNDUpdate-15","data":"d.npy","indices":"i.npy","updates":"u.npy",)"
             R"("output":"o.npy"})");
  for (const Mpi& mpi : mpis()) {
    const Ended ended = job.in_two_folders(mpi, {"d.npy", "i.npy", "u.npy"}, {"run", "d.json"});
    CHECK(ended.exit_code == 3);
    CHECK(said(ended.err) ==
          Strings{"d.json: cannot be opened: no such file or directory [file.f1]"});
  }
}

TEST_CASE("cli.c95: all ranks see the folder of the parts", "[mpi]") {
  const Job job;
  for (const Mpi& mpi : mpis()) {
    const Ended ended =
        job.in_two_folders(mpi, {"d.npy", "i.npy", "u.npy"}, job.with({"-o", "o.npy"}));
    CHECK(ended.exit_code == 2);
    CHECK(said(ended.err) == Strings{"o.npy: must be on a file system that all ranks share: some "
                                     "ranks see another parts folder [cli.c95]"});
  }
}

TEST_CASE("what fails on one rank ends the job on all, and that rank says it", "[mpi]") {
  const Job job;
  for (const Mpi& mpi : mpis()) {
    const Ended ended = job.in_two_folders(mpi, {"d.npy", "i.npy"}, job.with({"-o", "o.npy"}));
    CHECK(ended.exit_code == 3);
    CHECK(said(ended.err) == Strings{"u.npy: --updates cannot be opened (for values see tscatter "
                                     "help operands): no such file or directory [file.f1]"});
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
      mpi::kill_one(mpi.program, output);
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
