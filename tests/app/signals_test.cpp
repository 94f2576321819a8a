// Ends caused from outside: signals, and readers that go away.
#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <deque>
#include <thread>

#include "app/folder.hpp"
#include "catch.hpp"
#include "property/environment.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter {
namespace {

using Clock = std::chrono::steady_clock;

// A file that a .npy may replace.
constexpr std::string_view old_output = "\x93NUMPY old";

void check_dies_clean(Strings words, int signal) {
  const TemporaryDirectory directory;
  write_file(directory / "out.npy", old_output);
  words.insert(words.end(), {directory / "out.npy"});
  Running running{Command(words)};
  REQUIRE(running.begins_to_write(directory.path(), 0));
  running.send(signal);
  const Result result = running.finish();
  CHECK(result.signal == signal);
  CHECK(result.out.empty());
  CHECK(result.err.empty());
  CHECK(directory.names() == Strings{"out.npy"});
  CHECK((read_file(directory / "out.npy") == old_output));  // too long to be shown
}

const std::string large = "800000000xu8=0";  // half a second and more

// Files that a run writes, and how; before is their content.
struct Interrupted {
  std::string file;
  Strings words;
  TemporaryDirectory directory;
  TemporaryDirectory state;
  std::string before;
  std::string after;
  Strings names;

  Interrupted(std::string name, const std::string& data, const Strings& more)
      : file{std::move(name)} {
    constexpr int entries = 300'000;
    output_of({"convert", std::to_string(entries) + "xi32=1", directory / "i.npy"});
    output_of({"convert", "4000000xi16=1", (directory / data).native()});
    before = read_file(directory / file);
    words = with_more({"ScatterUpdate-3", "-d", data, "-i", "i.npy", "-u",
                       std::to_string(entries) + "xi16=7", "-a", "0"},
                      more);
    REQUIRE(command().run().exit_code == 0);
    after = read_file(directory / file);
    names = directory.names();
  }

  // The same as the only case of a batch, in place.
  void go_by_batch() {
    output_of({"convert", "300000xi16=7", directory / "u.npy"});
    write_file(directory / "c.jsonl",
               R"({"op": "ScatterUpdate-3", "data": "x.npy", "indices": "i.npy", )"
               R"("updates": "u.npy", "axis": 0, "in_place": true})");
    words = {"batch", "c.jsonl", "-q"};
    names = directory.names();
  }

  Command command() const {
    return Command(words).in(directory.path()).with_environment("XDG_STATE_HOME", state.path());
  }

  // Sends `signals` signals in the first so many microseconds. Returns whether the run died by one.
  bool check(std::int64_t microseconds, int signals) const {
    write_file(directory / file, before);
    Running running{command()};
    for (int i = 0; i < signals; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(microseconds / signals));
      running.send(SIGTERM);
    }
    const Result result = running.finish();
    CAPTURE(words, microseconds, signals, result.signal, result.exit_code, result.err);
    const bool is_as_before = result.signal == SIGTERM;
    const bool is_late = result.exit_code == 6;
    CHECK((is_as_before || is_late || result.exit_code == 0));
    CHECK(result.err.empty() == !is_late);
    CHECK((read_file(directory / file) == (is_as_before ? before : after)));
    CHECK(directory.names() == names);
    return is_as_before;
  }

  std::int64_t microseconds() const {
    const auto begin = Clock::now();
    check(0, 0);
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
  }
};

}  // namespace

TEST_CASE("a signal while a result is written ends the run by it and leaves nothing", "[app]") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    INFO(signal);
    check_dies_clean({"convert", large}, signal);
    check_dies_clean({"ScatterUpdate", "-d", large, "-i", "[5]", "-u", "[1]", "-a", "0", "-o"},
                     signal);
  }
}

TEST_CASE("who dies by a signal leaves everything as it was, whenever it comes", "[app]") {
  std::deque<Interrupted> all;
  all.emplace_back("x.npy", "x.npy", Strings{"--in-place"});
  all.emplace_back("x.safetensors", "x.safetensors:w", Strings{"--in-place"});
  all.emplace_back("x.npy", "x.npy", Strings{"-o", "x.npy"});
  all.emplace_back("x.npz", "x.npz:w", Strings{"-o", "x.npz:new"});
  all.emplace_back("x.npy", "x.npy", Strings{"--in-place"});
  all.back().go_by_batch();
  constexpr int each = 60;
  for (const Interrupted& run : all) {
    const std::int64_t whole = run.microseconds();
    for (int i = 0; i < each; ++i) run.check(whole * 5 / 4 * i / each, 1 + i % 3 / 2);
  }
}

TEST_CASE("a signal before the first byte is changed in place ends the run", "[app]") {
  // Nearly all of the time goes into reading the indices.
  Interrupted run("x.npy", "x.npy", {"--in-place"});
  run.words = {"ScatterUpdate-3", "-d", "x.npy", "-i",        "20000000xi32=1", "-u",
               "20000000xi16=7",  "-a", "0",     "--in-place"};
  const std::int64_t whole = run.microseconds();
  int died = 0;
  for (int i = 0; i < 20; ++i) died += run.check(whole * (1 + i % 3) / 16, 1) ? 1 : 0;
  CHECK(died >= 10);  // a busy machine may be late
}

TEST_CASE("a signal while stdin is waited for ends the run", "[app]") {
  const TemporaryDirectory directory;
  REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
  Running running{Command({"convert", directory / "fifo", directory / "x.npy"})};
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  running.send(SIGTERM);
  CHECK(running.finish().signal == SIGTERM);
  CHECK(directory.names() == Strings{"fifo"});
}

namespace {

// A run that waits ends by the signal, and is not waited for without an end.
void check_dies_of_term(Running& running) {
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  running.send(SIGTERM);
  const auto end = Clock::now() + std::chrono::seconds(10);
  while (running.memory() > 0 && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (running.memory() > 0) running.send(SIGKILL);
  CHECK(running.finish().signal == SIGTERM);
}

}  // namespace

TEST_CASE("a signal while a case of a batch waits for a pipe ends the batch", "[app]") {
  for (const bool has_writer : {false, true}) {
    for (const std::string key : {"updates", "expected", "output"}) {
      if (has_writer && key == "output") continue;  // the pipe takes a small file at once
      INFO(key << ", with a writer: " << has_writer);
      const Folder folder;
      REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
      const File held(has_writer ? ::open((folder / "fifo").c_str(), O_RDWR | O_CLOEXEC) : -1,
                      "fifo");
      const std::string updates =
          key == "updates" ? R"("output": "out.npy", )"
                           : R"("updates": {"dtype": "u8", "shape": [1], "data": [1]}, )";
      folder.put("cases.jsonl",
                 R"({"op": "ScatterUpdate-3", "data": {"dtype": "u8", "shape": [1], "data": [0]}, )"
                 R"("indices": [0], "axis": 0, )" +
                     updates + "\"" + key + R"(": "fifo"})");
      Running running{folder.command("batch cases.jsonl")};
      check_dies_of_term(running);
    }
  }
}

namespace {

// The pipe's other end, once a run reads it.
int opened_by_reader(const std::filesystem::path& fifo) {
  int end = -1;
  for (int i = 0; i < 5000 && end < 0; ++i) {
    end = ::open(fifo.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  REQUIRE(end >= 0);
  return end;
}

}  // namespace

TEST_CASE("a batch that has written says so when a signal ends it", "[app]") {
  for (const std::string file : {"", "out.npy", "kept/line-1.npy"}) {
    INFO(file);
    const Folder folder;
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    const bool writes = !file.empty();
    const std::string front =
        R"({"op": "ScatterUpdate-3", "data": {"dtype": "u8", "shape": [1], "data": [0]}, )"
        R"("indices": [0], "axis": 0, "updates": )";
    const std::string done = file == "out.npy" ? R"([1], "output": "out.npy"})"
                             : writes          ? R"([1], "expected": [2]})"
                                               : R"([1], "expected": [1]})";
    folder.put("cases.jsonl", front + done + "\n" + front + R"("fifo", "output": "late.npy"})");
    Running running{folder.command("batch cases.jsonl -j 1 --failed-dir kept")};
    const int pipe = opened_by_reader(folder / "fifo");  // of the second case
    running.send(SIGTERM);
    const Result result = running.finish();
    ::close(pipe);
    if (writes) CHECK(std::filesystem::exists(folder / file));
    CHECK(result.exit_code == (writes ? 6 : -1));
    CHECK(result.signal == (writes ? 0 : SIGTERM));
    CHECK(result.err == (writes ? "tscatter: a signal came too late: cases have changed or written "
                                  "files (batch --resume goes on)\n"
                                : ""));
  }
}

TEST_CASE("a reader that goes away ends the run by SIGPIPE, without a word", "[app]") {
  for (const Strings& words : {Strings{"convert", "100000000xu8=0", "-"},
                               Strings{"convert", "1000000xu8=0", "-", "--format", "json"},
                               Strings{"ScatterUpdate", "-d", "100000000xu8=0", "-i", "[5]", "-u",
                                       "[1]", "-a", "0", "-o", "-"}}) {
    Running running{Command(words)};
    running.close_output();
    const Result result = running.finish();
    CHECK(result.signal == SIGPIPE);
    CHECK(result.err.empty());
  }
}

TEST_CASE("a small job is done in a moment", "[app]") {
  Clock::duration best = Clock::duration::max();
  for (int i = 0; i < 10; ++i) {
    const Clock::time_point begin = Clock::now();
    output_of("ScatterUpdate -d 3xu8=0 -i [1] -u [7] -a 0");
    best = std::min(best, Clock::now() - begin);
  }
  CHECK(best < std::chrono::milliseconds(property::is_slowed ? 1000 : 50));
}

TEST_CASE("a signal ends a run that waits for the reader of an archive, a report or a picture",
          "[app]") {
  for (const Strings& words :
       {Strings{"convert", "[1]", "fifo.npz:a"}, Strings{"batch", "cases.jsonl", "--junit", "fifo"},
        Strings{"compare", "[1]", "[2]", "--heatmap", "fifo", "--force"}}) {
    CAPTURE(words);
    const Folder folder;
    for (const char* name : {"fifo", "fifo.npz"})
      REQUIRE(::mkfifo((folder / name).c_str(), 0600) == 0);
    folder.put("cases.jsonl",
               R"({"op": "ScatterUpdate-3", "data": [0], "indices": [0], "axis": 0, )"
               R"("updates": [1], "expected": [1]})");
    Running running{folder.command(words)};
    check_dies_of_term(running);
  }
}

}  // namespace tscatter
