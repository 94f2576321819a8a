// Locks of other processes: what a run keeps others from, what it waits for, and for how long.
#include <fcntl.h>
#include <sys/file.h>

#include <chrono>
#include <deque>
#include <thread>

#include "app/folder.hpp"
#include "catch.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter {
namespace {

using std::chrono::milliseconds;

Strings sum(const std::string& data, const Strings& more) {
  return with_more({"ScatterNDUpdate-15", "-d", data, "-i", "[[0]]", "-u", "[1]", "-r", "sum"},
                   more);
}

File locked(const std::filesystem::path& path) {
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC), path.native());
  REQUIRE(::flock(file.descriptor(), LOCK_EX) == 0);
  return file;
}

// x.npy and x.npz:w, of one number.
struct LockedPlace : Folder {
  LockedPlace() {
    output_of({"convert", "[0]", *this / "x.npy"});
    output_of({"convert", "[0]", *this / "x.npz:w"});
  }
};

}  // namespace

TEST_CASE("of runs that read and replace one file, none is lost", "[app]") {
  const LockedPlace place;
  output_of({"convert", "[0]", place / "x.json"});
  constexpr int runs = 40;
  for (const std::string file : {"x.npz:w", "x.npy", "x.json"}) {
    std::deque<Running> running;
    for (int i = 0; i < runs; ++i) running.emplace_back(place.command(sum(file, {"-o", file})));
    for (Running& each : running) {
      const Result result = each.finish();
      CHECK(result.exit_code == 0);
    }
    INFO(file);
    CHECK(output_of(sum(place / file, {})) == "[" + std::to_string(runs + 1) + "]\n");
  }
}

TEST_CASE("a run in place is kept out of a file that is read to be replaced", "[app]") {
  const LockedPlace place;
  const File held = locked(place / "x.npy");
  CHECK(place.refused(3, sum("x.npy", {"-o", "x.npy", "--wait", "0"})) ==
        "x.npy: is still locked after 0 s (--wait): another process holds it [file.f9]");
  CHECK(place.command(sum("x.npy", {"-o", "y.npy"})).run().exit_code == 0);
}

TEST_CASE("a run says what it has waited for, for a second", "[app]") {
  const LockedPlace place;
  std::optional<File> held(locked(place.path()));
  Running waiting{place.command(sum("[1]", {"-o", "x.npz:v"}))};
  Running logging{place.command(sum("[1]", {"-o", "x.npz:w", "-v"}))};
  std::this_thread::sleep_for(milliseconds(1500));
  held.reset();
  const Result result = waiting.finish();
  const Result logged = logging.finish();
  CHECK(result.exit_code == 0);
  CHECK(result.err == "tscatter: x.npz: waiting for another process, which holds its folder, .\n");
  CHECK_THAT(logged.err, contains("info  lock: x.npz: waited "));
  CHECK_THAT(logged.err, contains(" s for another process that had locked its folder, .\n"));
}

TEST_CASE("file.f9: a run waits as long as --wait says", "[app]") {
  const LockedPlace place;
  const File folder = locked(place.path());
  const std::string refused =
      "x.npz: is still locked after 1 s (--wait): another process holds its folder, . [file.f9]";
  const auto begin = std::chrono::steady_clock::now();
  const std::string words = place.refused(3, sum("[1]", {"-o", "x.npz:v", "--wait", "1"}));
  CHECK(words.ends_with(refused));
  CHECK(std::chrono::steady_clock::now() - begin >= milliseconds(1000));
  CHECK(place.refused(3, "convert [1] x.npz:v --wait 0") ==
        "x.npz: is still locked after 0 s (--wait): another process holds its folder, . [file.f9]");
  place.put("job.json",
            R"({"op": "ScatterUpdate-3", "data": [1], "indices": [0], "updates": [2], "axis": 0,
                 "output": "x.npz:v"})");
  CHECK(place.refused(3, "run job.json --wait 0").ends_with("[file.f9]"));
  place.put("cases.jsonl",
            R"({"op": "ScatterUpdate-3", "data": [1], "indices": [0], "updates": [2], "axis": 0, )"
            R"("output": "x.npz:v"})");
  const Result batch = place.command("batch cases.jsonl --wait 0").run();
  CHECK(batch.exit_code == 1);
  CHECK_THAT(batch.out, contains("[file.f9]"));
}

TEST_CASE("a run in place and recover wait only with --wait", "[app]") {
  const LockedPlace place;
  std::optional<File> held(locked(place / "x.npy"));
  CHECK(place.refused(3, sum("x.npy", {"--in-place"})).ends_with("[file.f8]"));
  CHECK(place.refused(3, "recover x.npy").ends_with("[file.f8]"));
  CHECK(place.refused(3, "recover x.npy --wait 0").ends_with("[file.f9]"));
  Running waiting{place.command(sum("x.npy", {"--in-place", "--wait", "60"}))};
  std::this_thread::sleep_for(milliseconds(300));
  held.reset();
  const Result result = waiting.finish();
  CHECK(result.exit_code == 0);
  CHECK_THAT(output_of({"show", place / "x.npy"}), contains("1"));
}

TEST_CASE("cli.c4: --wait takes whole seconds", "[app]") {
  CHECK(refusal_of(2, "convert [1] x.npy --wait -1").ends_with("[cli.c4]"));
}

}  // namespace tscatter
