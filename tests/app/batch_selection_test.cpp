// tscatter batch: which cases are run, what is remembered of earlier runs, how goldens are
// rewritten.
#include <chrono>
#include <regex>
#include <set>
#include <sstream>

#include "app/batch.hpp"
#include "catch.hpp"
#include "io/left_journal.hpp"
#include "property/environment.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

Strings lines_of(const std::string& text) {
  Strings lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Strings listed(const BatchDirectory& batch, Strings flags) {
  flags.emplace_back("--list");
  const Result result = batch.run(std::move(flags));
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  return lines_of(result.out);
}

}  // namespace

TEST_CASE("--filter takes the names that match, --list only prints them", "[app]") {
  const BatchDirectory batch({named("add_a", right), named("add_b", wrong), named("mul", right)});
  CHECK(listed(batch, {}) == Strings{"add_a", "add_b", "mul"});
  CHECK(listed(batch, {"--filter", "add_*"}) == Strings{"add_a", "add_b"});
  CHECK(batch.run({"--list", "--json"}).out ==
        "{\"name\":\"add_a\",\"line\":1}\n{\"name\":\"add_b\",\"line\":2}\n{\"name\":\"mul\","
        "\"line\":3}\n");
  CHECK(batch.names() == Strings{"cases.jsonl"});
  CHECK(batch.run({"--filter", "*[am]*l"}).out == "ok       mul\n\n1 of 3 cases: 1 passed\n");
}

TEST_CASE("the shards of a batch are disjoint and all of it, for 1 to 64 of them", "[app]") {
  Strings lines;
  for (int i = 0; i < 300; ++i) lines.push_back(named("case_" + std::to_string(i), right));
  const BatchDirectory batch(lines);
  const Strings all = listed(batch, {});
  const auto stride =
      static_cast<int>(property::extent("TSCATTER_EVERY", {.whole = 1, .sample = 9, .slowed = 42}));
  for (int total = 1; total <= 64; total += stride) {
    std::multiset<std::string> seen;
    for (int shard = 1; shard <= total; ++shard) {
      const Strings part =
          listed(batch, {"--shard", std::to_string(shard) + "/" + std::to_string(total)});
      seen.insert(part.begin(), part.end());
      CHECK(part.size() < 3 * all.size() / static_cast<std::size_t>(total) + 20);
    }
    CHECK(seen == std::multiset<std::string>(all.begin(), all.end()));
  }
}

TEST_CASE("a case more moves no other to another shard", "[app]") {
  Strings lines;
  for (int i = 0; i < 100; ++i) lines.push_back(named("case_" + std::to_string(i), right));
  const BatchDirectory batch(lines);
  const Strings before = listed(batch, {"--shard", "2/5"});
  lines.insert(lines.begin(), named("new", right));
  batch.write(lines);
  Strings after = listed(batch, {"--shard", "2/5"});
  std::erase(after, "new");
  CHECK(after == before);
  CHECK(before.size() > 5);
}

TEST_CASE("an empty shard is no error", "[app]") {
  const BatchDirectory batch({named("only", right)});
  int run = 0;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    const Result result = batch.run({"--shard", shard, "--filter", "on*"});
    CHECK(result.exit_code == 0);
    if (result.out == "0 of 1 case\n") continue;
    CHECK(result.out == "ok       only\n\n1 case: 1 passed\n");
    ++run;
  }
  CHECK(run == 1);
}

TEST_CASE("Bazel's variables choose the shard and the report", "[app]") {
  Strings lines;
  for (int i = 0; i < 40; ++i) lines.push_back(named("case_" + std::to_string(i), right));
  const BatchDirectory batch(lines);
  CHECK(output_of(batch.command()
                      .with_environment("TEST_TOTAL_SHARDS", "4")
                      .with_environment("TEST_SHARD_INDEX", "2")
                      .with_environment("TEST_SHARD_STATUS_FILE", batch / "status")
                      .with_environment("XML_OUTPUT_FILE", batch / "test.xml")) ==
        batch.run({"--shard", "3/4"}).out);
  CHECK(read_file(batch / "status").empty());
  CHECK(read_file(batch / "test.xml").starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
}

TEST_CASE("Bazel is told that shards are known, with --shard too", "[app]") {
  const BatchDirectory batch({named("only", right)});
  const Result result = batch.command({"--shard", "1/1"})
                            .with_environment("TEST_SHARD_STATUS_FILE", batch / "status")
                            .run();
  CHECK(result.exit_code == 0);
  CHECK(std::filesystem::exists(batch / "status"));
}

TEST_CASE("--last-failed runs what failed, what did not run and what is new", "[app]") {
  const BatchDirectory batch({named("bad", wrong), named("good", right), named("late", right)});
  CHECK(listed(batch, {"--last-failed"}) == Strings{"bad", "good", "late"});
  CHECK(batch.run({"--fail-fast", "-j", "1"}).out.ends_with("3 cases: 1 failed, 2 not run\n"));
  CHECK(listed(batch, {"--last-failed"}) == Strings{"bad", "good", "late"});
  CHECK(batch.run().exit_code == 1);
  CHECK(listed(batch, {"--last-failed"}) == Strings{"bad"});
  batch.write(
      {named("bad", right), named("good", right), named("late", right), named("new", right)});
  CHECK(batch.run({"--last-failed"}).out ==
        "ok       bad\nok       new\n\n2 of 4 cases: 2 passed\n");
  CHECK(output_of(batch.command({"--last-failed"})) ==
        "0 of 4 cases: nothing failed the last time\n");
}

TEST_CASE("a filtered run leaves what is known of the others", "[app]") {
  const BatchDirectory batch({named("a", wrong), named("b", wrong), named("c", right)});
  batch.run();
  batch.write({named("a", right), named("b", wrong), named("c", right)});
  CHECK(batch.run({"--filter", "a"}).exit_code == 0);
  CHECK(listed(batch, {"--last-failed"}) == Strings{"b"});
}

TEST_CASE("--resume passes over what has finished and has not changed", "[app]") {
  const BatchDirectory batch({named("gold", {{"expected", "g.npy"}}), named("inline", right),
                              named("bad", wrong), named("out", {{"output", "o.npy"}})});
  output_of({"convert", "[5, 2, 6]", batch / "g.npy"});
  const std::string again = "resumed  gold\nresumed  inline\nFAILED   bad";
  batch.run();
  CHECK(batch.run({"--resume"}).out.starts_with(again));
  CHECK_THAT(batch.run({"--resume"}).out, contains("\nresumed  out\n"));
  std::filesystem::remove(batch / "o.npy");
  CHECK_THAT(batch.run({"--resume"}).out, contains("\nwritten  out  o.npy\n"));
  const auto time = std::filesystem::last_write_time(batch / "g.npy");
  std::filesystem::last_write_time(batch / "g.npy", time + std::chrono::seconds(1));
  CHECK(batch.run({"--resume"}).out.starts_with("ok       gold\nresumed  inline\n"));
  batch.write({named("gold", {{"expected", "g.npy"}}),
               named("inline", {{"expected", {5, 2, 6}}, {"threads", 2}})});
  CHECK(batch.run({"--resume"}).out ==
        "resumed  gold\nok       inline\n\n2 cases: 1 passed, 1 resumed\n");
}

TEST_CASE("state that is missing, broken, cut or not writable is no state", "[app]") {
  const BatchDirectory batch({named("bad", wrong), named("good", right)});
  batch.run();
  std::string name;
  for (const auto& entry : std::filesystem::directory_iterator(batch / ".state/tscatter"))
    name = entry.path().native();
  const std::string kept = read_file(name);
  write_file(name, kept + "0 0123");  // a run that was killed while it wrote
  CHECK(listed(batch, {"--last-failed"}) == Strings{"bad"});
  batch.run({"--filter", "bad"});
  CHECK(listed(batch, {"--last-failed"}) == Strings{"bad"});
  write_file(name, "something else\n");
  const Result broken = batch.run({"--last-failed", "--list"});
  CHECK(broken.out == "bad\ngood\n");
  CHECK(broken.err == "tscatter: warning: batch: nothing is known of earlier runs: " + name +
                          " is not what an earlier run wrote\n");
  const Result nowhere = batch.command({"--last-failed", "--list"})
                             .with_environment("XDG_STATE_HOME", "/proc/none")
                             .run();
  CHECK(nowhere.exit_code == 0);
  CHECK(nowhere.out == "bad\ngood\n");
  CHECK(nowhere.err.starts_with("tscatter: warning: batch: nothing is known of earlier runs: "));
  CHECK(batch.command().with_environment("XDG_STATE_HOME", "/proc/none").run().err.empty());
  CHECK(batch.command({"--resume"})
            .with_environment("XDG_STATE_HOME", "")
            .with_environment("HOME", "")
            .run()
            .err ==
        "tscatter: warning: batch: nothing is known of earlier runs: neither XDG_STATE_HOME nor "
        "HOME is set\n");
}

TEST_CASE("--update-golden rewrites only what changed, and says which", "[app]") {
  const BatchDirectory batch({named("same", {{"expected", "same.npy"}}),
                              named("near", {{"expected", "near.npy"}, {"atol", 1}}),
                              named("other", {{"expected", "other.npy"}}),
                              named("new", {{"expected", "new.json"}}), named("inline", wrong),
                              named("known", {{"expected", "known.npy"}, {"xfail", "x"}})});
  output_of({"convert", "[5, 2, 6]", batch / "same.npy"});
  for (const char* name : {"near.npy", "other.npy", "known.npy"})
    output_of({"convert", "[5, 3, 6]", batch / name});
  const std::string near = read_file(batch / "near.npy");
  const auto time = std::filesystem::last_write_time(batch / "same.npy");
  const Result result = batch.run({"--update-golden"});
  CHECK(result.exit_code == 1);
  CHECK(result.out.starts_with(
      "ok       same\nok       near\nupdated  other  other.npy: 1 of 3 elements differ (33.3 %), "
      "largest at [1]: got 2, expected 3\nupdated  new  new.json: new\nFAILED   inline  "));
  CHECK_THAT(result.out, contains("\nxfail    known  x\n"));
  CHECK(result.out.ends_with("6 cases: 2 passed, 1 failed, 1 xfailed, 2 updated\n"));
  CHECK(read_file(batch / "other.npy") == read_file(batch / "same.npy"));
  CHECK(read_file(batch / "new.json") ==
        "{\"dtype\": \"int64\", \"shape\": [3], \"data\": [5, 2, 6]}\n");
  CHECK(read_file(batch / "near.npy") == near);
  CHECK(std::filesystem::last_write_time(batch / "same.npy") == time);
}

TEST_CASE("--update-golden: the first case decides on a golden that others share, for every -j",
          "[app]") {
  const json slow{{"name", "slow"},     {"op", "ScatterUpdate-3"}, {"data", "big.npy"},
                  {"indices", {0}},     {"updates", {1}},          {"axis", 0},
                  {"expected", "g.npy"}};
  const BatchDirectory batch({slow.dump(), named("b", {{"expected", "./g.npy"}}),
                              named("c", {{"expected", "g.npy"}}),
                              named("known", {{"expected", "g.npy"}, {"xfail", "x"}})});
  write_zeros(batch / "big.npy", 30000000);
  const auto b10 = [](const std::string& name, int line) {
    return "FAILED   " + name + "  cases.jsonl:" + std::to_string(line) +
           ": expected: " + (name == "b" ? "./g.npy" : "g.npy") +
           " cannot be rewritten: it is also the golden of slow [batch.b10]\n";
  };
  for (const char* workers : {"1", "2", "4", "4"}) {
    std::filesystem::remove(batch / "g.npy");
    for (const std::string& first : Strings{"updated  slow  g.npy: new\n", "ok       slow\n"}) {
      const std::string out = batch.run({"--update-golden", "-j", workers}).out;
      // On a slow machine the first case says how long it took.
      CHECK(std::regex_replace(out, std::regex(R"(  \([0-9.]+ s\)\n)"), "\n")
                .starts_with(first + b10("b", 2) + b10("c", 3) + "xfail    known  x\n"));
    }
  }
}

TEST_CASE("--update-golden lets cases share a golden that all agree on", "[app]") {
  const BatchDirectory batch(
      {named("a", {{"expected", "g.npy"}}), named("b", {{"expected", "./g.npy"}})});
  CHECK(batch.run({"--update-golden", "-j", "4"}).out ==
        "updated  a  g.npy: new\nok       b\n\n2 cases: 1 passed, 1 updated\n");
}

TEST_CASE("--update-golden makes the directories that are missing", "[app]") {
  const BatchDirectory batch(
      {named("a", {{"expected", "new/dir/g.npy"}}), named("b", {{"expected", "other/g.npz:b"}})});
  CHECK(batch.run({"--update-golden"}).exit_code == 0);
  CHECK(batch.run().out == "ok       a\nok       b\n\n2 cases: 2 passed\n");
}

TEST_CASE("--update-golden does not write over what is no tensor", "[app]") {
  const BatchDirectory batch({named("a", {{"expected", "notes.txt"}})});
  write_file(batch / "notes.txt", "do not lose this");
  CHECK(batch.run({"--update-golden"}).exit_code == 1);
  CHECK(read_file(batch / "notes.txt") == "do not lose this");
}

TEST_CASE("--update-golden does not write over what is there but cannot be read", "[app]") {
  const BatchDirectory batch(
      {named("half", {{"expected", "half.npy"}}), named("directory", {{"expected", "d"}}),
       named("broken", {{"expected", "b.npz:x"}}), named("member", {{"expected", "g.npz:y"}})});
  output_of({"convert", "[5, 3, 6]", batch / "half.npy"});
  output_of({"convert", "[5, 3, 6]", batch / "g.npz:x"});
  std::filesystem::create_directories(batch / "d");
  write_file(batch / "b.npz", "no archive");
  const std::string before = read_file(batch / "half.npy");
  leave_journal(batch / "half.npy", {{.begin = 128, .end = 130}});
  const std::string half =
      "half.npy: is half changed: a run in place was killed (tscatter recover rolls back), and its "
      "undo journal is " +
      journal_of("half.npy").native() + " [undo.u5]\n";
  for (const Strings& flags : {Strings{"--update-golden"}, Strings{}}) {
    const Result result = batch.run(flags);
    CHECK(result.exit_code == 1);
    const Strings lines = lines_of(result.out);
    CHECK(lines[0] + "\n" == "FAILED   half  cases.jsonl:1: file is half changed: " + half);
    CHECK(lines[1] ==
          "FAILED   directory  cases.jsonl:2: file is not usable: d: must be a file, got a "
          "directory [file.f2]");
    CHECK(lines[2].starts_with("FAILED   broken  cases.jsonl:3: file is broken: b.npz: "));
    CHECK(lines[3] == (flags.empty() ? "ok       member" : "updated  member  g.npz:y: new"));
    CHECK(read_file(batch / "half.npy") == before);
    CHECK(std::filesystem::exists(journal_of(batch / "half.npy")));
    CHECK(read_file(batch / "b.npz") == "no archive");
  }
  CHECK(tscatter_run({"recover", batch / "half.npy"}).exit_code == 0);
  CHECK(batch.run({"--update-golden"})
            .out.starts_with("updated  half  half.npy: 1 of 3 elements differ (33.3 %)"));
}

TEST_CASE("--update-golden does not copy an archive that is half changed", "[app]") {
  const BatchDirectory batch({named("there", {{"expected", "g.npz:x"}}),
                              named("missing", {{"expected", "g.npz:y"}}),
                              named("written", {{"output", "g.npz:z"}})});
  output_of({"convert", "[5, 3, 6]", batch / "g.npz:x"});
  const std::string before = read_file(batch / "g.npz");
  leave_journal(batch / "g.npz", {{.begin = 100, .end = 101}});
  const Result result = batch.run({"--update-golden", "-j", "1"});
  CHECK(result.exit_code == 1);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(lines_of(result.out)[i].ends_with("g.npz.tscatter-undo [undo.u5]"));
  CHECK((read_file(batch / "g.npz") == before));
}

TEST_CASE("--failed-dir keeps the output of each failed case", "[app]") {
  const BatchDirectory batch({named("good", right), named("a/../b c", wrong), named(".hid", wrong),
                              named("known", {{"expected", {0}}, {"xfail", "x"}}),
                              named(std::string(300, 'n'), wrong)});
  CHECK(batch.run({"--failed-dir", "kept/here"}).exit_code == 1);
  Strings names;
  for (const auto& entry : std::filesystem::directory_iterator(batch / "kept/here"))
    names.push_back(entry.path().filename().native());
  std::sort(names.begin(), names.end());
  REQUIRE(names.size() == 3);
  CHECK(names[0] == "%2Ehid.npy");
  CHECK(names[1] == "a%2F..%2Fb%20c.npy");
  CHECK(names[2].size() == 200 + 1 + 16 + 4);
  CHECK(output_of({"convert", batch / "kept/here/a%2F..%2Fb%20c.npy", "-", "--format", "json"}) ==
        "{\"dtype\": \"int64\", \"shape\": [3], \"data\": [5, 2, 6]}\n");
}

TEST_CASE("--failed-dir: what cannot be kept is said behind the failure", "[app]") {
  const BatchDirectory batch({named("bad", wrong)});
  std::filesystem::create_directories(batch / "kept/bad.npy");
  const Result result = batch.run({"--failed-dir", "kept"});
  CHECK(result.exit_code == 1);
  CHECK(result.out.starts_with(
      "FAILED   bad  cases.jsonl:1: values differ: 1 of 3 elements (33.3 %), largest at [1]: got "
      "2, expected 3; its output is not kept: kept/bad.npy: "));
  CHECK_THAT(result.out, contains("] [batch.b7]\n"));
}

}  // namespace tscatter
