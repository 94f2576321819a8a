// Names of cases as patterns, as words of a shell and as numbers of shards; keys that name files.
#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "app/batch.hpp"
#include "batch/run/case_queue.hpp"
#include "catch.hpp"
#include "jobs/hash.hpp"
#include "text/quoting.hpp"

namespace tscatter {
namespace {

using app::matches_glob;
using nlohmann::json;

const Strings odd_names{
    "plain",       "with space", "it's",      "\"quoted\"", "[a-z]",     "*",          "a?b",
    "back\\slash", "new\nline",  "tab\there", "-x",         "--filter",  "$HOME `id`", "é中𝄞",
    "!x",          "~",          "#c",        "a/b/../c",   "%s%n",      "c\x01\x7f",  "{\"a\": 1}",
    "=",           "[!",         "\\",        "c1\u009b2J", "rlo\u202ex"};

// What `sh -c` makes of the words after "tscatter batch cases.jsonl ".
std::string shell_output(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> piece{};
  for (std::size_t got = 0; (got = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;)
    text.append(piece.data(), got);
  ::pclose(pipe);
  return text;
}

// A batch in a file of an odd name.
class OddBatch {
 public:
  explicit OddBatch(const Strings& lines) : batch_{lines} {
    std::filesystem::rename(batch_ / "cases.jsonl", batch_ / "my 'cases'.jsonl");
    std::filesystem::create_directories(batch_ / "bin");
    std::filesystem::create_symlink(program(), batch_ / "bin/tscatter");
    const Result all = Command({"batch", "my 'cases'.jsonl", "--json"}).in(batch_ / "").run();
    for (const json& object : json_lines(all.out)) {
      if (object.contains("repeat")) failures_.push_back(object);
    }
  }

  const std::vector<json>& failures() const { return failures_; }

  // What the command that is printed for the failure says, as JSON.
  std::string output_of_shell(const json& failure) const {
    const auto command = failure.at("repeat").get<std::string>();
    UNSCOPED_INFO(command);
    CHECK_THAT(command, !contains("\n"));
    write_file(batch_ / "again.sh", "cd " + (batch_ / "").native() +
                                        "\nPATH=" + (batch_ / "bin").native() + ":$PATH\n" +
                                        command + " --json\n");
    return shell_output("sh " + (batch_ / "again.sh").native());
  }

 private:
  BatchDirectory batch_;
  std::vector<json> failures_;
};

// Names and their shards, from 1.
struct Pinned {
  std::string name;
  int of_7, of_64, of_1000000;
};
const std::vector<Pinned> pinned_shards{{"a", 4, 57, 983737},
                                        {"line-1", 2, 28, 113244},
                                        {"case_0", 7, 6, 291014},
                                        {"case_1", 7, 55, 312631},
                                        {"ScatterNDUpdate-15", 7, 14, 150030},
                                        {"scatter/nd update", 5, 52, 452532},
                                        {"é中𝄞", 1, 44, 161900},
                                        {std::string(300, 'x'), 1, 51, 81267},
                                        {"new\nline", 1, 24, 499544},
                                        {"0", 1, 19, 667027}};

}  // namespace

TEST_CASE("a pattern matches whole names", "[app]") {
  CHECK(matches_glob("add", "add"));
  CHECK_FALSE(matches_glob("add", "add_rows"));
  CHECK(matches_glob("add*", "add_rows"));
  CHECK(matches_glob("*rows", "add_rows"));
  CHECK(matches_glob("*d*r*", "add_rows"));
  CHECK(matches_glob("**", ""));
  CHECK_FALSE(matches_glob("", "a"));
  CHECK_FALSE(matches_glob("?", ""));
  CHECK(matches_glob("a?c", "a中c"));
  CHECK_FALSE(matches_glob("a?c", "ac"));
  CHECK(matches_glob("[a-c]x", "bx"));
  CHECK_FALSE(matches_glob("[a-c]x", "dx"));
  CHECK(matches_glob("[!a-c]x", "dx"));
  CHECK_FALSE(matches_glob("[!a-c]x", "ax"));
  CHECK(matches_glob("[]]", "]"));
  CHECK(matches_glob("[\\]x]", "]"));
  CHECK(matches_glob("[α-ω]", "λ"));
  CHECK(matches_glob("[", "["));
  CHECK(matches_glob("[ab", "[ab"));
  CHECK(matches_glob("\\*", "*"));
  CHECK_FALSE(matches_glob("\\*", "x"));
  CHECK(matches_glob("\\", "\\"));
  CHECK(matches_glob("a/*", "a/b/c"));
  CHECK_FALSE(matches_glob(std::string(200, '*') + "b", std::string(2000, 'a')));
}

TEST_CASE("an escaped name matches itself alone", "[app]") {
  for (const std::string& pattern : odd_names) {
    for (const std::string& name : odd_names) {
      CHECK(matches_glob(app::escaped_glob(pattern), name) == (pattern == name));
    }
  }
}

TEST_CASE("a word is what sh reads, in one line", "[app]") {
  for (const std::string& word : Strings{"a\nb", "\t%d\\n'x'\x01z", "it's", "$(id)", "\x7f\"q\"",
                                         "-n", "é", "c1\u009b é'", "\u202e%", "\xff\xe2\x80"}) {
    const std::string written = app::shell_word(word);
    INFO(written);
    CHECK_THAT(written, !contains("\n"));
    const TemporaryDirectory directory;
    write_file(directory / "word.sh", "printf '%s' " + written + "\n");
    CHECK(shell_output("sh " + (directory / "word.sh").native()) == word);
  }
}

TEST_CASE("a batch whose name begins with - is repeated as a file", "[app]") {
  const BatchDirectory batch({case_line({{"name", "n"}, {"expected", {5, 3, 6}}})});
  std::filesystem::rename(batch / "cases.jsonl", batch / "-b.jsonl");
  const Result result = Command("batch --json -- -b.jsonl").in(batch / "").run();
  REQUIRE(json_lines(result.out).size() == 2);
  CHECK(json_lines(result.out)[0].at("repeat") == "tscatter compare --case n ./-b.jsonl");
}

TEST_CASE("the command that is printed for a failure repeats it alone, whatever the name",
          "[app]") {
  Strings lines;
  for (const std::string& name : odd_names)
    lines.push_back(case_line({{"name", name}, {"expected_error", "cli.c1"}}));
  const OddBatch batch(lines);
  for (const json& object : batch.failures()) {
    const auto again = json_lines(batch.output_of_shell(object));
    REQUIRE(again.size() == 2);
    for (const char* key : {"name", "line", "state", "label", "message"})
      CHECK(again[0].at(key) == object.at(key));
  }
  CHECK(batch.failures().size() == odd_names.size());
}

TEST_CASE("the command that is printed for a golden and a result shows the verdict on it",
          "[app]") {
  for (const char* key : {"expected", "actual"}) {
    Strings lines;
    for (std::size_t i = 0; i < odd_names.size(); ++i)
      lines.push_back(case_line({{"name", odd_names[i]}, {key, {5, 3 + i, 6}}}));
    const OddBatch batch(lines);
    for (const json& object : batch.failures()) {
      const json& told =
          object.contains("census") ? object.at("census").at("summary") : object.at("message");
      CHECK(json::parse(batch.output_of_shell(object)).at("summary") == told);
    }
    CHECK(batch.failures().size() == odd_names.size());
  }
}

TEST_CASE("the hash of a name never changes", "[app]") {
  // FNV-1a, 64 bits (its published test values), then the finalizer of SplitMix64.
  CHECK(app::hash_more(app::hash_start, "") == 0xcbf29ce484222325);
  CHECK(app::hash_more(app::hash_start, "a") == 0xaf63dc4c8601ec8c);
  CHECK(app::hash_more(app::hash_start, "foobar") == 0x85944171f73967e8);
  CHECK(app::hash_end(0) == 0);
  CHECK(app::hash_end(1) == 0x5692161d100b05e5);
}

// Pinned: otherwise shards that are run separately would no longer fit together.
TEST_CASE("the shard of a name never changes", "[app]") {
  Strings lines;
  for (const Pinned& each : pinned_shards)
    lines.push_back(case_line({{"name", each.name}, {"expected", {5, 2, 6}}}));
  const BatchDirectory batch(lines);
  const auto listed = [&](const std::string& shard) {
    Strings found;
    for (const json& object : json_lines(batch.run({"--list", "--json", "--shard", shard}).out))
      found.push_back(object.at("name").get<std::string>());
    return found;
  };
  for (int shard = 1; shard <= 7; ++shard) {
    Strings wanted;
    for (const Pinned& each : pinned_shards) {
      if (each.of_7 == shard) wanted.push_back(each.name);
    }
    if (wanted.empty()) continue;
    CHECK(listed(std::to_string(shard) + "/7") == wanted);
  }
  for (const auto& [name, of_7, of_64, of_1000000] : pinned_shards) {
    CHECK(std::ranges::count(listed(std::to_string(of_64) + "/64"), name) == 1);
    CHECK(std::ranges::count(listed(std::to_string(of_1000000) + "/1000000"), name) == 1);
  }
}

TEST_CASE("hashes keep their values while the map grows", "[app]") {
  app::HashMap<int> map;
  for (int i = 2; i < 1000; ++i) *map.insert(static_cast<std::uint64_t>(i)).first = i;
  for (int i = 2; i < 1000; ++i) {
    const auto [value, is_new] = map.insert(static_cast<std::uint64_t>(i));
    CHECK(!is_new);
    CHECK(*value == i);
  }
}

TEST_CASE("a set of hashes keeps what was put in", "[app]") {
  app::HashSet set;
  for (std::uint64_t i = 0; i < 100000; ++i) CHECK(set.insert(i * 0x9e3779b97f4a7c15));
  for (std::uint64_t i = 0; i < 100000; ++i) CHECK_FALSE(set.insert(i * 0x9e3779b97f4a7c15));
  CHECK(set.contains(0x9e3779b97f4a7c15));
  CHECK_FALSE(set.contains(12345));
  CHECK(set.size() == 100000);
}

TEST_CASE("a line needs the plan of files if the value of a key may name one", "[app]") {
  const auto needs_plan = [](const char* key) {
    return app::may_need_plan(json{{key, "x.npy"}}.dump());
  };
  for (const char* key : {"data", "indices", "updates", "axis", "start", "stop", "step", "axes",
                          "expected", "actual", "output", "unknown"}) {
    INFO(key);
    CHECK(needs_plan(key));
  }
  for (const char* key : {"op", "name", "reduction", "dtype", "format", "nan", "expected_error",
                          "xfail", "skip", "comment"}) {
    INFO(key);
    CHECK_FALSE(needs_plan(key));
  }
}

}  // namespace tscatter
