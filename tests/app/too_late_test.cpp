// What fails, or comes, after a file was changed or written: the message says that it was, and the
// exit code is one that nobody repeats a run for.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "io/left_journal.hpp"

namespace tscatter {
namespace {

constexpr int unreported = 6;

std::string u1_file(const std::string& elements) {
  return npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", elements);
}

// d.npy of three bytes, and runs in its directory.
struct WorkFolder {
  TemporaryDirectory directory;

  WorkFolder() { write_file(directory / "d.npy", u1_file("abc")); }

  Command command(Strings words) const { return Command(std::move(words)).in(directory.path()); }
  Command update(const Strings& more) const {
    Strings words{"ScatterUpdate", "-d", "d.npy", "-i", "[0]", "-u", "1xu8=120", "-a", "0"};
    words.insert(words.end(), more.begin(), more.end());
    return command(words);
  }
  std::string content(const std::string& name) const { return read_file(directory / name); }
};

}  // namespace

TEST_CASE("a change whose report cannot be written says that it was made", "[app]") {
  const WorkFolder full;
  CHECK(refusal_of(unreported, full.update({"--in-place", "--json"}).with_output_to("/dev/full")) ==
        "{\"kind\":\"file\",\"label\":\"file.f5\",\"where\":\"<stdout>\",\"message\":\"cannot be "
        "written to its end: no space left on device (d.npy was changed: do not repeat the "
        "run)\"}\n");
  CHECK(full.content("d.npy") == u1_file("xbc"));
  const WorkFolder closed;
  write_file(closed.directory / "job.json",
             R"({"op": "ScatterUpdate-3", "data": "d.npy", "indices": [0], "updates": [120],
                 "axis": 0, "in_place": true})");
  CHECK(refusal_of(unreported,
                   closed.command({"run", "job.json", "--json"}).with_closed(STDOUT_FILENO))
            .find(": bad file descriptor (d.npy was changed: do not repeat the run)") !=
        std::string::npos);
  CHECK(closed.content("d.npy") == u1_file("xbc"));
}

TEST_CASE("a change whose reader has gone away says that it was made", "[app]") {
  const WorkFolder place;
  REQUIRE(::mkfifo((place.directory / "updates").c_str(), 0600) == 0);
  Running running{place.command({"ScatterUpdate", "-d", "d.npy", "-i", "[0]", "-u", "updates", "-a",
                                 "0", "--in-place", "--json"})};
  running.close_output();
  write_file(place.directory / "updates",
             npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", "x"));
  const Result result = running.finish();
  CHECK(result.exit_code == unreported);
  CHECK(result.err.find(": broken pipe (d.npy was changed: do not repeat the run)") !=
        std::string::npos);
  CHECK(place.content("d.npy") == u1_file("xbc"));
}

TEST_CASE("an output whose report cannot be written says that it was written", "[app]") {
  const WorkFolder place;
  CHECK(
      refusal_of(unreported, place.update({"-o", "out.npy", "--json"}).with_output_to("/dev/full"))
          .find(": no space left on device (out.npy was written)") != std::string::npos);
  CHECK(place.content("out.npy").ends_with("xbc"));
}

TEST_CASE("a rollback whose report cannot be written says that it was done", "[app]") {
  const WorkFolder place;
  const auto size = static_cast<std::int64_t>(u1_file("abc").size());
  leave_journal(place.directory / "d.npy", {{.begin = size - 1, .end = size}});
  CHECK(refusal_of(unreported, place.command({"recover", "d.npy"}).with_output_to("/dev/full")) ==
        "<stdout>: cannot be written to its end: no space left on device (d.npy was rolled back) "
        "[file.f5]");
  CHECK(place.directory.names() == Strings{"d.npy"});
}

TEST_CASE("a signal that comes after the change says that it was made", "[app]") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    INFO(signal);
    const WorkFolder place;
    const FullPipe report(place.directory / "report");
    Running running{
        place.update({"--in-place", "--json"}).with_output_to(place.directory / "report")};
    for (int i = 0; i < 2000 && place.content("d.npy") != u1_file("xbc"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    running.send(signal);
    const Result result = running.finish();
    CHECK(result.exit_code == unreported);
    CHECK(result.err ==
          "tscatter: a signal came too late: d.npy was changed: do not repeat the run\n");
    CHECK(place.directory.names() == Strings{"d.npy", "report"});
  }
}

}  // namespace tscatter
