// Whole archives: listed, compared, converted; members that are replaced.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "app/folder.hpp"
#include "catch.hpp"
#include "io/left_journal.hpp"
#include "io/safetensors_bytes.hpp"

namespace tscatter {
namespace {

// Tensors of one byte, by name.
std::string bytes_named(const Strings& names, const std::string& data) {
  std::string header;
  for (std::size_t i = 0; i < names.size(); ++i) {
    header += fmt::format(R"({}"{}":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}})",
                          i == 0 ? "{" : ",", names[i], i, i + 1);
  }
  return safetensors_bytes(header + "}", data);
}

std::string index_of(const Strings& names, const std::string& shard) {
  std::string text;
  for (const std::string& name : names)
    text += fmt::format(R"({}"{}":"{}")", text.empty() ? "" : ",", name, shard);
  return R"({"weight_map":{)" + text + "}}";
}

const std::filesystem::path npz_directory = TSCATTER_NPZ_DIR;
const std::string index = "m.safetensors.index.json";
const std::string blob = "models--x--y/blobs/0123";

// A link into a Hugging Face cache.
std::string cached(const Folder& folder, const std::string& name, const std::string& content) {
  folder.put(blob, content);
  folder.link("models--x--y/snapshots/4567/" + name, "../../blobs/0123");
  return "models--x--y/snapshots/4567/" + name;
}

}  // namespace

TEST_CASE("an archive beside which an undo journal lies is not read as a whole", "[app]") {
  const Folder folder;
  folder.put("x.safetensors", bytes_named({"a"}, "1"));
  folder.put("y.safetensors", bytes_named({"a"}, "1"));
  folder.put(index, index_of({"a"}, "x.safetensors"));
  const Strings archives{"x.safetensors", index};
  const auto calls = [](const std::string& archive) {
    return std::vector<Strings>{{"show", archive},
                                {"show", archive + ":a"},
                                {"compare", archive, "y.safetensors"},
                                {"compare", "y.safetensors", archive},
                                {"convert", archive, "y.npz"}};
  };
  for (const std::string& archive : archives) {
    for (const Strings& words : calls(archive)) CHECK(folder.run(words).exit_code == 0);
  }
  const auto check_refused = [&](int exit_code, const std::string& label) {
    for (const std::string& archive : archives) {
      for (const Strings& words : calls(archive)) {
        CAPTURE(words);
        const Result result = folder.run(words);
        CHECK(result.exit_code == exit_code);
        CHECK(result.out.empty());
        CHECK(result.err.ends_with("[" + label + "]\n"));
      }
    }
  };
  folder.put("x.safetensors.tscatter-undo", "");
  check_refused(4, "undo.u4");
  std::filesystem::remove(folder / "x.safetensors.tscatter-undo");
  leave_journal(folder / "x.safetensors", {{.begin = 10, .end = 11}});
  check_refused(3, "undo.u5");
}

TEST_CASE("tensors of one name are compared in their order, and others by the name that they have",
          "[app]") {
  const Folder folder;
  folder.put("x.safetensors", bytes_named({"a", "a.npy"}, "12"));
  CHECK(folder.run("convert x.safetensors x.npz").exit_code == 0);
  CHECK(folder.out("compare x.npz x.safetensors") == "equal: 2 tensors\n");
  CHECK(folder.out("compare x.safetensors x.npz") == "equal: 2 tensors\n");
  // Its files a and a.npy are both the member a.
  const std::string twice = npz_directory / "good/bare_names.npz";
  CHECK(folder.out({"compare", twice, twice}) == "equal: 3 tensors\n");
}

TEST_CASE("2,000 shards' tensors are listed without reading the index for each", "[app]") {
  const Folder folder;
  constexpr int tensors = 2000;
  Strings names;
  for (int i = 0; i < tensors; ++i) names.push_back(fmt::format("model.layers.{:05}.weight", i));
  folder.put("m1.safetensors", bytes_named(names, std::string(tensors, 'x')));
  std::ranges::reverse(names);
  folder.put(index, index_of(names, "m1.safetensors"));
  const std::string shown = folder.out({"show", index});
  CHECK(std::ranges::count(shown, '\n') == tensors + 1);
  CHECK_THAT(shown, contains("\nmodel.layers.01999.weight  uint8  [1]    1\n"));
  CHECK(folder.out({"compare", index, "m1.safetensors"}) == "equal: 2,000 tensors\n");
}

TEST_CASE("st.f9: an index that names a tensor twice is not read as a whole", "[app]") {
  const Folder folder;
  folder.put("m1.safetensors", bytes_named({"a", "b"}, "12"));
  folder.put(index, index_of({"a", "b", "a"}, "m1.safetensors"));
  CHECK(folder.err({"show", index}) ==
        "tscatter: m.safetensors.index.json: the index names the tensor a twice [st.f9]\n");
  folder.put(index, index_of({"a", "b"}, "../m1.safetensors"));
  const Result shown = folder.run({"show", index});
  CHECK(shown.exit_code == 0);
  CHECK(std::ranges::count(shown.out, '\n') == 3);
  CHECK(folder.err({"convert", index, "x.npz"}).ends_with("[st.f9]\n"));
}

TEST_CASE("cli.c81: a blob of a Hugging Face cache is not replaced through its link", "[app]") {
  const Folder folder;
  const std::string model = bytes_named({"a"}, "1");
  CHECK(folder.run("convert [1] y.safetensors:a").exit_code == 0);
  const std::string name = cached(folder, "m.safetensors", model);
  const std::string rule =
      "must not replace a blob of a Hugging Face cache, which revisions share (write another file, "
      "or add --force), got ";
  CHECK(folder.err({"convert", "[1]", name + ":a"}) ==
        "tscatter: OUT: " + rule + name + " [cli.c81]\n");
  CHECK(folder.err({"convert", "y.safetensors", name}) ==
        "tscatter: OUT: " + rule + name + " [cli.c81]\n");
  CHECK(folder
            .err({"ScatterUpdate-3", "-d", "1xu8=1", "-i", "[0]", "-u", "[9]", "-a", "0", "-o",
                  name + ":a"})
            .ends_with("[cli.c81]\n"));
  CHECK(folder.text(blob) == model);
  CHECK(folder.run({"convert", "1xu8=50", name + ":a", "--force"}).exit_code == 0);
  CHECK(folder.text(blob).ends_with("}}   2"));

  CHECK(folder.run("convert [1] x.npy").exit_code == 0);
  const std::string array = cached(folder, "x.npy", folder.text("x.npy"));
  CHECK(folder.err({"convert", "[2]", array}).ends_with("[cli.c81]\n"));
  CHECK(folder.text(blob) == folder.text("x.npy"));
  CHECK(folder.run({"convert", "[2]", array, "--force"}).exit_code == 0);

  Strings part{"ScatterUpdate-3", "-d", "1xu8=1", "-i", "[0]", "-u", "[9]", "-a", "0", "-o", array,
               "--part",          "1/1"};
  CHECK(folder.err(part).ends_with("[cli.c81]\n"));
  part.emplace_back("--force");
  CHECK(folder.run(part).exit_code == 0);
  CHECK(folder.err({"finish", array}) == "tscatter: OUT: " + rule + array + " [cli.c81]\n");
  CHECK(folder.run({"finish", array, "--force"}).exit_code == 0);
}

TEST_CASE("npz.z19: a whole archive is not written with two members of one name", "[app]") {
  const Folder folder;
  const std::string twice = npz_directory / "good/bare_names.npz";
  CHECK(folder.err({"convert", twice, "y.npz"}) ==
        "tscatter: y.npz: two members that are written have the name a [npz.z19]\n");
  CHECK(folder.err({"convert", twice, "y.safetensors"}) ==
        "tscatter: y.safetensors: two tensors that are written have the name a [st.f11]\n");
  CHECK(folder.names().empty());
  folder.put("x.safetensors", bytes_named({"a", "a.npy"}, "12"));
  CHECK(folder.run("convert x.safetensors x.npz").exit_code == 0);
}

TEST_CASE("file.f4: a whole archive is not written into a pipe", "[app]") {
  const Folder folder;
  CHECK(folder.run("convert [1] x.safetensors:a").exit_code == 0);
  for (const char* name : {"y.npz", "y.safetensors"}) {
    CAPTURE(name);
    const FullPipe pipe(folder / name);
    CHECK(folder.err({"convert", "x.safetensors", name}) ==
          fmt::format("tscatter: {}: an archive that is written must be a regular file, got a pipe "
                      "or device [file.f4]\n",
                      name));
  }
}

}  // namespace tscatter
