// tscatter batch: everything that can be wrong with a batch, with what a case asserts, and with
// the flags, word for word.
#include "app/batch.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

std::string usage_error(const BatchDirectory& batch, Strings flags) {
  return refusal_of(2, batch.command(std::move(flags)));
}

}  // namespace

TEST_CASE("batch.b1: a batch without a case is refused", "[app]") {
  for (const Strings& lines : {Strings{}, Strings{"# nothing", "", "   "}}) {
    const BatchDirectory batch(lines);
    CHECK(usage_error(batch, {}) == "cases.jsonl: the batch has no case [batch.b1]");
    CHECK(usage_error(batch, {"--list"}) == "cases.jsonl: the batch has no case [batch.b1]");
  }
}

TEST_CASE("batch.b2: a line of more than 64 MiB fails, and the next is run", "[app]") {
  const std::string longest(std::size_t{64} << 20U, ' ');
  const BatchDirectory batch({"{}" + longest, case_line(right), std::string("7") + longest});
  const Result result = batch.run();
  CHECK(result.exit_code == 1);
  CHECK(result.out.starts_with(
      "FAILED   line-1  cases.jsonl:1: a line must be at most 67108864 bytes long, got more "
      "[batch.b2]\nok       line-2\nFAILED   line-3  "));
}

TEST_CASE("batch.b3: a name that stands twice fails the second case", "[app]") {
  json more = right;
  more["name"] = "x";
  const BatchDirectory batch({case_line(more), case_line(more)});
  CHECK(batch.run().out.starts_with(
      "ok       x\nFAILED   x  cases.jsonl:2: an earlier case has the name x, too [batch.b3]\n"));
  more["name"] = "line-2";
  batch.write({case_line(more), case_line(right)});
  CHECK(
      batch.run().out.starts_with("ok       line-2\nFAILED   line-2  cases.jsonl:2: an earlier "
                                  "case has the name line-2, too [batch.b3]\n"));
}

TEST_CASE("batch.b4: a case that asserts nothing fails", "[app]") {
  CHECK(failure_with(json::object()) ==
        "the case asserts nothing: add expected, expected_error, actual or an output [batch.b4]");
  CHECK(failure_with({{"xfail", "no reason"}}) ==
        "the case asserts nothing: add expected, expected_error, actual or an output [batch.b4]");
}

TEST_CASE("batch.b5: actual alone must be legal for some order of the updates", "[app]") {
  check_passes(case_line({{"actual", {5, 2, 6}}}));
  CHECK(failure_with({{"actual", {5, 2, 7}}}) ==
        "not legal: 1 of 3 elements is wrong, worst at [2]: got 7, in order 6 [batch.b5]");
  CHECK(failure_with({{"actual", {5, 2}}}) ==
        "not legal: shape differs: got [2], expected [3] [batch.b5]");
  CHECK(failure_with({{"actual", {5, 2, 7}}, {"expected", {5, 2, 6}}}) ==
        "values differ: 1 of 3 elements (33.3 %), largest at [2]: got 7, expected 6 [batch.b7]");
  check_passes(case_line({{"actual", {5, 9, 7}}, {"expected", {5, 9, 7}}}));
}

TEST_CASE("a batch verifies with the policies of its line", "[app]") {
  const json nan{{"data", {{"dtype", "f32"}, {"data", {1, 2, "NaN"}}}},
                 {"updates", {5, 6}},
                 {"reduction", "max"},
                 {"actual", {5, 2, 6}}};
  json ignored = nan;
  ignored["nan"] = "ignore";
  CHECK(failure_with(nan) ==
        "not legal: 1 of 3 elements is wrong (1 would be legal with --nan ignore), worst at [2]: "
        "got 6.0, in order NaN [batch.b5]");
  check_passes(case_line(ignored));
}

TEST_CASE("a batch takes other bits as its line says", "[app]") {
  const json zero{{"data", {{"dtype", "f32"}, {"data", {1, 2, 3}}}},
                  {"updates", {-0.0, 6}},
                  {"actual", {0, 2, 6}}};
  CHECK(failure_with(zero) ==
        "not legal: 1 of 3 elements is wrong (1 would be legal with --zeros any), worst at [0]: "
        "got 0.0, in order -0.0 [batch.b5]");
  json any = zero;
  any["zeros"] = "any";
  check_passes(case_line(any));
  any["zeros"] = "kept";
  any["nan_bits"] = "any";
  CHECK(failure_with(any) == failure_with(zero));
}

TEST_CASE("a case may take its blocks mixed", "[app]") {
  json torn{{"op", "ScatterUpdate-3"},     {"data", {{0, 0}}},  {"indices", {0, 0}}, {"axis", 0},
            {"updates", {{1, 2}, {3, 4}}}, {"actual", {{1, 4}}}};
  CHECK(failure_with(torn) ==
        "not legal: 2 of 2 elements are torn (2 would be legal with --blocks mixed), first at [0, "
        "0]: got 1, in order 3 [batch.b5]");
  torn["blocks"] = "mixed";
  check_passes(case_line(torn));
  torn["blocks"] = "any";
  CHECK(failure_with(torn) == "blocks: must be whole or mixed, got any [job.j5]");
}

TEST_CASE("job.j14: nan, ftz, nan_bits, zeros and blocks are given with actual alone", "[app]") {
  const std::string rule = "nan, ftz, nan_bits, zeros and blocks ";
  CHECK(failure_with({{"expected", {5, 2, 6}}, {"actual", {5, 2, 6}}, {"ftz", true}}) ==
        rule + "must be left out beside expected [job.j14]");
  CHECK(failure_with({{"expected_error", "npy.f1"}, {"nan", "any"}}) ==
        rule + "need actual [job.j14]");
  CHECK(failure_with({{"expected_error", "npy.f1"}, {"nan_bits", "any"}}) ==
        rule + "need actual [job.j14]");
  CHECK(failure_with({{"expected", {5, 2, 6}}, {"zeros", "kept"}}) ==
        rule + "must be left out beside expected [job.j14]");
  CHECK(failure_with({{"actual", {5, 2, 6}}, {"zeros", "all"}}) ==
        "zeros: must be kept or any, got all [job.j5]");
  CHECK(failure_with({{"actual", {5, 2, 6}}, {"nan", "some"}}) ==
        "nan: must be text, propagate, ignore or any, got some [job.j5]");
  CHECK(failure_with({{"actual", {5, 2, 6}}, {"nan", "ieee"}}) ==
        "nan: must be text, propagate, ignore or any (the rule of min and max is the key "
        "extremes), got ieee [job.j5]");
}

TEST_CASE("batch.b6: a golden that does not exist fails, xfail or not", "[app]") {
  const std::string message =
      "golden is missing: gold.npy: expected cannot be opened: no such file or directory "
      "(--update-golden writes it) [batch.b6]";
  CHECK(failure_with({{"expected", "gold.npy"}}) == message);
  CHECK(failure_with({{"expected", "gold.npy"}, {"xfail", "later"}}) ==
        "golden is missing: gold.npy: expected cannot be opened: no such file or directory "
        "(--update-golden writes it) (xfail does not excuse that) [batch.b6]");
}

TEST_CASE("batch.b7: another value, shape or dtype than expected fails", "[app]") {
  CHECK(failure_with({{"expected", {5, 2, 7}}}) ==
        "values differ: 1 of 3 elements (33.3 %), largest at [2]: got 6, expected 7 [batch.b7]");
  CHECK(failure_with({{"expected", {5, 2}}}) == "shape differs: got [3], expected [2] [batch.b7]");
  CHECK(failure_with({{"expected", {{"dtype", "f32"}, {"data", {5, 2, 6}}}}}) ==
        "dtype differs: got int64, expected float32 [batch.b7]");
}

TEST_CASE("batch.b8: a job that is not refused as expected fails", "[app]") {
  CHECK(failure_with({{"expected_error", "scatter_nd_update_15.c4"}}) ==
        "the job must be refused by scatter_nd_update_15.c4, got a result [batch.b8]");
  CHECK(failure_with({{"expected_error", "npy.f1"}, {"data", {1}}}) ==
        "the job must be refused by npy.f1, got scatter_nd_update_15: indices[1, 0] must be in "
        "[-1, 1) for data axis 0, got 2 [scatter_nd_update_15.c4] [batch.b8]");
  check_passes(case_line({{"expected_error", "scatter_nd_update_15.c4"}, {"data", {1}}}));
  check_passes(case_line({{"expected_error", "job.j2"}, {"date", {1}}}));
  check_passes(case_line({{"expected_error", "file.f1"}, {"data", "no.npy"}}));
}

TEST_CASE("batch.b9: a case with xfail that passes fails", "[app]") {
  CHECK(failure_with({{"expected", {5, 2, 6}}, {"xfail", "issue 9"}}) ==
        "the case passes, although xfail says: issue 9 (remove xfail) [batch.b9]");
  CHECK(failure_with({{"expected_error", "job.j3"}, {"op", "x"}, {"xfail", "y"}}) ==
        "the case passes, although xfail says: y (remove xfail) [batch.b9]");
}

TEST_CASE("xfail excuses a difference and a broken rule, not what keeps the case from its test",
          "[app]") {
  const auto state = [](json more) {
    more["xfail"] = "known";
    more["name"] = "c";
    return states_of(BatchDirectory({case_line(more)}).run({"--json"})).at("c");
  };
  CHECK(state({{"expected", {1}}}) == "xfailed");
  CHECK(state({{"expected", {1}}, {"data", {1}}}) == "xfailed");
  CHECK(state({{"expected_error", "npy.f1"}}) == "xfailed");
  CHECK(state({{"expected", {5, 2, 6}}, {"data", "no.npy"}}) == "failed");
  CHECK(state({{"expected", {5, 2, 6}}, {"data", {{1}, {1, 2}}}}) == "failed");
  CHECK(state({{"expected", {5, 2, 6}}, {"reduction", "x"}}) == "failed");
}

TEST_CASE("batch.b10: --update-golden writes a golden for one case only", "[app]") {
  const BatchDirectory batch(
      {case_line({{"name", "a"}, {"expected", "g.npy"}}),
       case_line({{"name", "b"}, {"expected", "./g.npy"}, {"updates", {8, 9}}})});
  const Result result = batch.run({"--update-golden", "-j", "1"});
  CHECK(result.exit_code == 1);
  CHECK(
      result.out.starts_with("updated  a  g.npy: new\nFAILED   b  cases.jsonl:2: expected: ./g.npy "
                             "cannot be rewritten: it is also the golden of a [batch.b10]\n"));
  CHECK_THAT(result.out, contains("\n  tscatter batch cases.jsonl --update-golden\n"));
}

TEST_CASE("batch.b11: a golden that no case refers to is said, or fails", "[app]") {
  const BatchDirectory batch({case_line({{"expected", "gold/a.npy"}})});
  std::filesystem::create_directories(batch / "gold");
  for (const char* name : {"gold/a.npy", "gold/b.npy", "gold/c.npy", "outside.npy"})
    output_of({"convert", "[5, 2, 6]", batch / name});
  write_file(batch / "gold/notes.txt", "");
  const std::string said =
      "cases.jsonl: no case refers to these goldens: gold/b.npy, gold/c.npy [batch.b11]\n";
  CHECK(batch.run().err == "tscatter: warning: " + said);
  CHECK(batch.run().exit_code == 0);
  CHECK(batch.run({"--unreferenced", "warn"}).err == "tscatter: warning: " + said);
  CHECK(batch.run({"--unreferenced", "ignore"}).err.empty());
  const Result failed = batch.run({"--unreferenced", "fail", "--junit", "r.xml"});
  CHECK(failed.exit_code == 1);
  CHECK(failed.err == "tscatter: " + said);
  CHECK_THAT(read_file(batch / "r.xml"), contains("type=\"batch.b11\""));
  batch.write({case_line({{"expected", "gold/a.npy"}, {"data", "gold/b.npy"}}),
               case_line({{"expected", {1}}, {"output", "gold/c.npy"}})});
  CHECK(batch.run({"--filter", "line-1"}).err.empty());
}

TEST_CASE("batch.b11: endings of files are compared without case", "[app]") {
  const BatchDirectory batch({case_line({{"expected", "A.NPY"}})});
  for (const char* name : {"A.NPY", "b.npy", "c.Npy"})
    output_of({"convert", "[5, 2, 6]", batch / name});
  CHECK(batch.run().err ==
        "tscatter: warning: cases.jsonl: no case refers to these goldens: b.npy, c.Npy "
        "[batch.b11]\n");
}

TEST_CASE("batch.b11: members of an archive are looked at, and each file is said once", "[app]") {
  const BatchDirectory batch(
      {case_line({{"expected", "gold.npz:x"}}), case_line({{"expected", "./gold.npz:y.npy"}}),
       case_line({{"expected", "g.npy"}}), case_line({{"expected", "./g.npy"}}),
       case_line({{"expected", "link/g.npy"}})});
  std::filesystem::create_symlink(".", batch / "link");
  for (const char* name : {"gold.npz:x", "gold.npz:old", "gold.npz:y", "gold.npz:a b", "g.npy",
                           "left.npy", "whole.npz:x"})
    output_of({"convert", "[5, 2, 6]", (batch / "").native() + name});
  const Result result = batch.run({"--unreferenced", "fail"});
  CHECK(result.exit_code == 1);
  CHECK(result.out.ends_with("5 cases: 5 passed\n"));
  CHECK(result.err ==
        "tscatter: cases.jsonl: no case refers to these goldens: gold.npz:a b, gold.npz:old, "
        "left.npy, whole.npz [batch.b11]\n");
  const std::filesystem::path directory = (batch / "").parent_path();
  const std::string path = "./" + directory.filename().native() + "/cases.jsonl";
  const Result from_above = Command({"batch", path}).in(directory.parent_path()).run();
  CHECK(from_above.err.ends_with(
      "goldens: gold.npz:a b, gold.npz:old, left.npy, whole.npz [batch.b11]\n"));
}

TEST_CASE("batch.b12: a case that is refused, and one that changes nothing, names no file",
          "[app]") {
  const json change{{"data", "x.npy"}, {"in_place", true}};
  const json bad{{"data", "x.npy"}, {"in_place", true}, {"output", 3}};
  const json refused{{"data", "y.npy"},
                     {"in_place", true},
                     {"indices", {{7}}},
                     {"updates", {1}},
                     {"expected_error", "scatter_nd_update_15.c4"}};
  const BatchDirectory batch({case_line(bad), case_line(change), case_line(change),
                              case_line(refused),
                              case_line({{"data", "y.npy"}, {"expected", {5, 2, 6}}})});
  for (const char* name : {"x.npy", "y.npy"}) output_of({"convert", "[1, 2, 3]", batch / name});
  const std::map<std::string, std::string> states = states_of(batch.run({"--json"}));
  CHECK(states == std::map<std::string, std::string>{{"line-1", "failed"},
                                                     {"line-2", "written"},
                                                     {"line-3", "failed"},
                                                     {"line-4", "passed"},
                                                     {"line-5", "passed"}});
}

TEST_CASE("batch.b4: a file that is compared with itself asserts nothing", "[app]") {
  const BatchDirectory batch({""});
  output_of({"convert", "[5, 3, 6]", batch / "g.npy"});
  std::filesystem::create_hard_link(batch / "g.npy", batch / "h.npy");
  for (const char* actual : {"g.npy", "./g.npy", "h.npy"}) {
    batch.write({case_line({{"expected", "g.npy"}, {"actual", actual}})});
    CHECK(batch.run().out.starts_with(
        std::string(
            "FAILED   line-1  cases.jsonl:1: actual: must be another file than expected, got ") +
        actual + " for both [batch.b4]\n"));
  }
}

TEST_CASE("a bad line fails its own case, and the others are run", "[app]") {
  const BatchDirectory batch({"not JSON", "[1]", R"({"name": "k", "name": "k"})", "{}",
                              case_line({{"data", "no.npy"}, {"expected", {1}}}),
                              case_line({{"data", "cut.npy"}, {"expected", {1}}}),
                              case_line({{"data", "text.npy"}, {"expected", {1}}}), "\xff\xfe",
                              case_line(right)});
  output_of({"convert", "[1, 2, 3]", batch / "cut.npy"});
  std::filesystem::resize_file(batch / "cut.npy", 140);
  write_file(batch / "text.npy", "hello");
  const Result result = batch.run();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, contains("\nok       line-9\n"));
  CHECK(result.out.ends_with("\n9 cases: 1 passed, 8 failed\n"));
  CHECK_THAT(result.out,
             contains("FAILED   line-1  cases.jsonl:1: a job must be a JSON object (a string "
                      "stands in double quotes), got not at column 1 [job.j1]\n"));
  CHECK_THAT(
      result.out,
      contains(
          "FAILED   line-2  cases.jsonl:2: a job must be a JSON object, got array [job.j1]\n"));
  CHECK_THAT(result.out, contains("FAILED   line-5  cases.jsonl:5: file is missing: no.npy: data "
                                  "cannot be opened: no such file or directory [file.f1]\n"));
  CHECK_THAT(result.out, contains("FAILED   line-6  cases.jsonl:6: file is cut: cut.npy: data ends "
                                  "after 12 of 24 bytes [npy.f7]\n"));
}

TEST_CASE("cli.c40: --shard is K/N", "[app]") {
  const BatchDirectory batch({case_line(right)});
  for (const char* text :
       {"0/2", "3/2", "1", "1/", "/1", "1/1000001", "a/b", "-1/2", "1/2/3", "1 /2"}) {
    CHECK(usage_error(batch, {"--shard", text}) ==
          std::string("--shard: must be K/N with 1 <= K <= N <= 1000000, got ") + text +
              " [cli.c40]");
  }
}

TEST_CASE("cli.c41: a selection that leaves no case is refused", "[app]") {
  const BatchDirectory batch({case_line(right)});
  CHECK(usage_error(batch, {"--filter", "nothing"}) ==
        "--filter: leaves none of the 1 cases of cases.jsonl (a pattern matches a whole name; "
        "--list prints them) [cli.c41]");
}

TEST_CASE("cli.c42: --update-golden is refused where CI is set, unless --force", "[app]") {
  const auto on_ci = [](const BatchDirectory& batch, const std::string& ci, Strings flags) {
    flags.insert(flags.begin(), "--update-golden");
    return batch.command(flags).with_environment("CI", ci);
  };
  for (const std::string ci : {"true", "True", "1", "yes"}) {
    const BatchDirectory batch({case_line({{"expected", "g.npy"}})});
    CHECK(refusal_of(2, on_ci(batch, ci, {})) ==
          "--update-golden: needs --force where CI=" + ci + " [cli.c42]");
    CHECK(batch.names() == Strings{"cases.jsonl"});
    CHECK(on_ci(batch, ci, {"--force"}).run().exit_code == 0);
  }
  for (const std::string ci : {"", "0", "false"}) {
    const BatchDirectory batch({case_line({{"expected", "g.npy"}})});
    CHECK(on_ci(batch, ci, {}).run().exit_code == 0);
  }
}

TEST_CASE("cli.c43: the shard that the environment names is checked", "[app]") {
  const BatchDirectory batch({case_line(right)});
  const auto shard = [&](const char* index, const char* total) {
    return refusal_of(2, batch.command()
                             .with_environment("TEST_SHARD_INDEX", index)
                             .with_environment("TEST_TOTAL_SHARDS", total));
  };
  CHECK(shard("0", "x") ==
        "TEST_TOTAL_SHARDS: must be an integer from 1 to 1000000, got x [cli.c43]");
  CHECK(shard("0", "0") ==
        "TEST_TOTAL_SHARDS: must be an integer from 1 to 1000000, got 0 [cli.c43]");
  CHECK(shard("2", "2") == "TEST_SHARD_INDEX: must be an integer from 0 to 1, got 2 [cli.c43]");
  CHECK(shard("", "2") ==
        "TEST_SHARD_INDEX: must be an integer from 0 to 1, but is not set [cli.c43]");
}

TEST_CASE("cli.c44: what looks at earlier runs needs a batch that is a file", "[app]") {
  for (const char* flag : {"--last-failed", "--resume"}) {
    CHECK(refusal_of(2, {"batch", "-", flag}) ==
          std::string(flag) + ": needs a batch that is a file, got stdin [cli.c44]");
  }
  CHECK(refusal_of(2, "batch - --state known") ==
        "--state: needs a batch that is a file, got stdin [cli.c44]");
}

TEST_CASE("a batch or a report that cannot be opened ends the run before it begins", "[app]") {
  CHECK(refusal_of(3, "batch no.jsonl") ==
        "no.jsonl: cannot be opened: no such file or directory [file.f1]");
  const BatchDirectory batch({case_line({{"output", "o.npy"}})});
  for (const char* flag : {"--junit", "--html"}) {
    CHECK(refusal_of(3, batch.command({flag, "no/r"})) ==
          "no/r: cannot be created: the folder no does not exist [file.f4]");
  }
  write_file(batch / "file", "");
  CHECK(refusal_of(3, batch.command({"--failed-dir", "file/dir"})) ==
        "file/dir: cannot be created: not a directory [file.f4]");
  CHECK(refusal_of(2, {"batch"}) == "batch: CASES is missing: tscatter batch CASES [cli.c3]");
  CHECK(!std::filesystem::exists(batch / "o.npy"));
}

TEST_CASE("batch.b11: a golden that a case names by a link is one that it refers to", "[app]") {
  const BatchDirectory batch({case_line({{"expected", "golden.npy"}})});
  output_of({"convert", "[5, 2, 6]", batch / "real.npy"});
  std::filesystem::create_symlink("real.npy", batch / "golden.npy");
  CHECK(batch.run({"--unreferenced", "fail"}).exit_code == 0);
  // What lies where a link leads is in no folder of goldens.
  std::filesystem::create_directories(batch / "store");
  std::filesystem::create_directories(batch / "d");
  for (const char* name : {"store/g.npy", "store/other.npy", "d/old.npy"})
    output_of({"convert", "[5, 2, 6]", batch / name});
  std::filesystem::create_symlink("../store/g.npy", batch / "d/golden.npy");
  std::filesystem::create_symlink("d", batch / "way");
  batch.write({case_line({{"expected", "way/golden.npy"}})});
  CHECK(
      batch.run().err ==
      "tscatter: warning: cases.jsonl: no case refers to these goldens: way/old.npy [batch.b11]\n");
  // Nor is a golden that the run has written.
  std::filesystem::remove(batch / "d/old.npy");
  std::filesystem::create_symlink("../store/new.npy", batch / "d/new.npy");
  batch.write({case_line({{"expected", "d/new.npy"}}), case_line({{"expected", "d/n.npy"}})});
  std::filesystem::remove(batch / "d/golden.npy");
  CHECK(batch.run({"--update-golden", "--unreferenced", "fail"}).exit_code == 0);
}

TEST_CASE("file.f4: --update-golden makes no folder where a link leads, and says of a link where",
          "[app]") {
  const BatchDirectory batch({case_line({{"expected", "g.npy"}})});
  std::filesystem::create_symlink("gone/x.npy", batch / "g.npy");
  std::filesystem::create_symlink("nowhere", batch / "way");
  const std::string rule = ": cannot be created: ";
  for (const Strings& flags : {Strings{"--update-golden"}, Strings{"--update-golden", "-n"}}) {
    CHECK_THAT(
        batch.run(flags).out,
        contains("g.npy" + rule +
                 "g.npy is a link to gone/x.npy (make the folder that it leads to) [file.f4]\n"));
  }
  CHECK(!std::filesystem::exists(batch / "gone"));
  std::filesystem::create_directories(batch / "gone");
  CHECK(batch.run({"--update-golden"})
            .out.starts_with("updated  line-1  g.npy (a link to gone/x.npy): new\n"));
  CHECK(std::filesystem::exists(batch / "gone/x.npy"));
  batch.write({case_line({{"expected", "way/x.npy"}})});
  CHECK_THAT(batch.run({"--update-golden"}).out,
             contains("way/x.npy" + rule +
                      "way is a link to nowhere (make the folder that it leads to) [file.f4]\n"));
  CHECK(!std::filesystem::exists(batch / "nowhere"));
}

TEST_CASE("job.j1: a list of cases is told what a batch is", "[app]") {
  for (const std::string& line : {"[" + case_line(right) + "]", std::string(" [ ")}) {
    CHECK(failure_of(line) ==
          "a line must be one case, a JSON object (one case a line, without a list around them), "
          "got a list [job.j1]");
  }
}

TEST_CASE("--failed-dir says that a case with actual has no output", "[app]") {
  const std::string said = "; no output is kept: with actual no job is run [batch.b";
  json both = wrong;
  both["actual"] = {5, 2, 6};
  for (const json& more : {json{{"actual", {0, 2, 6}}}, both}) {
    const BatchDirectory batch({case_line(more)});
    CHECK_THAT(batch.run({"--failed-dir", "kept"}).out, contains(said));
    CHECK_THAT(batch.run().out, !contains("kept"));
  }
}

}  // namespace tscatter
