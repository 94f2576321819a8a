// --memory: the private memory of a run, for index lists of any length.
#include <fmt/format.h>

#include <string>

#include "app/folder.hpp"
#include "catch.hpp"
#include "process/environment.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t entries = 6'000'000;  // 183 MiB at 32 bytes each

// data.npy, and 6,000,000 indices: all of them 7, or spread over data.
struct LongList {
  TemporaryDirectory directory;

  explicit LongList(const std::string& indices) {
    run({"convert", "2000000xf32=1", "data.npy"});
    run({"convert", fmt::format("{}x1xi32={}", entries, indices), "all.npy"});
  }

  Result run(const Strings& words) const { return Command(words).in(directory.path()).run(); }
  Strings sum(const std::string& output, const Strings& more) const {
    Strings words{"ScatterNDUpdate",
                  "-d",
                  "data.npy",
                  "-i",
                  "all.npy",
                  "-u",
                  fmt::format("{}xf32=0.25", entries),
                  "-r",
                  "sum"};
    if (output.empty()) {
      words.emplace_back("--in-place");
    } else {
      words.insert(words.end(), {"-o", output});
    }
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

std::string bytes(const LongList& list, const std::string& name) {
  return read_file(list.directory / name);
}

}  // namespace

TEST_CASE("--memory bounds what a run takes, copied and in place, with the same bytes", "[app]") {
  const LongList list("7");
  CHECK(list.run(list.sum("whole.npy", {})).exit_code == 0);
  const Strings bounded = split_words("--memory 80M -j 2 -v");
  const auto run = [&](const std::string& output) {
    Command command(list.sum(output, bounded));
    return command.in(list.directory.path()).with_private_memory_limit(80U << 20U).run();
  };
  const Result copied = run("windows.npy");
  CHECK(copied.exit_code == 0);
  CHECK_THAT(copied.err, contains("not listed, read again for each tile"));
  CHECK((bytes(list, "windows.npy") == bytes(list, "whole.npy")));
  const Result in_place = run("");
  CHECK(in_place.exit_code == 0);
  CHECK((bytes(list, "data.npy") == bytes(list, "whole.npy")));
}

TEST_CASE("--memory bounds what a run over an index takes", "[app]") {
  const LongList list("7");
  CHECK(list.run(list.sum("whole.npy", {})).exit_code == 0);
  Command command({"add", "data.npy[all.npy[:, 0]]", "0.25", "--memory", "80M", "--in-place"});
  const Result added =
      command.in(list.directory.path()).with_private_memory_limit(80U << 20U).run();
  CHECK(added.err == "");
  CHECK((bytes(list, "data.npy") == bytes(list, "whole.npy")));
}

TEST_CASE("a mask about data in Fortran order is tested before data changes", "[app]") {
  const Folder folder;
  constexpr std::size_t count = 2'000'000;  // more trues than entries that fit into 80 MiB
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 7) - 2;
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), 4 * count);
  folder.put("f.npy",
             npy_file("{'descr': '<f4', 'fortran_order': True, 'shape': (1000, 2000)}", bytes));
  CHECK(folder.err("sub 'f.npy[> -1]' 10 -o want.npy") == "");
  CHECK(folder.err("sub 'f.npy[> -1]' 10 --in-place --memory 80M") == "");
  const Result same = folder.run("compare f.npy want.npy");
  CHECK(same.out == "equal: 2,000,000 elements\n");
}

TEST_CASE("cli.c4: --memory is an amount that a run can do with", "[app]") {
  const auto refused = [](const std::string& size) {
    return refusal_of(
        2, {"ScatterUpdate-3", "-d", "[1]", "-i", "[0]", "-u", "[2]", "-a", "0", "--memory", size});
  };
  const std::string rule =
      "--memory: must be an amount of memory, like 512M or 8G, of at least 80M";
  for (const std::string size : {"79M", "1", "G", "1X", "-1G", "9000000T", "0.5G"})
    CHECK(refused(size) == rule + ", got " + size + " [cli.c4]");
  CHECK(output_of("ScatterUpdate-3 -d [1] -i [0] -u [2] -a 0 --memory 80M") == "[2]\n");
}

TEST_CASE("job.j5: a job's memory is one, too", "[app]") {
  const std::string job =
      R"({"op": "ScatterUpdate-3", "data": [1], "indices": [0], "updates": [2], "axis": 0, "memory": )";
  CHECK(refusal_of(2, Command("run -").with_input(job + R"("1M"})")) ==
        "<stdin>: memory: must be an amount of memory, like 512M or 8G, of at least 80M, got 1M "
        "[job.j5]");
  CHECK(Command("run -").with_input(job + R"("1G"})").run().out == "[2]\n");
}

TEST_CASE("the memory of a cgroup counts, and of those above it", "[app]") {
  const TemporaryDirectory root;
  const std::int64_t machine = app::machine_memory(root.path());
  CHECK(machine > 0);
  std::filesystem::create_directories(root / "proc/self");
  std::filesystem::create_directories(root / "sys/fs/cgroup/job/step");
  write_file(root / "proc/self/cgroup", "0::/job/step\n");
  CHECK(app::machine_memory(root.path()) == machine);
  write_file(root / "sys/fs/cgroup/job/step/memory.max", "max\n");
  CHECK(app::machine_memory(root.path()) == machine);
  write_file(root / "sys/fs/cgroup/job/memory.max", "3000000\n");
  CHECK(app::machine_memory(root.path()) == 3000000);
  write_file(root / "sys/fs/cgroup/job/step/memory.max", "2000000\n");
  CHECK(app::machine_memory(root.path()) == 2000000);

  std::filesystem::create_directories(root / "sys/fs/cgroup/memory/old");
  write_file(root / "proc/self/cgroup", "3:cpu:/\n9:memory:/old\n");
  write_file(root / "sys/fs/cgroup/memory/old/memory.limit_in_bytes", "1000000\n");
  CHECK(app::machine_memory(root.path()) == 1000000);
}

}  // namespace tscatter
