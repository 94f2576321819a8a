// --case NAME CASES of verify, explain and compare, run of a line of a batch, batch --by-word.
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/batch.hpp"
#include "batch/report_by_word.hpp"
#include "catch.hpp"
#include "text/figure.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

// Of the case_line() job: [5, 2, 6].
const json lost{{"actual", {5, 2, 3}}};

// In the directory of the batch.
Result run_in(const BatchDirectory& batch, const Strings& words) {
  return Command(words).in(batch / "").run();
}

std::string first_lines(const std::string& text, int count) {
  std::size_t end = 0;
  while (count-- > 0) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

}  // namespace

TEST_CASE("verify --case takes a case of a batch, and is what its failure prints", "[app]") {
  const BatchDirectory batch({named("good", right), named("lost one", lost), case_line(lost)});
  const Result result = run_in(batch, {"verify", "--case", "lost one", "cases.jsonl"});
  CHECK(result.exit_code == 1);
  CHECK(first_lines(result.out, 2) ==
        "not legal: 1 of 3 elements is wrong, worst at [2]: got 3, in order 6\n"
        "why: no update applied: data's value, or without indices[1], or the bytes of indices read "
        "as int32\n");
  CHECK(run_in(batch, {"verify", "cases.jsonl", "--case=line-3"}).out == result.out);
  const Result json_result =
      run_in(batch, {"verify", "--case", "lost one", "cases.jsonl", "--json"});
  CHECK(json::parse(json_result.out)["diagnosis"]["named"][0]["kind"] == "no-update");
  const std::string out = batch.run().out;
  CHECK(out.find("\n  tscatter verify --case 'lost one' cases.jsonl\n") != std::string::npos);
  CHECK(out.find("\n  tscatter verify --case line-3 cases.jsonl\n") != std::string::npos);
}

TEST_CASE("explain --case and compare --case", "[app]") {
  const BatchDirectory batch({named("a", wrong), named("b", lost)});
  const Result explained = run_in(batch, {"explain", "--case", "b", "cases.jsonl"});
  CHECK(explained.exit_code == 0);
  CHECK(explained.out.find("ScatterNDUpdate-15") != std::string::npos);
  const Result compared = run_in(batch, {"compare", "--case", "a", "cases.jsonl"});
  CHECK(compared.exit_code == 1);
  CHECK(first_lines(compared.out, 1) ==
        "1 of 3 elements differ (33.3 %), largest at [1]: got 2, expected 3\n");
}

TEST_CASE("cli.c61: a case that is not there", "[app]") {
  const BatchDirectory batch({named("good", right)});
  CHECK(run_in(batch, {"verify", "--case", "goo", "cases.jsonl"}).err ==
        "tscatter: --case: must be the name of a case of cases.jsonl (nearest: good), got goo "
        "[cli.c61]\n");
  CHECK(run_in(batch, {"verify", "--case", "good", "cases.jsonl"}).exit_code == 2);
}

TEST_CASE("cli.c62: compare wants a case with expected", "[app]") {
  const BatchDirectory batch({named("b", lost)});
  CHECK(run_in(batch, {"compare", "--case", "b", "cases.jsonl"}).err ==
        "tscatter: --case: must be a case with expected (tscatter verify takes one with actual "
        "alone), got b [cli.c62]\n");
}

TEST_CASE("run takes a line of a batch without what it asserts", "[app]") {
  const TemporaryDirectory directory;
  const Result result =
      Command({"run", "-"}).with_input(named("b", {{"actual", {1}}, {"tags", {"x"}}})).run();
  CHECK(result.err.empty());
  CHECK(result.out == "[5, 2, 6]\n");
}

TEST_CASE("batch --by-word: what failures have in common", "[app]") {
  CHECK(app::words_of_name("op_15-00021-f64-sum-depth-0-sum") ==
        Strings{"depth-0", "f64", "op_15", "sum"});
  const BatchDirectory batch({named("fast-f64-0001", lost), named("fast-f32-0002", right),
                              named("slow-f64-0003", lost), named("slow-f32-0004", right)});
  const std::string out = batch.run({"--by-word", "-q"}).out;
  const std::size_t begin = out.find("why  ");
  REQUIRE(begin != std::string::npos);
  CHECK(out.substr(begin) == R"(why                failures
no update applied         2

word                failed  of
f64                      2   2  100 %
ScatterNDUpdate-15       2   4  50 %
int64                    2   4  50 %
fast                     1   2  50 %
slow                     1   2  50 %
)");
  CHECK(batch.run({"-q"}).out.find("word") == std::string::npos);
}

TEST_CASE("explain --at several times: histories first", "[app]") {
  const Strings words{"explain", "ScatterNDUpdate-15",
                      "-d",      "3xi64=1",
                      "-i",      "[[0], [0]]",
                      "-u",      "[5, 6]",
                      "--at",    "0",
                      "--at",    "2"};
  const std::string out = output_of(words);
  CHECK(first_lines(out, 8) ==
        R"(depends on the order of the updates: 1 of 3 elements, first [0]

history                 update  value
data[0]                             1
indices[0]  updates[0]       5      5
indices[1]  updates[1]       6      6

history    update  value
)");
  Strings more = words;
  more.emplace_back("--json");
  const json report = json::parse(output_of(more));
  CHECK(report["histories"].size() == 2);
  CHECK(report["histories"][0] == report["history"]);
  CHECK(report["histories"][1]["position"] == json{2});
}

TEST_CASE("verify: bits where values print alike, the writer that won, and a picture", "[app]") {
  const std::array<std::byte, 2> signalling{std::byte{0x01}, std::byte{0x7d}};
  const std::array<std::byte, 2> quiet{std::byte{0x00}, std::byte{0x7e}};
  const auto [got, expected] = app::told_apart(signalling, quiet, ElementType::of(DType::float16));
  CHECK(got.text == "NaN 0x7d01");
  CHECK(expected.text == "NaN 0x7e00");
  CHECK(app::told_apart(quiet, quiet, ElementType::of(DType::float16)).first.text == "NaN");
  const TemporaryDirectory directory;
  std::string indices = "[[0]";
  std::string updates = "[0";
  for (int i = 1; i < 30; ++i) {
    indices += ", [0]";
    updates += ", " + std::to_string(i);
  }
  const std::string won = output_of({"verify", "ScatterNDUpdate-15", "-d", "1xi64=99", "-i",
                                     indices + "]", "-u", updates + "]", "--actual", "[13]"});
  CHECK(won.find("indices[13]  updates[13]     13") != std::string::npos);
  CHECK(won.find("left where indices[13] is the last") != std::string::npos);
  const std::string picture = directory / "p.svg";
  CHECK(tscatter_run({"verify", "ScatterNDUpdate-15", "-d", "2x2xi64=1", "-i", "[[0]]", "-u",
                      "[[5, 5]]", "--actual", "[[5, 4], [1, 1]]", "--heatmap", picture})
            .exit_code == 1);
  CHECK(std::filesystem::exists(picture));
}

}  // namespace tscatter
