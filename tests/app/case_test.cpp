// --case NAME CASES of verify, explain and compare, run of a line of a batch, batch --by-word.
#include <array>
#include <nlohmann/json.hpp>

#include "app/batch.hpp"
#include "app/folder.hpp"
#include "batch/reports/failure_words.hpp"
#include "catch.hpp"
#include "text/figure.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

// Of the case_line() job: [5, 2, 6].
const json lost{{"actual", {5, 2, 3}}};

// In the directory of the batch.
Result run_in(const BatchDirectory& batch, Command command) { return command.in(batch / "").run(); }

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
  CHECK_THAT(out, contains("\n  tscatter verify --case 'lost one' cases.jsonl\n"));
  CHECK_THAT(out, contains("\n  tscatter verify --case line-3 cases.jsonl\n"));
}

TEST_CASE("verify --case takes the other bits that the case allows", "[app]") {
  const auto line = [](const std::string& name, const std::string& keys) {
    return R"({"name": ")" + name +
           R"(", "op": "ScatterUpdate-3", "data": {"dtype": "f32", "data": [-0.0, -0.0, -0.0]}, )"
           R"("indices": [0], "updates": "u.npy", "axis": 0, "actual": ["NaN", 0, 0])" +
           keys + "}";
  };
  const BatchDirectory batch({line("kept", ""), line("zeros", R"(, "zeros": "any")"),
                              line("both", R"(, "zeros": "any", "nan_bits": "any")")});
  write_file(batch / "u.npy", npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
                                       std::string("\x34\x12\xc0\x7f", 4)));
  const auto verdict = [&](const std::string& name) {
    return first_lines(run_in(batch, {"verify", "--case", name, "cases.jsonl"}).out, 1);
  };
  const std::string worst = ", worst at [0]: got NaN 0x7fc00000, in order NaN 0x7fc01234\n";
  CHECK(verdict("kept") ==
        "not legal: 3 of 3 elements are wrong (1 would be legal with --nan-bits any, 2 would be "
        "legal with --zeros any)" +
            worst);
  CHECK(verdict("zeros") ==
        "not legal: 1 of 3 elements is wrong (1 would be legal with --nan-bits any)" + worst);
  CHECK(verdict("both") ==
        "legal: 3 elements, of them 3 rounded, the largest error 0 of its bound\n");
  CHECK(batch.run().out.ends_with("1 passed, 2 failed\n"));
}

TEST_CASE("explain --case and compare --case", "[app]") {
  const BatchDirectory batch({named("a", wrong), named("b", lost)});
  const Result explained = run_in(batch, {"explain", "--case", "b", "cases.jsonl"});
  CHECK(explained.exit_code == 0);
  CHECK_THAT(explained.out, contains("ScatterNDUpdate-15"));
  const Result compared = run_in(batch, {"compare", "--case", "a", "cases.jsonl"});
  CHECK(compared.exit_code == 1);
  CHECK(first_lines(compared.out, 1) ==
        "1 of 3 elements differ (33.3 %), largest at [1]: got 2, expected 3\n");
}

TEST_CASE("cli.c61: a case that does not exist", "[app]") {
  const BatchDirectory batch({named("good", right)});
  CHECK(run_in(batch, {"verify", "--case", "goo", "cases.jsonl"}).err ==
        "tscatter: --case: must be the name of a case of cases.jsonl (nearest: good), got goo "
        "[cli.c61]\n");
  CHECK(run_in(batch, {"verify", "--case", "qqqqqqqq", "cases.jsonl"}).err ==
        "tscatter: --case: must be the name of a case of cases.jsonl (tscatter batch cases.jsonl "
        "--list prints them), got qqqqqqqq [cli.c61]\n");
}

TEST_CASE("cli.c62: compare wants a case with expected", "[app]") {
  const BatchDirectory batch({named("b", lost)});
  CHECK(run_in(batch, {"compare", "--case", "b", "cases.jsonl"}).err ==
        "tscatter: --case: must be a case with expected (tscatter verify takes one with actual "
        "alone), got b [cli.c62]\n");
}

TEST_CASE("cli.c62: verify wants a case with actual", "[app]") {
  const BatchDirectory batch({named("gold", wrong)});
  const Result result = run_in(batch, {"verify", "--case", "gold", "cases.jsonl"});
  CHECK(result.exit_code == 2);
  CHECK(result.err ==
        "tscatter: --case: must be a case with actual (tscatter compare takes one with expected), "
        "got gold [cli.c62]\n");
}

TEST_CASE("run takes a line of a batch without what it asserts", "[app]") {
  const TemporaryDirectory directory;
  const Result result =
      Command("run -").with_input(named("b", {{"actual", {1}}, {"tags", {"x"}}})).run();
  CHECK(result.err ==
        "tscatter: warning: <stdin>: run applies the operation; what the case expects is for "
        "tscatter batch\n");
  CHECK(result.out == "[5, 2, 6]\n");
}

TEST_CASE("batch --by-word: what failures have in common", "[app]") {
  CHECK(app::words_of_name("op_15-00021-f64-sum-depth-0-sum") ==
        Strings{"depth-0", "f64", "op_15", "sum"});
  const BatchDirectory batch({named("fast-f64-0001", lost), named("fast-f32-0002", right),
                              named("slow-f64-0003", lost), named("slow-f32-0004", right)});
  const std::string out = batch.run({"--by-word", "-q"}).out;
  const std::size_t begin = out.find("failures  why");
  REQUIRE(begin != std::string::npos);
  CHECK(out.substr(begin) == R"(failures  why                most often in
       2  no update applied  f64 2 of 2
)");
  CHECK_THAT(batch.run({"-q"}).out, !contains("failures  why"));
  const json by_word = json_lines(batch.run({"--by-word", "--json"}).out).back().at("by_word");
  const json f64{{"word", "f64"}, {"failed", 2}, {"cases", 2}};
  CHECK(by_word.at("why") ==
        json{{{"failed", 2}, {"reason", "no update applied"}, {"words", {f64}}}});
  CHECK(by_word.at("words")[0] == f64);
  CHECK(by_word.at("words")[1] ==
        json{{"word", "ScatterNDUpdate-15"}, {"failed", 2}, {"cases", 4}});
}

TEST_CASE("batch --by-word: a word of the name that is the dtype, too, counts once", "[app]") {
  const json lost_float{{"data", {{"dtype", "f32"}, {"data", {1, 2, 3}}}},
                        {"actual", {{"dtype", "f32"}, {"data", {1, 2, 3}}}}};
  const json right_double{{"data", {{"dtype", "f64"}, {"data", {1, 2, 3}}}},
                          {"actual", {{"dtype", "f64"}, {"data", {5, 2, 6}}}}};
  const BatchDirectory batch({named("float32-a", lost_float), named("float32-b", lost_float),
                              named("float64-c", right_double)});
  CHECK(batch.run({"--by-word", "-q", "--html", "r.html"}).out.ends_with("  float32 2 of 2\n"));
  const json by_word = json_lines(batch.run({"--by-word", "--json"}).out).back().at("by_word");
  const json float32{{"word", "float32"}, {"failed", 2}, {"cases", 2}};
  CHECK(by_word.at("words")[0] == float32);
  CHECK(by_word.at("why")[0].at("words") == json::array({float32}));
  CHECK_THAT(read_file(batch / "r.html"),
             contains("<span class=\"word\">float32</span></td><td class=\"count\">2</td><td "
                      "class=\"count\">2</td>"));
}

TEST_CASE("batch --by-word: torn, a wrong shape and what nothing explains are reasons", "[app]") {
  const json torn{{"data", {{0, 0}}},
                  {"indices", {{0}, {0}}},
                  {"updates", {{1, 2}, {3, 4}}},
                  {"actual", {{1, 4}}}};
  const BatchDirectory batch({named("race-a", torn), named("race-b", torn),
                              named("other-a", {{"actual", {5, 2}}}),
                              named("other-b", {{"actual", {5, 2, 7}}}), named("gold-a", wrong)});
  const std::string out = batch.run({"--by-word", "-q", "--html", "r.html"}).out;
  CHECK(out.substr(std::min(out.find("failures  why"), out.size())) ==
        R"(failures  why                       most often in
       2  torn                      race 2 of 2
       1  shape differs
       1  no explanation was found
       1  values differ [batch.b7]
       5  in all
)");
  const std::string page = read_file(batch / "r.html");
  CHECK_THAT(page, contains("for=\"reason-0\">torn</label></td><td class=\"count\">2<"));
  CHECK_THAT(page, contains(">shape differs</label>"));
  CHECK_THAT(page, contains(">no explanation was found</label>"));
}

TEST_CASE("batch --by-word: of several reasons, that which most failures share", "[app]") {
  app::FailureWords words;
  for (const Strings& reasons :
       {Strings{"a", "b"}, Strings{"b", "c"}, Strings{"b", "c"}, Strings{"c"}, Strings{"d", "e"}})
    words.take({.place = {}, .name = "x", .reasons = reasons, .state = app::CaseState::failed});
  const auto shared = words.reasons();
  REQUIRE(shared.size() == 3);
  CHECK(shared[0].words == "b");  // as many as c, and came first
  CHECK(shared[0].failed == 3);
  CHECK(shared[0].groups == std::vector<std::int64_t>{0, 1});
  CHECK(shared[1].words == "c");
  CHECK(shared[1].groups == std::vector<std::int64_t>{2});
  CHECK(shared[2].words == "d");
  // [0, 0] and [0]: each lost update is data's value, the first is the other order of bytes, too.
  const json alike{{"data", {1, 1}}, {"indices", {{0}}}, {"updates", {5}}, {"actual", {1, 1}}};
  const BatchDirectory batch({named("x", lost), named("y", alike)});
  const std::string out = batch.run({"--by-word", "-q", "--html", "r.html"}).out;
  CHECK(
      out.ends_with("failures  why                most often in\n"
                    "       2  no update applied\n"));
  const std::string page = read_file(batch / "r.html");
  CHECK_THAT(page, contains("main:has(#reason-0:checked) .case:not(.why-0, .why-1) "));
}

TEST_CASE("explain --at several times: histories first", "[app]") {
  const Strings words = split_words(
      "explain ScatterNDUpdate-15 -d 3xi64=1 -i '[[0], [0]]' -u '[5, 6]' --at 0 --at 2");
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

// Data 0x7e00, an update 0x7d01, 0x7e02 in the place of it: NaNs all three.
TEST_CASE("verify, compare and explain: bits of NaNs that differ, in words and JSON", "[app]") {
  const Folder folder;
  folder.put("nans.bin", std::string("\x00\x7e\x01\x7d\x02\x7e", 6));
  const auto nan_at = [](int offset) { return "1xf16=@nans.bin+" + std::to_string(offset); };
  Strings call{"ScatterUpdate-3", "-d", nan_at(0), "-i", "[0]", "-u", nan_at(2), "-a", "0"};
  Strings explain = with_more({"explain"}, call);
  explain.insert(explain.end(), {"--at", "0"});
  Strings verify = with_more({"verify"}, call);
  verify.insert(verify.end(), {"--actual", nan_at(4)});
  const std::string verdict = folder.out(verify);
  CHECK(
      verdict.starts_with("not legal: 1 of 1 element is wrong (1 would be legal with --nan-bits "
                          "any), worst at [0]: got NaN 0x7e02, in order NaN 0x7d01\n"));
  CHECK_THAT(verdict, contains("\n[0]: got NaN 0x7e02\n"));
  CHECK_THAT(verdict, contains("\nindices[0]  updates[0]  NaN 0x7d01  NaN 0x7d01\n"));
  CHECK_THAT(folder.out(explain), contains("\nindices[0]  updates[0]  NaN 0x7d01  NaN 0x7d01\n"));
  verify.emplace_back("--json");
  explain.emplace_back("--json");
  const json worst = json::parse(folder.out(verify)).at("worst")[0];
  CHECK(worst.at("actual") == "NaN");
  CHECK(worst.at("actual_bits") == "0x7e02");
  CHECK(worst.at("in_order_bits") == "0x7d01");
  CHECK(worst.at("data_bits") == "0x7e00");
  CHECK(worst.at("history")[0].at("value_bits") == "0x7d01");
  CHECK(worst.at("history")[0].at("after_bits") == "0x7d01");
  CHECK(json::parse(folder.out(explain)).at("history").at("result_bits") == "0x7d01");
  const json census = json::parse(folder.out({"compare", nan_at(4), nan_at(0), "--json"}));
  CHECK(census.at("worst")[0].at("expected") == "NaN");
  CHECK(census.at("worst")[0].at("actual_bits") == "0x7e02");
  CHECK(census.at("worst")[0].at("expected_bits") == "0x7e00");
  // Alike and equal, or told apart by their texts: no bits.
  CHECK(!json::parse(folder.out("compare 1xf16=NaN 1xf16=1 --json"))
             .at("worst")[0]
             .contains("actual_bits"));
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
  CHECK_THAT(won, contains("indices[13]  updates[13]     13"));
  CHECK_THAT(won, contains("left where indices[13] is the last"));
  const std::string picture = directory / "p.svg";
  CHECK(tscatter_run({"verify", "ScatterNDUpdate-15", "-d", "2x2xi64=1", "-i", "[[0]]", "-u",
                      "[[5, 5]]", "--actual", "[[5, 4], [1, 1]]", "--heatmap", picture})
            .exit_code == 1);
  const std::string svg = read_file(picture);
  CHECK_THAT(
      svg,
      contains("<title>where the result is wrong: not legal: 1 of 4 elements is wrong</title>"));
  CHECK_THAT(svg, contains(">legal</text>"));
  CHECK_THAT(svg, !contains("differ"));
}

}  // namespace tscatter
