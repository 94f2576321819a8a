// Safetensors files and their shards on the command line.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/folder.hpp"
#include "catch.hpp"
#include "io/left_journal.hpp"
#include "io/safetensors_bytes.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

// Three tensors of bytes; b begins at an odd byte.
std::string model(const std::string& data) {
  return safetensors_bytes(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                           R"("b":{"dtype":"U8","shape":[2,2],"data_offsets":[3,7]},)"
                           R"("z":{"dtype":"F4","shape":[2],"data_offsets":[7,8]}} )",
                           data);
}

const std::string index_text =
    R"({"metadata": {"total_size": 8}, "weight_map": {"b": "m1.safetensors", "far": "../m1.safetensors"}})";

}  // namespace

TEST_CASE("a safetensors tensor is operand and output of an operation", "[app]") {
  const Folder folder;
  folder.put("m.safetensors", model("abcdefgh"));
  const Strings call = split_words(
      "ScatterUpdate-3 -d m.safetensors:b -i [0] -u '[[65, 66]]' -a 0 -o n.safetensors:b");
  CHECK(folder.run(call).exit_code == 0);
  CHECK(folder.text("n.safetensors") ==
        safetensors_bytes(R"({"b":{"dtype":"U8","shape":[2,2],"data_offsets":[0,4]}} )", "ABfg"));
  CHECK(folder.run("convert [7] n.safetensors:a --dtype int16").exit_code == 0);
  CHECK(folder.text("n.safetensors") ==
        safetensors_bytes(R"({"a":{"dtype":"I16","shape":[1],"data_offsets":[0,2]},)"
                          R"("b":{"dtype":"U8","shape":[2,2],"data_offsets":[2,6]}}    )",
                          std::string("\7\0ABfg", 6)));
  CHECK(folder.err("convert m.safetensors x.npy") ==
        "tscatter: m.safetensors: an archive must be named with a member, as in m.safetensors:a, "
        "got the archive of 3 members alone [cli.c31]\n");
  CHECK_THAT(folder.err("convert [1] m.safetensors:x --compress"), contains("[cli.c21]"));
}

TEST_CASE("a big-endian tensor of Fortran order is written little-endian and row-major", "[app]") {
  const Folder folder;
  folder.put("x.npy", npy_file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2)}",
                               std::string("\0\1\0\2\0\3\0\4", 8)));
  CHECK(folder.run("convert x.npy x.safetensors:x").exit_code == 0);
  CHECK(folder.text("x.safetensors").ends_with(std::string("\1\0\3\0\2\0\4\0", 8)));
  CHECK(folder.out("compare x.npy x.safetensors:x") == "equal: 4 elements\n");
  CHECK(folder.run("convert x.npy x.bin --format raw").exit_code == 0);
  CHECK(folder.text("x.bin") == std::string("\1\0\3\0\2\0\4\0", 8));
}

TEST_CASE("st.f10: a tensor of no dtype of safetensors is not written", "[app]") {
  const Folder folder;
  CHECK(folder.err("convert 1xc128=1 x.safetensors:x") ==
        "tscatter: x.safetensors: a tensor that is written as safetensors must be of one of its "
        "dtypes (write .npy), got complex128 [st.f10]\n");
  CHECK(folder.names().empty());
}

TEST_CASE("st.f11: a tensor that is written needs a name", "[app]") {
  const Folder folder;
  CHECK(folder.err("convert [1] x.safetensors:") ==
        "tscatter: x.safetensors: the name of a tensor that is written must be 1 to 4096 bytes "
        "long, got 0 [st.f11]\n");
  for (const std::string& name :
       {std::string("__metadata__"), std::string("\xff"), std::string(4097, 'n')}) {
    CAPTURE(name);
    CHECK(folder.err({"convert", "[1]", "x.safetensors:" + name}).ends_with("[st.f11]\n"));
  }
  CHECK(folder.run({"convert", "[1]", "x.safetensors:" + std::string(4096, 'n')}).exit_code == 0);
}

TEST_CASE("a tensor at an odd byte is changed in place, and all else keeps its bytes", "[app]") {
  const Folder folder;
  folder.put("m.safetensors", model("abcdefgh"));
  CHECK(folder.run(change_of("m.safetensors:b")).exit_code == 0);
  CHECK(folder.text("m.safetensors") == model("abcdexyh"));
  CHECK(folder.names() == Strings{"m.safetensors"});
  CHECK(folder.err(change_of("m.safetensors")).ends_with("[cli.c31]\n"));
  CHECK(folder.err(change_of("m.safetensors:z")).ends_with("[st.f8]\n"));
}

TEST_CASE("cli.c81: a blob of a Hugging Face cache is not changed in place", "[app]") {
  const Folder folder;
  folder.put("models--x--y/blobs/0123", model("abcdefgh"));
  folder.link("models--x--y/snapshots/4567/m.safetensors", "../../blobs/0123");
  const std::string name = "models--x--y/snapshots/4567/m.safetensors";
  CHECK(folder.err(change_of(name + ":b")) ==
        "tscatter: --data: must not be a blob of a Hugging Face cache, which revisions share, to "
        "be changed in place (copy it, or add --force), got " +
            name + " [cli.c81]\n");
  CHECK(folder.text("models--x--y/blobs/0123") == model("abcdefgh"));
  Strings forced = change_of(name + ":b");
  forced.push_back("--force");
  CHECK(folder.run(forced).exit_code == 0);
  CHECK(folder.text("models--x--y/blobs/0123") == model("abcdexyh"));
  folder.put("blobs/0123.safetensors", model("abcdefgh"));
  CHECK(folder.run(change_of("blobs/0123.safetensors:b")).exit_code == 0);
}

TEST_CASE("several tensors of one file are changed in place by one batch", "[app]") {
  const Folder folder;
  folder.put("m.safetensors", model("abcdefgh"));
  const auto job = [](const std::string& name, const std::string& updates) {
    return R"({"op": "ScatterUpdate-3", "data": "m.safetensors:)" + name +
           R"(", "indices": [0], "axis": 0, "in_place": true, "updates": )" + updates + "}\n";
  };
  folder.put("jobs.jsonl", job("a", "[65]") + job("b", "[[66, 67]]"));
  for (int i = 0; i < 20; ++i) {
    CHECK(folder.run("batch jobs.jsonl -j 2").exit_code == 0);
    CHECK(folder.text("m.safetensors") == model("AbcBCfgh"));
  }
  folder.put("jobs.jsonl", job("a", "[65]") + job("a", "[66]"));
  const Result refused = folder.run("batch jobs.jsonl");
  CHECK_THAT(refused.out, contains("[batch.b12]"));
  folder.put("jobs.jsonl",
             job("a", "[65]") + R"({"op": "ScatterUpdate-3", "data": "m.safetensors:b",
      "indices": [0], "axis": 0, "updates": [[0, 0]], "output": "o.npy"})");
  std::string one_line = folder.text("jobs.jsonl");
  one_line.erase(one_line.find("\n      "), 1);
  folder.put("jobs.jsonl", one_line);
  CHECK_THAT(folder.out("batch jobs.jsonl"), contains("[batch.b12]"));
}

TEST_CASE("batch.b12: raw bytes of one file are changed by one batch where they are apart",
          "[app]") {
  const Folder folder;
  folder.put("x.bin", "abcdefgh");
  const auto job = [](const std::string& data, const std::string& updates) {
    return R"({"op": "ScatterUpdate-3", "data": )" + data +
           R"(, "indices": [1], "axis": 0, "in_place": true, "updates": )" + updates + "}\n";
  };
  const std::string front = R"("2xu8=@x.bin+1")";
  const std::string back = R"({"raw": "x.bin", "dtype": "u8", "shape": [3], "offset": 3})";
  folder.put("jobs.jsonl", job(front, "[65]") + job(back, "[66]"));
  for (int i = 0; i < 10; ++i) {
    const Result result = folder.run("batch jobs.jsonl -j 2");
    CHECK(result.exit_code == 0);
    CHECK(folder.text("x.bin") == "abAdBfgh");
  }
  const auto met = [&](const std::string& one, const std::string& other) {
    folder.put("x.bin", "abcdefgh");
    folder.put("jobs.jsonl", job(one, "[65]") + job(other, "[66]"));
    const Result result = folder.run("batch jobs.jsonl -j 2");
    CHECK(result.exit_code == 1);
    return result.out;
  };
  const std::string message =
      "must be bytes that one case writes, in a file of one format, got 3xu8=@./x.bin+2, which is "
      "data of jobs.jsonl:1 [batch.b12]";
  const std::string overlapping = R"("3xu8=@./x.bin+2")";
  CHECK_THAT(met(front, overlapping), contains(message));
  CHECK(folder.text("x.bin") == "abAdefgh");
  CHECK_THAT(met(back, overlapping), contains(message));
  CHECK_THAT(met(R"("8xu8=@x.bin+0")", overlapping), contains(message));
  CHECK_THAT(met(R"("1x2xu8=@x.bin+3")", R"("2xu8=@x.bin+3")"), contains("[batch.b12]"));
  // Nor is a file changed as what it is and as raw bytes.
  folder.put("m.safetensors", model("abcdefgh"));
  const std::string file = folder.text("m.safetensors");
  folder.put("jobs.jsonl",
             job(R"("m.safetensors:a")", "[65]") +
                 job(R"("2xu8=@m.safetensors+)" + std::to_string(file.size() - 8) + '"', "[66]"));
  const Result mixed = folder.run("batch jobs.jsonl");
  CHECK_THAT(mixed.out, contains("[batch.b12]"));
  CHECK(folder.text("m.safetensors") == model("aAcdefgh"));
}

TEST_CASE("recover of an index, or of a tensor, rolls back the files that have the tensors",
          "[app]") {
  const Folder folder;
  const std::string before = model("abcdefgh");
  const auto leave = [&] {
    folder.put("m1.safetensors", before);
    const auto size = static_cast<std::int64_t>(before.size());
    leave_journal(folder / "m1.safetensors", {{.begin = size - 1, .end = size}});
    folder.put("m1.safetensors", model("abcdefgZ"));
  };
  const std::string done =
      "m1.safetensors: rolled back a run in place that was killed: 1 byte in 1 range\n";
  const std::string nothing = ": nothing to roll back\n";
  folder.put("m2.safetensors", before);
  folder.put(
      "m.safetensors.index.json",
      R"({"weight_map": {"b": "m1.safetensors", "z": "m2.safetensors", "a": "m1.safetensors"}})");
  leave();
  CHECK(folder.out("recover m.safetensors.index.json") == done + "m2.safetensors" + nothing);
  CHECK(folder.text("m1.safetensors") == before);
  leave();
  CHECK(folder.out("recover m.safetensors.index.json:b") == done);
  leave();
  CHECK(folder.out("recover m1.safetensors:b") == done);
  leave();
  CHECK(folder.out("recover 3xu8=@m1.safetensors+100") == done);
  CHECK(folder.out("recover m.safetensors.index.json:z") == "m2.safetensors" + nothing);
}

TEST_CASE("of an index with a missing file the other tensors are listed", "[app]") {
  const Folder folder;
  folder.put("m1.safetensors", model("abcdefgh"));
  folder.put("m.safetensors.index.json",
             R"({"weight_map": {"c": "m0.safetensors", "a": "m1.safetensors"}})");
  const Result shown = folder.run("show m.safetensors.index.json");
  CHECK(shown.out ==
        "name              dtype      shape  bytes\n"
        "m0.safetensors:c  not there\n"
        "a                 uint8      [3]    3\n");
  CHECK(shown.err ==
        "tscatter: m0.safetensors: cannot be opened: no such file or directory [file.f1]\n");
  CHECK(shown.exit_code == 3);
}

TEST_CASE("a whole file is converted with tensors of dtypes that are listed only", "[app]") {
  const Folder folder;
  folder.put("m.safetensors", model("abcdefgh"));
  CHECK(folder.run("convert m.safetensors n.safetensors").exit_code == 0);
  const std::string copy = folder.text("n.safetensors");
  CHECK_THAT(copy, contains(R"("z":{"dtype":"F4","shape":[2],)"));
  CHECK(folder.run("compare m.safetensors n.safetensors").exit_code == 0);
  CHECK(copy.ends_with("abcdefgh"));
  CHECK(folder.err("convert m.safetensors n.npz").ends_with("[st.f8]\n"));
}

TEST_CASE("the tensors of a file are listed, with its metadata", "[app]") {
  const Folder folder;
  folder.put("m.safetensors",
             safetensors_bytes(R"({"__metadata__":{"format":"pt"},)"
                               R"("a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},)"
                               R"("z":{"dtype":"F4","shape":[2],"data_offsets":[4,5]}})",
                               "12345"));
  CHECK(folder.out("show m.safetensors") ==
        "name  dtype     shape  bytes\n"
        "a     bfloat16  [2]    4\n"
        "z     F4        [2]    1\n"
        "\n"
        "metadata\n"
        "  format: pt\n");
  CHECK(folder.out("show m.safetensors --json") ==
        R"({"tensors":[{"name":"a","member":"a","dtype":"bfloat16","shape":[2],"elements":2,)"
        R"("bytes":4,"order":"c","byte_order":"little"},{"name":"z","member":"z","reason":)"
        R"("a tensor that is used must be of a known dtype of whole bytes, got F4 [st.f8]",)"
        R"("dtype":"F4","bytes":1,"shape":[2]}],"metadata":{"format":"pt"}})"
        "\n");
}

TEST_CASE("metadata that are lost are said, and compared", "[app]") {
  const Folder folder;
  folder.put("m.safetensors",
             safetensors_bytes(R"({"__metadata__":{"format":"pt"},)"
                               R"("a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}})",
                               "1234"));
  const Result converted = folder.run("convert m.safetensors m.npz");
  CHECK(converted.exit_code == 0);
  CHECK(converted.err ==
        "tscatter: warning: m.npz: has no place for metadata: 1 key is left out\n");
  CHECK(folder.err("convert m.safetensors n.safetensors").empty());
  CHECK(folder.out("compare m.safetensors m.npz") == "equal: 1 tensor (the metadata differs)\n");
}

TEST_CASE("st.f9: a file of shards that is a pipe is not waited for", "[app]") {
  const Folder folder;
  folder.put("m.safetensors.index.json", R"({"weight_map": {"e": "pipe"}})");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const std::string index = "m.safetensors.index.json";
  for (const Strings& words :
       {Strings{"show", index + ":e"}, change_of(index + ":e"), Strings{"convert", index, "x.npz"},
        Strings{"convert", "[1]", index + ":e"}}) {
    CAPTURE(words);
    CHECK(folder.err(words).ends_with(
        "the files of the index must be regular ones, got pipe [st.f9]\n"));
  }
}

TEST_CASE("archives are compared tensor by tensor", "[app]") {
  const Folder folder;
  CHECK(folder.run("convert '[1, 2]' a.safetensors:x").exit_code == 0);
  CHECK(folder.run("convert '[1, 2]' a.safetensors:y").exit_code == 0);
  CHECK(folder.run("convert a.safetensors b.npz").exit_code == 0);
  CHECK(folder.out("compare a.safetensors b.npz") == "equal: 2 tensors\n");
  folder.put(
      "f8.safetensors",
      safetensors_bytes(R"({"x":{"dtype":"F8_E5M2","shape":[2],"data_offsets":[0,2]}} )", "ab"));
  CHECK(folder.run("convert f8.safetensors f8.npz").exit_code == 0);
  CHECK(folder.out("compare f8.npz f8.safetensors") == "equal: 1 tensor\n");
  CHECK(folder.run("convert '[1, 3]' b.npz:y").exit_code == 0);
  CHECK(folder.run("convert [5] b.npz:w").exit_code == 0);
  CHECK(folder.run("convert [6] a.safetensors:v").exit_code == 0);
  const Result different = folder.run("compare a.safetensors b.npz");
  CHECK(different.exit_code == 1);
  CHECK(different.out ==
        "different: 3 of 4 tensors, 1 only in ACTUAL, 1 only in EXPECTED\n"
        "  y  1 of 2 elements differ (50 %), largest at [1]: got 2, expected 3\n"
        "  w  only in EXPECTED\n"
        "  v  only in ACTUAL\n");
  CHECK(
      folder.out("compare a.safetensors b.npz --atol 1").starts_with("different: 2 of 4 tensors"));
  CHECK(folder.run("convert b.npz c.safetensors").exit_code == 0);
  CHECK(folder.out("compare c.safetensors b.npz") == "equal: 3 tensors\n");
  CHECK(folder.run("convert b.npz d.npz --compress").exit_code == 0);
  CHECK(folder.out("compare d.npz b.npz --json") ==
        R"({"match":true,"tensors":3,"different":0,"only_in_actual":0,"only_in_expected":0,)"
        R"("metadata_differs":false,"differences":[]})"
        "\n");
}

TEST_CASE("tensors whose elements cannot be used are compared as bytes, and that is said",
          "[app]") {
  const Folder folder;
  folder.put("a.safetensors", model("abcdefgh"));
  folder.put("same.safetensors", model("abcdefgh"));
  folder.put("other.safetensors", model("abcdefgi"));
  const auto compared = [&](const std::string& one, const std::string& other) {
    return folder.run({"compare", one, other, "--atol", "100"});
  };
  CHECK(compared("a.safetensors", "same.safetensors").out ==
        "equal: 3 tensors (1 compared as bytes: F4)\n");
  const Result different = compared("a.safetensors", "other.safetensors");
  CHECK(different.exit_code == 1);
  CHECK(
      different.out ==
      "different: 1 of 3 tensors (1 compared as bytes: F4)\n"
      "  z  F4, as bytes: 1 of 1 element differs (100 %), largest at [0]: got 104, expected 105\n");
  const json report = json::parse(folder.out("compare a.safetensors other.safetensors --json"));
  CHECK(report.at("as_bytes") == 1);
  CHECK(report.at("differences").at(0).at("as_bytes") == "F4");
  CHECK(report.at("differences").at(0).at("census").at("differing") == 1);
  const auto file_of = [](const std::string& z) {
    return safetensors_bytes("{\"z\":" + z + "} ", "h");
  };
  folder.put("f4.safetensors", file_of(R"({"dtype":"F4","shape":[2],"data_offsets":[0,1]})"));
  folder.put("long.safetensors", file_of(R"({"dtype":"F4","shape":[2,1],"data_offsets":[0,1]})"));
  folder.put("u8.safetensors", file_of(R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})"));
  CHECK(compared("f4.safetensors", "long.safetensors").out ==
        "different: 1 of 1 tensor\n  z  shape differs: got [2], expected [2, 1]\n");
  CHECK(compared("f4.safetensors", "u8.safetensors").out ==
        "different: 1 of 1 tensor\n  z  dtype differs: got F4, expected uint8\n");
  CHECK(compared("u8.safetensors", "f4.safetensors").out ==
        "different: 1 of 1 tensor\n  z  dtype differs: got uint8, expected F4\n");
  folder.put("model.safetensors.index.json", R"({"weight_map": {"z": "f4.safetensors"}})");
  CHECK(compared("model.safetensors.index.json", "f4.safetensors").out ==
        "equal: 1 tensor (1 compared as bytes: F4)\n");
}

TEST_CASE("a header of 94 MB takes less than 64 MiB", "[app]") {
  const Folder folder;
  std::string header = R"({"__metadata__":{"a":")" + std::string(60'000'000, 'm') + "\"}";
  constexpr int tensors = 400'000;
  for (int i = 0; i < tensors; ++i) {
    header += fmt::format(
        R"(,"model.layer.{:07}.weight":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}})", i, i,
        i + 1);
  }
  header += "}";
  folder.put("m.safetensors", safetensors_bytes(header, std::string(tensors, 'x')));
  const Strings words =
      split_words("convert m.safetensors:model.layer.0399999.weight - --format json");
  const Result result = folder.limited(words, std::uint64_t{64} << 20U);
  CHECK(result.err.empty());
  CHECK(result.out.ends_with("\"data\": [120]}\n"));
}

TEST_CASE("cli.c82: flags of one tensor are refused for archives", "[app]") {
  const Folder folder;
  CHECK(folder.run("convert '[1, 2]' a.safetensors:x").exit_code == 0);
  CHECK(folder.err("compare a.safetensors a.safetensors --heatmap x.svg") ==
        "tscatter: --heatmap: is for two tensors, got the archives a.safetensors and a.safetensors "
        "[cli.c82]\n");
  CHECK(folder.err("convert a.safetensors b.npz --to float32") ==
        "tscatter: --to: is for one tensor, got the archive a.safetensors [cli.c82]\n");
}

TEST_CASE("st.f9: the index of a variant is an index, read, written and kept", "[app]") {
  const Folder folder;
  for (const std::string index :
       {"m.safetensors.index.fp16.json", "m.safetensors.fp16.index.json"}) {
    CAPTURE(index);
    folder.put("m1.safetensors", model("abcdefgh"));
    folder.put(index, R"({"weight_map": {"b": "m1.safetensors"}})");
    CHECK(folder.out({"show", index}).starts_with("name  dtype  shape   bytes\nb "));
    CHECK(folder.run(change_of(index + ":b")).exit_code == 0);
    CHECK(folder.text("m1.safetensors") == model("abcdexyh"));
    CHECK(folder.err({"convert", "[1]", index}).ends_with("[cli.c16]\n"));
  }
  folder.put("p.safetensors.index.json",
             "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n");
  CHECK(folder.err("show p.safetensors.index.json:b") ==
        "tscatter: p.safetensors.index.json: the index must be JSON, got a Git LFS pointer (git "
        "lfs pull fetches the file) [st.f9]\n");
}

TEST_CASE("st.f9: the index of shards leads to a file beside it, and to no other", "[app]") {
  const Folder folder;
  folder.put("ck/m1.safetensors", model("abcdefgh"));
  folder.put("m1.safetensors", model("abcdefgh"));
  folder.put("ck/m.safetensors.index.json", index_text);
  const std::string index = "ck/m.safetensors.index.json";
  CHECK(folder.run({"convert", index + ":b", "x.json"}).exit_code == 0);
  CHECK(folder.run(change_of(index + ":b")).exit_code == 0);
  CHECK(folder.text("ck/m1.safetensors") == model("abcdexyh"));
  CHECK(folder.text(index) == index_text);
  for (const Strings& words : {Strings{"show", index + ":far"}, change_of(index + ":far"),
                               Strings{"convert", "[1]", index + ":far"}}) {
    CHECK(folder.err(words) ==
          "tscatter: ck/m.safetensors.index.json: the file of tensor far must be a plain name, "
          "that of a file beside the index, got ../m1.safetensors [st.f9]\n");
  }
  CHECK(folder.text("m1.safetensors") == model("abcdefgh"));
  CHECK(folder.err({"show", index + ":c"}).ends_with("must be one of b, far, got c [st.f7]\n"));
  for (const char* text :
       {"{}", "[]", R"({"weight_map": []})", R"({"weight_map": {"b": 1}})",
        R"({"weight_map": {"b": ""}})", R"({"weight_map": {"b": ".."}})",
        R"({"weight_map": {"b": "/etc/x"}})", R"({"weight_map": {"b": "."}})",
        R"({"weight_map": {"b": "m1.safetensors", "b": "m1.safetensors"}})",
        R"({"weight_map": {"b": "m1.safetensors"}} x)", R"({"weight_map": {"b": "a\u0000b"}})"}) {
    CAPTURE(text);
    folder.put(index, text);
    CHECK(folder.err({"show", index + ":b"}).ends_with("[st.f9]\n"));
  }
  folder.put(index, R"({"weight_map": {"b": "none.safetensors"}})");
  CHECK(folder.run({"show", index + ":b"}).exit_code == 3);
}

}  // namespace tscatter
