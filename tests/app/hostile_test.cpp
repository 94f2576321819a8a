// Files that lie about their sizes, and names that would control a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/batch.hpp"
#include "app/folder.hpp"
#include "catch.hpp"
#include "property/environment.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/error.hpp"

namespace tscatter {
namespace {

using nlohmann::json;

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string npy_of(const std::string& shape, const std::string& data, int version = 1) {
  return npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (" + shape + ")}", data,
                  version);
}

std::string npy_of_type(const std::string& descr) {
  return npy_file("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,)}",
                  std::string(12, 'x'), 2);
}

// Limits memory to the program itself and little else. A sanitizer needs the whole address space.
Command in_little_memory(Strings words) {
  constexpr std::uint64_t little = std::uint64_t{128} << 20U;
  Command command(std::move(words));
  if (!property::is_slowed) command.with_memory_limit(little);
  return command;
}

// Whether a terminal shows the text unchanged: UTF-8 without C0 and C1 controls, and without
// characters that end a line or change its direction.
bool is_harmless(std::string_view text) {
  if (!is_utf8(text)) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < ' ' && byte != '\n') || byte == 0x7F) return false;
    if (byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) return false;
  }
  const Strings obeyed{"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b",
                       "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};
  return std::ranges::none_of(obeyed, [&](const std::string& character) {
    return text.find(character) != std::string_view::npos;
  });
}

bool is_harmless(const Result& result) {
  return is_harmless(result.out) && is_harmless(result.err);
}

// Of files, members and cases.
const Strings odd_names{"a b",          "a\nb",      "-a",         "--data",     "esc\x1b[31m",
                        "cr\rx",        "bel\x07",   "del\x7f",    "c1\u009b2J", "nel\u0085",
                        "rlo\u202egpj", "ls\u2028x", "lri\u2066x", "größe",      "'\"$(x)`"};
const Strings names_of_bytes{"byte\x9b", "\xff\xfe", "cut\xe2\x80"};

Strings all_names() { return with_more(odd_names, names_of_bytes); }

Strings patch_of(const std::string& data) {
  return {"ScatterUpdate-3", "-d", data, "-i", "[0]", "-u", "[7]", "-a", "0"};
}

}  // namespace

TEST_CASE("a .npy file that lies about its sizes is refused in little memory", "[app]") {
  const TemporaryDirectory directory;
  struct Case {
    std::string file;
    std::string refusal;
  };
  const std::vector<Case> cases{
      {std::string("\x93NUMPY\x02\0\0\0\0\x80{}", 14),
       "the header must be at most 1048576 bytes long, got 2147483648 [npy.f3]"},
      {npy_of("4294967296, 4294967296", ""),
       "the array must have at most 2^63 - 1 bytes, got shape [4294967296, 4294967296] [npy.f6]"},
      {npy_of("1099511627776,", "0123456789"),
       "data ends after 10 of 1099511627776 bytes [npy.f7]"},
      {npy_of(repeated("1,", 500000), "0", 2),
       "shape must have at most 64 axes, got 500000 [npy.f6]"},
      {npy_of_type("'|O'"), "descr must name a dtype of fixed size, got '|O' [npy.f5]"},
      {npy_of_type("[('a', '<i4'), ('b', '|O')]"),
       "descr must name a dtype of fixed size, got '|O' [npy.f5]"},
      {npy_of_type(repeated("[", 400000)),
       "the header must be a Python dict as np.save writes it, got too deep a nesting at character "
       "43 [npy.f4]"}};
  for (const auto& [file, refusal] : cases) {
    write_file(directory / "x.npy", file);
    const Command command = in_little_memory({"show", "x.npy"}).in(directory.path());
    CHECK(refusal_of(4, command) == "x.npy: " + refusal);
    const Command piped = in_little_memory({"show", "-"}).with_input(file);
    CHECK(refusal_of(4, piped) == "<stdin>: " + refusal);
  }
}

TEST_CASE("a bomb is refused in little memory", "[app]") {
  const std::filesystem::path bad = std::filesystem::path(TSCATTER_NPZ_DIR) / "bad";
  const auto refused = [&](const char* file) {
    return refusal_of(4, in_little_memory({"show", file + std::string(":a")}).in(bad));
  };
  CHECK(refused("z17_ratio.npz") ==
        "z17_ratio.npz:a: 88 deflated bytes can become at most 90816, got a member of 90817 "
        "[npz.z17]");
  CHECK(refused("z17_size.npz") ==
        "z17_size.npz:a: a deflated member must be at most 1099511627776 bytes long, got "
        "1099511627777 [npz.z17]");
}

TEST_CASE("JSON that is too deep, too long a shape or has a key twice is refused in little memory",
          "[app]") {
  const TemporaryDirectory directory;
  const std::string deep(1000001, '[');
  const std::string objects = repeated("{\"data\":", 100000);
  const std::string job = "{\"op\": \"ScatterUpdate-3\", \"data\": ";
  const auto refused = [&](int exit_code, const std::string& text, const char* command) {
    write_file(directory / "x.json", text);
    return refusal_of(exit_code, in_little_memory({command, "x.json"}).in(directory.path()));
  };
  CHECK(refused(4, deep, "show") ==
        "x.json: a tensor must have at most 64 axes, got more [json.f9]");
  CHECK(refused(4, objects, "show") ==
        "x.json: a value must be a number, true, false or a list, got an object [json.f2]");
  CHECK(refused(4, "{\"shape\": [" + repeated("1,", 1000000) + "1], \"data\": [1]}", "show") ==
        "x.json: a tensor must have at most 64 axes, got more [json.f9]");
  CHECK(refused(4, "{\"data\": [1], \"data\": [2]}", "show") ==
        "x.json: the key \"data\" occurs twice [json.f5]");
  for (const std::string& text : {job + deep, repeated("{\"op\":", 100000)}) {
    CHECK(refused(2, text, "run") ==
          "x.json: a job must be nested at most 256 deep, got more [job.j1]");
  }
  CHECK(refused(2, job + "{\"data\": [1], \"data\": [2]}}", "run") ==
        "x.json: the key \"data\" occurs twice in a job [job.j1]");
  CHECK(refusal_of(2, in_little_memory({"show", repeated("1x", 60000) + "u8=0"})) ==
        "TENSOR: a literal must have at most 64 axes, got 60000 [literal.f1]");
}

TEST_CASE("json.f1, job.j1: JSON behind a NUL byte is not passed over", "[app]") {
  const Folder folder;
  const std::string rest("\0garbage", 8);
  const std::string refusal = "the text must be JSON, got a NUL byte at column 6 [json.f1]";
  folder.put("x.json", "[1,2]" + rest);
  CHECK(folder.refused(4, "show x.json") == "x.json: " + refusal);
  CHECK(refusal_of(4, Command("show -").with_input("[1,2]" + rest)) == "<stdin>: " + refusal);
  CHECK(refusal_of(4, Command("show -").with_input_from(folder / "x.json")) ==
        "<stdin>: " + refusal);
  folder.put("job.json", "{}" + rest);
  CHECK(folder.refused(2, "run job.json") ==
        "job.json: a job must be a JSON object, got a NUL byte at column 3 [job.j1]");
  const std::string good = case_line({{"name", "good"}, {"expected", {5, 2, 6}}});
  const BatchDirectory batch({good + rest, good});
  const Result result = batch.run({"-j", "1"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, contains(fmt::format("FAILED   line-1  cases.jsonl:1: a job must be a "
                                              "JSON object, got a NUL byte at column {} [job.j1]\n",
                                              good.size() + 1)));
}

TEST_CASE("JSON from a pipe is refused where it goes wrong, before it is kept", "[app]") {
  const std::size_t long_enough = std::size_t{32} << 20U;  // not to stay in memory
  const auto refused = [&](const std::string& front, char filler) {
    const TemporaryDirectory directory;
    return refusal_of(4, in_little_memory({"show", "-"})
                             .with_input(front + std::string(long_enough, filler))
                             .with_environment("TMPDIR", directory / "none"));
  };
  CHECK(refused("", '[') == "<stdin>: a tensor must have at most 64 axes, got more [json.f9]");
  CHECK(refused("{\"data\": ", '[') ==
        "<stdin>: a tensor must have at most 64 axes, got more [json.f9]");
  CHECK(refused("{\"shape\": ", '[') ==
        "<stdin>: shape must be a list of sizes, got a list [json.f7]");
  CHECK(refused("[1, 2] ", 'x') ==
        "<stdin>: the text must be JSON (nothing follows the value), got " + std::string(57, 'x') +
            " at column 8 [json.f1]");
  CHECK(refused("[\"", 'x') ==
        "<stdin>: a string or a number must be at most 4096 bytes long, got more [json.f1]");
  CHECK(refused("[1", '\0') ==
        "<stdin>: the text must be JSON, got a NUL byte at column 3 [json.f1]");
}

TEST_CASE("JSON with one long string or number is refused in little memory", "[app]") {
  const TemporaryDirectory directory;
  const std::string letters(std::size_t{32} << 20U, 'a');
  const std::string digits(std::size_t{32} << 20U, '7');
  for (const std::string& text : {"[\"" + letters + "\"]", "{\"" + letters + "\": 1}",
                                  "{\"dtype\": \"" + letters + "\", \"data\": 1}", digits,
                                  "[0." + digits + "]", "{\"shape\": [" + digits + "]}"}) {
    write_file(directory / "x.json", text);
    CHECK(refusal_of(4, in_little_memory({"show", "x.json"}).in(directory.path())) ==
          "x.json: a string or a number must be at most 4096 bytes long, got more [json.f1]");
  }
}

TEST_CASE("what a message is about does not make it long", "[app]") {
  const Folder folder;
  const std::string letters(std::size_t{1} << 20U, 'a');
  const auto refused = [&](int exit_code, const Strings& words) {
    return folder.refused(exit_code, words);
  };
  folder.put("x.npy", npy_of_type("'<f4" + letters.substr(0, 900000) + "end'"));
  const std::string of_descr = refused(4, {"show", "x.npy"});
  CHECK(of_descr.starts_with("x.npy: descr must name a dtype of fixed size, got '<f4aaaa"));
  CHECK_THAT(of_descr, contains("aaa\u2026aaa"));
  CHECK(of_descr.ends_with("aaaend' [npy.f5]"));
  CHECK(of_descr.size() < 4200);
  folder.put("job.json", "{\"op\": \"" + letters + letters + letters + "\"}");
  const std::string of_job = refused(2, {"run", "job.json"});
  CHECK(of_job.starts_with("job.json: "));
  CHECK(of_job.ends_with("aaa [job.j3]"));
  CHECK(of_job.size() < 4200);
  folder.put("job.json", "{\"op\": \"ScatterUpdate-3\", \"data\": \"" + letters + "\"}");
  CHECK(refused(2, {"run", "job.json"}) ==
        "job.json: data: a path must be at most 65536 bytes long, got 1048576 [job.j12]");
}

TEST_CASE("a line of a batch that is hostile fails alone", "[app]") {
  const std::string job = R"({"op": "ScatterUpdate-3", "name": "deep", "data": )";
  const BatchDirectory batch({job + std::string(1000001, '['), "{\"name\": \"a\", \"name\": \"b\"}",
                              "\xff\xfe\x1b[2J",
                              case_line({{"name", "good"}, {"expected", {5, 2, 6}}})});
  const Result result = batch.run({"-j", "1"});
  CHECK(result.exit_code == 1);
  CHECK(is_harmless(result));
  CHECK_THAT(result.out, contains("FAILED   line-1  cases.jsonl:1: a job must be nested at most "
                                  "256 deep, got more [job.j1]\n"));
  CHECK_THAT(
      result.out,
      contains(
          "FAILED   line-2  cases.jsonl:2: the key \"name\" occurs twice in a job [job.j1]\n"));
  CHECK_THAT(result.out, contains("FAILED   line-3  cases.jsonl:3: a job must be a JSON object, "
                                  "got \\xff at column 1 [job.j1]\n"));
  CHECK_THAT(result.out, contains("ok       good\n"));
}

TEST_CASE("files of any name are operands and outputs, and none writes to the terminal", "[app]") {
  for (const std::string& name : all_names()) {
    INFO(escape_control(name));
    const Folder folder;
    const auto run = [&](const Strings& words) {
      Result result = folder.run(words);
      CHECK(is_harmless(result));
      return result;
    };
    const std::string file = "./" + name;
    CHECK(run({"convert", "[1, 2]", file}).exit_code == 0);
    CHECK(run(with_more(patch_of(file), {"-o", file + ".out", "-v"})).exit_code == 0);
    CHECK(run(with_more(patch_of(file), {"-o", file + ".out", "-n"})).exit_code == 0);
    CHECK(run(with_more(patch_of(file), {"--in-place"})).exit_code == 0);
    CHECK(run({"recover", file}).exit_code == 0);
    CHECK(run({"compare", file, file + ".out"}).exit_code == 0);
    CHECK(run({"show", file}).exit_code == 0);
    CHECK(run({"show", file + ".none"}).exit_code == 3);
    CHECK(run(with_more(patch_of(file), {"-o", file + "/none"})).exit_code == 3);
    CHECK(run({"show", file + ".none", "--json"}).exit_code == 3);
    CHECK(folder.names() == Strings{name, name + ".out"});
    CHECK(folder.text(name) == folder.text((name + ".out")));
  }
}

TEST_CASE("reports are JSON whatever the names in them, and none writes to the terminal", "[app]") {
  for (const std::string& name : all_names()) {
    INFO(escape_control(name));
    const Folder folder;
    const auto report = [&](const Strings& words) {
      const Result result = folder.run(words);
      CHECK(result.exit_code == 0);
      CHECK(is_harmless(result.out));
      return json::parse(result.out);
    };
    const std::string file = "./" + name;
    output_of({"convert", "[1, 2]", folder / name});
    const json run = report(with_more(patch_of(file), {"-o", file + ".out", "--json"}));
    if (is_utf8(name)) CHECK(run.at("output") == file + ".out");
    CHECK(report(with_more(patch_of(file), {"-o", file + ".out", "--json", "-n"})).size() > 5);
    CHECK(report({"show", file, "--json"}).contains("name"));
    CHECK(report({"recover", file, "--json"}).contains("file"));
    CHECK(report({"compare", file, file, "--json"}).contains("elements"));
  }
}

TEST_CASE("members of any name are operands and outputs, and none writes to the terminal",
          "[app]") {
  const TemporaryDirectory directory;
  const std::string archive = directory / "x.npz";
  for (const std::string& name : odd_names) {
    INFO(escape_control(name));
    CHECK(output_of({"convert", "[1, 2]", archive + ":" + name}).empty());
    CHECK(output_of({"convert", archive + ":" + name, "-", "--format", "json"}) ==
          "{\"dtype\": \"int64\", \"shape\": [2], \"data\": [1, 2]}\n");
    CHECK(is_harmless(tscatter_run({"show", archive + ":" + name + "-none"})));
  }
  CHECK(is_harmless(output_of({"show", archive})));
  const std::string listed = output_of({"show", archive, "--json"});
  CHECK(is_harmless(listed));
  CHECK(json::parse(listed).size() == odd_names.size());
  for (const std::string& name : names_of_bytes) {
    const Result result = tscatter_run({"convert", "[1, 2]", archive + ":" + name});
    CHECK(result.exit_code == 2);
    CHECK(is_harmless(result));
    CHECK(result.err.ends_with("[npz.z19]\n"));
  }
}

TEST_CASE("cases of any name and path are run, and none writes to the terminal", "[app]") {
  Strings lines;
  for (const std::string& name : odd_names) {
    lines.push_back(case_line({{"name", name}, {"expected", {5, 3, 6}}}));
    lines.push_back(case_line({{"name", name + " written"}, {"output", "./" + name + ".npy"}}));
    lines.push_back(case_line({{"name", name + " lost"}, {"expected", "./none/" + name}}));
  }
  const BatchDirectory batch(lines);
  const Result result = batch.run({"--junit", "r.xml"});
  CHECK(result.exit_code == 1);
  CHECK(is_harmless(result));
  CHECK(is_harmless(batch.run({"--list"})));
  CHECK(is_harmless(batch.run({"--list", "--json"})));
  CHECK(batch.names().size() >= odd_names.size());
  const std::string report = read_file(batch / "r.xml");
  CHECK(is_utf8(report));
  CHECK(std::ranges::none_of(
      report, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n'; }));
  const Result as_json = batch.run({"--json"});
  CHECK(is_harmless(as_json.out));
  CHECK(json_lines(as_json.out).size() == lines.size() + 1);
}

TEST_CASE("a field's name does not write to the terminal", "[app]") {
  const Folder folder;
  // Latin-1 in version 2, UTF-8 in version 3.
  const std::string header = "{'descr': [('";
  const std::string rest = "', '<i4')], 'fortran_order': False, 'shape': (1,)}";
  folder.put("a.npy", npy_file(header + "a\x9b" + rest, "abcd", 2));
  folder.put("b.npy", npy_file(header + "a\u202eb" + rest, "abcd", 3));
  for (const char* file : {"a.npy", "b.npy"}) {
    const std::string other = file == std::string("a.npy") ? "b.npy" : "a.npy";
    const Strings patch{"ScatterUpdate-3", "-d", file, "-i", "[0]", "-u", file, "-a", "0"};
    CHECK(folder.run({"convert", file, "x.npz:m"}).exit_code == 0);
    for (const Strings& words :
         {Strings{"show", file}, with_more(patch, {"-n"}), with_more(patch, {"-v", "-o", "o.npy"}),
          Strings{"compare", file, other}, with_more({"explain"}, patch),
          with_more(with_more({"verify"}, patch), {"--actual", other}), Strings{"show", "x.npz"},
          Strings{"convert", file, "o.json"}}) {
      const Result result = folder.run(words);
      INFO(words[0]);
      CHECK(result.exit_code <= 5);
      CHECK(is_harmless(result));
      CHECK_THAT((result.out + result.err), contains("\\x"));
    }
  }
}

}  // namespace tscatter
