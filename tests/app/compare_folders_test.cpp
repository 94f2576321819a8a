// Cases without an operation, and compare over two folders: any files of tensors, golden by golden.
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/batch.hpp"
#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void convert(const fs::path& folder, const std::string& value, const std::string& to) {
  const Result result = Command({"convert", value, to}).in(folder).run();
  REQUIRE(result.exit_code == 0);
}

std::string plain(json keys) {
  keys["name"] = keys.value("name", "x");
  return keys.dump();
}

// out/ and golden/: equal, values, shape and dtype, missing, extra, cut, archives, others.
class Folders {
 public:
  Folders() {
    for (const char* folder : {"out/sub", "golden/sub"})
      fs::create_directories(directory_ / folder);
    both("same.npy", "[1, 2]", "[1, 2]");
    both("sub/near.npy", "2xf32=1,2", "2xf32=1,2.001");
    both("shape.npy", "[1, 2]", "[1, 2, 3]");
    both("dtype.npy", "2xf32=1", "2xf64=1");
    both("all.npz:w", "[1, 2]", "[1, 2]");
    both("all.npz:b", "[1]", "[2]");
    convert(directory_ / "", "[1]", "golden/gone.npy");
    convert(directory_ / "", "[1]", "out/new.npy");
    both("cut.npy", "[1, 2]", "[1, 2]");
    fs::resize_file(directory_ / "out/cut.npy", 140);
    write_file(directory_ / "out/README", "text");
  }

  Result run(Strings words) const {
    words.insert(words.begin(), "compare");
    return Command(words).in(directory_ / "").run();
  }
  fs::path operator/(const std::string& name) const { return directory_ / name; }

 private:
  void both(const std::string& name, const std::string& actual, const std::string& expected) {
    convert(directory_ / "", actual, "out/" + name);
    convert(directory_ / "", expected, "golden/" + name);
  }

  TemporaryDirectory directory_;
};

// The reasons of failures by name.
std::map<std::string, std::string> reasons_in(const Result& result) {
  std::map<std::string, std::string> reasons;
  for (const json& each : json_lines(result.out)) {
    if (each.contains("reason")) reasons[each["name"]] = each["reason"];
  }
  return reasons;
}

}  // namespace

TEST_CASE("a case without op compares actual with expected", "[app]") {
  const BatchDirectory batch(
      {plain({{"name", "same"}, {"actual", {1, 2}}, {"expected", {1, 2}}}),
       plain({{"name", "file"}, {"actual", "a.npy"}, {"expected", {1.5, 2}}}),
       plain({{"name", "near"}, {"actual", "a.npy"}, {"expected", {1.5, 2.001}}, {"rtol", 1e-2}}),
       plain({{"name", "far"}, {"actual", "a.npy"}, {"expected", {1.5, 2.001}}}),
       plain({{"name", "known"}, {"actual", {1}}, {"expected", {2}}, {"xfail", "issue 7"}}),
       plain({{"name", "later"}, {"actual", "no.npy"}, {"expected", {2}}, {"skip", "slow"}}),
       plain({{"name", "member"}, {"actual", "z.npz:w"}, {"expected", {1, 2}}}),
       plain({{"name", "archive"}, {"actual", "z.npz"}, {"expected", "z.safetensors"}}),
       plain({{"name", "other"}, {"actual", "z.npz"}, {"expected", "y.safetensors"}})});
  convert(batch / "", "2xf32=1.5,2", "a.npy");
  convert(batch / "", "[1, 2]", "z.npz:w");
  convert(batch / "", "[1, 2]", "z.safetensors:w");
  convert(batch / "", "[1, 3]", "y.safetensors:w");
  convert(batch / "", "[1]", "y.safetensors:b");
  const Result result = batch.run({"-q"});
  CHECK(result.exit_code == 1);
  CHECK(result.out.starts_with(
      "FAILED   far  cases.jsonl:4: values differ: 1 of 2 elements (50 %), largest at [1]: got "
      "2.0, expected 2.001 [batch.b7]\n"
      "FAILED   other  cases.jsonl:9: tensors differ: 2 of 2 (b, w) [batch.b7]\n"));
  CHECK(result.out.ends_with("9 cases: 5 passed, 2 failed, 1 xfailed, 1 skipped\n"));
  CHECK_THAT(result.out, contains("\n  tscatter compare --case other cases.jsonl\n"));
}

TEST_CASE("defaults give tolerances to cases without op, each tensor of an archive by its dtype",
          "[app]") {
  const BatchDirectory batch(
      {R"({"defaults": {"f16": {"rtol": 1e-2}}})",
       plain({{"name", "file"}, {"actual", "a.npy"}, {"expected", "b.npy"}}),
       plain({{"name", "all"}, {"actual", "a.npz"}, {"expected", "b.npz"}})});
  convert(batch / "", "2xf16=1,2", "a.npy");
  convert(batch / "", "2xf16=1,2.01", "b.npy");
  for (const char* dtype : {"f16", "f32"}) {
    convert(batch / "", std::string("2x") + dtype + "=1,2", std::string("a.npz:") + dtype);
    convert(batch / "", std::string("2x") + dtype + "=1,2.01", std::string("b.npz:") + dtype);
  }
  CHECK(batch.run({"-q"}).out.starts_with(
      "FAILED   all  cases.jsonl:3: tensors differ: 1 of 2 (f32) [batch.b7]\n"));
}

TEST_CASE("job.j3: a case without op has actual and expected, and no key of an operation",
          "[app]") {
  const std::string alone =
      "a case must have op, or both actual and expected, which are then compared, got ";
  CHECK(failure_of(plain({{"actual", {1}}})) == alone + "actual alone [job.j3]");
  CHECK(failure_of(plain({{"expected", {1}}})) == alone + "expected alone [job.j3]");
  CHECK(failure_of(plain({{"actual", {1}}, {"expected", {1}}, {"data", {1}}})) ==
        "a case without op has only keys of batches, got data [job.j3]");
  CHECK(failure_of(plain({{"actual", {1}}, {"expected", {1}}, {"rtoll", 1}})) ==
        "a case without op has only keys of batches (nearest: rtol), got rtoll [job.j3]");
  CHECK(failure_of(plain({{"data", {1}}, {"expected", {1}}})) ==
        "the key op, the name of an operation, is missing [job.j3]");
  CHECK(failure_of(plain({{"actual", {1}}, {"expected", {1}}, {"nan", "any"}}))
            .ends_with("must be left out beside expected [job.j14]"));
  CHECK(failure_of(plain({{"actual", "a.npy"}, {"expected", "./a.npy"}})).ends_with("[batch.b4]"));
}

TEST_CASE("cli.c62: verify and explain refuse a case without an operation", "[app]") {
  const BatchDirectory batch({plain({{"actual", {1}}, {"expected", {2}}})});
  for (const char* command : {"verify", "explain"}) {
    CHECK(Command({command, "--case", "x", "cases.jsonl"}).in(batch / "").run().err ==
          "tscatter: --case: must be a case with an operation (tscatter compare takes one "
          "without), got x [cli.c62]\n");
  }
  CHECK(Command("compare --case x cases.jsonl")
            .in(batch / "")
            .run()
            .out.starts_with("1 of 1 element differs (100 %)"));
}

TEST_CASE("--update-golden copies actual where there is no op", "[app]") {
  const BatchDirectory batch(
      {plain({{"name", "tensor"}, {"actual", "a.npy"}, {"expected", "gold/a.npy"}}),
       plain({{"name", "archive"}, {"actual", "a.npz"}, {"expected", "gold/a.npz"}}),
       plain({{"name", "kept"}, {"actual", {1, 2}}, {"expected", "kept.npy"}}),
       plain({{"name", "kind"}, {"actual", "a.npz"}, {"expected", "gold/a.safetensors"}})});
  convert(batch / "", "[1, 2]", "a.npy");
  convert(batch / "", "[1, 2]", "a.npz:w");
  convert(batch / "", "[1, 2]", "kept.npy");
  CHECK(batch.run({"-q"}).out.starts_with("FAILED   tensor  cases.jsonl:1: golden is missing: "));
  const auto update = [&](Strings flags) {
    flags.insert(flags.begin(), "--update-golden");
    return batch.run(flags);
  };
  CHECK(update({"-n"}).out.starts_with("to write tensor  gold/a.npy: new\n"));
  CHECK_FALSE(fs::exists(batch / "gold"));
  const Result result = update({"--unreferenced", "fail"});
  CHECK(
      result.out.starts_with("updated  tensor  gold/a.npy: new\n"
                             "updated  archive  gold/a.npz: new\n"
                             "ok       kept\n"
                             "FAILED   kind  cases.jsonl:4: "));
  CHECK_THAT(result.out, contains("[cli.c16]"));
  CHECK(result.err.empty());
  CHECK(read_file(batch / "gold/a.npz") == read_file(batch / "a.npz"));
  convert(batch / "", "[1, 3]", "a.npz:w");
  CHECK_THAT(update({}).out,
             contains("updated  archive  gold/a.npz: tensors differ: 1 of 1 (w)\n"));
  CHECK(read_file(batch / "gold/a.npz") == read_file(batch / "a.npz"));
  CHECK(batch.command({"--update-golden"}).with_environment("CI", "true").run().exit_code == 2);
}

TEST_CASE("paths in one log are those from where one stands", "[app]") {
  const Folder folder;
  fs::create_directories(folder / "golden");
  folder.put("golden/cases.jsonl",
             plain({{"name", "gone"}, {"actual", "../out/x.npy"}, {"expected", {1}}}) + "\n" +
                 case_line({{"name", "kept"}, {"output", "../out.npy"}}) + "\n");
  const Result result = folder.run("batch golden/cases.jsonl");
  CHECK(
      result.out.starts_with("FAILED   gone  golden/cases.jsonl:1: file is missing: out/x.npy: "));
  CHECK_THAT(result.out, contains("written  kept  out.npy\n"));
  folder.put("golden/cases.jsonl", case_line({{"name", "kind"}, {"output", "../x.npz"}}) + "\n" +
                                       case_line({{"name", "one"}, {"output", "../y.npy"}}) + "\n" +
                                       case_line({{"name", "two"}, {"output", "../y.npy"}}) + "\n");
  const std::string out = folder.out("batch golden/cases.jsonl");
  CHECK_THAT(out, contains(", got x.npz [cli.c10]\n"));
  CHECK_THAT(out, contains(", got y.npy, which is output of golden/cases.jsonl:2 [batch.b12]\n"));
}

TEST_CASE("compare takes two folders: a line for each pair, and what differs in words", "[app]") {
  const Folders folders;
  const Result result = folders.run({"out", "golden"});
  CHECK(result.exit_code == 1);
  CHECK(result.err ==
        "tscatter: warning: compare: skipped, no tensor file by its ending: out/README\n");
  CHECK(result.out.starts_with(
      "FAILED   all.npz  out/all.npz: tensors differ: 1 of 2 (b) [batch.b7]\nFAILED   cut.npy  "
      "out/cut.npy: file is cut: data ends after 12 of 16 bytes [npy.f7]\nFAILED   dtype.npy  "
      "out/dtype.npy: dtype differs: got float32, expected float64 [batch.b7]\nFAILED   gone.npy  "
      "out/gone.npy: file is missing [file.f1]\nFAILED   new.npy  out/new.npy: extra file: "
      "golden/new.npy does not exist [file.f1]\n"));
  CHECK_THAT(result.out, contains("\nok       same.npy\n"));
  CHECK(result.out.ends_with("8 files: 1 passed, 7 failed\n"));
  CHECK(reasons_in(folders.run({"out/", "golden/", "--json"})) ==
        std::map<std::string, std::string>{{"all.npz", "tensors differ"},
                                           {"cut.npy", "file is cut"},
                                           {"dtype.npy", "dtype differs"},
                                           {"gone.npy", "file is missing"},
                                           {"new.npy", "extra file"},
                                           {"shape.npy", "shape differs"},
                                           {"sub/near.npy", "values differ"}});
  CHECK(folders.run({"golden", "golden/"}).err ==
        "tscatter: compare: must be two folders, got golden for both [batch.b4]\n");
  // What has brackets is a list or a view, not a pattern.
  CHECK(folders.run({"out/same.npy", "[1, 3]"}).exit_code == 1);
  CHECK(folders.run({"out/same.npy[0]", "1"}).exit_code == 0);
}

TEST_CASE("compare of folders takes tolerances, and by dtype from a file", "[app]") {
  const Folders folders;
  const auto passes = [&](Strings flags) {
    flags.insert(flags.begin(), {"out/sub", "golden/sub"});
    return folders.run(flags).exit_code == 0;
  };
  CHECK_FALSE(passes({}));
  CHECK(passes({"--rtol", "1e-2"}));
  write_file(folders / "half.json", R"({"float16": {"rtol": 1e-2}})");
  write_file(folders / "single.json", R"({"defaults": {"float32": {"rtol": 1e-2}}})");
  CHECK_FALSE(passes({"--tolerances", "half.json"}));
  CHECK(passes({"--tolerances", "single.json"}));
  CHECK_FALSE(passes({"--tolerances", "single.json", "--rtol", "0"}));
  CHECK(folders.run({"out/sub/near.npy", "golden/sub/near.npy", "--tolerances", "single.json"})
            .exit_code == 0);
  CHECK(passes({"--tolerances", R"({"f32": {"rtol": 1e-2}})"}));
  CHECK(folders.run({"out", "golden", "--tolerances", R"({"rtol": 1e-2})"}).err ==
        "tscatter: --tolerances: must give tolerances by dtype, as {\"float32\": {\"rtol\": …}}, "
        "got rtol without one [job.j16]\n");
  write_file(folders / "wrong.json", R"({"float32": {"rtoll": 1}})");
  CHECK(folders.run({"out", "golden", "--tolerances", "wrong.json"}).err.ends_with("[job.j16]\n"));
  const Result again = folders.run({"out/sub", "golden/sub", "--max-ulp", "1", "--equal-nan"});
  CHECK_THAT(
      again.out,
      contains(
          "\n  tscatter compare out/sub/near.npy golden/sub/near.npy --equal-nan --max-ulp 1\n"));
}

TEST_CASE("compare pairs patterns, and a file with the one of that name", "[app]") {
  const Folders folders;
  const auto listed = [&](const std::string& actual, const std::string& expected) {
    return folders.run({actual, expected, "--list"}).out;
  };
  CHECK(listed("out/s*.npy", "golden") ==
        "same.npy\tout/same.npy\tgolden/same.npy\n"
        "shape.npy\tout/shape.npy\tgolden/shape.npy\n");
  CHECK(listed("out/**/n*.npy", "golden") ==
        "new.npy\tout/new.npy\t-\n"
        "sub/near.npy\tout/sub/near.npy\tgolden/sub/near.npy\n");
  CHECK(listed("out/*/near.npy", "golden") == listed("out/**/near.npy", "golden"));
  CHECK(listed("out/sub", "golden/sub/*") == "near.npy\tout/sub/near.npy\tgolden/sub/near.npy\n");
  CHECK(listed("out/same.npy", "golden") == "same.npy\tout/same.npy\tgolden/same.npy\n");
  CHECK(listed("out/README*", "golden") == "README\tout/README\t-\n");
  CHECK(json_lines(folders.run({"out/g*", "golden", "--list", "--json"}).out)[0] ==
        json{{"name", "gone.npy"}, {"actual", nullptr}, {"expected", "golden/gone.npy"}});
  CHECK(folders.run({"out/none*", "golden"}).err ==
        "tscatter: compare: no file of tensors is in out/none* and golden [batch.b1]\n");
  CHECK(folders.run({"out", "missing"}).err ==
        "tscatter: missing: must be a folder, or a file in one, got no such file or directory "
        "[file.f1]\n");
}

TEST_CASE("compare of folders takes any name, follows links, and refuses a loop", "[app]") {
  const Folders folders;
  fs::create_directory(folders / "a");
  fs::create_directory(folders / "b");
  for (const char* name : {"-r.npy", "q\xff.npy", "::error x.npy", "it's 50% #1.npy"}) {
    fs::copy_file(folders / "out/same.npy", folders / "a" / name);
    fs::copy_file(folders / "golden/shape.npy", folders / "b" / name);
  }
  const Result result = folders.run({"a", "b", "--json"});
  CHECK(reasons_in(result).size() == 4);
  CHECK(reasons_in(result).contains(R"(q\xff.npy)"));
  CHECK(json_lines(result.out)[0].at("repeat") == "tscatter compare a/-r.npy b/-r.npy");
  fs::create_directory_symlink("../out/sub", folders / "a/linked");
  fs::create_directory_symlink("../golden/sub", folders / "b/linked");
  CHECK_THAT(folders.run({"a", "b", "--list"}).out, contains("linked/near.npy\t"));
  fs::create_directory_symlink("../a", folders / "a/loop");
  CHECK(folders.run({"a", "b"}).err ==
        "tscatter: a/loop: cannot be read: Too many levels of symbolic links [file.f1]\n");
}

TEST_CASE("what a pair's other side does not have is never taken from elsewhere", "[app]") {
  const Folders folders;
  CHECK(reasons_in(folders.run({"out/s*.npy", "golden/d*.npy", "--json"})) ==
        std::map<std::string, std::string>{{"dtype.npy", "file is missing"},
                                           {"same.npy", "extra file"},
                                           {"shape.npy", "extra file"}});
  fs::create_directories(folders / "a");
  fs::create_directories(folders / "b");
  for (const char* side : {"a", "b"}) {
    fs::create_symlink("nowhere", folders / side / "link.npy");
    REQUIRE(::mkfifo((folders / side / "pipe.npy").c_str(), 0600) == 0);
    fs::create_symlink("/dev/zero", folders / side / "zero.npy");
  }
  const std::string one = read_file(folders / "out/same.npy");
  for (const char* side : {"a", "b"}) write_file(folders / side / "two.npy", one + one);
  fs::copy_file(folders / "out/same.npy", folders / "a/other.npy");
  fs::create_symlink("nowhere", folders / "b/other.npy");
  CHECK(reasons_in(folders.run({"a", "b", "--json"})) ==
        std::map<std::string, std::string>{{"link.npy", "file is missing"},
                                           {"other.npy", "file is missing"},
                                           {"pipe.npy", "file is not usable"},
                                           {"two.npy", "file is not usable"},
                                           {"zero.npy", "file is not usable"}});
}

TEST_CASE("a tolerance for many files is for numbers", "[app]") {
  const Folders folders;
  fs::create_directories(folders / "a");
  fs::create_directories(folders / "b");
  const auto put = [&](const std::string& name, const std::string& actual,
                       const std::string& expected) {
    convert(folders / "a", actual, name);
    convert(folders / "b", expected, name);
  };
  const std::string header = "{'descr': '|S3', 'fortran_order': False, 'shape': (1,)}";
  for (const char* side : {"a", "b"})
    write_file(folders / side / "text.npy", npy_file(header, "abc"));
  put("mask.npy", "2xbool=true,true", "2xbool=false,true");
  put("all.npz:m", "2xbool=true,true", "2xbool=false,true");
  put("all.npz:x", "2xf32=1,2", "2xf32=1,2.5");
  put("x.npy", "2xf32=1,2", "2xf32=1,2.5");
  const Result result = folders.run({"a", "b", "--atol", "1", "--json"});
  CHECK(reasons_in(result) == std::map<std::string, std::string>{{"all.npz", "tensors differ"},
                                                                 {"mask.npy", "values differ"}});
  CHECK(json_lines(result.out)[0].at("message") == "tensors differ: 1 of 2 (m)");
  // Two bytes without a name are bfloat16 beside that alone.
  convert(folders / "a", "1xf16=1", "half.npy");
  convert(folders / "b", "1xbf16=0", "half.npy");
  CHECK(reasons_in(folders.run({"a", "b", "--atol", "9", "--json"})).at("half.npy") ==
        "dtype differs");
}

TEST_CASE("a tolerance for bfloat16 is for records of two bytes, which .npy has no name for",
          "[app]") {
  const Folders folders;
  for (const char* side : {"a", "b"}) fs::create_directories(folders / side);
  for (const char* name : {"x.npy", "all.npz:x"}) {
    convert(folders / "a", "2xbf16=1,2", name);
    convert(folders / "b", "2xbf16=1,2.015625", name);
  }
  const auto passes = [&](Strings words) {
    words.insert(words.end(), {"--tolerances", R"({"bf16": {"rtol": 0.1}})"});
    return folders.run(words).exit_code == 0;
  };
  CHECK(folders.run({"a", "b"}).exit_code == 1);
  CHECK(passes({"a", "b"}));
  CHECK(passes({"a/x.npy", "b/x.npy"}));
  CHECK(passes({"a/all.npz", "b/all.npz"}));
  write_file(folders / "cases.jsonl", "{\"defaults\": {\"bf16\": {\"rtol\": 0.1}}}\n" +
                                          plain({{"actual", "a/x.npy"}, {"expected", "b/x.npy"}}) +
                                          "\n");
  CHECK(Command("batch cases.jsonl").in(folders / "").run().exit_code == 0);
}

TEST_CASE("a comparison of folders leaves Bazel's variables to batches", "[app]") {
  const Folders folders;
  Command command({"compare", "out/sub", "golden/sub"});
  const Result result = command.in(folders / "")
                            .with_environment("TEST_TOTAL_SHARDS", "30")
                            .with_environment("TEST_SHARD_INDEX", "20")
                            .with_environment("XML_OUTPUT_FILE", (folders / "x.xml").native())
                            .run();
  CHECK(result.exit_code == 1);
  CHECK_FALSE(fs::exists(folders / "x.xml"));
}

TEST_CASE("--update-golden copies no archive that it would break", "[app]") {
  const BatchDirectory batch(
      {plain({{"name", "shards"},
              {"actual", "m.safetensors.index.json"},
              {"expected", "gold/m.safetensors.index.json"}}),
       plain({{"name", "literal"}, {"actual", "a.npz"}, {"expected", "3xf32=1"}}),
       plain({{"name", "member"}, {"actual", "a.npz:q"}, {"expected", "b.npz:w"}})});
  convert(batch / "", "[1, 2]", "m-1.safetensors:w");
  write_file(batch / "m.safetensors.index.json", R"({"weight_map": {"w": "m-1.safetensors"}})");
  convert(batch / "", "[1, 2]", "a.npz:w");
  convert(batch / "", "[1, 2]", "b.npz:w");
  const std::string out = batch.run({"--update-golden"}).out;
  CHECK_THAT(
      out,
      contains("FAILED   shards  cases.jsonl:1: m.safetensors.index.json: an archive that is "
               "copied must be one file, got one with elements in m-1.safetensors [cli.c10]\n"));
  CHECK_THAT(out, contains("FAILED   literal  cases.jsonl:2: expected: an archive that is copied "
                           "must end in .npz, got 3xf32=1 [cli.c16]\n"));
  CHECK_THAT(out, contains("FAILED   member  cases.jsonl:3: tensor is missing: a.npz: "));
  CHECK(batch.run({"--update-golden", "-n"}).out == out);
}

TEST_CASE("--resume runs a comparison again whose shards have changed", "[app]") {
  const BatchDirectory batch(
      {plain({{"actual", "m.safetensors.index.json"}, {"expected", "g.npz"}})});
  convert(batch / "", "[1, 2]", "m-1.safetensors:w");
  write_file(batch / "m.safetensors.index.json", R"({"weight_map": {"w": "m-1.safetensors"}})");
  convert(batch / "", "[1, 2]", "g.npz:w");
  CHECK(batch.run().exit_code == 0);
  CHECK(batch.run({"--resume"}).out.starts_with("resumed  x\n"));
  convert(batch / "", "[1, 2, 3]", "m-1.safetensors:w");
  CHECK(batch.run({"--resume"}).exit_code == 1);
}

TEST_CASE("compare of folders writes reports", "[app]") {
  const Folders folders;
  CHECK(folders.run({"out", "golden", "--junit", "j.xml", "--html", "h.html", "--details"})
            .exit_code == 1);
  const std::string junit = read_file(folders / "j.xml");
  CHECK_THAT(junit, contains(R"(<testcase classname="compare" name="all.npz")"));
  CHECK_THAT(junit, contains(R"(<failure type="file is cut [npy.f7]" message="file is cut: )"));
  const std::string html = read_file(folders / "h.html");
  CHECK_THAT(html, contains("values differ [batch.b7]"));
  CHECK_THAT(html, contains("tscatter compare out/all.npz golden/all.npz"));
  CHECK(folders.run({"out", "golden", "--html", "golden/same.npy"}).exit_code == 2);
  CHECK(folders.run({"out", "golden", "--list", "--junit", "j.xml"}).err ==
        "tscatter: --junit: must be left out beside --list [cli.c120]\n");
  CHECK(folders.run({"out", "golden", "--worst", "3"})
            .err.ends_with(
                "is for two tensors or archives, got the folders out and golden [cli.c82]\n"));
}

TEST_CASE("cli.c82: flags of two tensors and of two folders are not mixed", "[app]") {
  const Folders folders;
  CHECK(folders.run({"out", "golden", "--heatmap", "x.svg"}).err ==
        "tscatter: --heatmap: is for two tensors, got the folders out and golden [cli.c82]\n");
  CHECK(folders.run({"out/same.npy", "golden/same.npy", "--list"}).err ==
        "tscatter: --list: is for two folders, got the files out/same.npy and golden/same.npy "
        "[cli.c82]\n");
}

TEST_CASE("annotations of a comparison of folders name the file", "[app]") {
  const Folders folders;
  Command command({"compare", "out/sub", "golden/sub"});
  const Result result = command.in(folders / "").with_environment("GITHUB_ACTIONS", "true").run();
  CHECK(result.err.starts_with("::error file=out/sub/near.npy,title=near.npy::values differ: "));
}

}  // namespace tscatter
