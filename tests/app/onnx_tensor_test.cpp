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
  const Strings call = split_words("ScatterUpdate-3 -d d.pb -i i.pb -u [100] -a 0 -o");
  const auto to = [&](const std::string& output) {
    Strings words = call;
    words.push_back(output);
    return folder.run(words);
  };
  CHECK(to("o.pb").err ==
        "tscatter: scatter_update_3: indices[0] must be in [0, 3) for data axis 0 (--negative "
        "from-the-end counts it from the end), got -1 [scatter_update_3.c4]\n");
  folder.put("i.pb", pb_integer(1, 1) + pb_integer(2, 7) + pb_integer(7, 2));
  CHECK(to("o.pb").exit_code == 0);
  CHECK(folder.text("o.pb") == front + pb_text(9, "abd"));
  CHECK(to("o.npy").exit_code == 0);
  CHECK(folder.run("compare o.pb o.npy -q").exit_code == 0);
  CHECK(folder.run("compare o.pb d.pb -q").exit_code == 1);
  CHECK(folder.out("convert o.npy - --format pb") == front + pb_text(9, "abd"));
}

TEST_CASE("a .pb file is changed in place, and all else in it stays", "[app]") {
  const Folder folder;
  folder.put("d.pb", front + pb_text(8, "x") + pb_text(9, "abc") + doc);
  const Strings call =
      split_words("ScatterUpdate-3 -d d.pb -i '[0, 2]' -u '[120, 122]' -a 0 --in-place");
  CHECK(folder.run(call).exit_code == 0);
  CHECK(folder.text("d.pb") == front + pb_text(8, "x") + pb_text(9, "xbz") + doc);
  CHECK(folder.names() == Strings{"d.pb"});
  const std::string typed = front + pb_text(5, "abc");
  folder.put("d.pb", typed);
  CHECK(folder.refused(3, call) ==
        "d.pb: must hold the elements in one piece to be changed in place (-o writes "
        "another file), got values that are stored one by one [file.f10]");
  CHECK(folder.text("d.pb") == typed);
}

TEST_CASE("an ONNX tensor does not replace a file of another kind, nor the reverse", "[app]") {
  const Folder folder;
  const std::string tensor = front + pb_text(9, "abc");
  folder.put("x.npy", tensor);
  CHECK(folder.err("convert [1] x.npy") ==
        "tscatter: OUT: must not replace a file of another kind (add --force to do so), got x.npy, "
        "an ONNX tensor [cli.c17]\n");
  folder.put("x.pb", "\x93NUMPY");
  CHECK(folder.run("convert [1] x.pb").exit_code == 2);
  folder.put("x.pb", tensor);
  CHECK(folder.run("convert [1] x.pb").exit_code == 0);
}

TEST_CASE("float8 of ONNX is moved, and written as the float8 that it is", "[app]") {
  const Folder folder;
  const std::string f8 = pb_integer(1, 2) + pb_integer(2, 17);
  folder.put("d.pb", f8 + pb_text(9, "ab"));
  folder.put("u.pb", pb_integer(1, 1) + pb_integer(2, 17) + pb_text(9, "c"));
  Strings call = split_words("ScatterUpdate-3 -d d.pb -i [1] -u u.pb -a 0 -o o.pb");
  CHECK(folder.run(call).exit_code == 0);
  CHECK(folder.text("o.pb") == f8 + pb_text(9, "ac"));
  CHECK(folder.out("convert o.pb - --to float32 --format json") ==
        "{\"dtype\": \"float32\", \"shape\": [2], \"data\": [36.0, 44.0]}\n");
  call.resize(call.size() - 2);
  call.emplace_back("--in-place");
  CHECK(folder.run(call).exit_code == 0);
  CHECK(folder.text("d.pb") == f8 + pb_text(9, "ac"));
  CHECK_THAT(folder.err("convert o.npy o.pb"), contains("[file.f1]"));
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
  CHECK_THAT(call("m.onnx:n", "--in-place").err, contains("[file.f10]"));
  CHECK(folder.names() == Strings{"m.onnx", "w.bin"});
  CHECK_THAT(folder.err("convert m.onnx x.npy"), contains("[cli.c31]"));
  CHECK(folder.out("__complete bash 'tscatter show m.onnx:'") == "far\nn\nw\n");
}

TEST_CASE("show lists the initializers of a model", "[app]") {
  const Folder folder;
  folder.put("m.onnx",
             pb_model(pb_initializer("w", front + pb_text(9, "abc")) +
                      pb_initializer("q", pb_integer(1, 3) + pb_integer(2, 22) + pb_text(9, "ab")) +
                      pb_initializer("far", pb_elsewhere(3, "w.bin", "4"))));
  folder.put("w.bin", "ABCDEFG");
  CHECK(folder.out("show m.onnx") ==
        "name  dtype  shape  bytes\n"
        "w     uint8  [3]    3\n"
        "q     INT4   [3]    2\n"
        "far   uint8  [3]    3\n");
  const auto listed = nlohmann::json::parse(folder.out("show m.onnx --json"));
  CHECK(listed.size() == 3);
  CHECK(listed.at(1).at("dtype") == "INT4");
  CHECK(listed.at(1).at("reason").get<std::string>().ends_with("[pb.f3]"));
  CHECK(folder.out("show m.onnx:far").starts_with("name        m.onnx:far\n"));
  folder.put("m.onnx", pb_model(pb_initializer("far", pb_elsewhere(3, "gone"))));
  const Result gone = folder.run("show m.onnx");
  CHECK(gone.exit_code == 3);
  CHECK_THAT(gone.out, contains("not there"));
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
    CHECK(folder.err(
              {"ScatterUpdate-3", "-d", "[1]", "-i", "[0]", "-u", "[2]", "-a", "0", "-o", name}) ==
          "tscatter: --output: " + rule +
              " (change it with --in-place, or write a file by itself), got " + name +
              " [cli.c10]\n");
    CHECK(folder.err({"convert", "[1]", name}) ==
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
  const Strings change = split_words("ScatterUpdate-3 -d d/t.pb -i [1] -u [120] -a 0");
  const auto with = [&](const Strings& more) {
    Strings words = with_more(change, more);
    return folder.run(words);
  };
  CHECK(with({}).out == "[69, 120, 71]\n");
  CHECK(with({"--in-place"}).exit_code == 0);
  CHECK(folder.text("d/w.bin") == "ABCDExG");
  CHECK(folder.err("ScatterUpdate-3 -d d/t.pb -i [1] -u 1xu8=@d/w.bin+0 -a 0 --in-place")
            .ends_with("must not be the file that is changed in place, got d/w.bin [cli.c12]\n"));
  leave_journal(folder / "d/w.bin", {{.begin = 0, .end = 2}});
  CHECK_THAT(with({}).err, contains("[undo.u5]"));
  CHECK_THAT(folder.out("recover d/t.pb"), contains("d/w.bin: rolled back"));
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
  CHECK(folder.out("batch cases.jsonl -q -j 4") == "4 cases: 4 written\n");
  CHECK(folder.text("w.bin") == "AxCDExG");
  // Bytes that two cases write, and a file that one changes and another reads.
  folder.put("cases.jsonl", line("m.onnx:far", in_place) + line("t.pb", in_place));
  CHECK_THAT(folder.out("batch cases.jsonl -q"), contains("[batch.b12]"));
  folder.put("cases.jsonl", line("m.onnx:far2", in_place) + line("t.pb", R"("output": "o.npy")"));
  CHECK_THAT(folder.out("batch cases.jsonl -q"), contains("[batch.b12]"));
  // The file that says where the bytes are is read, too.
  for (const char* use : {R"("in_place": true)", R"("output": "o.npy")"}) {
    folder.put(
        "cases.jsonl",
        line("t.pb", use) +
            R"({"op": "ScatterUpdate-3", "data": [1, 2, 3], "dtype": "uint8", "indices": [1], )"
            R"("updates": [9], "axis": 0, "output": "t.pb"})");
    CHECK_THAT(folder.out("batch cases.jsonl -q"), contains("[batch.b12]"));
  }
}

}  // namespace tscatter
