// Which names results, reports and pictures may take, and which files they may replace.
#include <fmt/format.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "app/batch.hpp"
#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

const Strings update_words = split_words("ScatterUpdate-3 -d 3xu8=0 -i [1] -u [7] -a 0");

Strings written_update(const Strings& more) { return with_more(update_words, more); }

const std::string json_result = "{\"dtype\": \"uint8\", \"shape\": [3], \"data\": [0, 7, 0]}\n";
const std::string png = "\x89PNG\r\n\x1a\n and so on";

bool is_npy(const std::string& text) { return text.starts_with("\x93NUMPY"); }

}  // namespace

TEST_CASE("cli.c16: an ending of another kind of file is refused before anything is read",
          "[app]") {
  const Folder folder;
  const auto refused = [&](const std::string& name) {
    return folder.refused(
        2, {"ScatterUpdate", "-d", "none.npy", "-i", "[0]", "-u", "[0]", "-a", "0", "-o", name});
  };
  const std::string rule = "--output: must not have the ending of another kind of file (write ";
  const std::string or_format = ", or add --format npy), got ";
  CHECK(refused("out.csv") ==
        rule + "out.npy" + or_format + "out.csv, the name of a CSV file [cli.c16]");
  CHECK(refused("d.d/model.gguf") ==
        rule + "d.d/model.npy" + or_format + "d.d/model.gguf, the name of a GGUF file [cli.c16]");
  CHECK(refused("model.gguf:w") ==
        rule + "model.npy" + or_format + "model.gguf:w, the name of a GGUF file [cli.c16]");
  CHECK(refused("x.npy.gz") ==
        rule + "x.npy" + or_format + "x.npy.gz, the name of a gzip file [cli.c16]");
  for (const char* ending :
       {".csv", ".tsv",  ".txt",     ".h5",   ".hdf5", ".pt",    ".pth",   ".bin", ".raw",
        ".jpg", ".jpeg", ".parquet", ".gguf", ".onnx", ".pbtxt", ".gz",    ".zip", ".mat",
        ".tif", ".tiff", ".pkl",     ".png",  ".html", ".xml",   ".jsonl", ".CSV", ".Jpg"}) {
    CAPTURE(ending);
    CHECK(refused(std::string("x") + ending).ends_with("[cli.c16]"));
  }
  CHECK(folder.names().empty());
}

TEST_CASE("every writer of tensors refuses an ending of another kind", "[app]") {
  const Folder folder;
  CHECK(folder.refused(2, "convert none.npy x.csv") ==
        "OUT: must not have the ending of another kind of file (write x.npy, or add --format npy), "
        "got x.csv, the name of a CSV file [cli.c16]");
  folder.put("job.json",
             R"({"op": "ScatterUpdate-3", "data": "none.npy", "indices": [0], "updates": [1],
                 "axis": 0, "output": "x.h5"})");
  CHECK(folder.refused(2, "run job.json") ==
        "output: must not have the ending of another kind of file (write x.npy, or add \"format\": "
        "\"npy\"), got x.h5, the name of an HDF5 file [cli.c16]");
  CHECK(folder.refused(2, written_update({"-n", "-o", "x.bin"})).ends_with("[cli.c16]"));
  const BatchDirectory batch(
      {case_line({{"output", "x.pt"}}), case_line({{"expected", "gold.txt"}})});
  const Result result = batch.run({"--update-golden"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out,
             contains("output: must not have the ending of another kind of file (write x.npy, or "
                      "add \"format\": \"npy\"), got x.pt, the name of a PyTorch file [cli.c16]"));
  CHECK_THAT(result.out,
             contains("expected: must not have the ending of another kind of file (write "
                      "gold.npy), got gold.txt, the name of a text file [cli.c16]"));
  CHECK(batch.names() == Strings{".state", "cases.jsonl"});
}

TEST_CASE("a case whose golden or output has a wrong name is refused before it is computed",
          "[app]") {
  const nlohmann::json broken{{9}, {0}};  // breaks a rule, which nobody comes to
  const BatchDirectory batch(
      {case_line({{"indices", broken}, {"expected", "gold.txt"}}),
       case_line({{"indices", broken}, {"expected", {5, 2, 6}}, {"output", "x.csv"}})});
  const Result result = batch.run({"--update-golden"});
  CHECK_THAT(result.out, contains("expected: must not have the ending"));
  CHECK_THAT(result.out, contains("output: must not have the ending"));
  CHECK_THAT(result.out, !contains("scatter_nd_update"));
}

TEST_CASE("--format gives a file its format whatever its name", "[app]") {
  const Folder folder;
  CHECK(folder.run(written_update({"-o", "x.csv", "--format", "npy"})).exit_code == 0);
  CHECK(is_npy(folder.text("x.csv")));
  CHECK(folder.run(written_update({"-o", "x.npy", "--format", "json"})).exit_code == 0);
  CHECK(folder.text("x.npy") == json_result);
  CHECK(folder.run("convert 3xu8=0,7,0 x.json --format npy").exit_code == 0);
  CHECK(is_npy(folder.text("x.json")));
  folder.put("job.json",
             R"({"op": "ScatterUpdate-3", "data": {"dtype": "uint8", "data": [0, 0, 0]},
                 "indices": [1], "updates": [7], "axis": 0, "output": "x.bin", "format": "json"})");
  CHECK(folder.err("run job.json").empty());
  CHECK(folder.text("x.bin") == json_result);
  CHECK(folder.run("run job.json --format npy").exit_code == 2);  // x.bin holds JSON
  CHECK(folder.run(written_update({"-o", "y.bin", "--format", "npy"})).exit_code == 0);
  CHECK(folder.run(written_update({"-o", "y.bin", "--format", "npy"})).exit_code == 0);
}

TEST_CASE("an ending that says nothing is .npy, and case does not matter", "[app]") {
  const Folder folder;
  for (const char* name : {"x", "x.out", "x.dat", "x.NPY", "x.v2", "a.csv.d"}) {
    CHECK(folder.err(written_update({"-o", name})).empty());
    CHECK(is_npy(folder.text(name)));
  }
  CHECK(folder.err(written_update({"-o", "x.JSON"})).empty());
  CHECK(folder.text("x.JSON") == json_result);
  CHECK(folder.err(written_update({"-o", "x.NPZ:a"})).empty());
  CHECK(folder.text("x.NPZ").starts_with("PK"));
  CHECK(folder.out("convert x.NPZ:a - --format json") == json_result);
  CHECK(folder.refused(2, "convert [1] x.NPZ").ends_with("got x.NPZ [cli.c10]"));
  // A file of just that name goes before the member.
  folder.put("m.safetensors:w", "");
  CHECK(folder.err(written_update({"-o", "m.safetensors:w"})).empty());
  CHECK(is_npy(folder.text("m.safetensors:w")));
}

TEST_CASE("cli.c17: a file of another kind is not replaced without --force", "[app]") {
  const Folder folder;
  folder.put("none", png);
  folder.put("x.npy", png);
  folder.put("x.json", "\x93NUMPY\1");
  folder.put("notes", "do not lose this\n");
  folder.put("job", "{\"op\": 1}");
  const std::string rule = ": must not replace a file of another kind (add --force to do so), got ";
  CHECK(folder.refused(2, written_update({"-o", "none"})) ==
        "--output" + rule + "none, a PNG picture [cli.c17]");
  CHECK(folder.refused(2, "convert none.npy x.npy") ==
        "OUT" + rule + "x.npy, a PNG picture [cli.c17]");
  CHECK(folder.refused(2, written_update({"-o", "x.json"})) ==
        "--output" + rule + "x.json, a .npy file [cli.c17]");
  CHECK(folder.refused(2, written_update({"-o", "notes"})) ==
        "--output" + rule + "notes, a text file [cli.c17]");
  CHECK(folder.refused(2, written_update({"-o", "job"})) ==
        "--output" + rule + "job, a JSON file [cli.c17]");
  CHECK(folder.text("none") == png);
  CHECK(folder.text("notes") == "do not lose this\n");
  for (const char* name : {"none", "x.npy", "notes", "job"}) {
    CHECK(folder.err(written_update({"--force", "-o", name})).empty());
    CHECK(is_npy(folder.text(name)));
  }
  CHECK(folder.err("convert 3xu8=0,7,0 x.json --force").empty());
  CHECK(folder.text("x.json") == json_result);
}

TEST_CASE("cli.c17: a file of several arrays is not replaced without --force", "[app]") {
  const Folder folder;
  const std::string one =
      npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2)}", "abcd");
  folder.put("two.npy", one + one);
  for (const Strings& words : {Strings{"convert", "[1]", "two.npy"},
                               Strings{"convert", "[1]", "two.npy", "--format", "json"},
                               written_update({"-o", "two.npy"})}) {
    const std::string refused = folder.refused(2, words);
    CHECK_THAT(refused, contains("[cli.c17]"));
  }
  CHECK_THAT(folder.refused(2, "convert [1] two.npy"),
             contains(fmt::format("must not replace a file of several arrays (add --force to do "
                                  "so), got two.npy, with {} bytes after the first [cli.c17]",
                                  one.size())));
  CHECK(folder.text("two.npy") == one + one);
  CHECK(folder.err("convert [1] two.npy --force").empty());
  CHECK(folder.text("two.npy").size() < one.size() + one.size());
  folder.put("two.npy", one + one);
  CHECK(
      folder.run("ScatterUpdate-3 -d two.npy -i [1] -u '[[120, 121]]' -a 0 --in-place").exit_code ==
      0);
  CHECK(folder.text("two.npy") == one.substr(0, one.size() - 2) + "xy" + one);
}

TEST_CASE("FRICTION 14: a safetensors file stays what it is", "[app]") {
  const Folder folder;
  const std::string model = std::string("\x4a\0\0\0\0\0\0\0", 8) + R"({"w":{"dtype":"F32"}})";
  folder.put("model.safetensors", model);
  CHECK(folder.refused(2, written_update({"-o", "model.safetensors"})).ends_with("[cli.c10]"));
  CHECK(folder.refused(2, written_update({"-o", "model.safetensors", "--force"}))
            .ends_with("[cli.c10]"));
  CHECK(folder.refused(2, written_update({"-o", "model.safetensors", "--format", "npy"})) ==
        "--output: must not replace a file of another kind (add --force to do so), got "
        "model.safetensors, a safetensors file [cli.c17]");
  CHECK(folder.text("model.safetensors") == model);
  CHECK(folder.err(written_update({"-o", "model.safetensors", "--format", "npy", "--force"}))
            .empty());
  CHECK(is_npy(folder.text("model.safetensors")));
}

TEST_CASE("files of the same kind, empty ones and those of no known kind are replaced", "[app]") {
  const Folder folder;
  const std::string old(npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", "a"));
  folder.put("x.npy", old);
  folder.put("x", old);
  folder.put("empty.npy", "");
  folder.put("noise", std::string("t\0\1\2", 4));
  folder.put("x.json", "7\n");
  folder.put("y.json", "[1]");
  folder.put("z.npz", "");
  for (const char* name :
       {"x.npy", "x", "empty.npy", "noise", "x.json", "y.json", "z.npz:a", "z.npz:a"}) {
    CAPTURE(name);
    CHECK(folder.err(written_update({"-o", name})).empty());
  }
  CHECK(is_npy(folder.text("noise")));
  CHECK(folder.text("x.json") == json_result);
}

TEST_CASE("devices, pipes and open descriptors take anything, under any name", "[app]") {
  const Folder folder;
  REQUIRE(::mkfifo((folder / "pipe.csv").c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] { got = folder.text("pipe.csv"); });
  const Result result = folder.run(written_update({"-o", "pipe.csv"}));
  if (result.exit_code != 0) folder.put("pipe.csv", "");
  reader.join();
  CHECK(result.err.empty());
  CHECK(is_npy(got));
  std::filesystem::create_symlink("/dev/null", folder / "null.jpg");
  CHECK(folder.err(written_update({"-o", "null.jpg"})).empty());
  CHECK(folder.err("compare 1 2 --heatmap null.jpg").empty());
  folder.put("log", "text\n");
  CHECK(folder.command(written_update({"-o", "/dev/stdout"}))
            .with_output_to(folder / "log")
            .run()
            .err == "");
}

TEST_CASE("a job has the keys format, force and compress", "[app]") {
  const Folder folder;
  const auto run = [&](nlohmann::json more) {
    nlohmann::json job{{"op", "ScatterUpdate-3"},
                       {"data", {1, 2}},
                       {"indices", {0}},
                       {"updates", {3}},
                       {"axis", 0}};
    job.update(more);
    folder.put("job.json", job.dump());
    return folder.err("run job.json");
  };
  folder.put("x.npy", png);
  CHECK(run({{"output", "x.npy"}}) ==
        "tscatter: output: must not replace a file of another kind (add \"force\": true to do so), "
        "got x.npy, a PNG picture [cli.c17]\n");
  CHECK(run({{"output", "x.npy"}, {"force", false}}).ends_with("[cli.c17]\n"));
  CHECK(run({{"output", "x.npy"}, {"force", true}}).empty());
  CHECK(is_npy(folder.text("x.npy")));
  CHECK(run({{"output", "z.npz:a"}, {"compress", true}}).empty());
  CHECK_THAT(folder.out("show z.npz"), contains("deflated"));
  CHECK(run({{"output", "x.npy"}, {"format", "csv"}}) ==
        "tscatter: job.json: format: must be one of npy, pb, raw, json, got csv [job.j5]\n");
  CHECK(run({{"output", "x.npy"}, {"compress", true}}) ==
        "tscatter: compress: needs an output that is an archive's member (x.npz:name), got x.npy "
        "[cli.c21]\n");
  CHECK(run({{"format", "npy"}}) ==
        "tscatter: format: needs an output that is - or a file by itself [cli.c15]\n");
}

TEST_CASE("cli.c21: --compress is for a member of an archive", "[app]") {
  const std::string rule = "--compress: needs an output that is an archive's member (x.npz:name)";
  CHECK(refusal_of(2, written_update({"--compress"})) == rule + " [cli.c21]");
  CHECK(refusal_of(2, written_update({"--compress", "-o", "-"})) == rule + ", got - [cli.c21]");
  CHECK(refusal_of(2, "convert [1] x.npy --compress") == rule + ", got x.npy [cli.c21]");
}

TEST_CASE("cli.c18: a folder is not named like a file", "[app]") {
  const Folder folder;
  const auto generate = [&](const std::string& name) {
    return folder.err({"generate", "ScatterUpdate-3", "--count", "1", "-o", name});
  };
  CHECK(generate("cases.jsonl") ==
        "tscatter: --output: must be the name of a folder (write cases.jsonl/), got cases.jsonl, "
        "the name of a JSON Lines file [cli.c18]\n");
  CHECK(generate("-") ==
        "tscatter: --output: must be the name of a folder (write ./-), got -, stdout [cli.c18]\n");
  CHECK(folder.names().empty());
  CHECK(generate("cases.jsonl/").empty());
  CHECK(generate("cases.jsonl").empty());  // it is a folder now
  CHECK(generate("./-").empty());
  const BatchDirectory batch({case_line({{"expected", {5, 2, 6}}})});
  CHECK(batch.run({"--failed-dir", "failed.zip"}).err ==
        "tscatter: --failed-dir: must be the name of a folder (write failed.zip/), got failed.zip, "
        "the name of a zip archive [cli.c18]\n");
  CHECK(batch.run({"--failed-dir", "failed.zip/"}).exit_code == 0);
}

TEST_CASE("cli.c16: a picture is an SVG, and called so", "[app]") {
  const Folder folder;
  const auto picture = [&](const Strings& more) {
    Strings words = with_more({"compare", "[1, 2]", "[1, 3]", "--heatmap"}, more);
    return folder.run(words);
  };
  CHECK(picture({"x.jpg"}).err ==
        "tscatter: --heatmap: must end in .svg, or have no ending (rsvg-convert and browsers make "
        "a PNG of it), got x.jpg [cli.c16]\n");
  CHECK(picture({"x.png"}).err.ends_with("got x.png [cli.c16]\n"));
  CHECK(picture({"x.foo"}).err.ends_with("got x.foo [cli.c16]\n"));
  CHECK(folder.names().empty());
  for (const char* name : {"x.svg", "x.SVG", "x", "x.svg"}) {
    CHECK(picture({name}).err.empty());
    CHECK_THAT(folder.text(name), contains("<svg "));
  }
  folder.put("x.svg", "notes");
  CHECK(picture({"x.svg"}).err ==
        "tscatter: --heatmap: must not replace a file of another kind (add --force to do so), got "
        "x.svg, a text file [cli.c17]\n");
  CHECK(picture({"x.svg", "--force"}).err.empty());
  CHECK(folder.text("x.svg").starts_with("<svg "));
}

TEST_CASE("reports are not written under other kinds of names, nor over other kinds of files",
          "[app]") {
  const BatchDirectory batch({case_line({{"expected", {5, 2, 6}}})});
  const std::string ending = ": must not have the ending of another kind of file (write r";
  CHECK(batch.run({"--junit", "r.html"}).err ==
        "tscatter: --junit" + ending + ".xml), got r.html, the name of an HTML page [cli.c16]\n");
  CHECK(batch.run({"--html", "r.csv"}).err ==
        "tscatter: --html" + ending + ".html), got r.csv, the name of a CSV file [cli.c16]\n");
  const Result variable = batch.command({}).with_environment("XML_OUTPUT_FILE", "r.json").run();
  CHECK(variable.err == "tscatter: XML_OUTPUT_FILE" + ending +
                            ".xml), got r.json, the name of a JSON file [cli.c16]\n");
  write_file(batch / "r.xml", "a,b\n1,2\n");
  write_file(batch / "r.htm", "<?xml version=\"1.0\"?>");
  const std::string replaced =
      ": must not replace a file of another kind (add --force to do so), got ";
  CHECK(batch.run({"--junit", "r.xml"}).err ==
        "tscatter: --junit" + replaced + "r.xml, a text file [cli.c17]\n");
  CHECK(batch.run({"--html", "r.htm"}).err ==
        "tscatter: --html" + replaced + "r.htm, an XML file [cli.c17]\n");
  CHECK(read_file(batch / "r.xml") == "a,b\n1,2\n");
  const Strings both = split_words("--junit r.xml --html r.htm --force");
  CHECK(batch.run(both).exit_code == 0);
  CHECK(batch.run({"--junit", "r.xml", "--html", "r.htm"}).exit_code == 0);
  CHECK(read_file(batch / "r.xml").starts_with("<?xml"));
  CHECK(batch.run({"--junit", "report"}).exit_code == 0);
}

TEST_CASE("goldens and kept outputs do not replace other kinds of files", "[app]") {
  const BatchDirectory batch({case_line({{"name", "a"}, {"expected", "gold.npy"}})});
  write_file(batch / "gold.npy", "[1, 2, 3]");
  const std::string before = read_file(batch / "gold.npy");
  const Result refused = batch.run({"--update-golden"});
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.out, contains("expected: must not replace a file of another kind (add --force "
                                   "to do so), got gold.npy, a JSON file [cli.c17]"));
  CHECK(read_file(batch / "gold.npy") == before);
  std::filesystem::create_directory(batch / "failed");
  write_file(batch / "failed/a.npy", png);
  const Result kept = batch.run({"--failed-dir", "failed"});
  CHECK_THAT(kept.out,
             contains("; its output is not kept: --failed-dir: must not replace a file of another "
                      "kind (add --force to do so), got failed/a.npy, a PNG picture [cli.c17]"));
  CHECK(batch.run({"--update-golden", "--force"}).exit_code == 0);
  CHECK(is_npy(read_file(batch / "gold.npy")));
}

TEST_CASE("cli.c14: a picture is not written over what is compared", "[app]") {
  const Folder folder;
  output_of({"convert", "[1, 2]", folder / "a.npy"});
  output_of({"convert", "[1, 3]", folder / "z.npz:a"});
  std::filesystem::create_hard_link(folder / "a.npy", folder / "same.npy");
  const std::string before = folder.text("a.npy");
  const auto refused = [&](const std::string& picture) {
    return refusal_of(2, folder.command({"compare", "a.npy", "z.npz:a", "--heatmap", picture}));
  };
  CHECK(refused("a.npy") == "--heatmap: must be another file than ACTUAL, got a.npy [cli.c14]");
  CHECK(refused("./same.npy") ==
        "--heatmap: must be another file than ACTUAL, got ./same.npy [cli.c14]");
  CHECK(refused("z.npz") == "--heatmap: must be another file than EXPECTED, got z.npz [cli.c14]");
  CHECK(folder.text("a.npy") == before);
}

TEST_CASE("cli.c14: reports are not written over the batch nor over each other", "[app]") {
  const Folder folder;
  const std::string line =
      R"({"op": "ScatterUpdate-3", "data": [1], "indices": [0], "updates": [2], "axis": 0, "expected": [2]})";
  folder.put("c.jsonl", line);
  const auto refused = [&](Strings more) {
    Strings words = with_more({"batch", "c.jsonl"}, more);
    return folder.refused(2, words);
  };
  CHECK(refused({"--junit", "c.jsonl"}) ==
        "--junit: must be another file than CASES, got c.jsonl [cli.c14]");
  CHECK(refused({"--junit", "r", "--html", "./r"}) ==
        "--html: must be another file than --junit, got ./r [cli.c14]");
  CHECK(folder.text("c.jsonl") == line);
}

TEST_CASE("cli.c15: --format without an output, or with a member, is refused", "[app]") {
  const Strings words = split_words("ScatterUpdate-3 -d [1] -i [0] -u [2] -a 0 --format npy");
  const std::string rule = "--format: needs an output that is - or a file by itself";
  CHECK(refusal_of(2, words) == rule + " [cli.c15]");
  Strings named = words;
  named.insert(named.end(), {"-o", "never.npz:a"});
  CHECK(refusal_of(2, named) == rule + ", got never.npz:a [cli.c15]");
}

}  // namespace tscatter
