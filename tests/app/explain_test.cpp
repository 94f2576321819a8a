// tscatter explain: reports, JSON, refusals.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

Strings sum_words(Strings flags) {
  return with_more({"explain", "ScatterNDUpdate-15", "-r", "sum"}, flags);
}

std::string first_explained(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string explain_refusal(Strings flags) {
  Strings words =
      with_more(split_words("explain ScatterNDUpdate-15 -d 3x3xf32=1 -i '[[0, 1]]' -u [1]"), flags);
  return refusal_of(2, words);
}

}  // namespace

TEST_CASE("explain prints coverage, meetings, dependence and a history", "[app]") {
  CHECK(output_of("explain ScatterNDUpdate-15 -d 4x3xf32=1 -i '[[1], [3], [1]]' -u '[[0.5, 1, "
                  "16777216], [2, 2, 2], [0.25, 2, 1]]' -r sum --at -3,2") ==
        "depends on the order of the updates: 1 of 12 elements, first [1, 2]\n"
        "\n"
        "history                        update       value\n"
        "data[1, 2]                                    1.0\n"
        "indices[0]  updates[0, 2]  16777216.0  16777216.0\n"
        "indices[2]  updates[2, 2]         1.0  16777216.0\n"
        "\n"
        "operation      ScatterNDUpdate-15\n"
        "reduction      sum\n"
        "dtype          float32\n"
        "shape          [4, 3]\n"
        "index entries  3\n"
        "destinations   2, 1 of them of several entries\n"
        "\n"
        "written        elements\n"
        "never                 6  50 %\n"
        "once                  3  25 %\n"
        "several times         3  25 %\n"
        "one element by 2 updates at most\n"
        "\n"
        "meeting       entries\n"
        "output[1, :]        2  indices[0], indices[2]\n"
        "\n"
        "depends on order    in order   otherwise  for example in the order\n"
        "output[1, 2]      16777216.0  16777218.0  indices[2], indices[0]\n");
}

TEST_CASE("explain of a slice has no entries", "[app]") {
  CHECK(output_of("explain SliceScatter-15 -d 3x5xi32=0 -u 2x2xi32=7 --start 0,1 --stop 3,5 --step "
                  "2,2 --at 2,3") ==
        "does not depend on the order of the updates: no element is written several times\n"
        "\n"
        "history                    update  value\n"
        "data[2, 3]                             0\n"
        "slice       updates[1, 1]       7      7\n"
        "\n"
        "operation      SliceScatter-15\n"
        "reduction      none\n"
        "dtype          int32\n"
        "shape          [3, 5]\n"
        "index entries  0\n"
        "\n"
        "written        elements\n"
        "never                11  73.3 %\n"
        "once                  4  26.7 %\n"
        "several times         0     0 %\n");
}

TEST_CASE("explain divides a sum by the number of values, or by its root", "[app]") {
  const auto explained = [](const std::string& name, bool as_json) {
    std::vector<std::string> words{"explain",   "tf." + name,     "-u", "3xf32=1,2,4", "-i",
                                   "[1, 1, 0]", "--num-segments", "3",  "--at",        "1"};
    if (as_json) words.emplace_back("--json");
    return output_of(std::move(words));
  };
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  const std::string root = explained("unsorted_segment_sqrt_n", false);
  CHECK(has(root, "\ndivided by sqrt(2)                   2.1213205\n"));
  CHECK(
      has(explained("unsorted_segment_mean", false), "\ndivided by 2                       1.5\n"));
  const std::string json = explained("unsorted_segment_sqrt_n", true);
  CHECK(has(json, "\"divisor_squared\":2"));
  CHECK(!has(json, "\"divisor\":"));
  CHECK(has(explained("unsorted_segment_mean", true), "\"divisor\":2"));
}

TEST_CASE("explain places entries of an inner axis, and shortens long lists", "[app]") {
  const std::string text = output_of(
      "explain scatter_update -d 2x4xi32=0 -i '[[1, 3, 1], [1, 1, 1]]' -u 2x2x3xi32=5 -a 1");
  CHECK(first_explained(text) ==
        "does not depend on the order of the updates: updates that meet have the same bytes");
  CHECK_THAT(text, contains("output[:, 1]        5  indices[0, 0], indices[0, 2], indices[1, 0], "
                            "indices[1, 1], indices[1, 2]\n"));
  const std::string many =
      output_of(sum_words(split_words("-d 1xf32=0 -i 1025x1xi32=0 -u 1025xf32=1 --at 0")));
  CHECK(first_explained(many) ==
        "does not depend on the order of the updates: every order leaves the same bytes");
  CHECK_THAT(
      many,
      contains(
          "output[0]    1,025  indices[0], indices[1], indices[2], … 1,021 more, indices[1024]\n"));
  CHECK_THAT(many, contains("indices[9]     updates[9]        1.0    10.0\n"
                            "… 1,005 more\n"
                            "indices[1015]  updates[1015]     1.0  1016.0\n"));
}

TEST_CASE("explain says why the order does not matter", "[app]") {
  const auto reason = [](const std::string& data, const std::string& updates,
                         const std::string& reduction) {
    return first_explained(output_of({"explain", "ScatterNDUpdate-15", "-d", data, "-i",
                                      "[[0], [0]]", "-u", updates, "-r", reduction}));
  };
  const std::string front = "does not depend on the order of the updates: ";
  CHECK(reason("2xi8=1", "[1, 2]", "sub") ==
        front + "sub of integers wraps around, and is the same in any order");
  CHECK(reason("2xi8=1", "[1, 2]", "min") ==
        front + "the least of some integers is the same in any order");
  CHECK(reason("2xi8=1", "[1, 2]", "max") ==
        front + "the greatest of some integers is the same in any order");
  for (const auto& [reduction, word] : std::vector<std::pair<std::string, std::string>>{
           {"sum", "or"}, {"sub", "xor"}, {"prod", "and"}, {"min", "and"}, {"max", "or"}}) {
    CHECK(reason("2xbool=true", "[true, false]", reduction) ==
          front + word + " of bools is the same in any order");
  }
  for (const std::string word : {"and", "or", "xor"}) {
    const auto reason_of_bits = [&](const std::string& data, const std::string& updates) {
      return first_explained(output_of({"explain",      "generic.scatter",
                                        "--form",       "nd",
                                        "--oob",        "error",
                                        "--negative",   "outside",
                                        "--extremes",   "data",
                                        "--accumulate", "step",
                                        "--self",       "keep",
                                        "--unique",     "false",
                                        "-d",           data,
                                        "-i",           "[[0], [0]]",
                                        "-u",           updates,
                                        "-r",           word}));
    };
    CHECK(reason_of_bits("2xi8=1", "[1, 2]") ==
          front + "the bitwise " + word + " of some integers is the same in any order");
    CHECK(reason_of_bits("2xbool=true", "[true, false]") ==
          front + word + " of bools is the same in any order");
  }
}

TEST_CASE("explain without updates: who writes what, and where", "[app]") {
  const Strings words = split_words(
      "explain ScatterNDUpdate-15 -d 4x3xf32=1 -i '[[1], [3], [1]]' -r sum --at 1,-1 --at 0,0");
  CHECK(output_of(words) ==
        "not decided whether it depends on the order of the updates, which are not given: 3 of 12 "
        "elements\n"
        "\n"
        "history\n"
        "data[1, 2]\n"
        "indices[0]  updates[0, 2]\n"
        "indices[2]  updates[2, 2]\n"
        "\n"
        "history\n"
        "data[0, 0]\n"
        "\n"
        "operation      ScatterNDUpdate-15\n"
        "reduction      sum\n"
        "dtype          float32\n"
        "shape          [4, 3]\n"
        "index entries  3\n"
        "destinations   2, 1 of them of several entries\n"
        "\n"
        "written        elements\n"
        "never                 6  50 %\n"
        "once                  3  25 %\n"
        "several times         3  25 %\n"
        "one element by 2 updates at most\n"
        "\n"
        "meeting       entries\n"
        "output[1, :]        2  indices[0], indices[2]\n");
  Strings with_json = words;
  with_json.emplace_back("--json");
  const json report = json::parse(output_of(with_json));
  CHECK(report.at("depends_on_order").is_null());
  CHECK(report.at("undecided_elements") == 3);
  CHECK(report.at("history") ==
        json::parse(R"({"position": [1, 2], "data": 1.0, "writers": 2, "steps": [
            {"writer": 0, "entry": [0], "update": [0, 2]}, {"writer": 1, "entry": [2], "update": [2, 2]}]})"));
  CHECK(first_explained(output_of("explain ScatterUpdate-3 -d 2x4xi32=0 -i '[[1, 3, 1]]' -a 1")) ==
        "not decided whether it depends on the order of the updates, which are not given: 2 of 8 "
        "elements");
  CHECK(first_explained(
            output_of("explain SliceScatter-15 -d 3x5xi32=0 --start 0,1 --stop 3,5 --step 2,2")) ==
        "does not depend on the order of the updates: no element is written several times");
  for (const char* operation : {"onnx.ScatterElements-18", "ScatterElementsUpdate-12"}) {
    CHECK(first_explained(output_of({"explain", operation, "-d", "3xi32=0", "-i", "[0, 0]", "-r",
                                     operation[0] == 'o' ? "add" : "sum", "-a", "0"})) ==
          "does not depend on the order of the updates: sum of integers wraps around, and is the "
          "same in any order");
  }
  CHECK(first_explained(output_of("explain tosa.scatter -d 1x3x2xi32=0 -i '[[2, 0]]'")) ==
        "does not depend on the order of the updates: no element is written several times");
}

TEST_CASE("explain without updates refuses what the operation refuses", "[app]") {
  const auto refused = [](int code, Strings words) {
    words.insert(words.begin(), "explain");
    return refusal_of(code, words);
  };
  CHECK(refused(5, {"ScatterNDUpdate-15", "-d", "3x3xf32=1", "-i", "[[0, 1, 2]]"}) ==
        "scatter_nd_update_15: the last dimension of indices must be at most 2, the rank of data, "
        "got 3 [scatter_nd_update_15.c3]");
  CHECK(refused(5, {"ScatterNDUpdate-15", "-d", "3x3xf32=1", "-i", "[[0, 5]]"}) ==
        "scatter_nd_update_15: indices[0, 1] must be in [-3, 3) for data axis 1, got 5 "
        "[scatter_nd_update_15.c4]");
  CHECK(refused(2, {"onnx.TensorScatter-24", "-d", "1x4xf32=1", "-i", "[0]"}) ==
        "onnx.tensor_scatter_24: updates are missing: the other operands do not determine their "
        "shape [explain.e5]");
  CHECK(refused(2, {"ScatterNDUpdate-15", "-i", "[[0]]"}) ==
        "ScatterNDUpdate-15: --data TENSOR is missing [cli.c3]");
}

TEST_CASE("explain says what is not decided", "[app]") {
  const Strings words = sum_words(split_words(
      "-d 1xf32=1e30 -i 13x1xi32=0 -u [0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,1.1,1.2,1.3]"));
  CHECK(first_explained(output_of(words)) ==
        "not decided whether it depends on the order of the updates: 1 of 1 element");
  Strings with_json = words;
  with_json.emplace_back("--json");
  const json report = json::parse(output_of(with_json));
  CHECK(report.at("depends_on_order").is_null());
  CHECK(report.at("undecided_elements") == 1);
}

TEST_CASE("explain --json has the whole explanation", "[app]") {
  const std::string history =
      R"({"position":[0],"data":100000000.0,"result":8.0,"writers":3,"steps":[{"writer":0)"
      R"(,"entry":[0],"update":[0],"value":1.0,"after":100000000.0},{"writer":1,"entry":[)"
      R"(1],"update":[1],"value":5.0,"after":100000010.0},{"writer":2,"entry":[2],"update)"
      R"(":[2],"value":-100000000.0,"after":8.0}]})";
  CHECK(output_of(sum_words(
            {"-d", "1xf32=1e8", "-i", "3x1xi32=0", "-u", "[1, 5, -1e8]", "--at", "0", "--json"})) ==
        R"({"op":"ScatterNDUpdate-15","reduction":"sum","dtype":"float32","shape":[1],)"
        R"("summary":"depends on the order of the updates: 1 of 1 element, first [0]",)"
        R"("index_entries":3,"destinations":1,"coverage":{"never":0,"once":0,"several":1},)"
        R"("most_writers":3,"meetings":1,"meeting":[{"place":"output[0]","destination":[0],)"
        R"("writers":3,"entries":[[0],[1],[2]],"last_entries":[]}],"depends_on_order":true,)"
        R"("dependent_elements":1,"undecided_elements":0,"dependent":[{"position":[0],"index":0,)"
        R"("writers":3,"orders":[{"entries":[[0],[1],[2]],"last_entries":[],"result":8.0},)"
        R"({"entries":[[2],[1],[0]],"last_entries":[],"result":6.0}]}],"history":)" +
            history + R"(,"histories":[)" + history + "]}\n");
}

TEST_CASE("explain lists as many as --worst says, and the same for every -j", "[app]") {
  const auto report = [](const std::string& worst, const std::string& threads) {
    return output_of({"explain", "ScatterNDUpdate-15", "-d", "40x50xf32=1", "-i",
                      "[[3], [1], [3], [2], [1], [3]]", "-u", "6x50xf32=0.1", "--json", "--worst",
                      worst, "-j", threads});
  };
  CHECK(json::parse(report("0", "1")).at("meeting").empty());
  const json meeting = json::parse(report("1", "1")).at("meeting");
  REQUIRE(meeting.size() == 1);
  CHECK(meeting[0].at("place") == "output[3, :]");
  CHECK(json::parse(report("10000", "1")).at("meeting").size() == 2);
  CHECK(report("5", "7") == report("5", "1"));
}

TEST_CASE("explain writes nothing, and refuses what the operation refuses", "[app]") {
  const TemporaryDirectory directory;
  CHECK(refusal_of(5, "explain ScatterNDUpdate-15 -d 3x3xf32=1 -i '[[0, 5]]' -u [1]") ==
        "scatter_nd_update_15: indices[0, 1] must be in [-3, 3) for data axis 1, got 5 "
        "[scatter_nd_update_15.c4]");
  CHECK(explain_refusal({"-o", directory / "x.npy"}) ==
        "ScatterNDUpdate-15: has no flag -o (see tscatter explain --help) [cli.c2]");
  CHECK(!std::filesystem::exists(directory / "x.npy"));
}

TEST_CASE("cli.c60: --at that is no list of integers is refused", "[app]") {
  for (const char* text : {"0,x", "0,", ",0", "1.5", "0 1", "0,99999999999999999999"}) {
    CHECK(explain_refusal({"--at", text}) ==
          std::string("--at: must be integers like 1,2,3, got ") + text + " [cli.c60]");
  }
}

TEST_CASE("explain.e1: --at with another number of indices than data has axes is refused",
          "[app]") {
  CHECK(explain_refusal({"--at", "1"}) ==
        "--at: must have one index for each axis of data of shape [3, 3], got [1] [explain.e1]");
}

TEST_CASE("explain.e2: --at outside data is refused", "[app]") {
  CHECK(explain_refusal({"--at", "0,3"}) ==
        "--at: index 1 must be in [-3, 3) for data axis 1, got 3 [explain.e2]");
  CHECK(explain_refusal({"--at", "-4,0"}) ==
        "--at: index 0 must be in [-3, 3) for data axis 0, got -4 [explain.e2]");
}

TEST_CASE("cli.c20: explain takes a --worst from 0 to 10000", "[app]") {
  CHECK(explain_refusal({"--worst", "10001"}) ==
        "--worst: must be an integer from 0 to 10000, got 10001 [cli.c20]");
}

}  // namespace tscatter
