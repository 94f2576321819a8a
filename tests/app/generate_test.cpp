// tscatter generate: what it writes passes as a batch; flags, names, refusals.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "app/process.hpp"
#include "app/wrong_lines.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "io/foreign_files.hpp"
#include "property/sampled_operations.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter {
namespace {

Strings generate_call(Strings arguments) {
  arguments.insert(arguments.begin(), "generate");
  return arguments;
}

// A run that must succeed silently.
void write(const Strings& arguments) { CHECK(output_of(generate_call(arguments)).empty()); }

std::string batch_summary(const std::filesystem::path& cases) {
  return output_of({"batch", cases.native(), "-q"});
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TEST_CASE("generated cases of every operation pass as a batch, broken ones too", "[app]") {
  const TemporaryDirectory directory;
  const std::uint64_t count =
      property::extent("TSCATTER_GENERATED", {.whole = 200, .sample = 60, .slowed = 15});
  const std::string all = std::to_string(2 * count);
  for (const Operation* operation : property::sampled_operations(property::has_answers)) {
    const std::string name(operation->name);
    const std::filesystem::path cases = directory / name;
    write(
        {name, "--count", std::to_string(count), "--seed", "7", "--errors", "-o", cases.native()});
    CHECK(batch_summary(cases / "cases.jsonl") == all + " cases: " + all + " passed\n");
  }
}

TEST_CASE("file.f11: a suite is written over files only, and follows no link", "[app]") {
  const TemporaryDirectory directory;
  write_file(directory / "precious", "of the user");
  const std::filesystem::path suite = directory / "suite";
  for (const auto& [layout, file] : std::vector<std::pair<std::string, std::string>>{
           {"npy", ".data.npy"}, {"npy", "cases.jsonl"}, {"onnx", "model.onnx"}}) {
    const Strings call = generate_call(
        {"onnx.ScatterElements", "--count", "2", "--layout", layout, "-o", suite.native()});
    output_of(call);
    std::filesystem::path found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(suite))
      if (entry.path().native().ends_with(file)) found = entry.path();
    const std::string before = read_file(found);
    for (const ForeignFile& each : foreign_files(directory / "precious")) {
      INFO(found << ": " << each.words);
      std::filesystem::remove(found);
      each.make(found);
      CHECK(refusal_of(3, call).ends_with("got " + each.words + " [file.f11]"));
      std::filesystem::remove(found);
      write_file(found, before);
    }
    output_of(call);
    std::filesystem::remove_all(suite);
  }
  CHECK(read_file(directory / "precious") == "of the user");
}

TEST_CASE("generate without flags writes 100 cases with the seed 0", "[app]") {
  const TemporaryDirectory directory;
  write({"scatter_nd_update", "-o", (directory / "a").native()});
  write({"ScatterNDUpdate-15", "--count", "100", "--seed=0", "-o", (directory / "b").native()});
  const std::string text = read_file(directory / "a/cases.jsonl");
  CHECK(lines_of(text) == 101);
  CHECK(text == read_file(directory / "b/cases.jsonl"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory / "a")) {
    CHECK(read_file(entry.path()) == read_file(directory / "b" / entry.path().filename()));
    ++files;
  }
  CHECK(files == 1 + 4 * 100);
}

TEST_CASE("generate --list prints the names that would be written, and writes nothing", "[app]") {
  const TemporaryDirectory directory;
  const Strings flags = split_words("SliceScatter-15 --count 20 --seed 3 --errors");
  const std::string names = output_of(generate_call(with_more(flags, {"--list"})));
  write(with_more(flags, {"-o", directory / "a"}));
  CHECK(output_of({"batch", (directory / "a/cases.jsonl").native(), "--list"}) == names);
  CHECK(lines_of(names) == 40);
  CHECK(names.starts_with("slice_scatter_15-00000-"));
}

TEST_CASE("generate takes an operation's words of reductions, and says the command that it takes",
          "[app]") {
  const TemporaryDirectory directory;
  const std::vector<std::pair<std::string, std::string>> commands{
      {"paddle.scatter", "--overwrite false"},
      {"paddle.put_along_axis", "--reduce assign --reduce mul"},
      {"stablehlo.scatter", "--update-computation set"},
      {"torch.scatter_reduce", "--reduce amax"}};
  for (const auto& [operation, flags] : commands) {
    const std::string command = fmt::format("{} --seed 0 {} --count 1", operation, flags);
    INFO(command);
    Strings words = split_words(command);
    words.insert(words.end(), {"-o", (directory / operation).native()});
    write(words);
    CHECK(read_file(directory / operation / "cases.jsonl")
              .starts_with(fmt::format("# tscatter generate, scheme 4: {}\n", command)));
  }
}

TEST_CASE("generate keeps to dtypes, reductions and values that are asked for", "[app]") {
  const std::string names = output_of(generate_call(
      split_words("ScatterNDUpdate-15 --dtype f16 --dtype BFloat16 -r sum --reduction max --values "
                  "swamp --duplicates heavy --max-rank 2 --max-elements 64 --count 40 --list")));
  for (const char* word : {"-f16-sum-", "-bf16-sum-", "-f16-max-", "-bf16-max-"})
    CHECK_THAT(names, contains(word));
  for (const char* word : {"-f32-", "-prod-", "-exact-", "-some-duplicates", "-rank-3"})
    CHECK_THAT(names, !contains(word));
}

TEST_CASE("narrowed cases pass as a batch, whose first line repeats them", "[app]") {
  const TemporaryDirectory directory;
  const Strings flags = split_words("--depth 2 --index-dtype i32 --plain --errors --count 20");
  write(with_more(with_more({"ScatterNDUpdate-15"}, flags), {"-o", directory / "a"}));
  CHECK(batch_summary(directory / "a") == "40 cases: 40 passed\n");
  const std::string text = read_file(directory / "a/cases.jsonl");
  CHECK(
      text.starts_with("# tscatter generate, scheme 4: ScatterNDUpdate-15 --seed 0 --index-dtype "
                       "int32 --depth 2 --plain --errors --count 20\n"));
  const std::string names = output_of(generate_call(
      {"torch.index_add", "--index-dtype", "int64", "--plain", "--count", "40", "--list"}));
  CHECK(lines_of(names) == 40);
  for (const char* word : {"matrix", "cube", "scalar", "-i32\n", "negative-indices"})
    CHECK_THAT(names, !contains(word));
}

TEST_CASE("generate.g7 to generate.g9: what the operation cannot narrow is refused", "[app]") {
  const auto refused = [](const Strings& words) {
    return refusal_of(2, generate_call(with_more(words, {"--list"})));
  };
  CHECK(
      refused({"torch.index_add", "--depth", "1"}).ends_with("got torch.index_add [generate.g7]"));
  CHECK(refused({"torch.index_add", "--index-dtype", "u32"}).ends_with("got uint32 [generate.g8]"));
  CHECK(refused({"SliceScatter-15", "--plain"}).ends_with("got SliceScatter-15 [generate.g9]"));
}

TEST_CASE("the witness set of every operation passes as a batch, and has a name for each case",
          "[app]") {
  for (const Operation* operation : property::sampled_operations(property::has_answers)) {
    const TemporaryDirectory directory;
    const std::string cases = (directory.path() / "cases").native();
    INFO(operation->name);
    output_of({"generate", std::string(operation->name), "--witness", "-o", cases});
    CHECK(tscatter_run({"batch", cases, "-q"}).exit_code == 0);
    const std::string lines = read_file(directory.path() / "cases/cases.jsonl");
    CHECK_THAT(lines, contains("-witness-form-"));
  }
}

TEST_CASE("the witness set has what tells runtimes apart, and keeps policies", "[app]") {
  const std::string names = output_of("generate ScatterElementsUpdate-12 --witness --list");
  for (const char* const word :
       {"min-max-nan", "min-max-zeros", "minus-infinity-alone", "mean-of-integers",
        "bfloat16-stalls", "uint8-index-200", "int16-index-30000", "int32-product", "duplicates",
        "index-out-of-range"})
    CHECK_THAT(names, contains(std::string("scatter_elements_update_12-witness-") + word));
  const std::string starts = output_of("generate onnx.TensorScatter --witness --list");
  CHECK_THAT(starts, contains("more-batches-than-places"));
  CHECK_THAT(starts, !contains("min-max"));
  const TemporaryDirectory directory;
  const std::string cases = (directory.path() / "cases").native();
  output_of({"generate", "onnx.ScatterND-18", "--witness", "--oob", "drop-window", "-o", cases});
  const std::string lines = read_file(directory.path() / "cases/cases.jsonl");
  CHECK(lines.starts_with(
      "# tscatter generate, scheme 4: onnx.ScatterND-18 --witness --oob drop-window --count "));
  CHECK_THAT(lines, !contains("18.c4\""));
  CHECK(tscatter_run({"batch", cases, "-q"}).exit_code == 0);
  const std::string nodes = (directory.path() / "nodes").native();
  output_of({"generate", "onnx.ScatterND-18", "--witness", "--layout", "onnx", "-o", nodes});
  CHECK(tscatter_run({"batch", nodes, "-q"}).exit_code == 0);
}

TEST_CASE("cli.c71: the witness set is given without flags that choose random cases", "[app]") {
  const auto refused = [](Strings more) {
    Strings words = with_more({"generate", "ScatterNDUpdate-15", "--witness", "--list"}, more);
    return refusal_of(2, words);
  };
  CHECK(refused({"--dtype", "f16"}) ==
        "--witness: must be given without flags that choose random cases, got ScatterNDUpdate-15 "
        "--seed 0 --dtype float16 --count 100 [cli.c71]");
  CHECK(refused({"--errors"}).ends_with(" [cli.c71]"));
  CHECK(refused({"--plain"}).ends_with(" --plain --count 100 [cli.c71]"));
  CHECK(refused({"--count", "5"}).ends_with(" [cli.c71]"));
}

TEST_CASE("cli.c72: the large set is given without other sets, choices and other layouts",
          "[app]") {
  const auto refused = [](Strings more) {
    Strings words = with_more({"generate", "onnx.ScatterND-18", "--large", "--list"}, more);
    return refusal_of(2, words);
  };
  CHECK(refused({"--seed", "1"}) ==
        "--large: must be given without --witness, --layout onnx or mlir, and flags that choose "
        "random cases, got onnx.ScatterND-18 --seed 1 --count 100 [cli.c72]");
  CHECK(refused({"--layout", "onnx"}).ends_with(" [cli.c72]"));
  CHECK(refusal_of(2, "generate stablehlo.scatter --large --list --layout mlir")
            .ends_with(" [cli.c72]"));
  CHECK(refused({"--witness"}).ends_with(" --count 100 --witness [cli.c72]"));
  const std::string names =
      output_of("generate onnx.ScatterND-18 --large --oob drop-window --list");
  CHECK(lines_of(names) == 4);
  CHECK(names.starts_with("onnx.scatter_nd_18-large-elements-beyond-2-31-none\n"));
}

TEST_CASE("cli.c73: an operation without a large set is refused", "[app]") {
  for (const std::string operation : {"numpy.bincount", "torch.masked_fill", "jax.at.min"}) {
    CHECK(refusal_of(2, {"generate", operation, "--large", "--list"}) ==
          "--large: is for operations that change zeros and whose operands may be sparse files, "
          "got " +
              operation + " [cli.c73]");
  }
  CHECK(output_of("generate tf.scatter_nd --large --list") ==
        "tf.scatter_nd-large-elements-beyond-2-31\ntf.scatter_nd-large-one-axis-beyond-2-31\n"
        "tf.scatter_nd-large-rows-beyond-2-31\ntf.scatter_nd-large-elements-beyond-2-32\n");
}

TEST_CASE("the large set is a batch of its command", "[app]") {
  const TemporaryDirectory directory;
  const std::string cases = (directory.path() / "cases").native();
  output_of({"generate", "tosa.scatter", "--large", "-o", cases});
  const std::string lines = read_file(directory.path() / "cases/cases.jsonl");
  CHECK(lines.starts_with("# tscatter generate, scheme 4: tosa.scatter --large --count 3\n"));
  CHECK(lines_of(output_of({"batch", cases, "--list"})) == 3);
}

TEST_CASE("cli.c70: a seed that is no integer from 0 to 2^64 - 1 is refused", "[app]") {
  const auto refused = [](const char* seed) {
    return refusal_of(2, generate_call({"ScatterUpdate-3", "--list", "--seed", seed}));
  };
  for (const std::string seed : {"-1", "18446744073709551616", "1.5", "x", "7 "}) {
    CHECK(refused(seed.c_str()) ==
          "--seed: must be an integer from 0 to 2^64 - 1, got " + seed + " [cli.c70]");
  }
  CHECK(lines_of(output_of(generate_call(
            {"ScatterUpdate-3", "--list", "--seed", "18446744073709551615"}))) == 100);
}

TEST_CASE("cli.c4: generate refuses numbers and names that it does not take", "[app]") {
  const auto refused = [](const char* flag, const char* value) {
    return refusal_of(2, generate_call({"ScatterNDUpdate-15", "--list", flag, value}));
  };
  CHECK(refused("--count", "0") == "--count: must be an integer from 1 to 100000, got 0 [cli.c4]");
  CHECK(refused("--count", "100001") ==
        "--count: must be an integer from 1 to 100000, got 100001 [cli.c4]");
  CHECK(refused("--max-rank", "7") == "--max-rank: must be an integer from 1 to 6, got 7 [cli.c4]");
  CHECK(refused("--max-elements", "63") ==
        "--max-elements: must be an integer from 64 to 16777216, got 63 [cli.c4]");
  CHECK(refused("--depth", "7") == "--depth: must be an integer from 0 to 6, got 7 [cli.c4]");
  CHECK(refused("--index-dtype", "int46") ==
        "--index-dtype: must be the name of a numeric dtype (nearest: int16), got int46 [cli.c4]");
  CHECK(refused("--dtype", "flaot16") ==
        "--dtype: must be the name of a numeric dtype (nearest: float16), got flaot16 [cli.c4]");
  CHECK(refused("-r", "sun") ==
        "-r: must be one of none, sum, sub, prod, min, max (nearest: sum), got sun [cli.c4]");
  CHECK(refused("--values", "swmap") ==
        "--values: must be one of exact, rounding, swamp, special, full (nearest: swamp), got "
        "swmap [cli.c4]");
  CHECK(refused("--duplicates", "all") ==
        "--duplicates: must be one of none, some, heavy, got all [cli.c4]");
}

TEST_CASE("cli.c3: generate wants an operation and a directory", "[app]") {
  CHECK(refusal_of(2, generate_call({"ScatterUpdate-3"})) ==
        "generate: --output is missing: --output FOLDER, or --list [cli.c3]");
  CHECK(refusal_of(2, generate_call({})) ==
        "generate: an operation is missing (tscatter ops lists them) [cli.c3]");
}

TEST_CASE("cli.c2: a reduction of an operation that has none is no flag", "[app]") {
  CHECK(refusal_of(2, generate_call({"ScatterUpdate-3", "--list", "--reduction", "sum"})) ==
        "ScatterUpdate-3: has no flag --reduction (ScatterNDUpdate-15 has it) [cli.c2]");
}

TEST_CASE("generate.g2: what has no cases together is refused", "[app]") {
  CHECK(refusal_of(2, generate_call(split_words("ScatterNDUpdate-15 --list --dtype c64 -r min"))) ==
        "generate: no case of complex64 has the requested reductions, values and max-elements "
        "[generate.g2]");
}

TEST_CASE("generate.g5: a foreign directory is refused with exit code 3", "[app]") {
  const TemporaryDirectory directory;
  write_file(directory / "notes.txt", "mine");
  CHECK(refusal_of(3, generate_call({"ScatterUpdate-3", "-o", directory.path().native()})) ==
        directory.path().native() +
            ": must be new, be empty, or hold cases of the same command with no greater count, got "
            "a directory with other files [generate.g5]");
  CHECK(directory.names() == Strings{"notes.txt"});
}

TEST_CASE("file.f4: a directory that cannot be made is refused", "[app]") {
  CHECK(refusal_of(3, generate_call({"ScatterUpdate-3", "-o", "/proc/cases"})) ==
        "/proc/cases: cannot be created: no such file or directory [file.f4]");
}

}  // namespace tscatter
