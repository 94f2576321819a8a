// When reports and --format are refused.
#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"

namespace tscatter {

TEST_CASE("cli.c14: a picture is not written over what is compared", "[app]") {
  const TemporaryDirectory directory;
  output_of({"convert", "[1, 2]", directory / "a.npy"});
  output_of({"convert", "[1, 3]", directory / "z.npz:a"});
  std::filesystem::create_hard_link(directory / "a.npy", directory / "same.npy");
  const std::string before = read_file(directory / "a.npy");
  const auto refused = [&](const std::string& picture) {
    return refusal_of(
        2, Command({"compare", "a.npy", "z.npz:a", "--heatmap", picture}).in(directory.path()));
  };
  CHECK(refused("a.npy") == "--heatmap: must be another file than ACTUAL, got a.npy [cli.c14]");
  CHECK(refused("./same.npy") ==
        "--heatmap: must be another file than ACTUAL, got ./same.npy [cli.c14]");
  CHECK(refused("z.npz") == "--heatmap: must be another file than EXPECTED, got z.npz [cli.c14]");
  CHECK(read_file(directory / "a.npy") == before);
}

TEST_CASE("cli.c14: reports are not written over the batch nor over each other", "[app]") {
  const TemporaryDirectory directory;
  const std::string line =
      R"({"op": "ScatterUpdate-3", "data": [1], "indices": [0], "updates": [2], "axis": 0, "expected": [2]})";
  write_file(directory / "c.jsonl", line);
  const auto refused = [&](Strings more) {
    Strings words{"batch", "c.jsonl"};
    words.insert(words.end(), more.begin(), more.end());
    return refusal_of(2, Command(words).in(directory.path()));
  };
  CHECK(refused({"--junit", "c.jsonl"}) ==
        "--junit: must be another file than CASES, got c.jsonl [cli.c14]");
  CHECK(refused({"--junit", "r", "--html", "./r"}) ==
        "--html: must be another file than --junit, got ./r [cli.c14]");
  CHECK(read_file(directory / "c.jsonl") == line);
}

TEST_CASE("cli.c15: --format without an output, or with a member, is refused", "[app]") {
  const Strings words{"ScatterUpdate-3", "-d", "[1]", "-i", "[0]", "-u", "[2]", "-a", "0",
                      "--format",        "npy"};
  const std::string rule = "--format: needs an output that is - or a file by itself";
  CHECK(refusal_of(2, words) == rule + " [cli.c15]");
  Strings named = words;
  named.insert(named.end(), {"-o", "never.npz:a"});
  CHECK(refusal_of(2, named) == rule + ", got never.npz:a [cli.c15]");
}

}  // namespace tscatter
