// Members of archives as operands and outputs of the program, show of an archive, and convert's
// views of records.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/folder.hpp"
#include "catch.hpp"
#include "io/expected.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

const std::filesystem::path npz_directory = TSCATTER_NPZ_DIR;
const std::filesystem::path npy_directory = TSCATTER_NPY_DIR;

std::string good(const std::string& name) { return npz_directory / "good" / name; }

std::string values(const std::string& word) {
  return output_of({"convert", word, "-", "--format", "json"});
}

const std::string a_values =
    "{\"dtype\": \"float32\", \"shape\": [2, 3], \"data\": [[1.0, 2.0, 3.0],\n [4.0, 5.0, 6.0]]}\n";

}  // namespace

TEST_CASE("a member is an operand, stored or deflated, with and without .npy", "[app]") {
  for (const char* name : {"savez.npz:a", "savez.npz:a.npy", "savez_compressed.npz:a",
                           "folder.npz:run/a", "prefix.npz:a", "colon.npz:a:b"}) {
    CHECK(values(good(name)) == a_values);
  }
  CHECK(values(good("utf8_names.npz:größe")) == a_values);
  CHECK(values(good("cp437_names.npz:größe.npy")) == a_values);
  CHECK_THAT(values(good("colon.npz:.npz:c")), contains("[-1, 1099511627776]"));
}

TEST_CASE("an operation from members to a member of the same archive", "[app]") {
  const Folder folder;
  folder.put("x.npz", read_file(good("savez.npz")));
  const Strings words = split_words("ScatterUpdate -d x.npz:a -i [1] -u x.npz:u -a 0 -o x.npz:new");
  CHECK(folder.err("convert 1x3xf32=7,8,9 x.npz:u").empty());
  const Result result = folder.run(words);
  CHECK(result.err.empty());
  CHECK(values(folder / "x.npz:new").ends_with("[[1.0, 2.0, 3.0],\n [7.0, 8.0, 9.0]]}\n"));
  CHECK(values(folder / "x.npz:a") == a_values);
  CHECK(folder.names() == Strings{"x.npz"});
}

TEST_CASE("a job names members relative to its file", "[app]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.npz", read_file(good("savez.npz")));
  write_file(directory / "job.json",
             R"({"op": "ScatterUpdate", "data": "x.npz:a", "indices": [0], "axis": 0,
                 "updates": [[7, 8, 9]], "output": "y.npz:out"})");
  CHECK(output_of({"run", directory / "job.json"}).empty());
  CHECK(values(directory / "y.npz:out").ends_with("[[7.0, 8.0, 9.0],\n [4.0, 5.0, 6.0]]}\n"));
}

TEST_CASE("a file of just that name goes before a member", "[app]") {
  const Folder folder;
  folder.put("x.npz:a",
             npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", "\1\2\3"));
  CHECK(folder.out("convert x.npz:a - --format json") ==
        "{\"dtype\": \"uint8\", \"shape\": [3], \"data\": [1, 2, 3]}\n");
  CHECK(folder.run("convert [1] x.npz:a").exit_code == 0);
  CHECK(folder.names() == Strings{"x.npz:a"});
  CHECK(folder.run("convert [1] ./a:b.npy").exit_code == 0);
  CHECK(folder.run("convert ./a:b.npy ./x.npz:b").exit_code == 0);
  CHECK(folder.names() == Strings{"a:b.npy", "x.npz", "x.npz:a"});
}

TEST_CASE("cli.c30: a member is not changed in place", "[app]") {
  CHECK(refusal_of(2, "ScatterUpdate -d x.npz:a -i [0] -u [1] -a 0 --in-place") ==
        "--data: must be x.npy, x.pb, x.onnx:name, x.safetensors:name, "
        "x.safetensors.index.json:name or 4x3xf32=@path to be changed in place, got the member "
        "x.npz:a (-o x.npz:a rewrites the archive) [cli.c30]");
}

TEST_CASE("cli.c31: an archive without a member is no operand", "[app]") {
  CHECK(refusal_of(2, {"convert", good("no_zip64.npz"), "-"}) ==
        good("no_zip64.npz") + ": an archive must be named with a member, as in " +
            good("no_zip64.npz") + ":a, got the archive of 2 members alone [cli.c31]");
  CHECK_THAT(refusal_of(2, {"convert", good("empty.npz"), "-"}), contains(".npz:name, got"));
}

TEST_CASE("npz.z13: a member that does not exist ends with 3", "[app]") {
  CHECK(refusal_of(3, {"show", good("no_zip64.npz:c")}) ==
        good("no_zip64.npz") + ": a member must be one of a, b, got c [npz.z13]");
  CHECK(refusal_of(3, "show none.npz:c") ==
        "none.npz: TENSOR cannot be opened (for values see tscatter help operands): no such file "
        "or directory [file.f1]");
}

TEST_CASE("archives that are not what they claim to be end with 4 and nothing written", "[app]") {
  const TemporaryDirectory directory;
  const json expected = expected_in(npz_directory);
  for (const json& row : expected.at("bad")) {
    if (row.at("label") == "npz.z13") continue;
    const std::string member = row.at("member").is_string() ? row.at("member") : "a";
    const std::string word = npz_directory / row.at("file").get<std::string>();
    const std::string text = refusal_of(4, {"convert", word + ":" + member, directory / "x.npy"});
    CHECK_THAT(text, contains(row.at("message").get<std::string>()));
    CHECK(directory.names().empty());
  }
}

TEST_CASE("show lists the members of an archive", "[app]") {
  CHECK(output_of({"show", good("others.npz")}) ==
        "name        dtype      shape   bytes  compression\n"
        "a           float32    [2, 3]  24     stored\n"
        "notes.txt   no tensor          5      stored\n"
        "nothing     no tensor          0      stored\n"
        "object.npy  no tensor          278    stored\n");
  const json list = json::parse(output_of({"show", "--json", good("others.npz")}));
  REQUIRE(list.size() == 4);
  CHECK(
      list[0].dump() ==
      R"({"byte_order":"little","bytes":24,"compression":"stored","dtype":"float32","elements":6,)"
      R"("member":"a.npy","member_bytes":152,"name":"a","order":"c","packed_bytes":152,"shape":[2,3]})");
  CHECK(list[1].at("reason") ==
        "a member that is read must be a .npy, which begins with \\x93NUMPY, got a text file that "
        "begins \"hello\" [npz.z18]");
  CHECK(list[3].at("reason").get<std::string>().ends_with("[npy.f5]"));
  CHECK(output_of({"show", good("empty.npz")}) == "name  dtype  shape  bytes  compression\n");
  CHECK(output_of({"show", good("utf8_names.npz")}) ==
        "name   dtype    shape   bytes  compression\n"
        "größe  float32  [2, 3]  24     stored\n"
        "数      int64    [2]     16     stored\n");
}

TEST_CASE("show says which members others of their name hide, and -v that one does", "[app]") {
  CHECK(output_of({"show", good("twice.npz")}) ==
        "name  dtype    shape   bytes  compression\n"
        "a     float32  [2, 3]  24     stored, hidden\n"
        "b     float32  [2, 3]  24     stored\n"
        "a     int64    [2]     16     stored\n");
  const json list = json::parse(output_of({"show", "--json", good("twice.npz")}));
  CHECK(list[0].at("hidden") == true);
  CHECK(!list[1].contains("hidden"));
  CHECK(!list[2].contains("hidden"));
  const std::string note =
      good("twice.npz") + ":a: the last of several members of this name is read";
  CHECK_THAT(tscatter_run({"show", good("twice.npz:a"), "-v"}).err, contains(note));
  CHECK_THAT(tscatter_run({"show", good("twice.npz:b"), "-v"}).err, !contains("several"));
  CHECK_THAT(values(good("twice.npz:a")), contains("[-1, 1099511627776]"));
}

TEST_CASE("show checks the checksum, --header does not", "[app]") {
  const std::string file = npz_directory / "bad/z14_stored.npz";
  CHECK(refusal_of(4, {"show", file + ":a"}).ends_with("[npz.z14]"));
  CHECK(refusal_of(4, {"convert", file + ":a", "-"}).ends_with("[npz.z14]"));
  CHECK_THAT(output_of({"show", "--header", file + ":a"}), contains("[2, 3]"));
}

TEST_CASE("compare checks the checksums of both sides", "[app]") {
  const std::string file = npz_directory / "bad/z14_stored.npz";
  const std::string member = file + ":a";
  for (const Strings& sides : {Strings{member, good("savez.npz") + ":a"},
                               Strings{good("savez.npz") + ":a", member}, Strings{member, member}})
    CHECK(refusal_of(4, {"compare", sides[0], sides[1]}).ends_with("[npz.z14]"));
  // Of another shape nothing is read.
  CHECK(tscatter_run({"compare", member, "7xf32=0"}).exit_code == 1);
}

TEST_CASE("an archive through a pipe or a device", "[app]") {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink("/dev/null", directory / "null.npz");
  CHECK(
      refusal_of(3, {"convert", "1", directory / "null.npz:a"})
          .ends_with(
              "an archive that is written must be a regular file, got a pipe or device [file.f4]"));
}

TEST_CASE("an archive that outgrows its limit is left as it was", "[app]") {
  const Folder folder;
  const std::string before = read_file(good("savez.npz"));
  folder.put("x.npz", before);
  for (const char* literal : {"100000xu8=200", "9223372036854775807xu8=0"}) {
    const Command command =
        folder.command({"convert", literal, "x.npz:big"}).with_file_limit(before.size() + 1000);
    CHECK_THAT(refusal_of(3, command), contains("[file.f5]"));
    CHECK(folder.text("x.npz") == before);
    CHECK(folder.names() == Strings{"x.npz"});
  }
}

TEST_CASE("a writer that is interrupted while it waits leaves nothing", "[app]") {
  const Folder folder;
  const int lock = ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::flock(lock, LOCK_EX) == 0);
  Running running(folder.command("convert [1] x.npz:a"));
  for (int i = 0; i < 500 && folder.names().empty(); ++i) ::usleep(10000);
  ::usleep(30000);
  running.send(SIGTERM);
  const Result result = running.finish();
  ::close(lock);
  CHECK(result.signal == SIGTERM);
  CHECK(folder.names().empty());
}

TEST_CASE("two that add to one archive at the same time both succeed", "[app]") {
  const Folder folder;
  std::vector<std::unique_ptr<Running>> all;
  for (const char* name : {"x.npz:a", "x.npz:b", "x.npz:c", "x.npz:d"}) {
    all.push_back(std::make_unique<Running>(folder.command({"convert", "300000xf32=1", name})));
  }
  for (const auto& each : all) CHECK(each->finish().exit_code == 0);
  CHECK(json::parse(output_of({"show", "--json", folder / "x.npz"})).size() == 4);
}

TEST_CASE("FRICTION 22: a member that is replaced with --compress is deflated, without it stored",
          "[app]") {
  const Folder folder;
  folder.put("x.npz", read_file(good("savez_compressed.npz")));
  const auto compression = [&] {
    const json list = json::parse(output_of({"show", "--json", folder / "x.npz"}));
    return list.at(0).at("compression").get<std::string>();
  };
  CHECK(compression() == "deflated");
  const auto patch = [&](const Strings& more) {
    Strings words = with_more(
        split_words("ScatterUpdate -d x.npz:a -i [1] -u '[[7, 8, 9]]' -a 0 -o x.npz:a -j 2"), more);
    return folder.err(words);
  };
  CHECK(patch({"--compress"}).empty());
  CHECK(compression() == "deflated");
  CHECK(values(folder / "x.npz:a").ends_with("[[1.0, 2.0, 3.0],\n [7.0, 8.0, 9.0]]}\n"));
  CHECK(patch({}).empty());
  CHECK(compression() == "stored");
  CHECK(output_of({"convert", folder / "x.npz:a", folder / "y.npz:b", "--compress"}).empty());
  CHECK(json::parse(output_of({"show", "--json", folder / "y.npz"})).at(0).at("compression") ==
        "deflated");
}

TEST_CASE("convert through an archive loses nothing, whatever the dtype and order", "[app]") {
  const TemporaryDirectory directory;
  const json rows = expected_in(npy_directory, "good");
  int count = 0;
  for (const json& row : rows) {
    if (++count % 3 != 0 || !means_the_same_here(row.at("file"))) continue;
    INFO(row.dump());
    const std::string in = npy_directory / row.at("file").get<std::string>();
    CHECK(output_of({"convert", in, directory / "x.npz:m"}).empty());
    CHECK(output_of({"convert", directory / "x.npz:m", directory / "x.npy"}).empty());
    CHECK(read_file(directory / "x.npy") ==
          read_file(npy_directory / row.at("resaved").get<std::string>()));
  }
}

TEST_CASE("convert views records as bfloat16 and back", "[app]") {
  const Folder folder;
  const auto descr = [](const char* text) {
    return npy_file(
        std::string("{'descr': '") + text + "', 'fortran_order': True, 'shape': (2, 2)}",
        std::string("\x80\x3f\0\x40\x40\x40\x80\x40", 8));
  };
  const auto convert = [&](const std::string& in, const std::string& out, const char* dtype) {
    const Result result = folder.run({"convert", in, out, "--dtype", dtype});
    return result.err;
  };
  folder.put("v.npy", descr("|V2"));
  CHECK(convert("v.npy", "b.json", "bfloat16").empty());
  CHECK(folder.text("b.json") ==
        "{\"dtype\": \"bfloat16\", \"shape\": [2, 2], \"data\": [[1.0, 3.0],\n [2.0, 4.0]]}\n");
  CHECK(convert("v.npy", "b.npz:b", "bf16").empty());
  CHECK_THAT(folder.text("b.npz"), contains("'descr': '<V2', 'fortran_order': True"));
  CHECK(convert("b.npz:b", "again.npy", "V2").empty());
  CHECK_THAT(folder.text("again.npy"), contains("'descr': '|V2', 'fortran_order': True"));
  CHECK(folder.text("again.npy").ends_with(std::string("\x80\x3f\0\x40\x40\x40\x80\x40", 8)));
  folder.put("big.npy", npy_file("{'descr': '>V2', 'fortran_order': False, 'shape': (2, 2)}",
                                 std::string("\x3f\x80\x40\x40\x40\0\x40\x80", 8)));
  CHECK(convert("big.npy", "kept.npy", "bfloat16").empty());
  CHECK(convert("kept.npy", "again.json", "bfloat16").empty());
  CHECK(folder.text("again.json") == folder.text("b.json"));
  CHECK(convert("b.json", "c.npy", "V2").empty());
  CHECK_THAT(folder.text("c.npy"), contains("'descr': '|V2', 'fortran_order': False"));
}

TEST_CASE("cli.c7: a view that would lose or change something is refused", "[app]") {
  const Folder folder;
  folder.put("big.npy", npy_file("{'descr': '>u2', 'fortran_order': False, 'shape': (1,)}", "ab"));
  folder.put("f1.npy", npy_file("{'descr': '<f1', 'fortran_order': False, 'shape': (2,)}", "ab"));
  const auto refused = [&](const char* in, const char* dtype) {
    return folder.refused(2, {"convert", in, "-", "--dtype", dtype});
  };
  const std::string rule = "--dtype: elements that are viewed as records must be of ";
  CHECK(refused("big.npy", "V2") ==
        rule + "2 bytes, little-endian, got big-endian uint16 [cli.c7]");
  CHECK(refused("1xf32=1", "V2") == rule + "2 bytes, little-endian, got float32 [cli.c7]");
  CHECK(refused("1xf16=1", "|V1") == rule + "1 bytes, little-endian, got float16 [cli.c7]");
  CHECK(refused("f1.npy", "V1") == rule + "1 bytes, little-endian, got <f1 [cli.c7]");
  CHECK(refused("f1.npy", "int8") ==
        "--dtype: must not contradict the dtype that f1.npy has, <f1, got int8 [cli.c7]");
  CHECK(refused("1xf32=1", "float64") ==
        "--dtype: must not contradict the dtype that IN has, float32 (convert --to float64 "
        "converts the values), got float64 [cli.c7]");
  CHECK(folder.refused(2, "convert f1.npy x.json") ==
        "x.json: a tensor that is written as JSON must be of a numeric dtype, got <f1 [json.f10]");
}

}  // namespace tscatter
