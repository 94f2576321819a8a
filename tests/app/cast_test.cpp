// --cast: updates of another dtype than data's.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/batch.hpp"
#include "app/folder.hpp"
#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

// Rows 0 and 2 of [4] get the updates.
Strings cast_call(const std::string& data, const std::string& updates, Strings more = {}) {
  return with_more({"ScatterUpdate-3", "-d", data, "-i", "[2, 0]", "-u", updates, "-a", "0"}, more);
}

std::string cast_output(Strings words) { return tscatter_run(std::move(words)).out; }

}  // namespace

TEST_CASE("without --cast updates of another dtype are refused, with a way out", "[app]") {
  const std::string rule = "scatter_update_3: updates must have data's dtype ";
  CHECK(refusal_of(5, cast_call("4xf16=0", "2xf32=1")) ==
        rule + "float16 (--cast same-kind), got float32 [scatter_update_3.c7]");
  CHECK(refusal_of(5, cast_call("4xf16=0", "2xf32=1", {"--cast", "no"})) ==
        rule + "float16 (--cast same-kind), got float32 [scatter_update_3.c7]");
  CHECK(refusal_of(5, cast_call("4xi32=0", "2xf32=1")) ==
        rule + "int32, got float32 [scatter_update_3.c7]");
}

TEST_CASE("cast.k1: a cast is one that the policy allows", "[app]") {
  CHECK(refusal_of(5, cast_call("4xf16=0", "2xf32=1", {"--cast", "safe"})) ==
        "--updates: updates must be of a dtype that casts to float16 by safe (--cast same-kind), "
        "got float32 [cast.k1]");
  CHECK(refusal_of(5, cast_call("4xi32=0", "2xf32=1", {"--cast", "same-kind"})) ==
        "--updates: updates must be of a dtype that casts to int32 by same-kind (--cast unsafe), "
        "got float32 [cast.k1]");
  const std::string records = std::string(TSCATTER_NPY_DIR) + "/good/record.npy";
  CHECK(refusal_of(5, cast_call("4xi32=0", records, {"--cast", "unsafe"})) ==
        "--updates: updates must be of a dtype that casts to int32 by unsafe, got [('a', '<f4'), "
        "('b', '|S3')] [cast.k1]");
  const Result job = Command("run -")
                         .with_input(R"({"op": "ScatterUpdate-3", "data": {"dtype": "int32", )"
                                     R"("shape": [4], "data": [0, 0, 0, 0]}, "indices": [1], )"
                                     R"("updates": {"dtype": "int64", "shape": [1], "data": [7]}, )"
                                     R"("axis": 0, "cast": "safe"})")
                         .run();
  CHECK(job.err ==
        "tscatter: updates: updates must be of a dtype that casts to int32 by safe (cast "
        "same-kind), got int64 [cast.k1]\n");
}

TEST_CASE("numbers without a dtype are cast, too, where any cast is allowed", "[app]") {
  const auto set = [](const std::string& data, const std::string& value) {
    return tscatter_run({"set", data + "[[2, 0]]", value, "--cast", "unsafe"}).out;
  };
  CHECK(set("4xi32=0", "2.5") == "[2, 0, 2, 0]\n");
  CHECK(set("4xi32=0", "[2.5, -3.9]") == "[-3, 0, 2, 0]\n");
  CHECK(set("4xu8=0", "300") == "[44, 0, 44, 0]\n");
  CHECK(set("4xi32=0", "[true, false]") == "[0, 0, 1, 0]\n");
  CHECK(set("4xi32=0", "1e300") == "[2147483647, 0, 2147483647, 0]\n");
  CHECK(set("4xi64=0", "9007199254740993") == "[9007199254740993, 0, 9007199254740993, 0]\n");
  CHECK(set("4xf16=0", "70000") == "[\"Infinity\", 0.0, \"Infinity\", 0.0]\n");
  const TemporaryDirectory directory;
  write_file(directory / "values.csv", "1.5\n200\n");
  CHECK(set("4xi8=0", directory / "values.csv") == "[127, 0, 1, 0]\n");
  for (const std::string number : {"2.5", "[2.5]", "2.5\n"}) {
    const Result result = Command("set 4xi32=0[2] - --cast unsafe").with_input(number).run();
    CHECK(result.out == "[0, 0, 2, 0]\n");
  }
  CHECK(refusal_of(2, {"set", "4xi32=0[0]", "2.5", "--cast", "same-kind"}) ==
        "VALUES: the value must fit int32 (an integer has no point, fraction or exponent), got 2.5 "
        "[json.f4]");
}

TEST_CASE("updates are cast before they are combined", "[app]") {
  CHECK(cast_output(cast_call("4xf16=0", "2xf32=0.1,70000", {"--cast", "same-kind"})) ==
        "[\"Infinity\", 0.0, 0.1, 0.0]\n");
  CHECK(cast_output(cast_call("4xi64=0", "2xi32=5,-6", {"--cast", "safe"})) == "[-6, 0, 5, 0]\n");
  CHECK(cast_output(cast_call("4xu8=0", "2xf64=300.5,-2", {"--cast", "unsafe"})) ==
        "[0, 0, 255, 0]\n");
  CHECK(cast_output(cast_call("4xf16=0", "2xf32=0.5,2", {"--cast", "same_kind"})) ==
        "[2.0, 0.0, 0.5, 0.0]\n");
  CHECK(cast_output(split_words("ScatterNDUpdate-15 -d 1xi32=10 -i '[[0], [0]]' -u 2xf32=1.9,-3.9 "
                                "-r sum --cast unsafe")) == "[8]\n");
  CHECK(cast_output(split_words("SliceScatter-15 -d 4xbf16=0 -u 2xf64=1.00390625,3 --start 1 "
                                "--stop 3 --step 1 --cast same-kind")) == "[0.0, 1.0, 3.0, 0.0]\n");
  CHECK(cast_output(split_words(
            "ScatterElementsUpdate-3 -d 3xf32=0 -i '[2, 0]' -u 2xi16=7,8 -a 0 --cast safe")) ==
        "[8.0, 0.0, 7.0]\n");
}

TEST_CASE("numbers without a dtype are read in data's, but for --cast unsafe", "[app]") {
  CHECK(refusal_of(2, cast_call("4xi32=0", "[1.5, 2]", {"--cast", "same-kind"})) ==
        refusal_of(2, cast_call("4xi32=0", "[1.5, 2]")));
  CHECK(cast_output(cast_call("4xi32=0", "[1.5, 2]", {"--cast", "unsafe"})) == "[2, 0, 1, 0]\n");
  CHECK(cast_output(cast_call("4xf16=0", "[0.5, 2]", {"--cast", "safe"})) ==
        "[2.0, 0.0, 0.5, 0.0]\n");
}

TEST_CASE("cli.c4: --cast takes NumPy's words", "[app]") {
  CHECK(
      refusal_of(2, cast_call("4xf16=0", "2xf32=1", {"--cast", "same"})) ==
      "--cast: must be one of no, safe, same-kind, unsafe (nearest: same-kind), got same [cli.c4]");
  const Result job =
      Command("run -").with_input(R"({"op": "ScatterUpdate-3", "cast": "saef"})").run();
  CHECK(job.err.ends_with(
      "cast: must be no, safe, same-kind or unsafe (nearest: safe), got saef [job.j5]\n"));
}

TEST_CASE("reports say that updates were cast, and what became of them", "[app]") {
  const Strings words = cast_call("4xf16=0", "2xf32=0.1,70000", {"--cast", "same-kind"});
  const auto with = [&](Strings more) { return with_more(words, more); };
  const std::string dry = cast_output(with({"-n"}));
  CHECK_THAT(dry, contains("cast              updates from float32: 2 values, 1 rounded, 1 "
                           "overflowed to an infinity\n"));
  const json wanted{
      {"from", "float32"}, {"values", 2}, {"rounded", 1}, {"overflowed", 1}, {"lost", 0}};
  CHECK(json::parse(cast_output(with({"-n", "--json"}))).at("cast") == wanted);
  const Folder folder;
  CHECK(json::parse(folder.out(with({"-o", "o.npy", "--json"}))).at("cast") == wanted);
  CHECK(!json::parse(cast_output(cast_call("4xf16=0", "2xf16=1", {"-n", "--json"})))
             .contains("cast"));
  const std::string lost =
      cast_output(cast_call("4xu8=0", "2xf64=300,-2", {"--cast", "unsafe", "-n"}));
  CHECK_THAT(lost, contains("updates from float64: 2 values, 2 lost\n"));
  const std::string exact = cast_output(cast_call("4xi64=0", "2xi32=1", {"--cast", "safe", "-n"}));
  CHECK_THAT(exact, contains("updates from int32: 2 values\n"));
}

TEST_CASE("verify and explain see the cast updates, and say so", "[app]") {
  const Strings call = cast_call("4xf16=0", "2xf32=0.1,3", {"--cast", "same-kind"});
  Strings verify = with_more({"verify"}, call);
  const Strings actual{"--actual", "[3, 0, 0.1, 0]", "--json"};
  verify.insert(verify.end(), actual.begin(), actual.end());
  const Result verified = tscatter_run(verify);
  CHECK(verified.exit_code == 0);
  CHECK(json::parse(verified.out).at("cast").at("rounded") == 1);
  Strings explain = with_more({"explain"}, call);
  explain.insert(explain.end(), {"--json"});
  CHECK(json::parse(tscatter_run(explain).out).at("cast").at("values") == 2);
}

TEST_CASE("a change in place casts updates, and so does a job of a file", "[app]") {
  const Folder folder;
  folder.run("convert 4xf16=1 x.npy");
  folder.run("convert 2xf32=0.1,3 u.npy");
  folder.put("job.json",
             R"({"op": "ScatterUpdate-3", "data": "x.npy", "indices": [2, 0], "updates": "u.npy", )"
             R"("axis": 0, "in_place": true, "cast": "same-kind"})");
  CHECK(folder.run("run job.json").exit_code == 0);
  CHECK(folder.out("convert x.npy - --format json") ==
        "{\"dtype\": \"float16\", \"shape\": [4], \"data\": [3.0, 1.0, 0.1, 1.0]}\n");
}

TEST_CASE("cases of a batch cast their updates", "[app]") {
  const json update{{"dtype", "float64"}, {"shape", {2}}, {"data", {0.1, 3}}};
  const json data{{"dtype", "float16"}, {"shape", {3}}, {"data", {0, 0, 0}}};
  const auto line = [&](const std::string& name, json more) {
    json each{{"name", name},      {"op", "ScatterUpdate-3"}, {"data", data},
              {"indices", {2, 0}}, {"updates", update},       {"axis", 0}};
    each.update(more);
    return each.dump();
  };
  const BatchDirectory batch({line("cast", {{"cast", "same_kind"}, {"expected", {3, 0, 0.1}}}),
                              line("judged", {{"cast", "unsafe"}, {"actual", {3, 0, 0.1}}}),
                              line("safe", {{"cast", "safe"}, {"expected_error", "cast.k1"}}),
                              line("none", {{"expected_error", "scatter_update_3.c7"}})});
  const Result result = batch.run();
  INFO(result.out);
  CHECK(result.exit_code == 0);
}

TEST_CASE("parts of a job cast updates of a file's member", "[app]") {
  const Folder folder;
  folder.run("convert 3000xf64=0.1 u.safetensors:w");
  const auto update = [&](Strings more) {
    Strings words = with_more(split_words("ScatterUpdate-3 -d 4000xf16=1 -i 3000xi64=7 -u "
                                          "u.safetensors:w -a 0 --cast same-kind -o"),
                              more);
    return folder.run(words);
  };
  CHECK(update({"whole.npy"}).exit_code == 0);
  for (const char* part : {"1/2", "2/2"}) {
    const Result result = update({"o.npy", "--part", part});
    INFO(result.err);
    CHECK(result.exit_code == 0);
  }
  CHECK(folder.run("finish o.npy").exit_code == 0);
  CHECK(folder.text("o.npy") == folder.text("whole.npy"));
}

TEST_CASE("convert --cast unsafe converts what does not fit", "[app]") {
  const auto data_of = [](Strings more) {
    Strings words = with_more({"convert"}, more);
    words.insert(words.end(), {"--format", "json"});
    return json::parse(cast_output(words)).at("data").dump();
  };
  const std::string floats = "6xf32=0.5,1.5,-2.5,300,nan,-inf";
  CHECK(data_of({floats, "-", "--to", "int8", "--cast", "unsafe"}) == "[0,1,-2,127,0,-128]");
  CHECK(data_of({floats, "-", "--to", "int8", "--cast", "unsafe", "--round", "nearest"}) ==
        "[0,2,-2,127,0,-128]");
  CHECK(data_of(split_words("2xf32=0.1,7e4 - --to float16 --cast unsafe")) == "[0.1,\"Infinity\"]");
  CHECK(data_of(split_words("2xi32=300,-1 - --to uint8 --cast unsafe")) == "[44,255]");
  CHECK(data_of(split_words("2xc64=1+2j,3 - --to float32 --cast unsafe")) == "[1.0,3.0]");
}

TEST_CASE("cli.c103: convert --cast goes with --to, and takes unsafe alone", "[app]") {
  CHECK(refusal_of(2, "convert 2xf16=1 - --cast unsafe") == "--cast: needs --to DTYPE [cli.c103]");
  CHECK(refusal_of(2, "convert 2xf16=1 - --to int8 --cast safe")
            .starts_with("--cast: must be one of unsafe"));
}

TEST_CASE("the log says that updates are cast", "[app]") {
  const Result result =
      tscatter_run(cast_call("4xf16=0", "2xf32=0.5,3", {"--cast", "same-kind", "-v"}));
  INFO(result.err);
  CHECK_THAT(result.err, contains("(cast from float32, in memory)"));
}

}  // namespace tscatter
