// The files of a generated batch, and the directories that they may go to.
#include "tscatter/generate/suite.hpp"

#include <atomic>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "generate/cases.hpp"
#include "io/files.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"

namespace tscatter::generate {
namespace {

void write(const GenerateOptions& options, const std::filesystem::path& directory) {
  write_suite(suite_of(CaseGenerator(options)), directory);
}

GenerateOptions few(std::int64_t count = 3) {
  GenerateOptions options = options_for("ScatterNDUpdate-15", 7, count);
  options.dtypes = {DType::bfloat16};
  return options;
}

}  // namespace

TEST_CASE("a suite has the files that cases.jsonl names, with the bytes of the cases",
          "[generate]") {
  const TemporaryDirectory directory;
  GenerateOptions options = few();
  options.broken = Broken::added;
  write(options, directory / "deep/cases");
  std::istringstream lines(read_file(directory / "deep/cases/cases.jsonl"));
  std::string line;
  std::getline(lines, line);
  CHECK(line ==
        "# tscatter generate, scheme 4: ScatterNDUpdate-15 --seed 7 --dtype bfloat16 --errors "
        "--count 3");
  std::size_t files = 1;
  for (const GeneratedCase& each : all_cases(options)) {
    REQUIRE(std::getline(lines, line));
    const auto job = nlohmann::json::parse(line);
    CHECK(job.at("name") == each.name);
    CHECK(job.at("op") == "ScatterNDUpdate-15");
    CHECK(job.contains("expected") == each.expected_error.empty());
    CHECK(job.value("expected_error", "") == each.expected_error);
    for (const auto& [operand, tensor] : each.operands) {
      const Tensor read = open_npy(directory / "deep/cases" / job.at(operand).get<std::string>());
      CHECK(content(read) == text_of(tensor.bytes));
      CHECK(read.shape() == tensor.header.shape);
      ++files;
    }
    if (each.expected_error.empty()) {
      CHECK(job.at("dtype") == "bfloat16");
      const Tensor read =
          open_npy(directory / "deep/cases" / job.at("expected").get<std::string>());
      CHECK(content(read) == text_of(output_of(each)));
      ++files;
    }
  }
  CHECK_FALSE(std::getline(lines, line));
  const std::filesystem::directory_iterator all(directory / "deep/cases");
  CHECK(static_cast<std::size_t>(std::distance(begin(all), end(all))) == files);
}

TEST_CASE("a line leaves out what a call leaves out", "[generate]") {
  const TemporaryDirectory directory;
  write(options_for("jax.ops.segment_sum", 7, 40), directory / "cases");
  std::istringstream lines(read_file(directory / "cases/cases.jsonl"));
  std::string line;
  std::getline(lines, line);
  std::set<bool> given;
  while (std::getline(lines, line)) {
    const auto job = nlohmann::json::parse(line);
    const bool is_left_out = job.at("name").get<std::string>().find("rows-by-ids") != SIZE_MAX;
    CHECK(job.contains("num_segments") != is_left_out);
    given.insert(!is_left_out);
  }
  CHECK(given.size() == 2);
}

TEST_CASE("generate.g5: a directory with other files is refused, and left as it is", "[generate]") {
  const TemporaryDirectory directory;
  const std::string name = directory.path().native();
  write_file(directory / "mine.npy", "mine");
  CHECK(refusal([&] { write(few(), directory.path()); }) ==
        name +
            ": must be new, be empty, or hold cases of the same command with no greater count, got "
            "a directory with other files [generate.g5]");
  write_file(directory / "cases.jsonl", "# my own\n{}\n");
  CHECK(refusal([&] { write(few(), directory.path()); }) ==
        name +
            ": must be new, be empty, or hold cases of the same command with no greater count, got "
            "a cases.jsonl that begins with: # my own [generate.g5]");
  CHECK(directory.names() == std::vector<std::string>{"cases.jsonl", "mine.npy"});
}

TEST_CASE("generate.g5: the same command writes the same bytes again, and more of them",
          "[generate]") {
  const TemporaryDirectory directory;
  write(few(4), directory / "a");
  const std::string first = read_file(directory / "a/cases.jsonl");
  write(few(4), directory / "a");
  CHECK(read_file(directory / "a/cases.jsonl") == first);
  CHECK(refusal([&] { write(few(3), directory / "a"); }).ends_with("--count 4 [generate.g5]"));
  GenerateOptions other = few(4);
  other.seed = 8;
  CHECK(refusal([&] { write(other, directory / "a"); }).ends_with("--count 4 [generate.g5]"));
  write(few(6), directory / "a");
  write(few(6), directory / "b");
  CHECK(read_file(directory / "a/cases.jsonl") == read_file(directory / "b/cases.jsonl"));
}

TEST_CASE("a suite that is stopped says so, and goes on", "[generate]") {
  const TemporaryDirectory directory;
  std::atomic<bool> stop = false;
  const CaseGenerator generator(few(5));
  const WriteOptions options{.stop = &stop, .written = [&](std::int64_t n) { stop = n == 2; }};
  CHECK_THROWS_AS(write_suite(suite_of(generator), directory / "a", options), Cancelled);
  const std::string text = read_file(directory / "a/cases.jsonl");
  CHECK(text.ends_with("\n# not all cases are written: the same command goes on\n"));
  write(few(5), directory / "a");
  write(few(5), directory / "b");
  CHECK(read_file(directory / "a/cases.jsonl") == read_file(directory / "b/cases.jsonl"));
}

TEST_CASE("file.f4: what is no directory, or in none, is refused", "[generate]") {
  const TemporaryDirectory directory;
  write_file(directory / "file", "");
  const std::string name = (directory / "file").native();
  CHECK(refusal([&] { write(few(), directory / "file"); }) ==
        name + ": cannot be created: not a directory [file.f4]");
  CHECK(refusal([&] { write(few(), directory / "file/below"); }) ==
        name + "/below: cannot be created: not a directory [file.f4]");
}

}  // namespace tscatter::generate
