// Raw bytes where something is written or changed in place, and names that only look like them.
#include <string>

#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

const std::string bytes = "abcdefgh";
const std::string place = "2xu8=@x.bin+2,be";

Strings call(const Strings& more) {
  return with_more(split_words("ScatterUpdate-3 -d 2xu8=1,2 -i [0] -u [9] -a 0"), more);
}

// "output" is such a place.
const std::string raw_job =
    R"({"op": "ScatterUpdate-3", "data": {"dtype": "uint8", "data": [1, 2]}, "indices": [0], )"
    R"("updates": [9], "axis": 0, "output": "2xu8=@x.bin+2,be"})";

}  // namespace

TEST_CASE("cli.c10: a part of a file of raw bytes is not an output", "[app]") {
  const Folder folder;
  folder.put("x.bin", bytes);
  folder.put("job.json", raw_job);
  folder.put("jobs.jsonl", raw_job + "\n");
  const std::string kinds = "x.npy, x.npz:name, x.pb, x.safetensors:name, x.json or -";
  CHECK(folder.err(call({"-o", place})) ==
        "tscatter: --output: must be " + kinds +
            " (write x.bin with --format raw, or change a part of it with --in-place), got " +
            place + " [cli.c10]\n");
  CHECK(folder.err({"convert", "[1, 2]", place}) == "tscatter: OUT: must be " + kinds +
                                                        " (write x.bin with --format raw), got " +
                                                        place + " [cli.c10]\n");
  CHECK(
      folder.err("run job.json") ==
      "tscatter: output: must be " + kinds +
          R"( (write x.bin with "format": "raw", or change a part of it with "in_place": true), got )" +
          place + " [cli.c10]\n");
  const Result batch = folder.run("batch jobs.jsonl");
  CHECK(batch.exit_code == 1);
  CHECK_THAT(batch.out, contains("[cli.c10]"));
  for (const Strings& words :
       {Strings{"convert", "[1, 2]", "2xf64=@new.npy"}, Strings{"convert", "[1]", place, "--force"},
        call({"-o", place, "-n"})}) {
    CAPTURE(words);
    CHECK(folder.err(words).ends_with("[cli.c10]\n"));
  }
  CHECK(folder.text("x.bin") == bytes);
  CHECK(folder.names() == Strings{"job.json", "jobs.jsonl", "x.bin"});
}

TEST_CASE("cli.c16: raw bytes are advised where the name is that of raw bytes", "[app]") {
  const Folder folder;
  CHECK(folder.err("convert '[1, 2]' o.raw") ==
        "tscatter: OUT: must not have the ending of another kind of file (write o.npy, or add "
        "--format npy or --format raw), got o.raw, the name of a file of raw bytes [cli.c16]\n");
  CHECK(folder.run("convert 2xu8=65,66 o.raw --format raw").exit_code == 0);
  CHECK(folder.text("o.raw") == "AB");
  CHECK(folder.err("convert '[1, 2]' model.safetensors.index.json") ==
        "tscatter: OUT: must not have the ending of another kind of file (write model.json, or add "
        "--format npy), got model.safetensors.index.json, the name of an index of shards "
        "[cli.c16]\n");
  CHECK(folder.run("convert '[1, 2]' x.index.json").exit_code == 0);
}

TEST_CASE("a file of any name is changed in place as what it is", "[app]") {
  const Folder folder;
  CHECK(folder.run("convert 4xu8=1,2,3,4 data.npy").exit_code == 0);
  folder.put("data.raw", folder.text("data.npy"));
  CHECK(folder.run("ScatterUpdate-3 -d data.raw -i [1] -u [9] -a 0 --in-place").exit_code == 0);
  CHECK(folder.text("data.raw").ends_with("\1\x9\3\4"));
  folder.put("data.raw", bytes);
  CHECK(folder.err("ScatterUpdate-3 -d data.raw -i [1] -u [9] -a 0 --in-place")
            .starts_with("tscatter: data.raw: "));
}

TEST_CASE("what is meant as raw bytes is told how they are written", "[app]") {
  const Folder folder;
  folder.put("x.bin", "abcd");
  folder.put("weights.bin", "abcd");
  const std::string form =
      " (raw bytes are written SHAPExDTYPE=@FILE[+OFFSET][,be][,f], as 2x3xf32=@x.bin+8)";
  for (const char* word : {"4xu8=@x.bin+0x4", "4xu8=@x.bin+4,BE", "4xu8=@x.bin,be+4", "@x.bin"}) {
    CAPTURE(word);
    CHECK_THAT(folder.err({"show", word}), contains(form));
  }
  CHECK(folder.err("show 4xu8=@weight.bin") ==
        "tscatter: weight.bin: TENSOR cannot be opened (nearest: weights.bin): no such file or "
        "directory [file.f1]\n");
  folder.put("f.bin", std::string("\0\0\x80\x3f", 4));
  folder.put("dir/f.npy", std::string("\0\0\x80\x3f", 4));
  for (const std::string name : {"f.bin", "dir/f.npy"}) {
    CHECK(folder.err({"show", name}) ==
          "tscatter: " + name + ": a .npy file must begin with \\x93NUMPY (raw bytes are read as " +
              "SHAPExDTYPE=@" + name + "), got other bytes [npy.f1]\n");
    CHECK(folder.out({"show", "1xf32=@" + name}).ends_with("\n[1.0]\n"));
  }
  CHECK(folder.err("show x.bin") ==
        "tscatter: x.bin: a .npy file must begin with \\x93NUMPY, got a text file that begins "
        "\"abcd\" [npy.f1]\n");
}

TEST_CASE("raw bytes are changed in place, at any offset", "[app]") {
  const Folder folder;
  folder.put("x.bin", "abcdefgh");
  Strings dry = change_of("2x2xu8=@x.bin+3");
  dry.push_back("-n");
  const std::string plan = folder.out(dry);
  CHECK_THAT(plan, contains("bytes before      61 62 63\n"));
  CHECK_THAT(plan, contains("bytes after       68\n"));
  dry.at(2) = "2x4xu8=@x.bin";
  dry.at(6) = "[[1, 2, 3, 4]]";
  dry.push_back("--json");
  CHECK_THAT(folder.out(dry), contains(R"("bytes_before":"none","bytes_after":"none")"));
  CHECK(folder.run(change_of("2x2xu8=@x.bin+3")).exit_code == 0);
  CHECK(folder.text("x.bin") == "abcdexyh");
  CHECK(folder.names() == Strings{"x.bin"});
  CHECK_THAT(folder.err("show 4xu8=@none.bin"), contains("[file.f1]"));
  CHECK(folder.out("convert 3xu8=1,2,3 - --format raw") == "\1\2\3");
}

}  // namespace tscatter
