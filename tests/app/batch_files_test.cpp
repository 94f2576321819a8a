// tscatter batch: it writes nothing that it reads, and nothing twice.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "app/batch.hpp"
#include "catch.hpp"
#include "property/environment.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

void write_tensor(const std::filesystem::path& path, const std::string& text = "[1, 2, 3]") {
  output_of({"convert", text, path});
}

// The message with which the case in line N fails.
std::string failure(const Result& result, int line) {
  const std::string front = "  cases.jsonl:" + std::to_string(line) + ": ";
  const std::size_t begin = result.out.find(front);
  if (begin == std::string::npos) return result.out + result.err;
  return result.out.substr(begin + front.size(),
                           result.out.find('\n', begin) - begin - front.size());
}

std::string read_there(const std::string& got, const std::string& other) {
  return "must be a file that nothing reads (what reads it belongs in another batch), got " + got +
         ", which is " + other + " [batch.b12]";
}

}  // namespace

TEST_CASE("cli.c14: --failed-dir keeps no output where the batch reads", "[app]") {
  const BatchDirectory batch(
      {named("want", {{"expected", "gold/want.npy"}}), named("data", {{"data", "data.npy"}})});
  std::filesystem::create_directories(batch / "gold");
  write_tensor(batch / "gold/want.npy", "[5, 3, 6]");
  write_tensor(batch / "data.npy");
  const std::string golden = read_file(batch / "gold/want.npy");
  const std::string data = read_file(batch / "data.npy");
  const auto refused = [&](const std::string& directory, const Strings& lines) {
    batch.write(lines);
    std::string message = refusal_of(2, batch.command({"--failed-dir", directory}));
    CHECK(read_file(batch / "gold/want.npy") == golden);
    CHECK(read_file(batch / "data.npy") == data);
    return message;
  };
  const std::string want = named("want", {{"expected", "gold/want.npy"}});
  CHECK(refused("gold", {want}) ==
        "--failed-dir: must be another file than expected of cases.jsonl:1, got gold/want.npy "
        "[cli.c14]");
  CHECK(refused("gold/../gold", {named("other", {{"expected", "gold/want.npy"}}),
                                 named("want", {{"expected", {0}}})}) ==
        "--failed-dir: must be another file than expected of cases.jsonl:1, got "
        "gold/../gold/want.npy [cli.c14]");
  CHECK(refused(".", {named("data", {{"expected", {0}}}),
                      named("b", {{"data", "data.npy"}, {"expected", {0}}})}) ==
        "--failed-dir: must be another file than data of cases.jsonl:2, got data.npy [cli.c14]");
  CHECK(refused("new", {named("o", {{"expected", {0}}}), case_line({{"output", "new/o.npy"}})}) ==
        "--failed-dir: must be another file than output of cases.jsonl:2, got new/o.npy [cli.c14]");
  CHECK(!std::filesystem::exists(batch / "new"));
  batch.write({want});
  CHECK(batch.run({"--failed-dir", "kept"}).exit_code == 1);
  CHECK(std::filesystem::exists(batch / "kept/want.npy"));
}

TEST_CASE("batch.b12: --update-golden writes no golden that is an operand", "[app]") {
  const json change{{"expected", "both.npy"}};
  const BatchDirectory batch({case_line({{"data", "both.npy"}, {"expected", "both.npy"}})});
  write_tensor(batch / "both.npy");
  const std::string before = read_file(batch / "both.npy");
  const auto said = [&](const Strings& lines, int line) {
    batch.write(lines);
    std::string message;
    for (const char* workers : {"1", "4"}) {
      message = failure(batch.run({"--update-golden", "-j", workers}), line);
      CHECK(read_file(batch / "both.npy") == before);
    }
    return message;
  };
  CHECK(said({case_line({{"data", "both.npy"}, {"expected", "./both.npy"}})}, 1) ==
        "expected: " + read_there("./both.npy", "data of cases.jsonl:1"));
  for (const char* key : {"data", "indices", "updates", "actual"}) {
    const json reads{{key, "both.npy"}, {"expected", {0}}};
    CHECK(said({case_line(change), case_line(reads)}, 1) ==
          "expected: " + read_there("both.npy", std::string(key) + " of cases.jsonl:2"));
    CHECK(said({case_line(reads), case_line(change)}, 2) ==
          "expected: " + read_there("both.npy", std::string(key) + " of cases.jsonl:1"));
  }
  // Without the flag both only read it.
  batch.write({case_line({{"data", "both.npy"}, {"expected", "both.npy"}})});
  CHECK_THAT(batch.run().out, contains("[batch.b7]"));
}

TEST_CASE("batch.b12: what a case writes is read by no case, before or after it", "[app]") {
  const BatchDirectory batch({""});
  write_tensor(batch / "x.npy");
  std::filesystem::create_directories(batch / "sub");
  std::filesystem::create_symlink("x.npy", batch / "link.npy");
  std::filesystem::create_symlink("sub", batch / "other");
  std::filesystem::create_hard_link(batch / "x.npy", batch / "sub/hard.npy");
  const std::string before = read_file(batch / "x.npy");
  for (const std::string& path : Strings{"x.npy", "./x.npy", "sub/../x.npy", "other/../x.npy",
                                         "link.npy", "sub/hard.npy", "other/hard.npy"}) {
    for (const json& write : {json{{"output", path}}, json{{"data", path}, {"in_place", true}}}) {
      const std::string key = write.contains("output") ? "output" : "data";
      for (const char* reader : {"data", "indices", "updates", "actual", "expected"}) {
        INFO(path << " " << reader);
        json read{{reader, "x.npy"}};
        if (reader != std::string("expected")) read["expected"] = {0};
        const std::string place = std::string(reader) + " of cases.jsonl:";
        batch.write({case_line(write), case_line(read)});
        CHECK(failure(batch.run({"-j", "2"}), 1) == key + ": " + read_there(path, place + "2"));
        batch.write({case_line(read), case_line(write)});
        CHECK(failure(batch.run({"-j", "2"}), 2) == key + ": " + read_there(path, place + "1"));
        CHECK(read_file(batch / "x.npy") == before);
      }
    }
    // Within one case, too.
    batch.write({case_line({{"data", "x.npy"}, {"output", path}})});
    CHECK(failure(batch.run(), 1) == "output: " + read_there(path, "data of cases.jsonl:1"));
    batch.write({case_line({{"expected", "x.npy"}, {"output", path}})});
    CHECK(failure(batch.run(), 1) == "output: " + read_there(path, "expected of cases.jsonl:1"));
  }
  CHECK(read_file(batch / "x.npy") == before);
}

TEST_CASE("batch.b12: what is written is written once", "[app]") {
  const BatchDirectory batch({""});
  std::filesystem::create_directories(batch / "sub");
  std::filesystem::create_symlink("sub/new.npy", batch / "dangling.npy");
  std::filesystem::create_symlink("later", batch / "way");
  const auto second = [&](const std::string& first, const std::string& other) {
    batch.write({case_line({{"output", first}}), case_line({{"output", other}})});
    const Result result = batch.run({"-j", "1"});
    std::filesystem::remove(batch / "sub/new.npy");
    return failure(result, 2);
  };
  const auto once = [](const std::string& got) {
    return "output: must be a file that one case writes, got " + got +
           ", which is output of cases.jsonl:1 [batch.b12]";
  };
  CHECK(second("o.npy", "./o.npy") == once("./o.npy"));
  CHECK(second("dangling.npy", "sub/new.npy") == once("sub/new.npy"));
  CHECK(second("sub/new.npy", "dangling.npy") == once("dangling.npy"));
  CHECK(second("way/o.npy", "later/o.npy") == once("later/o.npy"));
  CHECK(second("a.npz:x", "./a.npz:x.npy") == once("./a.npz:x.npy"));
  const json journal{{"data", "d.npy"}, {"in_place", true}};
  write_tensor(batch / "d.npy");
  batch.write({case_line(journal), case_line({{"output", "./d.npy.tscatter-undo"}})});
  CHECK(failure(batch.run(), 2) ==
        "output: must be a file that one case writes, got ./d.npy.tscatter-undo, which is undo "
        "journal of cases.jsonl:1 [batch.b12]");
}

TEST_CASE("batch.b12: a member of an archive is a tensor of its own", "[app]") {
  const BatchDirectory batch({""});
  write_tensor(batch / "a.npz:x");
  write_tensor(batch / "a.npz:y", "[5, 2, 6]");
  std::filesystem::create_symlink("a.npz", batch / "link.npz");
  const auto said = [&](const Strings& lines, int line) {
    batch.write(lines);
    return failure(batch.run(), line);
  };
  CHECK(said({case_line({{"data", "a.npz:x"}, {"output", "link.npz:x.npy"}})}, 1) ==
        "output: " + read_there("link.npz:x.npy", "data of cases.jsonl:1"));
  CHECK(said({case_line({{"data", "a.npz:x"}, {"expected", {0}}}),
              case_line({{"output", "./a.npz:x"}})},
             2) == "output: " + read_there("./a.npz:x", "data of cases.jsonl:1"));
  // The archive as a whole is not one of its members.
  CHECK(said({case_line({{"data", "a.npz:x"}, {"expected", {0}}}),
              case_line({{"data", "a.npz"}, {"in_place", true}})},
             2)
            .ends_with("[batch.b12]"));
  batch.write({case_line({{"data", "a.npz:x"}, {"output", "a.npz:z"}}),
               case_line({{"data", "a.npz:x"}, {"expected", "a.npz:y"}}),
               case_line({{"data", "a.npz:x"}, {"output", "link.npz:w"}})});
  for (int i = 0; i < 3; ++i) {
    const Result result = batch.run({"-j", "4", "--update-golden"});
    CHECK(result.exit_code == 0);
    CHECK(result.out.ends_with("3 cases: 1 passed, 2 written\n"));
  }
}

TEST_CASE("batch.b12: who reads raw bytes of a file reads all of it", "[app]") {
  const BatchDirectory batch({""});
  const auto said = [&](const Strings& lines, int line, const Strings& flags = {}) {
    batch.write(lines);
    return failure(batch.run(flags), line);
  };
  for (const std::string file : {"a.npz", "m.safetensors"}) {
    write_tensor(batch / (file + ":x"));
    write_tensor(batch / (file + ":y"), "[5, 2, 6]");
    std::filesystem::create_hard_link(batch / file, batch / ("hard-" + file));
    std::filesystem::create_symlink(file, batch / ("link-" + file));
    const std::string before = read_file(batch / file);
    for (const std::string& name : {file, "hard-" + file, "./link-" + file}) {
      const json raw{{"raw", name}, {"dtype", "i64"}, {"shape", {3}}, {"offset", 0}};
      for (const json& word : {raw, json("3xi64=@" + name + "+0")}) {
        for (const char* reader : {"data", "indices", "updates", "actual", "expected"}) {
          INFO(file << " " << word << " " << reader);
          json read{{reader, word}};
          if (reader != std::string("expected")) read["expected"] = {0};
          const std::string place = std::string(reader) + " of cases.jsonl:";
          CHECK(said({case_line({{"output", file + ":x"}}), case_line(read)}, 1) ==
                "output: " + read_there(file + ":x", place + "2"));
          CHECK(said({case_line(read), case_line({{"expected", file + ":new"}})}, 2,
                     {"--update-golden"}) == "expected: " + read_there(file + ":new", place + "1"));
          CHECK(read_file(batch / file) == before);
        }
        // Within one case, too.
        CHECK(said({case_line({{"data", word}, {"output", file + ":new"}})}, 1) ==
              "output: " + read_there(file + ":new", "data of cases.jsonl:1"));
      }
    }
    // A change of raw bytes is one of the whole file.
    const json change{{"data", "3xi64=@" + file + "+0"}, {"in_place", true}};
    CHECK(said({case_line(change), case_line({{"output", file + ":x"}})}, 1)
              .ends_with("which is output of cases.jsonl:2 [batch.b12]"));
  }
}

TEST_CASE("batch.b12: raw bytes as a golden are read, and never written", "[app]") {
  const BatchDirectory batch({""});
  write_tensor(batch / "g.npy", "[5, 2, 6]");
  const json raw("3xi64=@g.npy+128");
  const auto run = [&](const Strings& lines) {
    batch.write(lines);
    return batch.run({"--update-golden", "-j", "2"});
  };
  CHECK(failure(run({case_line({{"expected", raw}}), case_line({{"expected", "g.npy"}})}), 2) ==
        "expected: " + read_there("g.npy", "expected of cases.jsonl:1"));
  // Data and golden of one file are both read only.
  CHECK(run({case_line({{"data", raw}, {"expected", raw}})}).out ==
        "ok       line-1\n\n1 case: 1 passed\n");
}

TEST_CASE("batch.b12: who reads a tensor by an index reads the index, too", "[app]") {
  const BatchDirectory batch({""});
  write_tensor(batch / "m1.safetensors:x");
  const std::string index = "m.safetensors.index.json";
  write_file(batch / index, R"({"weight_map": {"x": "m1.safetensors"}})");
  batch.write({case_line({{"data", index + ":x"}, {"expected", {5, 2, 6}}}),
               case_line({{"data", "3xu8=@" + index + "+0"}, {"in_place", true}})});
  CHECK(failure(batch.run(), 2) ==
        "data: " + read_there("3xu8=@" + index + "+0", "data of cases.jsonl:1"));
  batch.write({case_line({{"data", index + ":x"}, {"expected", {5, 2, 6}}}),
               case_line({{"output", "m1.safetensors:x"}})});
  CHECK(failure(batch.run(), 2) ==
        "output: " + read_there("m1.safetensors:x", "data of cases.jsonl:1"));
}

TEST_CASE("batch.b12: the batch is not written over by its cases", "[app]") {
  const std::string line = case_line({{"output", "cases.jsonl"}});
  const BatchDirectory batch({line});
  CHECK(failure(batch.run(), 1) == "output: " + read_there("cases.jsonl", "CASES"));
  CHECK(read_file(batch / "cases.jsonl") == line + "\n");
}

TEST_CASE("cli.c14: reports go to no file that the batch reads or writes otherwise", "[app]") {
  const BatchDirectory batch(
      {case_line({{"data", "d.npy"}, {"expected", "g.npy"}}), case_line({{"output", "o.npy"}})});
  for (const char* name : {"d.npy", "g.npy"}) write_tensor(batch / name);
  std::filesystem::create_symlink("d.npy", batch / "link.npy");
  std::filesystem::create_hard_link(batch / "g.npy", batch / "hard.npy");
  const std::string cases = read_file(batch / "cases.jsonl");
  const std::string before = read_file(batch / "d.npy");
  const std::map<std::string, std::string> places{{"d.npy", "data of cases.jsonl:1"},
                                                  {"link.npy", "data of cases.jsonl:1"},
                                                  {"./hard.npy", "expected of cases.jsonl:1"},
                                                  {"o.npy", "output of cases.jsonl:2"},
                                                  {"cases.jsonl", "CASES"},
                                                  {"./cases.jsonl", "CASES"}};
  for (const auto& each : places) {
    const std::string& path = each.first;
    const std::string& place = each.second;
    const auto said = [&](const std::string& name, const Command& command) {
      CHECK(refusal_of(2, command) ==
            name + ": must be another file than " + place + ", got " + path + " [cli.c14]");
      CHECK(read_file(batch / "cases.jsonl") == cases);
      CHECK(read_file(batch / "d.npy") == before);
      CHECK(read_file(batch / "g.npy") == before);
    };
    for (const char* flag : {"--junit", "--html"}) said(flag, batch.command({flag, path}));
    for (const char* name : {"XML_OUTPUT_FILE", "TEST_SHARD_STATUS_FILE"})
      said(name, batch.command().with_environment(name, path));
  }
  CHECK(refusal_of(2, batch.command({"--html", "r"}).with_environment("XML_OUTPUT_FILE", "./r")) ==
        "--html: must be another file than XML_OUTPUT_FILE, got r [cli.c14]");
  CHECK(refusal_of(2, batch.command({"--junit", "r"}).with_environment("XML_OUTPUT_FILE", "r")) ==
        "XML_OUTPUT_FILE: must be another file than --junit, got r [cli.c14]");
}

TEST_CASE("cli.c14: neither stdout nor the state of runs is a file of a case", "[app]") {
  const BatchDirectory batch({case_line({{"data", "d.npy"}, {"expected", {0}}})});
  write_tensor(batch / "d.npy");
  const std::string before = read_file(batch / "d.npy");
  CHECK(refusal_of(2, batch.command().with_output_to(batch / "d.npy")) ==
        "stdout: must be another file than data of cases.jsonl:1, got d.npy [cli.c14]");
  CHECK(read_file(batch / "d.npy") == before);
  CHECK(batch.run().exit_code == 1);
  std::string state;
  for (const auto& entry : std::filesystem::directory_iterator(batch / ".state/tscatter"))
    state = entry.path().native();
  batch.write({case_line({{"output", state}})});
  CHECK(refusal_of(2, batch.command())
            .starts_with(
                "the state of runs: must be another file than output of cases.jsonl:1, got "));
}

TEST_CASE("a batch from a pipe is read whole before its first case is run", "[app]") {
  const BatchDirectory batch({});
  write_tensor(batch / "x.npy");
  const std::string before = read_file(batch / "x.npy");
  const std::string lines = case_line({{"output", "x.npy"}}) + "\n" +
                            case_line({{"data", "x.npy"}, {"expected", {5, 2, 6}}}) + "\n";
  const Result result = Command("batch - -j 1").in(batch / "").with_input(lines).run();
  CHECK(result.exit_code == 1);
  CHECK(result.out.starts_with("FAILED   line-1  <stdin>:1: output: " +
                               read_there("x.npy", "data of <stdin>:2") + "\nok       line-2\n"));
  CHECK(read_file(batch / "x.npy") == before);
}

TEST_CASE("what a batch keeps of 300,000 files is bounded", "[app][native]") {
  if (property::is_slowed) return;
  const auto peak = [](int count) {  // KiB
    std::string text;
    for (int i = 0; i < count; ++i) {
      const std::string name = std::to_string(i) + ".npy";
      text += case_line({{"data", "d" + name}, {"expected", "g" + name}, {"output", "o" + name}});
      text += "\n";
    }
    const BatchDirectory batch({});
    write_file(batch / "cases.jsonl", text);
    const Measured run = measured(batch.command({"--filter", "none"}));
    CHECK(run.result.exit_code == 2);
    return run.memory;
  };
  constexpr std::int64_t count = 100000;
  constexpr std::int64_t names = 33 * count / 1024;  // while their set grows
  constexpr std::int64_t files = 3 * (33 + 64) * count / 1024;
  constexpr std::int64_t chance = 3072;  // of threads and allocator
  const std::int64_t few = peak(1000);
  const std::int64_t many = peak(count);
  INFO(few << " KiB, " << many << " KiB");
  CHECK(few > 1024);
  CHECK(many < few + names + files + chance);
}

TEST_CASE("batch.b13: a batch that changes while it is run ends it", "[app]") {
  std::string text = case_line({{"data", "fifo"}, {"expected", {0}}}) + "\n";
  for (int i = 0; i < 3000; ++i) text += case_line({{"expected", {5, 2, 6}}}) + "\n";
  const BatchDirectory batch({});
  write_file(batch / "cases.jsonl", text);
  REQUIRE(::mkfifo((batch / "fifo").c_str(), 0600) == 0);
  const int writer = ::open((batch / "fifo").c_str(), O_RDWR | O_CLOEXEC);
  Running running(batch.command({"-j", "1", "-q"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  write_file(batch / "cases.jsonl", text + case_line({{"output", "o.npy"}}) + "\n");
  REQUIRE(::write(writer, "[1, 2, 3]", 9) == 9);
  ::close(writer);
  const Result result = running.finish();
  CHECK(result.exit_code == 3);
  CHECK(result.err ==
        "tscatter: cases.jsonl: the batch was changed while it was run [batch.b13]\n");
}

TEST_CASE("batch.b12: who changes a tensor by an index reads the index, whatever the order",
          "[app]") {
  const std::string front =
      R"({"op": "ScatterUpdate-3", "indices": [0], "updates": [9], "axis": 0, )"
      R"("in_place": true, "data": )";
  const std::string index = "m.safetensors.index.json";
  const std::string by_bytes =
      front + R"({"raw": ")" + index + R"(", "dtype": "u8", "shape": [4], "offset": 0}})";
  const std::string by_index = front + '"' + index + R"(:w"})";
  for (const Strings& lines : {Strings{by_bytes, by_index}, Strings{by_index, by_bytes}}) {
    const BatchDirectory batch(lines);
    output_of({"convert", "[0, 0]", batch / "a.safetensors:w"});
    write_file(batch / index, R"({"weight_map": {"w": "a.safetensors"}})");
    const Result result = batch.run();
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.out, contains("[batch.b12]"));
    CHECK_THAT(result.out, contains("1 failed, 1 written"));
  }
}

}  // namespace tscatter
