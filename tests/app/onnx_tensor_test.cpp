// Tensors of ONNX, and initializers of models, on the command line: operands, outputs, changes in
// place.
#include <nlohmann/json.hpp>

#include "app/folder.hpp"
#include "catch.hpp"
#include "io/left_journal.hpp"
#include "io/pb_bytes.hpp"

namespace tscatter {
namespace {

const std::string front = pb_integer(1, 3) + pb_integer(2, 2);
const std::string doc = pb_text(12, "kept");

// A TensorProto of three UINT8 in w.bin, which is longer.
std::string in_w_bin(const std::string& offset) {
  return pb_elsewhere(3, "w.bin", offset) + pb_external("length", "3");
}

// w in the model, n as a varint, far in w.bin.
std::string model_of_three() {
  return pb_model(pb_initializer("w", front + pb_text(9, "abc")) +
                  pb_initializer("n", pb_integer(1, 1) + pb_integer(2, 7) + pb_text(7, "\x05")) +
                  pb_initializer("far", in_w_bin("3")));
}

}  // namespace

TEST_CASE("a .pb file is operand and output of an operation", "[app]") {
  const Folder folder;
  folder.put("d.pb", front + pb_text(8, "x") + pb_text(9, "abc") + doc);
  folder.put("i.pb", pb_integer(1, 1) + pb_integer(2, 7) + pb_integer(7, -1));
  const Strings call{"ScatterUpdate-3", "-d", "d.pb", "-i", "i.pb", "-u", "[100]", "-a", "0", "-o"};
  const auto to = [&](const std::string& output) {
    Strings words = call;
    words.push_back(output);
    return folder.run(words);
  };
  CHECK(to("o.pb").err ==
        "tscatter: scatter_update_3: indices[0] must be in [0, 3) for data axis 0 "
        "(--negative from-the-end counts it from the end), got -1 [scatter_update_3.c4]\n");
  folder.put("i.pb", pb_integer(1, 1) + pb_integer(2, 7) + pb_integer(7, 2));
  CHECK(to("o.pb").exit_code == 0);
  CHECK(folder.text("o.pb") == front + pb_text(9, "abd"));
  CHECK(to("o.npy").exit_code == 0);
  CHECK(folder.run({"compare", "o.pb", "o.npy", "-q"}).exit_code == 0);
  CHECK(folder.run({"compare", "o.pb", "d.pb", "-q"}).exit_code == 1);
  CHECK(folder.run({"convert", "o.npy", "-", "--format", "pb"}).out == front + pb_text(9, "abd"));
}

TEST_CASE("a .pb file is changed in place, and all else in it stays", "[app]") {
  const Folder folder;
  folder.put("d.pb", front + pb_text(8, "x") + pb_text(9, "abc") + doc);
  const Strings call{"ScatterUpdate-3", "-d", "d.pb", "-i",        "[0, 2]", "-u",
                     "[120, 122]",      "-a", "0",    "--in-place"};
  CHECK(folder.run(call).exit_code == 0);
  CHECK(folder.text("d.pb") == front + pb_text(8, "x") + pb_text(9, "xbz") + doc);
  CHECK(folder.names() == Strings{"d.pb"});
  const std::string typed = front + pb_text(5, "abc");
  folder.put("d.pb", typed);
  const Result refused = folder.run(call);
  CHECK(refused.exit_code == 3);
  CHECK(refused.err ==
        "tscatter: d.pb: must hold the elements in one piece to be changed in place (-o writes "
        "another file), got values that are stored one by one [file.f10]\n");
  CHECK(folder.text("d.pb") == typed);
}

TEST_CASE("an ONNX tensor does not replace a file of another kind, nor the reverse", "[app]") {
  const Folder folder;
  const std::string tensor = front + pb_text(9, "abc");
  folder.put("x.npy", tensor);
  CHECK(folder.run({"convert", "[1]", "x.npy"}).err ==
        "tscatter: OUT: must not replace a file of another kind (add --force to do so), got x.npy, "
        "an ONNX tensor [cli.c17]\n");
  folder.put("x.pb", "\x93NUMPY");
  CHECK(folder.run({"convert", "[1]", "x.pb"}).exit_code == 2);
  folder.put("x.pb", tensor);
  CHECK(folder.run({"convert", "[1]", "x.pb"}).exit_code == 0);
}

TEST_CASE("float8 of ONNX is moved, and written as the float8 that it is", "[app]") {
  const Folder folder;
  const std::string f8 = pb_integer(1, 2) + pb_integer(2, 17);
  folder.put("d.pb", f8 + pb_text(9, "ab"));
  folder.put("u.pb", pb_integer(1, 1) + pb_integer(2, 17) + pb_text(9, "c"));
  Strings call{"ScatterUpdate-3", "-d", "d.pb", "-i", "[1]", "-u", "u.pb", "-a", "0", "-o", "o.pb"};
  CHECK(folder.run(call).exit_code == 0);
  CHECK(folder.text("o.pb") == f8 + pb_text(9, "ac"));
  CHECK(folder.run({"convert", "o.pb", "-", "--to", "float32", "--format", "json"}).out ==
        "{\"dtype\": \"float32\", \"shape\": [2], \"data\": [36.0, 44.0]}\n");
  call.resize(call.size() - 2);
  call.emplace_back("--in-place");
  CHECK(folder.run(call).exit_code == 0);
  CHECK(folder.text("d.pb") == f8 + pb_text(9, "ac"));
  CHECK(folder.refused({"convert", "o.npy", "o.pb"}).find("[file.f1]") != std::string::npos);
}

TEST_CASE("an initializer of a model is operand, and changed in place", "[app]") {
  const Folder folder;
  const std::string model = model_of_three();
  folder.put("m.onnx", model);
  folder.put("w.bin", "ABCDEFGH");
  const auto call = [&](const std::string& data, const std::string& more) {
    return folder.run({"ScatterUpdate-3", "-d", data, "-i", "[1]", "-u", "[120]", "-a", "0", more});
  };
  CHECK(call("m.onnx:w", "-q").out == "[97, 120, 99]\n");
  CHECK(call("m.onnx:far", "-q").out == "[68, 120, 70]\n");
  CHECK(call("m.onnx:w", "--in-place").exit_code == 0);
  std::string after = model;
  after.replace(after.find("abc") + 1, 1, "x");
  CHECK(folder.text("m.onnx") == after);
  CHECK(call("m.onnx:far", "--in-place").exit_code == 0);
  CHECK(folder.text("w.bin") == "ABCDxFGH");
  CHECK(folder.text("m.onnx") == after);
  CHECK(call("m.onnx:n", "--in-place").err.find("[file.f10]") != std::string::npos);
  CHECK(folder.names() == Strings{"m.onnx", "w.bin"});
  CHECK(folder.refused({"convert", "m.onnx", "x.npy"}).find("[cli.c31]") != std::string::npos);
  CHECK(folder.run({"__complete", "bash", "tscatter show m.onnx:"}).out == "far\nn\nw\n");
}

TEST_CASE("show lists the initializers of a model", "[app]") {
  const Folder folder;
  folder.put("m.onnx",
             pb_model(pb_initializer("w", front + pb_text(9, "abc")) +
                      pb_initializer("q", pb_integer(1, 3) + pb_integer(2, 22) + pb_text(9, "ab")) +
                      pb_initializer("far", pb_elsewhere(3, "w.bin", "4"))));
  folder.put("w.bin", "ABCDEFG");
  CHECK(folder.run({"show", "m.onnx"}).out ==
        "name  dtype  shape  bytes\n"
        "w     uint8  [3]    3\n"
        "q     INT4   [3]    2\n"
        "far   uint8  [3]    3\n");
  const auto listed = nlohmann::json::parse(folder.run({"show", "m.onnx", "--json"}).out);
  CHECK(listed.size() == 3);
  CHECK(listed.at(1).at("dtype") == "INT4");
  CHECK(listed.at(1).at("reason").get<std::string>().ends_with("[pb.f3]"));
  CHECK(folder.run({"show", "m.onnx:far"}).out.starts_with("name        m.onnx:far\n"));
  folder.put("m.onnx", pb_model(pb_initializer("far", pb_elsewhere(3, "gone"))));
  const Result gone = folder.run({"show", "m.onnx"});
  CHECK(gone.exit_code == 3);
  CHECK(gone.out.find("not there") != std::string::npos);
  CHECK(gone.err ==
        "tscatter: m.onnx:far: its external data, gone, cannot be opened: no such file or "
        "directory [file.f1]\n");
}

TEST_CASE("cli.c10: a model is not written member by member", "[app]") {
  const Folder folder;
  folder.put("m.onnx", model_of_three());
  folder.put("w.bin", "ABCDEFGH");
  const std::string rule = "must be x.npy, x.npz:name, x.pb, x.safetensors:name, x.json or -";
  for (const std::string name : {"m.onnx:w", "m.onnx:far", "m.onnx:new", "new.onnx:w"}) {
    CAPTURE(name);
    CHECK(folder.refused({"ScatterUpdate-3", "-d", "[1]", "-i", "[0]", "-u", "[2]", "-a", "0", "-o",
                          name}) == "tscatter: --output: " + rule +
                                        " (change it with --in-place, or write a file by itself), "
                                        "got " +
                                        name + " [cli.c10]\n");
    CHECK(folder.refused({"convert", "[1]", name}) ==
          "tscatter: OUT: " + rule + " (write a file by itself), got " + name + " [cli.c10]\n");
  }
  CHECK(folder.text("m.onnx") == model_of_three());
  CHECK(folder.text("w.bin") == "ABCDEFGH");
}

TEST_CASE("a .pb file whose values are in another file is operand, output, and changed there",
          "[app]") {
  const Folder folder;
  folder.put("d/t.pb", pb_elsewhere(3, "w.bin", "4"));
  folder.put("d/w.bin", "ABCDEFG");
  const Strings change{"ScatterUpdate-3", "-d", "d/t.pb", "-i", "[1]", "-u", "[120]", "-a", "0"};
  const auto with = [&](const Strings& more) {
    Strings words = change;
    words.insert(words.end(), more.begin(), more.end());
    return folder.run(words);
  };
  CHECK(with({}).out == "[69, 120, 71]\n");
  CHECK(with({"--in-place"}).exit_code == 0);
  CHECK(folder.text("d/w.bin") == "ABCDExG");
  CHECK(folder
            .refused({"ScatterUpdate-3", "-d", "d/t.pb", "-i", "[1]", "-u", "1xu8=@d/w.bin+0", "-a",
                      "0", "--in-place"})
            .ends_with("must not be the file that is changed in place, got d/w.bin [cli.c12]\n"));
  leave_journal(folder.path("d/w.bin"), {{.begin = 0, .end = 2}});
  CHECK(with({}).err.find("[undo.u5]") != std::string::npos);
  CHECK(folder.run({"recover", "d/t.pb"}).out.find("d/w.bin: rolled back") != std::string::npos);
  CHECK(with({"-o", "d/t.pb"}).exit_code == 0);
  CHECK(folder.text("d/t.pb") == front + pb_text(9, "ExG"));
  CHECK(folder.text("d/w.bin") == "ABCDExG");
}

TEST_CASE("a batch changes the initializers of a model one after the other", "[app]") {
  const Folder folder;
  folder.put("m.onnx", pb_model(pb_initializer("w", front + pb_text(9, "abc")) +
                                pb_initializer("v", front + pb_text(9, "abc")) +
                                pb_initializer("far", in_w_bin("0")) +
                                pb_initializer("far2", in_w_bin("4"))));
  folder.put("w.bin", "ABCDEFG");
  folder.put("t.pb", in_w_bin("2"));
  const auto line = [](const std::string& data, const std::string& more) {
    return R"({"op": "ScatterUpdate-3", "data": ")" + data +
           R"(", "indices": [1], "updates": [120], "axis": 0, )" + more + "}\n";
  };
  const std::string in_place = R"("in_place": true)";
  folder.put("cases.jsonl", line("m.onnx:w", in_place) + line("m.onnx:v", in_place) +
                                line("m.onnx:far", in_place) + line("m.onnx:far2", in_place));
  CHECK(folder.run({"batch", "cases.jsonl", "-q", "-j", "4"}).out == "4 cases: 4 written\n");
  CHECK(folder.text("w.bin") == "AxCDExG");
  // Bytes that two cases write, and a file that one changes and another reads.
  folder.put("cases.jsonl", line("m.onnx:far", in_place) + line("t.pb", in_place));
  CHECK(folder.run({"batch", "cases.jsonl", "-q"}).out.find("[batch.b12]") != std::string::npos);
  folder.put("cases.jsonl", line("m.onnx:far2", in_place) + line("t.pb", R"("output": "o.npy")"));
  CHECK(folder.run({"batch", "cases.jsonl", "-q"}).out.find("[batch.b12]") != std::string::npos);
  // The file that says where the bytes are is read, too.
  for (const char* use : {R"("in_place": true)", R"("output": "o.npy")"}) {
    folder.put(
        "cases.jsonl",
        line("t.pb", use) +
            R"({"op": "ScatterUpdate-3", "data": [1, 2, 3], "dtype": "uint8", "indices": [1], )"
            R"("updates": [9], "axis": 0, "output": "t.pb"})");
    CHECK(folder.run({"batch", "cases.jsonl", "-q"}).out.find("[batch.b12]") != std::string::npos);
  }
}

}  // namespace tscatter
