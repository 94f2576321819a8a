// Exit codes, and the exact text of errors.
#include <nlohmann/json.hpp>

#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

Strings nd_update(const std::string& data, const std::string& indices, const std::string& updates) {
  return {"ScatterNDUpdate-15", "-d", data, "-i", indices, "-u", updates};
}

}  // namespace

TEST_CASE("a broken rule of an operation ends with 5 and names rule, place and value", "[app]") {
  CHECK(refusal_of(5, nd_update("8xf32=0", "[[1], [9]]", "[1, 2]")) ==
        "scatter_nd_update_15: indices[1, 0] must be in [-8, 8) for data axis 0, got 9 "
        "[scatter_nd_update_15.c4]");
  CHECK(refusal_of(5, nd_update("2x3xf32=0", "[[0, 3]]", "[1]")) ==
        "scatter_nd_update_15: indices[0, 1] must be in [-3, 3) for data axis 1, got 3 "
        "[scatter_nd_update_15.c4]");
  CHECK(
      refusal_of(5, nd_update("f32=0", "[[0]]", "[1]")) ==
      "scatter_nd_update_15: data must have rank 1 or more, got rank 0 [scatter_nd_update_15.c1]");
  CHECK(refusal_of(5, nd_update("8xf32=0", "[[1]]", "1xi32=2"))
            .ends_with("[scatter_nd_update_15.c7]"));
}

TEST_CASE("files that cannot be read or written end with 3", "[app]") {
  CHECK(refusal_of(3, "show none.npy") ==
        "none.npy: TENSOR cannot be opened (for values see tscatter help operands): no such file "
        "or directory [file.f1]");
  CHECK(refusal_of(3, "show /") == "/: must be a file, got a directory [file.f2]");
  CHECK(refusal_of(3, "show ''").ends_with("[file.f1]"));
}

TEST_CASE("files that are not what they claim to be end with 4", "[app]") {
  const Folder folder;
  folder.put("x.npy", npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (32,)}",
                               std::string(96, 'x')));
  folder.put("x.json", "[1, 2");
  CHECK(folder.refused(4, "show x.npy") == "x.npy: data ends after 96 of 128 bytes [npy.f7]");
  CHECK(folder.refused(4, "show x.json") ==
        "x.json: the text must be JSON (a bracket is not closed), got the end of the text at "
        "column 6 [json.f1]");
}

TEST_CASE("inline values that are wrong end with 2", "[app]") {
  CHECK(refusal_of(2, nd_update("[[1, 2], [3]]", "[[0]]", "[1]")) ==
        "--data: nested lists must have one length per axis, got 1 elements at [1] where 2 came "
        "before [json.f3]");
  CHECK(refusal_of(2, nd_update("{\"dtype\": \"f32\", \"dat\": 1}", "[[0]]", "[1]")) ==
        "--data: the keys must be dtype, shape and data (nearest: data), got \"dat\" [json.f5]");
  CHECK(refusal_of(2, nd_update("2xf16=70000", "[[0]]", "[1]")) ==
        "--data: value 0 of the literal must fit float16, got '70000' [literal.f3]");
}

TEST_CASE("with --json an error is one JSON object on stderr", "[app]") {
  Strings words = nd_update("8xf32=0", "[[1], [9]]", "[1, 2]");
  words.emplace_back("--json");
  const Result result = tscatter_run(words);
  CHECK(result.exit_code == 5);
  CHECK(result.out.empty());
  CHECK(result.err ==
        "{\"kind\":\"rule\",\"label\":\"scatter_nd_update_15.c4\",\"where\":\"scatter_nd_update_"
        "15\",\"message\":\"indices[1, 0] must be in [-8, 8) for data axis 0, got 9\"}\n");
  CHECK(
      tscatter_run({"show", "--json", "none\xff.npy"}).err ==
      "{\"kind\":\"file\",\"label\":\"file.f1\",\"where\":\"none\\\\xff.npy\",\"message\":\"TENSOR "
      "cannot be opened (for values see tscatter help operands): no such file or directory\"}\n");
  for (const Strings& each : {Strings{"show", "--json", "--nope"}, Strings{"show", "--json", "[1"},
                              Strings{"show", "--json", "/"}, Strings{"--json"}}) {
    CHECK(nlohmann::json::parse(tscatter_run(each).err).size() == 4);
  }
}

TEST_CASE("--json counts where a flag stands, also beside a mistake", "[app]") {
  const auto is_json = [](const Strings& words) {
    return tscatter_run(words).err.starts_with("{\"kind\":\"usage\"");
  };
  for (const Strings& words :
       {Strings{"show", "--nope", "--json"}, Strings{"show", "--dtype", "f23", "1", "--json"},
        Strings{"shwo", "--json"}, Strings{"verify", "--json"}, Strings{"--json", "show", "1"},
        Strings{"convert", "--json", "1"}}) {
    CHECK(is_json(words));
  }
  for (const Strings& words :
       {Strings{"show", "--dtype", "--json", "1"}, Strings{"ScatterUpdate", "-j", "--json"},
        Strings{"show", "1", "--", "--json"}, Strings{"--color", "--json"}}) {
    CHECK(!is_json(words));
  }
}

TEST_CASE("an error is one line whatever it names", "[app]") {
  for (const std::string& name : {std::string("a\nb"), std::string("\x1b]0;title\x07"),
                                  std::string("\xc2\x9b"
                                              "31m"),
                                  std::string(10000, 'x')}) {
    const Result result = tscatter_run({"show", name});
    CHECK(result.err.find('\n') == result.err.size() - 1);
    CHECK_THAT(result.err, !contains("\x1b"));
    CHECK_THAT(result.err, !contains("\xc2\x9b"));
  }
}

// The sanitizers themselves take more memory.
#if !defined(TSCATTER_SANITIZES_ADDRESSES) && !defined(TSCATTER_SANITIZES_THREADS)
TEST_CASE("memory.m1: a run without memory is an error, not a crash", "[app][native]") {
  const TemporaryDirectory directory;
  const std::string header =
      npy_file("{'descr': '<i4', 'fortran_order': False, 'shape': (30000000, 1)}", "");
  write_file(directory / "i.npy", header);
  std::filesystem::resize_file(directory / "i.npy", header.size() + 120'000'000);
  const Strings words{"ScatterNDUpdate-15",
                      "-d",
                      "2xu8=0",
                      "-i",
                      directory / "i.npy",
                      "-u",
                      "30000000xu8=1",
                      "-r",
                      "sum",
                      "-j",
                      "1"};
  // The list alone takes 115 MiB.
  const Command command = Command(words).with_memory_limit(std::uint64_t{110} << 20U);
  CHECK(refusal_of(3, command) ==
        "tscatter: out of memory (a run needs 64 MiB and 32 bytes per index entry; see --memory) "
        "[memory.m1]");
}
#endif

TEST_CASE("memory.m1: what no memory can hold is refused before it is asked for", "[app]") {
  const std::string entries = "4611686018427387904";  // in words of 4 or 8 bytes 2^64 and more
  const std::string none =
      "tscatter: out of memory (a run needs 64 MiB and 32 bytes per index entry; see --memory) "
      "[memory.m1]";
  for (const std::string command : {"", "verify", "explain"}) {
    INFO(command);
    Strings words{"ScatterUpdate-3", "-d", "4xi8=0", "-i", entries + "xi8=0", "-u",
                  entries + "xi8=0", "-a", "0"};
    if (!command.empty()) words.insert(words.begin(), command);
    if (command == "verify") words.insert(words.end(), {"--actual", "4xi8=0"});
    CHECK(refusal_of(3, words) == none);
  }
  const std::string starts = entries + "xi8=0";
  CHECK(refusal_of(3, {"SliceScatter-15", "-d", "4xi8=0", "-u", "4xi8=0", "--start", starts,
                       "--stop", starts, "--step", entries + "xi8=1"}) == none);
}

TEST_CASE("internal.i1: a bug has a rule of its own", "[app]") {
  CHECK(output_of("ops --rule internal.i1").starts_with("internal.i1: "));
}

}  // namespace tscatter
