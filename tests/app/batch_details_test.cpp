// tscatter batch: --details, and what GitHub Actions is told.
#include <fmt/format.h>

#include "app/batch.hpp"
#include "app/folder.hpp"
#include "batch/reports/reports.hpp"
#include "catch.hpp"
#include "process/log.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

// Two elements of a 2x4 float16 result are wrong.
class GoldenBatch : public BatchDirectory {
 public:
  GoldenBatch() : BatchDirectory({line()}) {
    std::filesystem::create_directories(*this / "sub");
    const auto convert = [&](const std::string& values, const char* name) {
      output_of({"convert", values, *this / name, "--dtype", "f16"});
    };
    convert("[[1, 2, 3, 4], [5, 6, 7, 8]]", "data.npy");
    convert("[[1, 2, 3, 4], [15, 24, 37, 40]]", "gold.npy");
  }

 private:
  static std::string line() {
    return json{{"name", "rows"},
                {"op", "ScatterNDUpdate-15"},
                {"data", "sub/../data.npy"},
                {"indices", {{1}}},
                {"updates", {{10, 20, 30, 40}}},
                {"reduction", "sum"},
                {"expected", "gold.npy"},
                {"rtol", 0.01},
                {"atol", 0.5},
                {"max_ulp", 3}}
        .dump();
  }
};

constexpr std::string_view details_of_rows = R"(operation  ScatterNDUpdate-15
reduction  sum
dtype      float16
shape      [2, 4]
tolerance  rtol 0.01, atol 0.5, max-ulp 3
error      8 (256 ulp), allowed 0.9 or 3 ulp
box        [1, 1] to [1, 3]
data       data.npy
expected   gold.npy
)";

std::string indented(std::string text) {
  text.insert(0, "  ");
  for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1))
    text.insert(at + 1, "  ");
  return text;
}

// A run as a step of a workflow.
class Step {
 public:
  explicit Step(const Strings& lines) : batch_{lines} {}

  Result run(Strings flags = {}, const std::string& value = "true") const {
    return batch_.command(std::move(flags))
        .with_environment("GITHUB_ACTIONS", value)
        .with_environment("GITHUB_STEP_SUMMARY", summary_path())
        .with_environment("GITHUB_WORKSPACE", batch_ / "")
        .run();
  }
  std::string summary_path() const { return batch_ / "summary.md"; }
  std::string summary() const { return read_file(summary_path()); }
  const BatchDirectory& batch() const { return batch_; }

 private:
  BatchDirectory batch_;
};

}  // namespace

TEST_CASE("--details prints what differs, by how much, and the files", "[app]") {
  const Result result = GoldenBatch().run({"--details"});
  CHECK(result.out.ends_with(
      "\n1 failed:\n\nrows  cases.jsonl:1\n  values differ: 2 of 8 elements beyond tolerance (25 "
      "%), largest at [1, 3]: got 48.0, expected 40.0 [batch.b7]\n" +
      indented(std::string(details_of_rows)) +
      "  tscatter compare --case rows cases.jsonl\n\n1 case: 1 failed\n"));
}

TEST_CASE("JUnit, HTML and JSON have the details, too", "[app]") {
  const GoldenBatch batch;
  batch.run({"--junit", "r.xml", "--html", "r.html"});
  CHECK_THAT(read_file(batch / "r.xml"), contains("\ntscatter compare --case rows cases.jsonl\n\n" +
                                                  std::string(details_of_rows) + "\nelements "));
  CHECK_THAT(
      read_file(batch / "r.html"),
      contains("<dt>error</dt><dd>8 (256 ulp), allowed 0.9 or 3 ulp</dd>\n<dt>box</dt><dd>[1, 1] "
               "to [1, 3]</dd>\n<dt>data</dt><dd>data.npy</dd>\n"));
  const json bad = json_lines(batch.run({"--json", "--details"}).out)[0];
  CHECK(bad.at("details") == json{{"op", "ScatterNDUpdate-15"},
                                  {"reduction", "sum"},
                                  {"files", {{"data", "data.npy"}, {"expected", "gold.npy"}}}});
  CHECK(!json_lines(batch.run({"--json"}).out)[0].contains("details"));
}

TEST_CASE("--details takes how many, or none", "[app]") {
  Strings lines;
  for (int i = 0; i < 12; ++i) lines.push_back(named("c" + std::to_string(i), wrong));
  const BatchDirectory batch(lines);
  const auto count = [&](const Strings& flags) {
    const std::string text = batch.run(flags).out;
    int boxes = 0;
    for (std::size_t at = text.find("\n  box "); at != std::string::npos;
         at = text.find("\n  box ", at + 1))
      ++boxes;
    return boxes;
  };
  CHECK(count({}) == 0);
  CHECK(count({"--details"}) == 10);
  CHECK(count({"--details", "-q"}) == 10);
  CHECK(count({"--details", "3"}) == 3);
  CHECK(count({"--details=12"}) == 12);
  CHECK_THAT(batch.run({"--details", "3"}).out,
             contains("\n\n--details 12 has those of all failures\n\n12 cases"));
  CHECK_THAT(batch.run({"--details", "12"}).out, !contains("has those of all"));
  CHECK(refusal_of(2, batch.command({"--details=x"})) ==
        "--details: must be an integer from 0 to 1000000000, got x [cli.c4]");
  const Command before = Command("batch --details cases.jsonl -q").in(batch / "");
  CHECK_THAT(before.run().out, contains("\n  box "));
}

TEST_CASE("--details of what is exact, verified, refused, or no case", "[app]") {
  const auto details = [](const json& more) {
    const std::string out = BatchDirectory({named("c", more)}).run({"--details"}).out;
    const std::size_t begin = out.find("]\n", out.find("\n\nc  cases.jsonl:1\n")) + 2;
    return out.substr(begin, out.find("  tscatter ", begin) - begin);
  };
  CHECK(details(wrong) == indented(R"(operation  ScatterNDUpdate-15
dtype      int64
shape      [3]
tolerance  exact
error      1, allowed 0
box        [1] to [1]
)"));
  CHECK(details({{"actual", {5, 2, 7}}}) == indented(R"(operation  ScatterNDUpdate-15
dtype      int64
shape      [3]
why        no explanation was found
)"));
  CHECK(details({{"data", {1}}, {"output", "o.npy"}}) == indented(R"(operation  ScatterNDUpdate-15
output     o.npy
)"));
  CHECK(details({{"expected", {5, 2}}}) == "  operation  ScatterNDUpdate-15\n");
  CHECK(details({{"op", "none"}}) == "");
}

TEST_CASE("GitHub is shown each failure at its line", "[app]") {
  const Step step({named("good", {{"expected", {5, 2, 6}}}), named("50 %: a,b\n", wrong)});
  const Result result = step.run();
  CHECK(result.err ==
        "::error file=cases.jsonl,line=2,title=50 %25%3A a%2Cb\\n::values differ: 1 of 3 elements "
        "(33.3 %25), largest at [1]: got 2, expected 3 [batch.b7]%0Atscatter compare --case line-2 "
        "cases.jsonl\n");
  CHECK(result.out == step.batch().run().out);
  for (const char* value : {"", "false", "1"}) CHECK(step.run({}, value).err.empty());
}

TEST_CASE("GitHub is shown paths from the workspace, and ten failures", "[app]") {
  Strings lines;
  for (int i = 0; i < 12; ++i) lines.push_back(named("c" + std::to_string(i), wrong));
  const Step step(lines);
  std::filesystem::create_directories(step.batch() / "sub");
  const auto annotated = [&](const std::string& workspace) {
    return Command("batch ../cases.jsonl")
        .in(step.batch() / "sub")
        .with_environment("GITHUB_ACTIONS", "true")
        .with_environment("GITHUB_WORKSPACE", workspace)
        .run()
        .err;
  };
  const std::string inside = annotated(step.batch() / "");
  CHECK(inside.starts_with("::error file=cases.jsonl,line=1,title=c0::"));
  CHECK(std::count(inside.begin(), inside.end(), '\n') == 10);
  CHECK(annotated(step.batch() / "sub").starts_with("::error file=../cases.jsonl,line=1,"));
  const Result from_stdin =
      Command("batch -").with_input(lines[0]).with_environment("GITHUB_ACTIONS", "true").run();
  CHECK(from_stdin.err.starts_with("::error title=c0::"));
}

TEST_CASE("no line that a case's name begins is a workflow command", "[app]") {
  const Step step({named("::stop-commands::x", wrong), named("a##[error]b", wrong)});
  const std::string out = step.run({"--details"}).out;
  CHECK(out.starts_with("FAILED   ::stop-commands::x  cases.jsonl:1: values differ"));
  CHECK_THAT(out, contains("\n\\x3a:stop-commands::x  cases.jsonl:1\n"));
  CHECK_THAT(out, contains("\na\\x23#[error]b  cases.jsonl:2\n"));
  CHECK_THAT(out, !contains("\n::"));
  CHECK_THAT(out, !contains("##["));
  CHECK(step.run({"--list"}).out == "\\x3a:stop-commands::x\na\\x23#[error]b\n");
  CHECK(step.run({"--list"}, "false").out == "::stop-commands::x\na##[error]b\n");
  CHECK(app::without_commands("  ::add-mask::x\n a::b") == "  \\x3a:add-mask::x\n a::b");
  CHECK(app::without_commands("\u00a0\u200b::x\n#[#\n##") ==
        "\u00a0\u200b\\x3a:x\n#[#\n\\x23\\x23");
}

TEST_CASE("no name of a file or tensor is a workflow command, whatever prints it", "[app]") {
  const Folder folder;
  const auto run = [&](const Strings& words) {
    return folder.command(words).with_environment("GITHUB_ACTIONS", "true").run();
  };
  for (const char* file : {"a.npz", "b.npz"}) {
    for (const char* member : {"::error::x", "##[add-mask]y"})
      CHECK(run({"convert", "[1]", std::string(file) + ":" + member}).exit_code == 0);
  }
  CHECK(run({"convert", "[2]", "b.npz:::error::x"}).exit_code == 0);
  CHECK(run({"convert", "[3]", "::warning::c.npy"}).exit_code == 0);
  const std::vector<Strings> all{{"show", "a.npz"},
                                 {"show", "a.npz", "--json"},
                                 {"show", "::warning::c.npy"},
                                 {"show", "a.npz:##[add-mask]y", "-vv"},
                                 {"show", "a.npz:##[lost]"},
                                 {"compare", "a.npz", "b.npz"},
                                 {"compare", "a.npz", "b.npz", "--json"},
                                 {"recover", "::warning::c.npy"},
                                 {"__complete", "bash", "tscatter show a.npz:"}};
  for (const Strings& words : all) {
    const Result result = run(words);
    for (const std::string& text : {"\n" + result.out, "\n" + result.err}) {
      INFO(text);
      CHECK_THAT(text, !contains("\n::"));
      CHECK_THAT(text, !contains("##["));
    }
  }
  CHECK_THAT(run({"show", "a.npz"}).out, contains("\n\\x3a:error::x     int64"));
  CHECK(json::parse(run({"show", "a.npz", "--json"}).out)[1].at("name") == "##[add-mask]y");
}

TEST_CASE("reports of XML on stdout have no workflow command of a name's own", "[app]") {
  const Step step({named("a\n::error::x ##[error]y", wrong)});
  for (const char* flag : {"--junit", "--html"}) {
    const std::string out = step.run({flag, "-"}).out;
    CHECK_THAT(out, !contains("\n::"));
    CHECK_THAT(out, !contains("##["));
  }
}

TEST_CASE("GitHub is shown goldens that no case refers to", "[app]") {
  const Step step({named("good", {{"expected", "gold.npy"}})});
  for (const char* name : {"gold.npy", "old.npy"})
    output_of({"convert", "[5, 2, 6]", step.batch() / name});
  const std::string said =
      " title=cases.jsonl::no case refers to these goldens: old.npy [batch.b11]\n";
  CHECK(step.run().err.starts_with("::warning" + said));
  CHECK(step.run({"--unreferenced", "fail"}).err.starts_with("::error" + said));
}

TEST_CASE("the summary of a step has a table of the failures", "[app]") {
  const Step step({named("good", {{"expected", {5, 2, 6}}}), named("a|b", wrong),
                   named("known", {{"expected", {0}}, {"xfail", "x"}})});
  write_file(step.summary_path(), "# before\n");
  step.run();
  const std::string summary = step.summary();
  CHECK(
      summary.starts_with("# before\n### tscatter batch cases.jsonl\n\n3 cases&#58; 1 passed, 1 "
                          "failed, 1 xfailed in "));
  CHECK(summary.ends_with(
      " s\n\n| case | failure | details | run it again |\n| --- | --- | --- | --- |\n"
      "| **a&#124;b**<br>cases.jsonl&#58;2 | values differ&#58; 1 of 3 elements &#40;33.3 %&#41;, "
      "largest at &#91;1&#93;&#58; got 2, expected 3 &#91;batch.b7&#93; | operation "
      "ScatterNDUpdate-15<br>dtype int64<br>shape &#91;3&#93;<br>tolerance exact<br>error 1, "
      "allowed 0<br>box &#91;1&#93; to &#91;1&#93; | <code>tscatter compare --case 'a&#124;b' "
      "cases.jsonl</code> |\n\n"));
  const Step green({named("good", {{"expected", {5, 2, 6}}})});
  green.run();
  CHECK(green.summary().ends_with(" s\n\n"));
  CHECK_THAT(green.summary(), !contains("| ---"));
}

TEST_CASE("the summary of a step is at most 1 MiB, with what was in it", "[app]") {
  constexpr std::size_t most = std::size_t{1} << 20U;
  Strings lines;
  for (int i = 0; i < 1000; ++i)
    lines.push_back(named(std::string(900, 'n') + std::to_string(i), wrong));
  const Step step(lines);
  step.run({"-q"});
  CHECK(step.summary().size() <= most);
  CHECK(step.summary().size() > most - 8000);
  CHECK_THAT(step.summary(), !contains(" more failed&#58; GitHub takes 1 MiB of a step\n"));
  CHECK_THAT(step.summary(), contains(" more failed: GitHub takes 1 MiB of a step\n"));
  write_file(step.summary_path(), std::string(most - 100, 'x'));
  CHECK(step.run({"-q"}).exit_code == 1);
  CHECK(step.summary().size() == most - 100);
}

TEST_CASE("a summary that cannot be written is a warning", "[app]") {
  const Step step({named("good", {{"expected", {5, 2, 6}}})});
  std::filesystem::create_directories(step.summary_path());
  const Result result = step.run();
  CHECK(result.exit_code == 0);
  CHECK(result.err == "tscatter: warning: " + step.summary_path() +
                          ": cannot be opened for writing: is a directory [file.f4]\n");
}

TEST_CASE("cli.c14: the summary of a step is no file of the batch", "[app]") {
  const Step step({named("reads", {{"data", "summary.md"}, {"expected", {5, 2, 6}}})});
  output_of({"convert", "[1, 2, 3]", step.batch() / "data.npy"});
  std::filesystem::rename(step.batch() / "data.npy", step.summary_path());
  const Result result = step.run();
  CHECK(result.exit_code == 2);
  CHECK(result.err ==
        "tscatter: GITHUB_STEP_SUMMARY: must be another file than data of cases.jsonl:1, got " +
            step.summary_path() + " [cli.c14]\n");
}

TEST_CASE("commands and Markdown are escaped", "[app]") {
  CHECK(app::command_value("50 %\r\na:b,c") == "50 %25%0D%0Aa:b,c");
  CHECK(app::command_property("50 %\r\na:b,c") == "50 %25%0D%0Aa%3Ab%2Cc");
  CHECK(app::markdown_text("a-b <i> |`*_é") == "a-b &#60;i&#62; &#124;&#96;&#42;&#95;é");
}

}  // namespace tscatter
