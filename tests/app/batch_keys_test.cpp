// tscatter batch: defaults, tags, skip and comment; and everything that can be wrong with the keys
// of a case, word for word.
#include "app/batch.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

// A case of this dtype whose element 1 is 2, and 2.5 is expected.
json near(const std::string& dtype) { return {{"dtype", dtype}, {"expected", {5, 2.5, 6}}}; }

std::string defaults_line(const json& tolerances) { return json{{"defaults", tolerances}}.dump(); }

std::map<std::string, std::string> states(const Strings& lines) {
  return states_of(BatchDirectory(lines).run({"--json"}));
}

std::string refusal(const Strings& lines) {
  const BatchDirectory batch(lines);
  return refusal_of(2, batch.command({"--failed-dir", "kept"}));
}

}  // namespace

TEST_CASE("defaults give tolerances by the dtype of the result; a case's own keys win", "[app]") {
  json stricter = near("f16");
  stricter["atol"] = 0.25;
  json other_key = near("f16");
  other_key["rtol"] = 0;
  const Strings lines{"# tolerances",
                      defaults_line({{"float16", {{"atol", 0.5}}}, {"i64", {{"atol", 1}}}}),
                      named("by dtype", near("f16")),
                      named("short name", wrong),
                      named("own", stricter),
                      named("own and default", other_key),
                      named("another dtype", near("f32"))};
  CHECK(states(lines) == std::map<std::string, std::string>{{"by dtype", "passed"},
                                                            {"short name", "passed"},
                                                            {"own", "failed"},
                                                            {"own and default", "passed"},
                                                            {"another dtype", "failed"}});
}

TEST_CASE("every tolerance has a default", "[app]") {
  json strict = near("f32");
  const auto state = [&](const json& tolerance) {
    return states({defaults_line({{"f32", tolerance}}), named("c", strict)}).at("c");
  };
  CHECK(state(json::object()) == "failed");
  CHECK(state({{"rtol", 0.2}}) == "passed");
  CHECK(state({{"rtol", 0.19}}) == "failed");
  CHECK(state({{"max_ulp", 1 << 21}}) == "passed");
  CHECK(state({{"max_ulp", (1 << 21) - 1}}) == "failed");
  strict["expected"] = {5, "NaN", 6};
  strict["data"] = {1, "NaN", 3};
  CHECK(state({{"equal_nan", true}}) == "passed");
}

TEST_CASE("defaults are for results that are compared: verify decides by itself", "[app]") {
  const json judged{{"dtype", "f32"}, {"actual", {5, 2.5, 6}}};
  json compared = judged;
  compared["expected"] = {5, 2, 6};
  const Strings lines{defaults_line({{"f32", {{"atol", 1}}}}), named("verified", judged),
                      named("compared", compared)};
  CHECK(states(lines) ==
        std::map<std::string, std::string>{{"verified", "failed"}, {"compared", "passed"}});
}

TEST_CASE("--resume runs a case again whose defaults have changed", "[app]") {
  const auto lines = [](double atol) {
    return Strings{defaults_line({{"f16", {{"atol", atol}}}}), named("c", near("f16"))};
  };
  const BatchDirectory batch(lines(1));
  CHECK(batch.run().exit_code == 0);
  CHECK(batch.run({"--resume"}).out == "resumed  c\n\n1 case: 1 resumed\n");
  batch.write(lines(0.1));
  CHECK(batch.run({"--resume"}).out.starts_with("FAILED   c  "));
}

TEST_CASE("job.j15: defaults stand once, alone in their line, before the cases", "[app]") {
  const std::string given = defaults_line({{"f16", {{"atol", 1}}}});
  CHECK(refusal({"# a comment", case_line(right), given}) ==
        "cases.jsonl:3: defaults must stand once, before the cases of their file, and these stand "
        "after a case [job.j15]");
  CHECK(refusal({"not JSON", given}) ==
        "cases.jsonl:2: defaults must stand once, before the cases of their file, and these stand "
        "after a case [job.j15]");
  CHECK(refusal({given, given, case_line(right)}) ==
        "cases.jsonl:2: defaults must stand once, before the cases of their file, and these stand "
        "again [job.j15]");
  for (const char* other : {"comment", "name"}) {
    CHECK(refusal({json{{"defaults", json::object()}, {other, "x"}}.dump(), case_line(right)}) ==
          std::string("cases.jsonl:1: defaults must have a line of their own, got the key ") +
              other + " beside them [job.j15]");
  }
  CHECK(refusal({case_line(right), R"({"d\u0065faults": {}})"}).ends_with("[job.j15]"));
}

TEST_CASE("job.j16: defaults are tolerances by dtype", "[app]") {
  const auto said = [](const json& defaults) {
    return refusal({defaults_line(defaults), case_line(right)});
  };
  CHECK(
      said(3) ==
      R"(cases.jsonl:1: defaults: must be an object with tolerances by dtype, as {"float16": {"rtol": 0.01}}, got 3 [job.j16])");
  CHECK(said({{"float61", {{"rtol", 1}}}})
            .starts_with("cases.jsonl:1: defaults: must be the name of a numeric dtype (nearest: "
                         "float16), got float61 [job.j16]"));
  CHECK(said({{"float16", 1}}) ==
        "cases.jsonl:1: defaults: float16: must be an object with rtol, atol, max_ulp or "
        "equal_nan, got 1 [job.j16]");
  CHECK(said({{"float16", {{"rtl", 1}}}}) ==
        "cases.jsonl:1: defaults: float16: a key must be rtol, atol, max_ulp or equal_nan "
        "(nearest: rtol), got rtl [job.j16]");
  CHECK(said({{"float16", {{"rtol", 1}}}, {"f16", {{"rtol", 1}}}}) ==
        "cases.jsonl:1: defaults: float16 stands twice, under two names [job.j16]");
  CHECK(said({{"f16", {{"rtol", -1}}}}) ==
        "cases.jsonl:1: defaults: f16: rtol: must be a finite number >= 0, got -1 [job.j5]");
}

TEST_CASE("a case that is skipped says why, in every report, and is no failure", "[app]") {
  json skipped = wrong;
  skipped["skip"] = "needs <64> GiB";
  json unknown = skipped;
  unknown["op"] = "ScatterElements-99";
  const BatchDirectory batch(
      {named("big", skipped), named("later", unknown), named("good", right)});
  CHECK(output_of(batch.command({"--junit", "r.xml", "--html", "r.html"})) ==
        "skipped  big  needs <64> GiB\nskipped  later  needs <64> GiB\nok       good\n\n3 cases: 1 "
        "passed, 2 skipped\n");
  const std::string xml = read_file(batch / "r.xml");
  CHECK_THAT(xml, contains("failures=\"0\" errors=\"0\" skipped=\"2\""));
  CHECK_THAT(xml, contains("<skipped type=\"skipped\" message=\"needs &lt;64&gt; GiB\"/>"));
  const std::string page = read_file(batch / "r.html");
  CHECK_THAT(page, contains("id=\"show-skipped\""));
  CHECK_THAT(page, contains("<li class=\"case skipped\""));
  CHECK_THAT(page, contains("#show-skipped:checked"));
  const std::vector<json> lines = json_lines(batch.run({"--json"}).out);
  CHECK(lines[0].at("state") == "skipped");
  CHECK(lines[0].at("message") == "needs <64> GiB");
  CHECK(lines.back().at("summary").at("skipped") == 2);
}

TEST_CASE("a case that is skipped writes nothing and needs nothing", "[app]") {
  json lost{{"data", "lost.npy"}, {"output", "o.npy"}, {"skip", "x"}, {"expected", "gold.npy"}};
  const BatchDirectory batch({named("skipped", lost), named("writes", {{"output", "o.npy"}}),
                              named("refers", {{"expected", "other.npy"}})});
  for (const char* name : {"gold.npy", "other.npy"})
    output_of({"convert", "[5, 2, 6]", batch / name});
  const Result result = batch.run({"--update-golden"});
  CHECK(result.out ==
        "skipped  skipped  x\nwritten  writes  o.npy\nok       refers\n\n3 cases: 1 passed, 1 "
        "written, 1 skipped\n");
  CHECK(result.err.empty());
}

TEST_CASE("what is wrong with a case's own keys is no less wrong where it is skipped", "[app]") {
  const BatchDirectory batch({named("a", {{"skip", "x"}, {"atol", "y"}})});
  CHECK(batch.run().out.starts_with(
      "FAILED   a  cases.jsonl:1: atol: must be a finite number >= 0, got \"y\" [job.j5]\n"));
}

TEST_CASE("--last-failed runs a case that is not skipped any more", "[app]") {
  json skipped = right;
  skipped["skip"] = "x";
  const BatchDirectory batch({named("a", skipped), named("b", right)});
  CHECK(batch.run().exit_code == 0);
  CHECK(batch.run({"--last-failed"}).out == "0 of 2 cases: nothing failed the last time\n");
  CHECK(batch.run({"--resume"}).out ==
        "skipped  a  x\nresumed  b\n\n2 cases: 1 resumed, 1 skipped\n");
  batch.write({named("a", right), named("b", right)});
  CHECK(batch.run({"--last-failed"}).out == "ok       a\n\n1 of 2 cases: 1 passed\n");
}

TEST_CASE("--tag takes cases with any of the tags, --list prints the tags", "[app]") {
  const auto tagged = [](const std::string& name, const json& tags) {
    json more = right;
    more["tags"] = tags;
    return named(name, more);
  };
  const BatchDirectory batch({tagged("a", {"slow", "gpu"}), tagged("b", {"gpu"}),
                              tagged("c", {"fast"}), named("d", right),
                              tagged("e", json::array())});
  const auto listed = [&](Strings flags) {
    flags.emplace_back("--list");
    return batch.run(flags).out;
  };
  CHECK(listed({}) == "a\tslow gpu\nb\tgpu\nc\tfast\nd\ne\n");
  CHECK(listed({"--tag", "gpu"}) == "a\tslow gpu\nb\tgpu\n");
  CHECK(listed({"--tag", "slow", "--tag", "fast"}) == "a\tslow gpu\nc\tfast\n");
  CHECK(listed({"--tag", "gpu", "--filter", "b"}) == "b\tgpu\n");
  CHECK(batch.run({"--list", "--json", "--tag", "slow"}).out ==
        "{\"name\":\"a\",\"line\":1,\"tags\":[\"slow\",\"gpu\"]}\n");
  CHECK(batch.run({"--tag", "fast"}).out == "ok       c\n\n1 of 5 cases: 1 passed\n");
}

TEST_CASE("cli.c41: a tag that no case has is refused", "[app]") {
  json more = right;
  more["tags"] = {"slow"};
  const BatchDirectory batch({named("a", more), named("b", right)});
  CHECK(refusal_of(2, batch.command({"--tag", "slov"})) ==
        "--tag: leaves none of the 2 cases of cases.jsonl (--list prints the tags of each case) "
        "[cli.c41]");
  CHECK(refusal_of(2, batch.command({"--tag", "slow", "--filter", "b"})) ==
        "--tag: leaves none of the 2 cases of cases.jsonl (--list prints the tags of each case) "
        "[cli.c41]");
  CHECK(refusal_of(2, batch.command({"--tag", "gpu"})) ==
        "--tag: leaves none of the 2 cases of cases.jsonl (--list prints the tags of each case) "
        "[cli.c41]");
}

TEST_CASE("job.j17: tags are words", "[app]") {
  for (const json& tags : {json("slow"), json{"a b"}, json{""}, json{"tab\t"}, json{1}, json(3)}) {
    json more = right;
    more["tags"] = tags;
    CHECK(BatchDirectory({case_line(more)})
              .run()
              .out.starts_with("FAILED   line-1  cases.jsonl:1: tags: must be a list of words, as "
                               "[\"slow\"], got " +
                               tags.dump() + " [job.j17]\n"));
  }
}

TEST_CASE("a comment is passed over, and the nearest key is found", "[app]") {
  json more = right;
  more["comment"] = "data.npy is no file here";
  CHECK(states({named("a", more)}).at("a") == "passed");
  more["comment"] = 7;
  CHECK(
      BatchDirectory({named("a", more)})
          .run()
          .out.starts_with("FAILED   a  cases.jsonl:1: comment: must be a string, got 7 [job.j5]"));
  for (const auto& [key, nearest] : std::map<std::string, std::string>{
           {"skp", "skip"}, {"tag", "tags"}, {"coment", "comment"}}) {
    json typo = right;
    typo[key] = "x";
    CHECK_THAT(BatchDirectory({named("a", typo)}).run().out,
               contains(" has no key " + key + " (nearest: " + nearest + ")"));
  }
}

using nlohmann::json;

TEST_CASE("job.j6: a name is not empty and has no NUL", "[app]") {
  CHECK(failure_with({{"name", ""}}) ==
        "name: must have at least one character, and no NUL, got \"\" [job.j6]");
  CHECK(failure_with({{"name", std::string("a\0b", 3)}}) ==
        "name: must have at least one character, and no NUL, got \"a\\u0000b\" [job.j6]");
  CHECK(failure_with({{"name", 7}}) == "name: must be a string, got 7 [job.j5]");
}

TEST_CASE("job.j7: expected_error is the label of a rule", "[app]") {
  CHECK(failure_with({{"expected_error", "scatter_nd_update_15.c44"}}) ==
        "expected_error: must be the label of a rule (tscatter help rules) (nearest: "
        "scatter_nd_update_15.c4), got scatter_nd_update_15.c44 [job.j7]");
}

TEST_CASE("job.j8: expected_error stands without expected and actual", "[app]") {
  for (const char* key : {"expected", "actual"}) {
    CHECK(failure_with({{"expected_error", "npy.f1"}, {key, {1}}}) ==
          "expected_error: must stand alone: leave out expected and actual [job.j8]");
  }
}

TEST_CASE("job.j9: tolerances are given with expected", "[app]") {
  for (const char* key : {"rtol", "atol", "max_ulp"}) {
    CHECK(failure_with({{key, 1}, {"output", "o.npy"}}) ==
          "rtol, atol, max_ulp and equal_nan need expected [job.j9]");
  }
}

TEST_CASE("job.j10: a golden test does not change its data in place", "[app]") {
  CHECK(failure_with({{"in_place", true}, {"data", "d.npy"}, {"expected", {1}}}) ==
        "in_place: must not be true beside expected: a golden test does not change its data "
        "[job.j10]");
}

TEST_CASE("job.j11: a case neither reads stdin nor writes to stdout", "[app]") {
  for (const char* key : {"data", "expected", "actual", "output", "updates"}) {
    json more = right;
    more[key] = "-";
    CHECK(failure_with(more) ==
          std::string(key) +
              ": must not be -: all cases of a batch share stdin and stdout [job.j11]");
  }
}

TEST_CASE("job.j12: a path of a case has no NUL", "[app]") {
  for (const char* key : {"data", "expected", "actual", "output", "updates"}) {
    json more = right;
    more[key] = std::string("g.npy\0z", 7);
    CHECK(failure_with(more) ==
          std::string(key) +
              ": a path must have no NUL character, got \"g.npy\\u0000z\" [job.j12]");
  }
}

TEST_CASE("job.j13: xfail and skip need a reason", "[app]") {
  json more = right;
  more["xfail"] = "";
  CHECK(failure_with(more) ==
        "xfail: must be the reason why the case is known to fail, got an empty one [job.j13]");
  more = right;
  more["skip"] = "";
  CHECK(failure_with(more) ==
        "skip: must be the reason why the case is not run, got an empty one [job.j13]");
}

TEST_CASE("the values of a case's keys are checked as those of flags are", "[app]") {
  const auto with = [](const std::string& key, const json& value) {
    json more = right;
    more[key] = value;
    return failure_with(more);
  };
  CHECK(with("rtol", "1") == "rtol: must be a finite number >= 0, got \"1\" [job.j5]");
  CHECK(with("rtol", -0.5) == "rtol: must be a finite number >= 0, got -0.5 [job.j5]");
  CHECK(with("max_ulp", -1) == "max_ulp: must be an integer >= 0, got -1 [job.j5]");
  CHECK(with("max_ulp", 1.5) == "max_ulp: must be an integer >= 0, got 1.5 [job.j5]");
  CHECK(with("equal_nan", 1) == "equal_nan: must be true or false, got 1 [job.j5]");
  CHECK(with("xfail", true) == "xfail: must be a string, got true [job.j5]");
  CHECK(with("expected", nullptr).ends_with("got null [job.j4]"));
  CHECK(with("atol", -1) == "atol: must be a finite number >= 0, got -1 [job.j5]");
  CHECK(with("expectd", {1}) ==
        "ScatterNDUpdate-15 has no key expectd (nearest: expected) [job.j2]");
}

TEST_CASE("integers of a case that fit no 64 bits are exact, or the nearest number of a bound",
          "[app]") {
  const std::string number = "18446744073709551616";
  const auto line = [&](const std::string& key) {
    json object = json::parse(case_line(right));
    object[key] = "?";
    std::string text = object.dump();
    return text.replace(text.find("\"?\""), 3, number);
  };
  CHECK(failure_of(line("data")) ==
        "data: integers without a dtype must fit int64 (name a dtype, such as uint64), got " +
            number + " [json.f8]");
  CHECK(failure_of(line("expected")) ==
        "expected: the value must fit int64, got " + number + " [json.f4]");
  check_passes(line("atol"));
  CHECK(failure_of(line("max_ulp")) ==
        "max_ulp: must be an integer >= 0, got " + number + " [job.j5]");
}

}  // namespace tscatter
