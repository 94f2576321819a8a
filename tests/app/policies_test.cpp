// The policies that a call overrides: flags, keys, reports.
#include "tscatter/ops/policies.hpp"

#include <nlohmann/json.hpp>

#include "app/folder.hpp"
#include "catch.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

Strings policies_update(Strings more) {
  return with_more(split_words("ScatterUpdate-3 -d 4xi32=0 -u '[7, 8]' -a 0"), more);
}

Strings half_sum(Strings more) {
  Strings words =
      split_words("ScatterNDUpdate-15 -d 1xi16=0 -i '[[0], [0], [0]]' -u '[2048, 1, 1]' -r sum");
  words[2] = "1xf16=0";
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string job_output(const std::string& job) {
  return Command("run - -n --json").with_input(job).run().out;
}

}  // namespace

TEST_CASE("each policy has a flag, with its words and their aliases", "[app]") {
  const auto printed = [](Strings more) {
    return tscatter_run(policies_update(std::move(more))).out;
  };
  CHECK(printed({"-i", "[1, 6]", "--oob", "modulo"}) == "[0, 7, 8, 0]\n");
  CHECK(printed({"-i", "[1, 6]", "--oob", "mod"}) == "[0, 7, 8, 0]\n");
  CHECK(printed({"-i", "[1, 6]", "--oob", "drop-window"}) == "[0, 7, 0, 0]\n");
  CHECK(printed({"-i", "[1, 6]", "--oob", "clip-index"}) == "[0, 7, 0, 8]\n");
  CHECK(printed({"-i", "[1, -1]", "--negative", "from-the-end"}) == "[0, 7, 0, 8]\n");
  CHECK(printed({"-i", "[1, 1]", "--unique", "false"}) == "[0, 8, 0, 0]\n");
  CHECK(tscatter_run(half_sum({})).out == "[2048.0]\n");
  CHECK(tscatter_run(half_sum({"--accumulate", "f32"})).out == "[2050.0]\n");
  CHECK(tscatter_run(half_sum({"--accumulate", "once", "--self", "identity"})).out == "[2050.0]\n");
}

TEST_CASE("a word that no policy has is refused, and the nearest is proposed", "[app]") {
  CHECK(refusal_of(2, policies_update({"-i", "[1, 6]", "--oob", "modul"})) ==
        "--oob: must be one of error, drop-window, drop-elements, clip-start, clip-index, modulo "
        "(nearest: modulo), got modul [cli.c4]");
}

TEST_CASE("an operation that lacks the question has no flag for it", "[app]") {
  CHECK(refusal_of(2, policies_update({"-i", "[1, 2]", "--nan", "ieee"})) ==
        "ScatterUpdate-3: has no flag --nan (only for an operation with min and max: "
        "ScatterNDUpdate-15) [cli.c2]");
  CHECK(refusal_of(2, policies_update({"-i", "[1, 2]", "--accumulate", "f32"})) ==
        "ScatterUpdate-3: has no flag --accumulate (only for an operation with a reduction: "
        "ScatterNDUpdate-15) [cli.c2]");
}

TEST_CASE("duplicates are refused with both places, before anything is written", "[app]") {
  const Folder folder;
  CHECK(folder.refused(5, policies_update({"-i", "[1, 1]", "--unique", "-o", "out.npy"})) ==
        "scatter_update_3: indices[1] must name another place than indices[0], got 1 "
        "[operation.o6]");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out.npy"));
}

TEST_CASE("the report of a call names the policies that it overrides, and no others", "[app]") {
  const json report = json::parse(
      output_of(policies_update(split_words("-i '[1, 6]' -n --json --unique --oob modulo"))));
  CHECK(report.at("overridden") == json{{"oob", "modulo"}, {"unique", "true"}});
  CHECK_FALSE(json::parse(output_of(policies_update({"-i", "[1, 2]", "-n", "--json"})))
                  .contains("overridden"));
  const std::string words = output_of(policies_update({"-i", "[1, 6]", "-n", "--oob", "modulo"}));
  CHECK_THAT(words, contains("overridden        oob modulo\n"));
}

TEST_CASE("a job has the policies as keys", "[app]") {
  const std::string job =
      R"({"op": "ScatterUpdate-3", "data": [0, 0], "indices": [3], "updates": [1], "axis": 0)";
  const json report = json::parse(job_output(job + R"(, "oob": "modulo", "unique": true})"));
  CHECK(report.at("overridden") == json{{"oob", "modulo"}, {"unique", "true"}});
  const Result wrong =
      Command("run -").with_input(job + R"(, "oob": "modulo", "unique": 1})").run();
  CHECK(wrong.err == "tscatter: <stdin>: unique: must be true or false, got 1 [job.j5]\n");
  const Result unknown = Command("run -").with_input(job + R"(, "extremes": "ieee"})").run();
  CHECK(unknown.err ==
        "tscatter: <stdin>: ScatterUpdate-3 has no key extremes (only for an operation with min "
        "and max: ScatterNDUpdate-15) [job.j2]\n");
}

TEST_CASE("the schema has each policy's words, for the operations that have it", "[app]") {
  const json schema = json::parse(output_of("run --schema"));
  for (const json& each : schema.at("oneOf")) {
    const json& properties = each.at("properties");
    if (!properties.contains("op")) continue;
    const Operation& operation =
        *find_operation(properties.at("op").at("const").get<std::string>());
    for (const PolicyInfo& policy : policy_table()) {
      INFO(operation.name << " " << policy.key);
      CHECK(properties.contains(policy.key) == can_override(operation, policy.policy));
    }
  }
}

TEST_CASE("verify has its own --nan, and the family as --extremes", "[app]") {
  const Strings call = split_words(
      "verify ScatterNDUpdate-15 -d 2xf32=nan,1 -i '[[0], [1]]' -u '[2, \"NaN\"]' -r max");
  const auto verified = [&](const Strings& more) {
    Strings words = with_more(call, more);
    return tscatter_run(words);
  };
  CHECK(verified({"--actual", "[2, \"NaN\"]"}).exit_code == 1);
  const Result legal = verified({"--actual", "[2, \"NaN\"]", "--extremes", "update"});
  CHECK(legal.exit_code == 0);
  CHECK_THAT(legal.out, contains("overridden  extremes update\n"));
  CHECK(verified({"--actual", "[2, \"NaN\"]", "--nan", "any"}).exit_code == 0);
  CHECK(verified({"--actual", "[2, 1]", "--nan", "update"}).exit_code == 2);
}

TEST_CASE("verify judges by the accumulator that is prescribed", "[app]") {
  const auto verified = [](const std::string& actual, Strings more) {
    Strings words = half_sum(std::move(more));
    words.insert(words.begin(), "verify");
    words.insert(words.end(), {"--actual", actual});
    return tscatter_run(words);
  };
  CHECK(verified("[2050]", {}).exit_code == 0);
  CHECK(verified("[2048]", {}).exit_code == 0);
  CHECK(verified("[2050]", {"--accumulate", "f32"}).exit_code == 0);
  CHECK(verified("[2048]", {"--accumulate", "f32"}).exit_code == 1);
  CHECK(verified("[2048]", {"--accumulate", "f64"}).exit_code == 1);
}

TEST_CASE("explain follows a wide sum, and whether its order matters", "[app]") {
  Strings words = half_sum({"--accumulate", "f32", "--at", "0", "--json"});
  words.insert(words.begin(), "explain");
  const json explained = json::parse(output_of(words));
  CHECK(explained.at("overridden") == json{{"accumulate", "f32"}});
  CHECK(explained.at("depends_on_order") == false);
  CHECK(explained.at("undecided_elements") == 0);
  const json& history = explained.at("history");
  CHECK(history.at("accumulator") == "float32");
  CHECK(history.at("steps").at(1).at("met") == 2049.0);
  CHECK(history.at("steps").at(1).at("after") == 2048.0);
  CHECK(history.at("steps").at(2).at("met") == 2050.0);
  words.back() = "--quiet";
  CHECK_THAT(output_of(words), contains("in float32"));
}

namespace {

// A call with one index, 4 into 3 places; empty where the form has no index entries.
Strings outside_words(const Operation& operation) {
  const std::string name(operation.name);
  if (is_made(operation.base)) return {};
  switch (operation.form) {
    case Form::rows:
    case Form::elements: {
      const bool fills = operation.updates_shape == UpdatesShape::fill;
      return {name, "-d", "3xf32=0", "-i", "1xi64=4", "-u", fills ? "1" : "1xf32=1", "-a", "0"};
    }
    case Form::flat: return {name, "-d", "3xf32=0", "-i", "1xi64=4", "-u", "1xf32=1"};
    case Form::nd: return {name, "-d", "3xf32=0", "-i", "1x1xi64=4", "-u", "1xf32=1"};
    case Form::start: return {name, "-d", "1x3x1xf32=0", "-i", "1xi64=4", "-u", "1x1x1xf32=1"};
    case Form::batched_rows:
      return {name, "-d", "1x3x1xf32=0", "-i", "1x1xi64=4", "-u", "1x1x1xf32=1"};
    case Form::index: return {name, "-d", "3xi32=0", "-i", "1xi64=4", "-u", "1xi32=1"};
    case Form::segment: return {};  // which have no data
    case Form::window:
    case Form::mask:
    case Form::section:
    case Form::diagonal:
    case Form::block:
    case Form::slice: return {};
  }
  unreachable();
}

Strings outside(const Operation& operation) {
  Strings words = outside_words(operation);
  const AttributeInfo* reduction = operation.find_attribute("reduction");
  if (!words.empty() && reduction != nullptr && reduction->is_required)
    words.insert(words.end(), {"-r", words_of(*reduction).front()});
  return words;
}

// "indices[0] must be in [-3, 3) for data axis 0": what the message says before its hint.
std::string statement(const Operation& operation) {
  const std::string data(operation.called("data"));
  const std::string indices(operation.called("indices"));
  if (operation.form == Form::index)
    return std::string(operation.id) + ": 1xi64=4[0] must be in [-3, 3) for axis 0 of --" + data;
  if (operation.form == Form::flat)
    return std::string(operation.id) + ": " + indices +
           "[0] must be in [-3, 3) for the elements of --" + data;
  const bool is_behind_batch =
      operation.form == Form::start || operation.form == Form::batched_rows;
  const bool has_two = operation.form == Form::nd || operation.form == Form::batched_rows;
  const bool wraps = operation.policies.negative == NegativeIndex::from_the_end;
  return std::string(operation.id) + ": " + indices + "[" + (has_two ? "0, 0" : "0") +
         "] must be in [" + (wraps ? "-3" : "0") + ", 3) for " + data + " axis " +
         (is_behind_batch ? "1" : "0");
}

}  // namespace

TEST_CASE(
    "an index out of range names its place, its value, the range and the axis, in every operation; "
    "a dropped one is counted",
    "[app]") {
  for (const Operation* operation : operations()) {
    const Strings words = outside(*operation);
    if (!operation->unanswered.empty() || words.empty()) continue;
    INFO(operation->name);
    if (operation->policies.outside == OutsideIndex::error) {
      const std::string message = refusal_of(5, words);
      CHECK(message.starts_with(statement(*operation)));
      CHECK(
          message.ends_with(", got 4 [" + std::string(operation->label(Check::index_range)) + "]"));
    }
    for (const std::string policy : {"drop-window", "drop-elements"}) {
      const auto reported = [&](const Strings& before, const Strings& after) {
        Strings dropping = with_more(before, words);
        dropping.insert(dropping.end(), {"--oob", policy, "--json"});
        dropping.insert(dropping.end(), after.begin(), after.end());
        return json::parse(tscatter_run(dropping).out);
      };
      const json report = reported({}, {"-n"});
      CHECK(report.at("dropped") == 1);
      CHECK(report.at("index_entries") == 1);
      CHECK(reported({"explain"}, {}).at("dropped") == 1);
      CHECK(reported({"verify"}, {"--actual", words[2]}).at("dropped") == 1);
    }
  }
}

TEST_CASE("other orders of a prescribed accumulator are told from trees, exactly", "[app]") {
  // 1e8 + 1 - 1e8 is 0 in float32 in order, and 1 in another order.
  const auto verified = [](const std::string& actual) {
    return json::parse(tscatter_run({"verify", "ScatterNDUpdate-15", "-d", "1xbf16=0", "-i",
                                     "[[0],[0],[0]]", "-u", "[1e8, 1, -1e8]", "-r", "sum",
                                     "--accumulate", "f32", "--actual", actual, "--json"})
                           .out)
        .at("classes");
  };
  CHECK(verified("[0]").at("in-order") == 1);
  CHECK(verified("[1]").at("reordered") == 1);
  CHECK(verified("[64]").at("wrong") == 1);
}

TEST_CASE("self takes a number, which stands for data's value where updates land", "[app]") {
  const auto printed = [](const std::string& self, Strings more) {
    Strings words = with_more(
        {"ScatterNDUpdate-15", "-d", "2xf32=9", "-i", "[[0],[0]]", "-u", "[1, 2]", "--self", self},
        more);
    return tscatter_run(words).out;
  };
  CHECK(printed("0.5", {"-r", "sum"}) == "[3.5, 9.0]\n");
  CHECK(printed("-1", {"-r", "prod"}) == "[-2.0, 9.0]\n");
  CHECK(printed("-inf", {"-r", "max"}) == "[2.0, 9.0]\n");
  CHECK(printed("inf", {"-r", "max"}) == "[\"Infinity\", 9.0]\n");
  CHECK(printed("7", {"-r", "none"}) == "[2.0, 9.0]\n");
  CHECK(printed("identity", {"-r", "sum"}) == "[3.0, 9.0]\n");
  CHECK(printed("keep", {"-r", "sum"}) == "[12.0, 9.0]\n");
  CHECK_THAT(printed("0.5", {"-r", "sum", "-n"}), contains("self 0.5"));
  const Strings mean = split_words(
      "ScatterElementsUpdate-12 -d 1xi32=9 -i '[0, 0]' -u '[4, 8]' -a 0 -r mean --self 3");
  CHECK(tscatter_run(mean).out == "[7]\n");  // (3 + 4 + 8) / 2, rounded down
}

TEST_CASE("operation.o7: a number that stands for data's value fits data's dtype", "[app]") {
  const auto refused = [](const std::string& data, const std::string& self) {
    return refusal_of(2, {"ScatterNDUpdate-15", "-d", data, "-i", "[[0]]", "-u", "[1]", "-r", "sum",
                          "--self", self});
  };
  CHECK(refused("2xi8=0", "128") ==
        "scatter_nd_update_15: self must be a number that fits int8, got 128 [operation.o7]");
  CHECK(refused("2xi8=0", "0.5") ==
        "scatter_nd_update_15: self must be a number that fits int8, got 0.5 [operation.o7]");
  CHECK(refused("2xf32=0", "kep") ==
        "--self: must be one of keep, identity, infinite (or a number), got kep [cli.c4]");
  CHECK(tscatter_run("ScatterNDUpdate-15 -d 2xi8=0 -i [[0]] -u [1] -r sum --self 127").out ==
        "[-128, 0]\n");
}

TEST_CASE("a job has self as a word or a number", "[app]") {
  const auto run = [](const std::string& self) {
    return Command("run -")
        .with_input(R"({"op": "ScatterNDUpdate-15", "data": [9.0], "indices": [[0]], )"
                    R"("updates": [1], "reduction": "sum", "self": )" +
                    self + "}")
        .run();
  };
  CHECK(run("0.25").out == "[1.25]\n");
  CHECK(run("-2").out == "[-1.0]\n");
  CHECK(run("\"identity\"").out == "[1.0]\n");
  CHECK(run("\"-inf\"").out == "[\"-Infinity\"]\n");
  CHECK(run("\"kep\"").err ==
        "tscatter: <stdin>: self: must be one of keep, identity, infinite, a number (nearest: "
        "keep), got kep [job.j5]\n");
}

TEST_CASE("generated cases keep the policies, and pass as a batch", "[app]") {
  const TemporaryDirectory directory;
  const std::string cases = (directory.path() / "cases").native();
  output_of({"generate", "ScatterElementsUpdate-12", "--count", "20", "--accumulate", "f32",
             "--unique", "--oob", "drop-window", "--errors", "-o", cases});
  const std::string lines = read_file(directory.path() / "cases/cases.jsonl");
  CHECK_THAT(lines, contains(R"("oob":"drop-window","accumulate":"f32","unique":true)"));
  CHECK_THAT(lines, contains("--oob drop-window --accumulate f32 --unique true"));
  CHECK_THAT(lines, !contains("update_12.c5"));  // no index is refused
  CHECK(tscatter_run({"batch", cases}).exit_code == 0);
  CHECK(refusal_of(2, "generate tosa.scatter --duplicates heavy --list") ==
        "generate: tosa.scatter names no place twice: duplicates must be none, got heavy "
        "[generate.g4]");
}

TEST_CASE("tosa.scatter takes the text's names of its operands", "[app]") {
  const Strings words =
      split_words("tosa.scatter --values-in 1x2x1xi8=0 --indices [[1]] --input [[[5]]]");
  CHECK(tscatter_run(words).out == "[[[0],\n  [5]]]\n");
  const std::string job =
      R"({"op": "tosa.scatter", "values_in": [[[0], [0]]], "indices": [[1]], "input": [[[5]]])";
  CHECK(Command("run -").with_input(job + "}").run().out == "[[[0],\n  [5]]]\n");
  CHECK(Command("run -").with_input(job + R"(, "updates": [[[5]]]})").run().err ==
        "tscatter: <stdin>: updates and input are the same key: leave out one of them [job.j1]\n");
}

TEST_CASE("generic.scatter has no defaults: the flags that are missing are named", "[app]") {
  const Strings some = split_words(
      "generic.scatter --form nd -d 4xf32=0 -i [[5]] -u [5] --oob modulo --negative outside");
  CHECK(refusal_of(2, some) ==
        "generic.scatter: --reduction NAME, --nan NAME, --accumulate NAME, --self NAME, --unique "
        "BOOL are missing [cli.c3]");
  Strings all = some;
  all.insert(all.end(), {"-r", "sum", "--nan", "data", "--accumulate", "step", "--self", "keep",
                         "--unique", "false"});
  CHECK(tscatter_run(all).out == "[0.0, 5.0, 0.0, 0.0]\n");
  CHECK(refusal_of(2, "generate generic.scatter --list") ==
        "generic.scatter: --form NAME, --oob NAME, --negative NAME, --nan NAME, --accumulate NAME, "
        "--self NAME, --unique BOOL are missing [cli.c3]");
  CHECK(refusal_of(2, "ops --diff generic.scatter tosa.scatter") ==
        "ops: must be an operation with answers of its own, got generic.scatter [cli.c9]");
}

TEST_CASE("generic.scatter is generated and passes as a batch, once it has its answers", "[app]") {
  for (const char* form : {"rows", "nd", "elements"}) {
    const TemporaryDirectory directory;
    const std::string cases = (directory.path() / "cases").native();
    output_of({"generate",     "generic.scatter",
               "--form",       form,
               "--oob",        "error",
               "--negative",   "from-the-end",
               "--nan",        "ieee",
               "--accumulate", "f32",
               "--self",       "identity",
               "--unique",     "false",
               "--count",      "30",
               "--errors",     "-o",
               cases});
    INFO(form);
    CHECK(tscatter_run({"batch", cases}).exit_code == 0);
  }
}

}  // namespace tscatter
