// What goes to stdout: reports, pictures, and results that have no file.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/batch.hpp"
#include "app/process.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "property/environment.hpp"

namespace tscatter {
namespace {

bool is_svg(const std::string& text) { return text.starts_with("<svg "); }

// A terminal as a file.
class Terminal {
 public:
  Terminal() : master_{::posix_openpt(O_RDWR | O_NOCTTY)} {
    REQUIRE(master_ >= 0);
    REQUIRE(::grantpt(master_) == 0);
    REQUIRE(::unlockpt(master_) == 0);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() { ::close(master_); }

  std::string path() const { return ::ptsname(master_); }

  // What was written to it, of little text.
  std::string text() const {
    std::array<char, 4096> bytes{};
    const ssize_t got = ::read(master_, bytes.data(), bytes.size());
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }

 private:
  int master_;
};

}  // namespace

TEST_CASE("FRICTION 28: - is stdout for a report, and the words go to stderr", "[app]") {
  const BatchDirectory batch({case_line({{"expected", {5, 2, 6}}})});
  const std::string words = "ok       line-1\n\n1 case: 1 passed\n";
  const Result junit = batch.run({"--junit", "-"});
  CHECK(junit.exit_code == 0);
  CHECK(junit.out.starts_with("<?xml"));
  CHECK(junit.out.ends_with("</testsuites>\n"));
  CHECK(junit.err == words);
  const Result html = batch.run({"--html", "-", "--junit", "r.xml"});
  CHECK(html.out.starts_with("<!DOCTYPE html>"));
  CHECK(html.err == words);
  CHECK(read_file(batch / "r.xml").starts_with("<?xml"));
  const Result json = batch.run({"--junit", "-", "--json"});
  CHECK(json.out.starts_with("<?xml"));
  CHECK(json_lines(json.err).size() == 2);
  CHECK(refusal_of(2, batch.command({"--junit", "-", "--list"})) ==
        "--junit: has no effect beside --list: leave out one of them [cli.c120]");
  CHECK(batch.names() == Strings{".state", "cases.jsonl", "r.xml"});
}

TEST_CASE("cli.c14: two reports do not share stdout", "[app]") {
  const BatchDirectory batch({case_line({{"expected", {5, 2, 6}}})});
  CHECK(refusal_of(2, batch.command({"--junit", "-", "--html", "-"})) ==
        "--html: must be another file than --junit, got - [cli.c14]");
}

TEST_CASE("a picture on stdout is an SVG, and the census goes to stderr", "[app]") {
  const Result result = tscatter_run("compare '[1, 2]' '[1, 3]' --heatmap -");
  CHECK(result.exit_code == 1);
  CHECK(is_svg(result.out));
  CHECK(result.err.starts_with("1 of 2 elements differ"));
  const Result json = tscatter_run("compare '[1, 2]' '[1, 3]' --heatmap - --json");
  CHECK(is_svg(json.out));
  CHECK(nlohmann::json::parse(json.err).at("match") == false);
}

TEST_CASE("FRICTION 15: what is printed to a file or a pipe is whole", "[app]") {
  const TemporaryDirectory directory;
  const Strings words = split_words("ScatterUpdate -d 2000xf32=0.1 -i [0] -u [7.25] -a 0");
  const nlohmann::json piped = nlohmann::json::parse(output_of(words));
  REQUIRE(piped.size() == 2000);
  CHECK(piped.at(0) == 7.25);
  CHECK(piped.at(1999) == 0.1);
  const Result filed = Command(words).with_output_to(directory / "r").run();
  CHECK(filed.exit_code == 0);
  CHECK(
      filed.err ==
      "tscatter: the result was printed without its dtype, float32 (-o x.npy or -o - keeps it)\n");
  CHECK(read_file(directory / "r") == output_of(words));
  CHECK(output_of({"convert", directory / "r", directory / "r.npy", "--dtype", "float32"}).empty());
  Strings npy = words;
  npy.insert(npy.end(), {"-o", directory / "o.npy"});
  CHECK(output_of(npy).empty());
  CHECK(read_file(directory / "r.npy") == read_file(directory / "o.npy"));
}

TEST_CASE("what is printed reads back to the same values", "[app]") {
  const TemporaryDirectory directory;
  for (const char* values : {"4xf16=0.1,nan,-inf,65504", "4xbf16=1e38,nan,inf,-0.0",
                             "4xf32=16777217,1e-45,nan,-inf", "4xf64=0.1,1e308,5e-324,inf",
                             "4xc64=1+2j,nan+1j,-infj,0", "4xi64=-9223372036854775808,0,1,2",
                             "4xu64=18446744073709551615,0,1,2", "4xbool=true,false,true,true"}) {
    CAPTURE(values);
    const std::string text = values;
    const std::string dtype = text.substr(2, text.find('=') - 2);
    const Strings words{"SliceScatter", "-d", text,     "-u", "0x" + dtype + "=", "--start", "0",
                        "--stop",       "0",  "--step", "1"};
    write_file(directory / "r.json", output_of(words));
    CHECK(output_of({"compare", directory / "r.json", text, "--equal-nan", "--dtype", dtype})
              .starts_with("equal: 4 elements"));
  }
}

TEST_CASE("on a terminal what is printed is shortened, and nothing is said of its dtype", "[app]") {
  const Terminal terminal;
  const Result result = Command("ScatterUpdate -d 2000xi16=1 -i [0] -u [7] -a 0")
                            .with_output_to(terminal.path())
                            .run();
  CHECK(result.err.empty());
  CHECK(terminal.text() == "[7, 1, 1, ..., 1, 1, 1]\r\n");
}

TEST_CASE("the line about the dtype is left out where it would be in the way", "[app]") {
  const TemporaryDirectory directory;
  const auto said = [&](const Strings& more) {
    Strings words = with_more(split_words("ScatterUpdate-3 -d 3xu8=0 -i [1] -u [7] -a 0"), more);
    return Command(words).with_output_to(directory / "r").run().err;
  };
  CHECK_THAT(said({}), contains("without its dtype, uint8"));
  CHECK(said({"-q"}).empty());
  CHECK(said({"-n"}).empty());
  CHECK(said({"-o", "-"}).empty());
  CHECK(nlohmann::json::parse(said({"--json"})).at("output").is_null());
  write_file(
      directory / "job.json",
      R"({"op": "ScatterUpdate-3", "data": [1], "indices": [0], "updates": [2], "axis": 0})");
  const Result job = Command({"run", directory / "job.json"}).with_output_to(directory / "r").run();
  CHECK(job.err ==
        "tscatter: the result was printed without its dtype, int64 (\"output\": \"x.npy\" keeps "
        "it)\n");
}

TEST_CASE("a long result is printed, and a long member deflated, in little memory", "[app]") {
  if (property::is_slowed) return;  // their memory is not the program's
  const TemporaryDirectory directory;
  const std::string large = "120000000xu8=1";
  constexpr std::uint64_t limit = std::uint64_t{80} << 20U;
  const Result printed =
      Command({"ScatterUpdate", "-d", large, "-i", "[0]", "-u", "[7]", "-a", "0"})
          .with_output_to("/dev/null")
          .with_private_memory_limit(limit)
          .run();
  CHECK(printed.err.empty());
  CHECK(printed.exit_code == 0);
  const Result deflated = Command({"convert", large, directory / "x.npz:a", "--compress"})
                              .with_private_memory_limit(limit)
                              .run();
  CHECK(deflated.err.empty());
  CHECK(std::filesystem::file_size(directory / "x.npz") < 1000000);
}

}  // namespace tscatter
