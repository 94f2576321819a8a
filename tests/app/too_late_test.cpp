// What fails, or comes, after a file was changed or written: the message says that it was, and the
// exit code is one that nobody repeats a run for.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "app/folder.hpp"
#include "catch.hpp"
#include "io/left_journal.hpp"

namespace tscatter {
namespace {

constexpr int unreported = 6;

std::string u1_file(const std::string& elements) {
  return npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", elements);
}

// d.npy of three bytes, and runs in its directory.
struct WorkFolder : Folder {
  WorkFolder() { put("d.npy", u1_file("abc")); }

  Command update(const Strings& more) const {
    return command(with_more(split_words("ScatterUpdate -d d.npy -i [0] -u 1xu8=120 -a 0"), more));
  }
};

}  // namespace

TEST_CASE("a change whose report cannot be written says that it was made", "[app]") {
  const WorkFolder full;
  CHECK(refusal_of(unreported, full.update({"--in-place", "--json"}).with_output_to("/dev/full")) ==
        "{\"kind\":\"file\",\"label\":\"file.f5\",\"where\":\"<stdout>\",\"message\":\"cannot be "
        "written to its end: no space left on device (d.npy was changed: do not repeat the "
        "run)\"}\n");
  CHECK(full.text("d.npy") == u1_file("xbc"));
  const WorkFolder closed;
  closed.put("job.json",
             R"({"op": "ScatterUpdate-3", "data": "d.npy", "indices": [0], "updates": [120],
                 "axis": 0, "in_place": true})");
  CHECK_THAT(
      refusal_of(unreported, closed.command("run job.json --json").with_closed(STDOUT_FILENO)),
      contains(": bad file descriptor (d.npy was changed: do not repeat the run)"));
  CHECK(closed.text("d.npy") == u1_file("xbc"));
}

TEST_CASE("a change whose reader has gone away says that it was made", "[app]") {
  const WorkFolder place;
  REQUIRE(::mkfifo((place / "updates").c_str(), 0600) == 0);
  Running running{place.command("ScatterUpdate -d d.npy -i [0] -u updates -a 0 --in-place --json")};
  running.close_output();
  place.put("updates", npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", "x"));
  const Result result = running.finish();
  CHECK(result.exit_code == unreported);
  CHECK_THAT(result.err, contains(": broken pipe (d.npy was changed: do not repeat the run)"));
  CHECK(place.text("d.npy") == u1_file("xbc"));
}

TEST_CASE("an output whose report cannot be written says that it was written", "[app]") {
  const WorkFolder place;
  CHECK_THAT(
      refusal_of(unreported, place.update({"-o", "out.npy", "--json"}).with_output_to("/dev/full")),
      contains(": no space left on device (out.npy was written)"));
  CHECK(place.text("out.npy").ends_with("xbc"));
}

TEST_CASE("a rollback whose report cannot be written says that it was done", "[app]") {
  const WorkFolder place;
  const auto size = static_cast<std::int64_t>(u1_file("abc").size());
  leave_journal(place / "d.npy", {{.begin = size - 1, .end = size}});
  CHECK(refusal_of(unreported, place.command("recover d.npy").with_output_to("/dev/full")) ==
        "<stdout>: cannot be written to its end: no space left on device (d.npy was rolled back) "
        "[file.f5]");
  CHECK(place.names() == Strings{"d.npy"});
}

TEST_CASE("a signal that comes after the change says that it was made", "[app]") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    INFO(signal);
    const WorkFolder place;
    const FullPipe report(place / "report");
    Running running{place.update({"--in-place", "--json"}).with_output_to(place / "report")};
    for (int i = 0; i < 2000 && place.text("d.npy") != u1_file("xbc"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    running.send(signal);
    const Result result = running.finish();
    CHECK(result.exit_code == unreported);
    CHECK(result.err ==
          "tscatter: a signal came too late: d.npy was changed: do not repeat the run\n");
    CHECK(place.names() == Strings{"d.npy", "report"});
  }
}

}  // namespace tscatter
