// batch merge: one report of many shards.
#include <fmt/format.h>

#include <string>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

// Forty cases, of which case 7 and case 20 fail, in four shards: s1.jsonl to s4.jsonl.
struct Shards {
  TemporaryDirectory directory;

  Shards() {
    std::string lines;
    for (int i = 0; i < 40; ++i) {
      lines += fmt::format(
          R"({{"name": "case {0}", "op": "ScatterUpdate-3", "data": [1, 2], "indices": [0], )"
          R"("updates": [{0}], "axis": 0, "expected": [{1}, 2]}})"
          "\n",
          i, i == 7 || i == 20 ? 99 : i);
    }
    write_file(directory / "cases.jsonl", lines);
    for (int k = 1; k <= 4; ++k) write_file(name(k), report(fmt::format("{}/4", k)));
  }

  std::filesystem::path name(int shard) const {
    return directory / fmt::format("s{}.jsonl", shard);
  }
  Result run(const Strings& words) const { return Command(words).in(directory.path()).run(); }
  std::string report(const std::string& shard, const std::string& cases = "cases.jsonl") const {
    return run({"batch", cases, "--shard", shard, "--json"}).out;
  }
  Result merge(const Strings& more) const {
    Strings words{"batch", "merge", "cases.jsonl"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

const Strings all{"s1.jsonl", "s2.jsonl", "s3.jsonl", "s4.jsonl"};

Strings with(Strings words, const Strings& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Without what differs from run to run.
std::string without_times(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t time = std::min(text.find("time=\"", at), text.size());
    out += text.substr(at, time - at);
    at = time == text.size() ? time : text.find('"', time + 6) + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("merged reports are those of one run, in the order of the batch", "[app]") {
  const Shards shards;
  const Result merged = shards.merge(with(all, {"--junit", "m.xml"}));
  CHECK(merged.exit_code == 1);
  CHECK(merged.err.empty());
  const Result whole = shards.run({"batch", "cases.jsonl", "-q", "--junit", "w.xml"});
  CHECK(merged.out == whole.out);
  CHECK(merged.out.find("40 cases: 38 passed, 2 failed") != std::string::npos);
  const std::string junit = read_file(shards.directory / "m.xml");
  CHECK(junit.find("<testcase classname=\"cases\" name=\"case 39\"") != std::string::npos);
  CHECK(junit.find("tests=\"40\" failures=\"2\"") != std::string::npos);
  // One run has more to say of a failure.
  CHECK(without_times(junit).substr(0, 600) ==
        without_times(read_file(shards.directory / "w.xml")).substr(0, 600));
}

TEST_CASE("batch.b17: a merge names the shards that are missing or cut, and writes its reports",
          "[app]") {
  const Shards shards;
  const std::string rule =
      "tscatter: cases.jsonl: a merge must have a whole report of each shard, got none of ";
  const Result two = shards.merge({"s2.jsonl", "--html", "m.html"});
  CHECK(two.exit_code == 1);
  CHECK(two.err == rule + "1,3-4 [batch.b17]\n");
  CHECK(std::filesystem::exists(shards.directory / "m.html"));
  const std::string whole = read_file(shards.name(3));
  for (const std::size_t length : {whole.find('\n') + 1, whole.size() / 2, whole.size() - 20}) {
    write_file(shards.name(3), whole.substr(0, length));
    const Result cut = shards.merge(all);
    CHECK(cut.exit_code == 1);
    CHECK(cut.err == rule + "3 [batch.b17]\n");
  }
}

TEST_CASE("of two reports of a shard the whole one counts", "[app]") {
  const Shards shards;
  const std::string whole = read_file(shards.name(3));
  write_file(shards.directory / "t3.jsonl", whole.substr(0, whole.size() / 2));
  const Result merged = shards.merge(with(all, {"t3.jsonl"}));
  CHECK(merged.err.empty());
  CHECK(merged.out.find("40 cases: 38 passed, 2 failed") != std::string::npos);
}

TEST_CASE("batch.b18: a report of another batch or number of shards is not merged", "[app]") {
  const Shards shards;
  write_file(shards.directory / "five.jsonl", shards.report("1/5"));
  write_file(shards.directory / "other_cases.jsonl",
             read_file(shards.directory / "cases.jsonl") + R"({"name": "one more"})" + "\n");
  write_file(shards.directory / "other.jsonl", shards.report("1/4", "other_cases.jsonl"));
  for (const std::string foreign : {"five.jsonl", "other.jsonl"}) {
    const Result merged = shards.merge(with(all, {foreign}));
    CHECK(merged.exit_code == 1);
    CHECK(merged.err == "tscatter: " + foreign +
                            ": what is merged must be reports of shards of cases.jsonl, got "
                            "another batch's, or those of another number of shards or version "
                            "[batch.b18]\n");
    CHECK(merged.out.find("40 cases: 38 passed, 2 failed") != std::string::npos);
  }
}

TEST_CASE("cli.c3: a merge is given the batch and reports", "[app]") {
  const Shards shards;
  CHECK(shards.run({"batch", "merge", "cases.jsonl"}).err ==
        "tscatter: batch merge: reports of shards (batch --shard K/N --json) must be given, got "
        "nothing [cli.c3]\n");
  CHECK(shards.run({"batch", "merge", "s1.jsonl"}).err ==
        "tscatter: batch merge: CASES must be given, got nothing [cli.c3]\n");
}

TEST_CASE("cli.c84, cli.c14: a merge runs nothing and overwrites no report that it reads",
          "[app]") {
  const Shards shards;
  CHECK(shards.merge(with(all, {"--filter", "x"})).err ==
        "tscatter: --filter: must be given with a batch that is run, got merge [cli.c84]\n");
  // A report that is called as the one that it would be replaced by.
  std::filesystem::rename(shards.name(2), shards.directory / "s2.xml");
  const std::string before = read_file(shards.directory / "s2.xml");
  const Result merged = shards.merge({"s1.jsonl", "s2.xml", "--junit", "./s2.xml", "--force"});
  CHECK(merged.exit_code == 2);
  CHECK(merged.err ==
        "tscatter: --junit: must be another file than a shard's report, got ./s2.xml "
        "[cli.c14]\n");
  CHECK(read_file(shards.directory / "s2.xml") == before);
}

}  // namespace tscatter
