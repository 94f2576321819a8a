// tscatter batch --update-golden -n: says what would be written, and writes nothing.
#include "app/batch.hpp"
#include "catch.hpp"
#include "io/half_changed.hpp"

namespace tscatter {
using nlohmann::json;

TEST_CASE("--update-golden -n says what would be written, and writes nothing", "[app]") {
  const BatchDirectory batch(
      {named("same", {{"expected", "same.npy"}}), named("other", {{"expected", "other.npy"}}),
       named("new", {{"expected", "new/new.npy"}, {"output", "copy.npy"}}),
       named("inline", {{"expected", {5, 3, 6}}}), named("kept", {{"output", "kept.npy"}}),
       named("in place", {{"data", "d.npy"}, {"in_place", true}}),
       named("refused", {{"data", {1}}, {"output", "never.npy"}})});
  for (const auto& [name, values] : std::map<std::string, std::string>{
           {"same.npy", "[5, 2, 6]"}, {"other.npy", "[5, 3, 6]"}, {"d.npy", "[1, 2, 3]"}})
    output_of({"convert", values, batch / name});
  const Strings before = batch.names();
  const std::string golden = read_file(batch / "other.npy");
  const std::string data = read_file(batch / "d.npy");
  const Strings dry{"--update-golden", "-n", "--failed-dir", "failed"};
  const Result result = batch.run(dry);
  CHECK(result.exit_code == 1);
  CHECK(result.err.empty());
  CHECK(result.out.starts_with(
      "ok       same\nto write other  other.npy: 1 of 3 elements differ (33.3 %), largest at [1]: "
      "got 2, expected 3\nto write new  new/new.npy: new\nFAILED   inline  cases.jsonl:4: values "
      "differ: 1 of 3 elements (33.3 %), largest at [1]: got 2, expected 3 [batch.b7]\nto write "
      "kept  kept.npy\nto write in place  d.npy\nFAILED   refused  cases.jsonl:7: refused: "
      "scatter_nd_update_15: indices[1, 0] must be in [-1, 1) for data axis 0, got 2 "
      "[scatter_nd_update_15.c4]\n"));
  CHECK(result.out.ends_with("7 cases: 1 passed, 2 failed, 4 to write\n"));
  CHECK(batch.names() == before);
  CHECK(read_file(batch / "other.npy") == golden);
  CHECK(read_file(batch / "d.npy") == data);
  CHECK(batch.command(dry).with_environment("CI", "true").run().out == result.out);
  const json summary = json_lines(batch.run({"--update-golden", "-n", "--json"}).out).back();
  CHECK(summary.at("summary").at("to_write") == 4);
}

TEST_CASE("--update-golden -n says of a shared golden what --update-golden does", "[app]") {
  const Strings lines{named("a", {{"expected", "g.npy"}}), named("b", {{"expected", "./g.npy"}}),
                      named("c", {{"expected", "g.npy"}, {"updates", {8, 9}}}),
                      named("d", {{"expected", "g.npy"}, {"updates", {5, 6}}})};
  const auto said = [&](const std::string& golden, const std::string& flag) {
    const BatchDirectory batch(lines);
    if (!golden.empty()) output_of({"convert", golden, batch / "g.npy"});
    Strings flags{"--update-golden", "-j", "4"};
    if (!flag.empty()) flags.push_back(flag);
    std::string out = batch.run(flags).out;
    if (const std::size_t at = out.find("updated  a"); at != std::string::npos)
      out.replace(at, 8, "to write");
    return out.substr(0, out.find("\n\n"));
  };
  // Without a golden; with one that a has, one that c has, one that none has.
  for (const char* golden : {"", "[5, 2, 6]", "[8, 2, 9]", "[0, 0, 0]"}) {
    INFO(golden);
    CHECK(said(golden, "-n") == said(golden, ""));
  }
}

TEST_CASE("--update-golden -n leaves what is known of earlier runs", "[app]") {
  const BatchDirectory batch(
      {named("a", {{"expected", {5, 3, 6}}}), named("b", {{"expected", {5, 2, 6}}})});
  CHECK(batch.run().exit_code == 1);
  batch.write({named("a", {{"expected", {5, 2, 6}}}), named("b", {{"expected", {5, 2, 6}}})});
  CHECK(batch.run({"--update-golden", "-n"}).exit_code == 0);
  CHECK(batch.run({"--update-golden", "-n", "--last-failed"}).out ==
        "ok       a\n\n1 of 2 cases: 1 passed\n");
  CHECK(batch.run({"--last-failed", "--list"}).out == "a\n");
}

TEST_CASE("cli.c45: --dry-run is given with --update-golden", "[app]") {
  const BatchDirectory batch({named("a", {{"output", "o.npy"}})});
  CHECK(refusal_of(2, batch.command({"-n"})) ==
        "--dry-run: needs --update-golden (--list prints the cases) [cli.c45]");
  CHECK(batch.names() == Strings{"cases.jsonl"});
}

TEST_CASE("--update-golden -n says what writing the output would refuse", "[app]") {
  const HalfChanged half;
  const BatchDirectory batch(
      {named("half", {{"output", half.path.native()}}), named("part", {{"output", "x.npz"}})});
  for (const Strings& flags : {Strings{"--update-golden", "-n"}, Strings{}}) {
    const std::string out = batch.run(flags).out;
    CHECK_THAT(
        out, contains("FAILED   half  cases.jsonl:1: file is half changed: " + half.path.native() +
                      ": is half changed: a run in place was killed (tscatter recover rolls back), "
                      "and its undo journal is "));
    CHECK_THAT(out, contains("FAILED   part"));
  }
}

}  // namespace tscatter
