// --in-place: the program's own rules; and the choice of kernels by the environment.
#include <fcntl.h>
#include <sys/file.h>

#include <chrono>

#include "app/folder.hpp"
#include "catch.hpp"
#include "io/left_journal.hpp"
#include "property/environment.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter {
namespace {

Strings in_place_update(const std::string& data, const std::string& updates, Strings more) {
  return with_more({"ScatterUpdate", "-d", data, "-i", "[2, 1, 0]", "-u", updates, "-a", "0"},
                   more);
}

const std::string file = npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", "abc");

}  // namespace

TEST_CASE("cli.c11: --in-place needs a file as data and no other output", "[app]") {
  const TemporaryDirectory directory;
  write_file(directory / "d.npy", file);
  CHECK(
      refusal_of(2, in_place_update("3xu8=0", "3xu8=1", {"--in-place"})) ==
      "--data: must be x.npy, x.pb, x.onnx:name, x.safetensors:name, x.safetensors.index.json:name "
      "or 4x3xf32=@path to be changed in place, got 3xu8=0 [cli.c11]");
  CHECK(refusal_of(2,
                   in_place_update(directory / "d.npy", "3xu8=1", {"--in-place", "-o", "x.npy"})) ==
        "--output: must be left out when data is changed in place, got x.npy [cli.c11]");
  CHECK(read_file(directory / "d.npy") == file);
}

TEST_CASE("cli.c12: the file that is changed in place is no other operand", "[app]") {
  const Folder folder;
  folder.put("d.npy", file);
  std::filesystem::create_hard_link(folder / "d.npy", folder / "same.npy");
  CHECK(refusal_of(2, folder.command(in_place_update("d.npy", "same.npy", {"--in-place"}))) ==
        "--updates: must not be the file that is changed in place, got same.npy [cli.c12]");
  CHECK(folder.text("d.npy") == file);
  CHECK(refusal_of(2, folder.command({"set", "d.npy[d.npy < 2]", "1", "--in-place"})) ==
        "DATA[INDEX]: must not be the file that is changed in place (-o may name it: then it is "
        "replaced as a whole), got d.npy [cli.c12]");
  CHECK(folder.text("d.npy") == file);
}

TEST_CASE("cli.c13: kernels that there are not are refused", "[app]") {
  const Command command =
      Command(in_place_update("3xu8=0", "3xu8=1", {})).with_environment("TSCATTER_KERNELS", "avx9");
  CHECK(refusal_of(2, command) ==
        "TSCATTER_KERNELS: must be automatic, portable or avx2, and one that the processor has, "
        "got avx9 [cli.c13]");
}

TEST_CASE("file.f8: a file that another tscatter changes in place is left to it", "[app]") {
  const Folder folder;
  folder.put("d.npy", file);
  const File held(::open((folder / "d.npy").c_str(), O_RDWR | O_CLOEXEC), "held");
  REQUIRE(::flock(held.descriptor(), LOCK_EX) == 0);
  const Command command = folder.command(in_place_update("d.npy", "3xu8=1", {"--in-place"}));
  CHECK(refusal_of(3, command) ==
        "d.npy: is being changed by another tscatter (--wait SECONDS waits for it) [file.f8]");
  CHECK(folder.text("d.npy") == file);
}

TEST_CASE("cli.c80: --no-journal is about a change in place", "[app]") {
  CHECK(refusal_of(2, in_place_update("3xu8=0", "3xu8=1", {"--no-journal"})) ==
        "--no-journal: needs --in-place [cli.c80]");
}

TEST_CASE("recover rolls back what a killed run left, and says so", "[app]") {
  const Folder folder;
  const auto path = folder / "d.npy";
  const auto size = static_cast<std::int64_t>(file.size());
  const auto run = [&](Strings words) {
    const Result result = folder.run(std::move(words));
    CHECK(result.err.empty());
    CHECK(result.exit_code == 0);
    return result.out;
  };
  write_file(path, file);
  CHECK(run({"recover", "d.npy"}) == "d.npy: nothing to roll back\n");
  leave_journal(path, {{.begin = size - 1, .end = size}});
  CHECK(run({"recover", "-n", "d.npy"}) ==
        "d.npy: would roll back a run in place that was killed: 1 byte in 1 range\n");
  CHECK(run({"recover", "-n", "d.npy", "--json"}) ==
        R"({"file":"d.npy","journal":"committed","ranges":1,"bytes":1,"rolled_back":false})"
        "\n");
  CHECK(run({"recover", "d.npy"}) ==
        "d.npy: rolled back a run in place that was killed: 1 byte in 1 range\n");
  CHECK(run({"recover", "d.npy", "--json"}) ==
        R"({"file":"d.npy","journal":"none","ranges":0,"bytes":0,"rolled_back":false})"
        "\n");
  CHECK(folder.names() == Strings{"d.npy"});
}

TEST_CASE("undo.u8: recover leaves a file that was written anew alone, but with --force", "[app]") {
  const Folder folder;
  const auto size = static_cast<std::int64_t>(file.size());
  folder.put("d.npy", file);
  leave_journal(folder / "d.npy", {{.begin = size - 1, .end = size}});
  const std::string anew = file.substr(0, file.size() - 3) + "new";
  folder.put("d.npy", anew);
  std::filesystem::last_write_time(
      folder / "d.npy",
      std::filesystem::last_write_time(folder / "d.npy.tscatter-undo") + std::chrono::hours(1));
  const std::string message =
      "d.npy: was changed 3600 s after a run in place was killed, whose undo journal is "
      "d.npy.tscatter-undo (remove the journal if the file is intact; tscatter recover --force "
      "rolls back) [undo.u8]";
  CHECK(folder.refused(3, "recover d.npy") == message);
  CHECK(folder.refused(3, "recover -n d.npy") == message);
  CHECK(folder.refused(3, "show d.npy") == message);
  CHECK(folder.refused(3, in_place_update("d.npy", "3xu8=120", {"--in-place"})) == message);
  CHECK(folder.text("d.npy") == anew);
  CHECK(folder.out("recover -n --force d.npy") ==
        "d.npy: would roll back a run in place that was killed: 1 byte in 1 range\n");
  CHECK(folder.out("recover --force d.npy") ==
        "d.npy: rolled back a run in place that was killed: 1 byte in 1 range\n");
  CHECK(folder.text("d.npy") == file.substr(0, file.size() - 3) + "nec");
  CHECK(folder.names() == Strings{"d.npy"});
}

TEST_CASE("the next run in place rolls back first, and a dry run only says so", "[app]") {
  const Folder folder;
  const auto path = folder / "d.npy";
  const auto size = static_cast<std::int64_t>(file.size());
  write_file(path, file);
  leave_journal(path, {{.begin = size - 3, .end = size}});
  const Command dry = folder.command(in_place_update("d.npy", "3xu8=120", {"--in-place", "-n"}));
  CHECK(dry.run().err ==
        "tscatter: d.npy: would roll back a run in place that was killed: 3 bytes in 1 range\n");
  CHECK(folder.names().size() == 2);
  CHECK(folder.refused(3, "show d.npy") ==
        "d.npy: is half changed: a run in place was killed (tscatter recover rolls back), and its "
        "undo journal is d.npy.tscatter-undo [undo.u5]");
  const Command real = folder.command(in_place_update("d.npy", "3xu8=120", {"--in-place"}));
  const Result result = real.run();
  CHECK(result.exit_code == 0);
  CHECK(result.err ==
        "tscatter: d.npy: rolled back a run in place that was killed: 3 bytes in 1 range\n");
  CHECK(read_file(path) == file.substr(0, file.size() - 3) + "xxx");
  CHECK(folder.names() == Strings{"d.npy"});
}

// The sanitizers need descriptors of their own.
TEST_CASE("a change in place that lacks descriptors in the middle is rolled back", "[app]") {
  if (property::is_slowed) return;
  const TemporaryDirectory directory;
  bool has_failed_late = false;
  int exit_code = 3;
  for (std::uint64_t descriptors = 4; exit_code != 0; ++descriptors) {
    REQUIRE(descriptors < 64);
    for (const bool is_durable : {false, true}) {
      write_file(directory / "d.npy", file);
      Command command(
          in_place_update("d.npy", "3xu8=1", {"--in-place", is_durable ? "--sync" : "-q"}));
      const Result result = command.in(directory.path()).with_descriptor_limit(descriptors).run();
      INFO(descriptors << ": " << result.err);
      exit_code = result.exit_code;
      if (exit_code == 127) continue;  // not even its libraries could be opened
      CHECK((exit_code == 0 || exit_code == 3));
      CHECK((read_file(directory / "d.npy") == file) == (exit_code == 3));
      CHECK(directory.names() == Strings{"d.npy"});
      if (result.err.find("d.npy: cannot be written to its end") != std::string::npos)
        has_failed_late = true;
    }
  }
  CHECK(has_failed_late);
}
}  // namespace tscatter
