// tscatter batch: records of earlier runs are not lost, and a change that cannot be recorded is not
// made.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "app/batch.hpp"
#include "catch.hpp"
#include "io/foreign_files.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

const json sum{{"data", "d.npy"},
               {"indices", {{0}}},
               {"updates", {1}},
               {"reduction", "sum"},
               {"in_place", true}};

json change() {
  json job = sum;
  job["name"] = "change";
  return job;
}

std::string value_of(const std::filesystem::path& path) {
  return output_of({"convert", path, "-", "--format", "json"});
}

std::string int64s(const std::string& values) {
  return R"({"dtype": "int64", "shape": [2], "data": [)" + values + "]}\n";
}

std::filesystem::path state_of(const BatchDirectory& batch) {
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator(batch / ".state/tscatter"))
    file = entry.path();
  return file;
}

// A run of the batch that waits for the fifo.
class WaitingRun {
 public:
  explicit WaitingRun(const BatchDirectory& batch, Strings flags = {})
      : fifo_{batch / "fifo"}, running_{prepared(batch, std::move(flags))} {
    // Until it reads.
    for (int i = 0; i < 5000 && writer_ < 0; ++i) {
      writer_ = ::open(fifo_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    REQUIRE(writer_ >= 0);
  }
  Result finish() {
    CHECK(::write(writer_, "[1, 2, 3]", 9) == 9);
    ::close(std::exchange(writer_, -1));
    return running_.finish();
  }
  Result kill() {
    running_.send(SIGKILL);
    ::close(std::exchange(writer_, -1));
    return running_.finish();
  }

 private:
  Command prepared(const BatchDirectory& batch, Strings flags) {
    ::mkfifo(fifo_.c_str(), 0600);
    return batch.command(std::move(flags));
  }

  std::filesystem::path fifo_;
  Running running_;
  int writer_ = -1;
};

constexpr std::string_view begin_of_b14 =
    "in_place: the change cannot be recorded, and --resume would make it again: ";

}  // namespace

TEST_CASE("a batch that is refused forgets nothing of the run before", "[app]") {
  const BatchDirectory batch({named("change", sum)});
  output_of({"convert", "[0, 0]", batch / "d.npy"});
  CHECK(batch.run().exit_code == 0);
  CHECK(batch.run({"--junit", "/nowhere/x.xml"}).exit_code == 3);
  CHECK(batch.run({"--resume"}).out == "resumed  change\n\n1 case: 1 resumed\n");
  CHECK(value_of(batch / "d.npy") == int64s("1, 0"));
}

TEST_CASE("batch.b14: a second run of the batch takes no record from the first", "[app]") {
  const BatchDirectory batch({change().dump()});
  batch.write({named("change", sum),
               case_line({{"name", "slow"}, {"data", "fifo"}, {"expected", {5, 2, 6}}})});
  output_of({"convert", "[0, 0]", batch / "d.npy"});
  WaitingRun first(batch, {"-j", "1"});
  CHECK(value_of(batch / "d.npy") == int64s("1, 0"));
  const Result second = batch.run({"--filter", "change", "--resume"});
  CHECK(second.exit_code == 3);
  CHECK(second.out.find("FAILED   change  cases.jsonl:1: " + std::string(begin_of_b14) +
                        state_of(batch).native() +
                        ": is in use by another run of the batch [file.f8] [batch.b14]\n") == 0);
  for (const Strings& flags : {Strings{"--filter", "change"}, Strings{"--fail-fast", "-j", "1"}})
    CHECK(batch.run(flags).exit_code == 3);
  CHECK(first.kill().signal == SIGKILL);
  CHECK(value_of(batch / "d.npy") == int64s("1, 0"));
  CHECK(batch.run({"--resume", "--filter", "change"}).out ==
        "resumed  change\n\n1 of 2 cases: 1 resumed\n");
  CHECK(value_of(batch / "d.npy") == int64s("1, 0"));
}

TEST_CASE("file.f11, batch.b14: a state that is no file of tscatter's is not followed", "[app]") {
  const BatchDirectory batch({named("change", sum)});
  output_of({"convert", "[0, 0]", batch / "d.npy"});
  write_file(batch / "precious", "of the user");
  const std::filesystem::path state = batch / "state";
  const Strings flags{"--state", state};
  for (const ForeignFile& each : foreign_files(batch / "precious")) {
    if (each.words == "a directory") continue;
    INFO(each.words);
    each.make(state);
    const Result result = batch.run(flags);
    CHECK(result.exit_code == 3);
    const std::string said =
        state.native() +
        ": must be a regular file that tscatter has made (remove what has its name), got " +
        each.words + " [file.f11]";
    CHECK_THAT(result.out, contains(std::string(begin_of_b14) + said + " [batch.b14]\n"));
    CHECK(result.err ==
          "tscatter: warning: batch: nothing is known of earlier runs: " + said + "\n");
    std::filesystem::remove(state);
  }
  CHECK(read_file(batch / "precious") == "of the user");
  CHECK(value_of(batch / "d.npy") == int64s("0, 0"));
}

TEST_CASE("file.f11: the states of shards are looked at, not followed, and no pipe is waited for",
          "[app]") {
  const BatchDirectory batch({named("change", sum)});
  output_of({"convert", "[0, 0]", batch / "d.npy"});
  const Strings flags{"--state", batch / "state"};
  CHECK(batch.run(flags).exit_code == 0);
  for (const ForeignFile& each : foreign_files(batch / "d.npy")) {
    INFO(each.words);
    const std::filesystem::path shard = batch / "state.1-of-2";
    each.make(shard);
    const Result looked = batch.run(with_more(flags, {"--last-failed"}));
    CHECK((looked.exit_code == 0 || looked.exit_code == 3));
    const std::string before = read_file(batch / "d.npy");
    CHECK(batch.run(with_more(flags, {"--tag", "none"})).exit_code != 70);
    CHECK(read_file(batch / "d.npy") == before);
    std::filesystem::remove(shard);
  }
}

TEST_CASE("a state of one endless line takes no memory", "[app]") {
  const BatchDirectory batch({named("change", sum)});
  output_of({"convert", "[0, 0]", batch / "d.npy"});
  const Strings flags{"--state", batch / "state"};
  CHECK(batch.run(flags).exit_code == 0);
  std::filesystem::resize_file(batch / "state", std::uintmax_t{3} << 30U);
  Command command = batch.command(with_more(flags, {"--resume"}));
  command.with_private_memory_limit(std::uint64_t{1} << 30U);
  const Result result = command.run();
  CHECK(result.out == "resumed  change\n\n1 case: 1 resumed\n");
}

TEST_CASE("file.f11: an output that is kept of a failed case replaces nothing but a file",
          "[app]") {
  const BatchDirectory batch({case_line({{"name", "c"}, {"expected", {0, 0, 0}}})});
  write_file(batch / "precious", "of the user");
  const std::filesystem::path kept = batch / "kept" / "c.npy";
  std::filesystem::create_directory(batch / "kept");
  for (const ForeignFile& each : foreign_files(batch / "precious")) {
    INFO(each.words);
    each.make(kept);
    const Result result = batch.run({"--failed-dir", batch / "kept"});
    CHECK_THAT(result.out, contains("got " + each.words + " [file.f11]"));
    std::filesystem::remove(kept);
  }
  CHECK(read_file(batch / "precious") == "of the user");
}

TEST_CASE("runs of some cases may be remembered at once", "[app]") {
  const BatchDirectory batch(
      {named("change", sum),
       case_line({{"name", "slow"}, {"data", "fifo"}, {"expected", {5, 2, 6}}})});
  output_of({"convert", "[0, 0]", batch / "d.npy"});
  WaitingRun slow(batch, {"--filter", "slow"});
  CHECK(batch.run({"--filter", "change"}).exit_code == 0);
  CHECK(slow.finish().exit_code == 0);
  std::filesystem::remove(batch / "fifo");
  CHECK(batch.run({"--resume", "--filter", "change"}).out ==
        "resumed  change\n\n1 of 2 cases: 1 resumed\n");
  CHECK(value_of(batch / "d.npy") == int64s("1, 0"));
}

TEST_CASE("batch.b14: no change in place is begun whose record cannot be kept", "[app]") {
  Strings lines{named("change", sum)};
  for (int i = 0; i < 100; ++i)
    lines.push_back(case_line({{"name", "c" + std::to_string(i)}, {"expected", {5, 2, 6}}}));
  const BatchDirectory batch(lines);
  output_of({"convert", "[0, 0]", batch / "d.npy"});
  CHECK(batch.run({"--filter", "c[0-9]*"}).exit_code == 0);
  const std::string state = state_of(batch);
  const std::string full = state + ": cannot be written to its end: file too large [file.f5]";
  const auto limited = [&](Strings flags) {
    return batch.command(std::move(flags))
        .with_file_limit(std::filesystem::file_size(state) + 20)
        .run();
  };
  const Result result = limited({"--filter", "change"});
  CHECK(result.exit_code == 3);
  CHECK(result.err == "tscatter: " + full + "\n");
  CHECK(result.out.starts_with("FAILED   change  cases.jsonl:1: " + std::string(begin_of_b14) +
                               full + " [batch.b14]\n"));
  CHECK(value_of(batch / "d.npy") == int64s("0, 0"));
  // A cut record is ignored.
  CHECK(batch.run({"--resume", "-q"}).out == "101 cases: 1 written, 100 resumed\n");
  CHECK(batch.run({"--resume", "-q"}).out == "101 cases: 101 resumed\n");
  CHECK(value_of(batch / "d.npy") == int64s("1, 0"));
}

TEST_CASE("a state that cannot be appended to is said, exit code 3", "[app]") {
  Strings lines;
  for (int i = 0; i < 100; ++i)
    lines.push_back(case_line({{"name", "c" + std::to_string(i)}, {"expected", {5, 2, 6}}}));
  const BatchDirectory batch(lines);
  CHECK(batch.run().exit_code == 0);
  const std::string state = state_of(batch);
  const Result result = batch.command({"-q"}).with_file_limit(2000).run();
  CHECK(result.exit_code == 3);
  CHECK(result.out == "100 cases: 100 passed\n");
  CHECK(result.err ==
        "tscatter: " + state + ": cannot be written to its end: file too large [file.f5]\n");
}

TEST_CASE("batch.b14: without a place for records nothing is changed in place, but from stdin",
          "[app]") {
  const BatchDirectory batch({named("change", sum)});
  output_of({"convert", "[0, 0]", batch / "d.npy"});
  const auto nowhere = [&](Command command) {
    return command.with_environment("XDG_STATE_HOME", "").with_environment("HOME", "").run();
  };
  const Result result = nowhere(batch.command());
  CHECK(result.exit_code == 3);
  CHECK(result.err.empty());
  CHECK(result.out.starts_with("FAILED   change  cases.jsonl:1: " + std::string(begin_of_b14) +
                               "neither XDG_STATE_HOME nor HOME is set [batch.b14]\n"));
  CHECK(value_of(batch / "d.npy") == int64s("0, 0"));
  CHECK(nowhere(Command("batch -").in(batch / "").with_input(case_line(sum))).exit_code == 0);
  CHECK(value_of(batch / "d.npy") == int64s("1, 0"));
}

namespace {

// Eight cases; those with an odd number fail.
Strings half_of_them_fail() {
  Strings lines;
  for (int i = 0; i < 8; ++i)
    lines.push_back(named("case-" + std::to_string(i), i % 2 == 1 ? wrong : right));
  return lines;
}

Strings names_in(const std::filesystem::path& folder) {
  Strings names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().native());
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("each shard has a state of its own, and all are read", "[app]") {
  const BatchDirectory batch(half_of_them_fail());
  for (const char* shard : {"1/3", "2/3", "3/3"}) batch.run({"--shard", shard});
  const Strings names = names_in(batch / ".state/tscatter");
  REQUIRE(names.size() == 3);
  for (int i = 0; i < 3; ++i)
    CHECK(names[static_cast<std::size_t>(i)].ends_with("." + std::to_string(i + 1) + "-of-3"));
  CHECK(batch.run({"--last-failed", "--list"}).out == "case-1\ncase-3\ncase-5\ncase-7\n");
  CHECK_THAT(batch.run({"--resume"}).out, contains("4 resumed"));
  // A run of all cases forgets what shards knew.
  batch.run({});
  CHECK(names_in(batch / ".state/tscatter").size() == 1);
}

TEST_CASE("--state names the file of a state, or its folder", "[app]") {
  const BatchDirectory batch(half_of_them_fail());
  const std::string file = batch / "known";
  batch.run({"--state", file, "--shard", "1/2"});
  batch.run({"--state", file, "--shard", "2/2"});
  CHECK(std::filesystem::exists(file + ".1-of-2"));
  CHECK(std::filesystem::exists(file + ".2-of-2"));
  CHECK(batch.run({"--state", file, "--last-failed", "--list"}).out ==
        "case-1\ncase-3\ncase-5\ncase-7\n");
  CHECK(!std::filesystem::exists(batch / ".state/tscatter"));
  batch.run({"--state", "here"});
  CHECK(std::filesystem::exists(batch / "here"));
  CHECK(batch.run({"--state", "here", "--last-failed", "--list"}).out ==
        "case-1\ncase-3\ncase-5\ncase-7\n");
  const std::string folder = (batch / "states").native() + "/";
  batch.run({"--state", folder, "--filter", "case-1"});
  CHECK(names_in(folder).size() == 1);
  CHECK(batch.run({"--state", folder, "--last-failed", "--list", "--filter", "case-[12]"}).out ==
        "case-1\ncase-2\n");
}

TEST_CASE("a state of another version is called so, and begun anew", "[app]") {
  const BatchDirectory batch(half_of_them_fail());
  const std::string file = batch / "known";
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"tscatter batch state 1\n", " is of another version of tscatter"},
           {"something else of the user\n", " is not what an earlier run wrote"}}) {
    write_file(file, text);
    CHECK(batch.run({"--state", file, "--last-failed"}).err ==
          "tscatter: warning: batch: nothing is known of earlier runs: " + file + words + "\n");
    CHECK(read_file(file).starts_with("tscatter batch state 2\n"));
  }
}

TEST_CASE("a state directory that is relative is passed over, as the XDG specification says",
          "[app]") {
  const BatchDirectory batch(half_of_them_fail());
  Command command = batch.command({});
  command.with_environment("XDG_STATE_HOME", "states").with_environment("HOME", batch / "home");
  command.run();
  CHECK(!std::filesystem::exists(batch / "states"));
  CHECK(std::filesystem::exists(batch / "home/.local/state/tscatter"));
}

}  // namespace tscatter
