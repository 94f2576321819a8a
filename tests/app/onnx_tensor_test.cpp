// Tensors of ONNX on the command line: operands, outputs, changes in place.
#include <filesystem>

#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "io/pb_bytes.hpp"

namespace tscatter {
namespace {

class Folder {
 public:
  Result run(Strings words) const { return Command(std::move(words)).in(folder_.path()).run(); }
  std::string text(const std::string& name) const { return read_file(folder_ / name); }
  void put(const std::string& name, const std::string& bytes) const {
    write_file(folder_ / name, bytes);
  }
  Strings names() const { return folder_.names(); }

 private:
  TemporaryDirectory folder_;
};

const std::string front = pb_integer(1, 3) + pb_integer(2, 2);
const std::string doc = pb_text(12, "kept");

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

TEST_CASE("float8 of ONNX is moved as bytes, and not written again", "[app]") {
  const Folder folder;
  const std::string f8 = pb_integer(1, 2) + pb_integer(2, 17);
  folder.put("d.pb", f8 + pb_text(9, "ab"));
  folder.put("u.pb", pb_integer(1, 1) + pb_integer(2, 17) + pb_text(9, "c"));
  Strings call{"ScatterUpdate-3", "-d", "d.pb", "-i", "[1]", "-u", "u.pb", "-a", "0", "-o", "o.pb"};
  CHECK(folder.run(call).err ==
        "tscatter: o.pb: a tensor that is written as ONNX must be of a numeric dtype (write .npy), "
        "got |V1 [pb.f10]\n");
  call.resize(call.size() - 2);
  call.emplace_back("--in-place");
  CHECK(folder.run(call).exit_code == 0);
  CHECK(folder.text("d.pb") == f8 + pb_text(9, "ac"));
}

}  // namespace tscatter
