// tscatter batch: several files, and folders.
#include <sys/stat.h>

#include <fstream>

#include "app/batch.hpp"
#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

// A directory with batches: their paths and lines.
struct Folders : Folder {
  explicit Folders(const std::map<std::string, Strings>& batches) {
    for (const auto& [path, lines] : batches) {
      std::string text;
      for (const std::string& line : lines) text += line + "\n";
      put(path, text);
    }
  }

  Command command(const Strings& words) const {
    return with_state_in(*this, with_more({"batch"}, words));
  }
  Result run(const Strings& words) const { return command(words).run(); }
};

const Folders& two_files() {
  static const Folders folders({{"a.jsonl", {named("one", right), "", named("two", wrong)}},
                                {"b.jsonl", {named("three", wrong), named("four", right)}}});
  return folders;
}

}  // namespace

TEST_CASE("several files are one batch, in the order of the command line", "[app]") {
  const Result result = two_files().run({"b.jsonl", "a.jsonl", "-j", "2"});
  CHECK(result.exit_code == 1);
  CHECK(result.err.empty());
  CHECK(
      result.out ==
      R"(FAILED   three  b.jsonl:1: values differ: 1 of 3 elements (33.3 %), largest at [1]: got 2, expected 3 [batch.b7]
ok       four
ok       one
FAILED   two  a.jsonl:3: values differ: 1 of 3 elements (33.3 %), largest at [1]: got 2, expected 3 [batch.b7]

2 failed:

three  b.jsonl:1
  values differ: 1 of 3 elements (33.3 %), largest at [1]: got 2, expected 3 [batch.b7]
  tscatter compare --case three b.jsonl

two  a.jsonl:3
  values differ: 1 of 3 elements (33.3 %), largest at [1]: got 2, expected 3 [batch.b7]
  tscatter compare --case two a.jsonl

4 cases: 2 passed, 2 failed
)");
}

TEST_CASE("a last line without its end does not run on in the next file", "[app]") {
  const Folders folders({{"b.jsonl", {named("b", right)}}, {"empty.jsonl", {}}});
  folders.put("a.jsonl", named("a", right));
  CHECK(folders.run({"a.jsonl", "empty.jsonl", "b.jsonl", "empty.jsonl"}).out ==
        "ok       a\nok       b\n\n2 cases: 2 passed\n");
}

TEST_CASE("a folder is its cases.jsonl files, in the order of their paths", "[app]") {
  const Folders folders({{"golden/rows/cases.jsonl", {named("rows", right)}},
                         {"golden/cases.jsonl", {named("top", right)}},
                         {"golden/a-b/cases.jsonl", {named("a-b", right)}},
                         {"golden/a/z/cases.jsonl", {named("z", right)}},
                         {"golden/other.jsonl", {named("other", right)}},
                         {"golden/old/cases.jsonl.bak", {named("old", right)}}});
  for (const char* folder : {"golden", "golden/", "./golden"})
    CHECK(folders.run({folder, "--list"}).out == "z\na-b\ntop\nrows\n");
  CHECK(folders.run({".", "golden/rows/cases.jsonl", "golden/other.jsonl", "--list"}).out ==
        "z\na-b\ntop\nrows\nother\n");
}

TEST_CASE("batch.b15: a folder of cases has a file of cases", "[app]") {
  const Folders folders({{"golden/notes.txt", Strings{}}});
  CHECK(refusal_of(2, folders.command({"golden"})) ==
        "golden: neither a file cases.jsonl, a node test of ONNX nor a module of MLIR (*.mlir) is "
        "in this folder or below it [batch.b15]");
}

TEST_CASE("what is named twice is run once", "[app]") {
  const Folders folders({{"golden/cases.jsonl", {named("one", right)}}});
  std::filesystem::create_symlink("cases.jsonl", folders / "golden/link.jsonl");
  CHECK(folders.run({"golden", "golden/cases.jsonl", "golden/link.jsonl", "./golden"}).out ==
        "ok       one\n\n1 case: 1 passed\n");
}

TEST_CASE("a file of the batch that does not exist ends it before it begins", "[app]") {
  const Folders folders({{"a.jsonl", {named("writes", {{"output", "o.npy"}})}}});
  CHECK(refusal_of(3, folders.command({"a.jsonl", "no.jsonl"})) ==
        "no.jsonl: cannot be opened: no such file or directory [file.f1]");
  CHECK(!std::filesystem::exists(folders / "o.npy"));
}

TEST_CASE("paths are relative to the case's own file", "[app]") {
  const Folders folders({{"x/cases.jsonl", {named("x", {{"expected", "gold.npy"}})}},
                         {"y/cases.jsonl", {named("y", {{"expected", "gold.npy"}})}}});
  output_of({"convert", "[5, 2, 6]", folders / "x/gold.npy"});
  output_of({"convert", "[5, 3, 6]", folders / "y/gold.npy"});
  CHECK(states_of(folders.run({"x", "y", "--json"})) ==
        std::map<std::string, std::string>{{"x", "passed"}, {"y", "failed"}});
}

TEST_CASE("batch.b3: names are unique over all files", "[app]") {
  const Folders folders({{"a.jsonl", {named("x", right), case_line(right)}},
                         {"b.jsonl", {named("x", right), case_line(right)}}});
  const Result result = folders.run({"a.jsonl", "b.jsonl", "--junit", "r.xml"});
  CHECK(result.out.starts_with(
      "ok       x\nok       a.jsonl:line-2\nFAILED   x  b.jsonl:1: an earlier case has the name x, "
      "too [batch.b3]\nok       b.jsonl:line-2\n"));
  CHECK_THAT(result.out, contains("\n  tscatter batch a.jsonl b.jsonl --filter x\n"));
  const std::string report = folders.text("r.xml");
  CHECK_THAT(report, contains("<testcase classname=\"a\" name=\"x\" "));
  CHECK_THAT(report, contains("<testcase classname=\"b\" name=\"x (line 1 of file 2)\" "));
  CHECK_THAT(report, contains("<testsuite name=\"batch\" tests=\"4\" failures=\"1\""));
}

TEST_CASE("of several files, cases without a name are called after their file", "[app]") {
  const Folders folders({{"a.jsonl", {case_line(right), case_line(wrong)}},
                         {"sub/b.jsonl", {case_line(wrong)}},
                         {"one/cases.jsonl", {case_line(wrong)}}});
  const Result result = folders.run({"a.jsonl", "sub/b.jsonl"});
  CHECK(result.out.starts_with(
      "ok       a.jsonl:line-1\nFAILED   a.jsonl:line-2  a.jsonl:2: values differ"));
  CHECK_THAT(result.out, contains("\nsub/b.jsonl:line-1  sub/b.jsonl:1\n"));
  // Alone the file gives other names.
  CHECK_THAT(result.out, contains("\n  tscatter compare --case line-1 sub/b.jsonl\n"));
  CHECK(folders.run({"sub/b.jsonl", "--filter", "line-1"}).exit_code == 1);
  CHECK(folders.run({"a.jsonl", "sub/b.jsonl", "--filter", "sub/*", "--list"}).out ==
        "sub/b.jsonl:line-1\n");
  CHECK(folders.run({"one", "--list"}).out == "line-1\n");
}

TEST_CASE("batch.b12: what a case writes is read by no case of another file", "[app]") {
  const Folders folders(
      {{"a/cases.jsonl",
        {"# first", named("reads", {{"data", "../x.npy"}, {"expected", {5, 2, 6}}})}},
       {"b/cases.jsonl", {named("writes", {{"output", "../x.npy"}})}}});
  output_of({"convert", "[1, 2, 3]", folders / "x.npy"});
  const std::string before = folders.text("x.npy");
  for (const Strings& words : {Strings{"a", "b"}, Strings{"b", "a"}}) {
    const Result result = folders.run(words);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.out, contains("FAILED   writes  b/cases.jsonl:1: output: must be a file that "
                                    "nothing reads (what reads it belongs in another batch), got "
                                    "x.npy, which is data of a/cases.jsonl:2 [batch.b12]\n"));
    CHECK_THAT(result.out,
               contains("\n  tscatter batch " + words[0] + " " + words[1] + " --filter writes\n"));
    CHECK(folders.text("x.npy") == before);
  }
  CHECK(refusal_of(2, folders.command({"a", "b", "--junit", "b/cases.jsonl"})) ==
        "--junit: must be another file than CASES, got b/cases.jsonl [cli.c14]");
}

TEST_CASE("--update-golden: cases of several files share a golden in their order", "[app]") {
  const Folders folders({{"a.jsonl", {named("a", {{"expected", "g.npy"}})}},
                         {"b.jsonl", {named("b", {{"expected", "g.npy"}, {"updates", {8, 9}}})}}});
  for (int i = 0; i < 5; ++i) {
    std::filesystem::remove(folders / "g.npy");
    const Result result = folders.run({"a.jsonl", "b.jsonl", "--update-golden", "-j", "2"});
    CHECK(
        result.out.starts_with("updated  a  g.npy: new\nFAILED   b  b.jsonl:1: expected: g.npy "
                               "cannot be rewritten: it is also the golden of a [batch.b10]\n"));
    CHECK_THAT(result.out, contains("\n  tscatter batch a.jsonl b.jsonl --update-golden\n"));
  }
}

TEST_CASE("defaults are those of their own file", "[app]") {
  const json near{{"dtype", "f16"}, {"expected", {5, 2.5, 6}}};
  const Folders folders(
      {{"a.jsonl", {R"({"defaults": {"f16": {"atol": 1}}})", named("a", near)}},
       {"b.jsonl", {named("b", near)}},
       {"c.jsonl", {R"({"defaults": {"f16": {"atol": 0.5}}})", named("c", near)}}});
  CHECK(states_of(folders.run({"a.jsonl", "b.jsonl", "c.jsonl", "--json"})) ==
        std::map<std::string, std::string>{{"a", "passed"}, {"b", "failed"}, {"c", "passed"}});
}

TEST_CASE("selection and state are of all files", "[app]") {
  const Folders& folders = two_files();
  const auto listed = [&](Strings flags) {
    flags.insert(flags.begin(), {"a.jsonl", "b.jsonl"});
    flags.emplace_back("--list");
    return folders.run(flags).out;
  };
  CHECK(folders.run({"a.jsonl", "b.jsonl"}).exit_code == 1);
  CHECK(listed({"--last-failed"}) == "two\nthree\n");
  CHECK(folders.run({"b.jsonl", "a.jsonl", "--last-failed", "--list"}).out == "three\ntwo\n");
  CHECK(listed({"--filter", "t*", "--filter", "four"}) == "two\nthree\nfour\n");
  std::string shards;
  for (const char* shard : {"1/3", "2/3", "3/3"}) shards += listed({"--shard", shard});
  CHECK(shards.size() == std::string("one\ntwo\nthree\nfour\n").size());
  CHECK_THAT(folders.run({"a.jsonl", "b.jsonl", "--resume"}).out,
             contains("resumed  one\nFAILED   two"));
  // One file has a state of its own.
  CHECK(folders.run({"a.jsonl", "--last-failed", "--list"}).out == "one\ntwo\n");
}

TEST_CASE("JSON names the file of a case, unless it is the whole batch", "[app]") {
  const std::vector<json> lines = json_lines(two_files().run({"a.jsonl", "b.jsonl", "--json"}).out);
  REQUIRE(lines.size() == 5);
  CHECK(lines[2].at("file") == "b.jsonl");
  CHECK(lines[2].at("line") == 1);
  CHECK(lines.back().at("summary").at("cases") == 4);
  CHECK(!json_lines(two_files().run({"a.jsonl", "--json"}).out)[0].contains("file"));
  CHECK(two_files().run({"a.jsonl", "b.jsonl", "--list", "--json", "--filter", "three"}).out ==
        "{\"name\":\"three\",\"file\":\"b.jsonl\",\"line\":1}\n");
}

TEST_CASE("cli.c41: a filter that matches nothing is refused with the number of all files' cases",
          "[app]") {
  CHECK(refusal_of(2, two_files().command({"a.jsonl", "b.jsonl", "--filter", "thre"})) ==
        "--filter: leaves none of the 4 cases of a.jsonl and 1 more (a pattern matches a whole "
        "name; --list prints them) [cli.c41]");
}

TEST_CASE("stdin and pipes are files of a batch, too", "[app]") {
  const Folders& folders = two_files();
  const Result result = folders.command({"a.jsonl", "-", "b.jsonl"})
                            .with_input(named("from stdin", right) + "\n" + named("more", wrong))
                            .run();
  CHECK_THAT(result.out, contains("ok       from stdin\nFAILED   more  <stdin>:2: "));
  CHECK(result.out.ends_with("6 cases: 3 passed, 3 failed\n"));
  CHECK(refusal_of(2, folders.command({"a.jsonl", "-", "--resume"})) ==
        "--resume: needs a batch that is a file, got stdin [cli.c44]");
}

TEST_CASE("batch.b13: a file of several that is replaced while they are run ends the run",
          "[app]") {
  const Folders folders({{"b.jsonl", {named("b", right)}}});
  REQUIRE(::mkfifo((folders / "fifo").c_str(), 0600) == 0);
  folders.put("a.jsonl", named("waits", {{"data", "fifo"}, {"expected", {5, 2, 6}}}));
  Running running(folders.command({"a.jsonl", "b.jsonl", "-j", "1"}));
  std::string other = named("c", right) + "\n";
  const std::filesystem::path anew = folders / "anew";
  write_file(anew, other);
  std::filesystem::last_write_time(anew, std::filesystem::last_write_time(folders / "b.jsonl"));
  {
    std::ofstream fifo(folders / "fifo");  // opened when the case reads it: the plan is made
    std::filesystem::rename(anew, folders / "b.jsonl");
    fifo << "[1, 2, 3]";
  }
  const Result result = running.finish();
  CHECK(result.exit_code == 3);
  CHECK(result.err == "tscatter: b.jsonl: the batch was changed while it was run [batch.b13]\n");
}

TEST_CASE("unreferenced goldens of several files are shown from the working directory", "[app]") {
  const Folders folders({{"x/cases.jsonl", {named("x", {{"expected", "gold.npy"}})}},
                         {"y/cases.jsonl", {named("y", {{"expected", "gold.npy"}})}}});
  for (const char* name : {"x/gold.npy", "y/gold.npy", "x/old.npy", "y/old.npy"})
    output_of({"convert", "[5, 2, 6]", folders / name});
  CHECK(folders.run({"x", "y"}).err ==
        "tscatter: warning: x and 1 more: no case refers to these goldens: x/old.npy, y/old.npy "
        "[batch.b11]\n");
}

TEST_CASE("files whose names are escaped alike have names of their own", "[app]") {
  const Folders folders({{"a\377.jsonl", {case_line(right)}},
                         {"a\\xff.jsonl", {case_line(right)}},
                         {"a\\xff.jsonl (3)", {case_line(right)}},
                         {"a\\xff.jsonl (2)", {case_line(right)}}});
  const Result result =
      folders.run({"a\377.jsonl", "a\\xff.jsonl", "a\\xff.jsonl (3)", "a\\xff.jsonl (2)"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains("4 passed"));
}

}  // namespace tscatter
