// The log of -v and -vv on stderr: whole lines, without times and temporary names.
#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "app/batch.hpp"
#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

// Its lines without the time of day; durations are "T s".
Strings lines_of(const Result& result) {
  static const std::regex time("^\\[\\d\\d:\\d\\d:\\d\\d\\.\\d{6}\\] ");
  static const std::regex duration("\\d+\\.\\d{6} s");
  Strings lines;
  std::istringstream text(result.err);
  for (std::string line; std::getline(text, line);) {
    CHECK(std::regex_search(line, time));
    lines.push_back(std::regex_replace(std::regex_replace(line, time, ""), duration, "T s"));
  }
  return lines;
}

// With one worker and portable kernels.
Command portable(Strings words) {
  words.insert(words.end(), {"-j", "1"});
  return Command(std::move(words)).with_environment("TSCATTER_KERNELS", "portable");
}

const char* const phases =
    "info  time: check T s, lower T s, open T s, group T s, count T s, process T s, commit T s";

const Strings update = split_words("ScatterUpdate -d d.npy -i '[1, 1]' -u '[7, 8]' -a 0");

std::string little_endian() {
  return std::endian::native == std::endian::little ? ", little-endian" : ", big-endian";
}

struct Data {
  TemporaryDirectory directory;

  Data() {
    write_file(directory / "d.npy",
               npy_file("{'descr': '<i2', 'fortran_order': False, 'shape': (3,)}", "a b c "));
  }
  Result run(const Strings& words) const { return portable(words).in(directory.path()).run(); }
};

}  // namespace

TEST_CASE("-v says how operands are read, what was decided and where the time went", "[app]") {
  const Data data;
  const Result result = data.run(with_more(update, {"-o", "o.npy", "-v"}));
  CHECK(result.out.empty());
  CHECK(lines_of(result) ==
        Strings{
            "info  axis: int64 [], C order" + little_endian() + ", 8 bytes from --axis (in memory)",
            "info  data: int16 [3], C order, little-endian, 6 bytes from d.npy (mapped)",
            "info  indices: int64 [2], C order" + little_endian() +
                ", 16 bytes from --indices (in memory)",
            "info  updates: int16 [2], C order" + little_endian() +
                ", 4 bytes from --updates (in memory)",
            "info  output: o.npy, which gets its name when it is complete",
            "info  writes: 2 runs of 1 element, in the order of the entries",
            "info  data: copied, tile by tile",
            "info  run: 1 tile of 6 bytes, 1 thread, portable kernels",
            "info  counts: 2 index entries, 1 of them duplicates, 1 of 3 elements written",
            "info  bytes: 34 read, 6 written", phases, "info  done in T s"});
}

TEST_CASE("-v says that the indices of elements are read again", "[app]") {
  const Data data;
  const Result result = data.run({"ScatterElementsUpdate-12", "-d", "d.npy", "-i", "[2, 0]", "-u",
                                  "[7, 8]", "-a", "0", "-o", "o.npy", "-v"});
  const Strings lines = lines_of(result);
  CHECK(std::ranges::count(
            lines, "info  writes: 2 runs of 1 element, not listed, read again for each slab") == 1);
}

TEST_CASE("-v says that integers are summed in copies", "[app]") {
  const Folder folder;
  const Result result = folder.run("numpy.bincount --x 2000000xi64=5 -o o.npy -v -j 2");
  CHECK(std::ranges::count(lines_of(result),
                           "info  writes: 2000000 runs of 1 element, shared out by entries, in "
                           "copies that are then combined") == 1);
  CHECK_THAT(folder.out("show o.npy[5]"), contains("2000000"));
}

TEST_CASE("-vv adds each phase and worker", "[app]") {
  const Data data;
  const Strings lines = lines_of(data.run(with_more(update, {"--in-place", "-vv"})));
  for (const char* line :
       {"debug phase check T s", "debug rules: all 7 of ScatterUpdate-3 hold",
        "info  output: data's own file, with an undo journal", "info  data: changed in place",
        "info  undo journal: 6 old bytes are kept until the change is complete",
        "debug worker: 1 tile in T s, 6 bytes of data read, 6 bytes written",
        "debug phase commit T s"}) {
    INFO(line);
    CHECK(std::ranges::count(lines, line) == 1);
  }
}

TEST_CASE("the log changes nothing on stdout, and says no done where there is an error", "[app]") {
  const Data data;
  const Result quiet = data.run(update);
  const Result loud = data.run(with_more(update, {"-vv"}));
  CHECK(loud.out == quiet.out);
  CHECK(std::ranges::count(lines_of(loud), "info  output: stdout") == 1);
  const Result refused =
      data.run({"ScatterUpdate", "-d", "d.npy", "-i", "[3]", "-u", "[7]", "-a", "0", "-vv"});
  CHECK(refused.exit_code == 5);
  CHECK_THAT(refused.err, !contains("done in"));
}

TEST_CASE("verify, explain and compare say what they read", "[app]") {
  const Data data;
  const std::string read =
      "info  actual: int16 [3], C order, little-endian, 6 bytes from d.npy (mapped)";
  const Strings compared = lines_of(data.run({"compare", "d.npy", "d.npy", "-v"}));
  CHECK(compared.front() == read);
  CHECK(compared.back() == "info  done in T s");
}

TEST_CASE("verify says with -v how long each phase took", "[app]") {
  const Data data;
  Strings words = update;
  words.insert(words.begin(), "verify");
  const Strings alike = lines_of(data.run(with_more(words, {"--actual", "d.npy", "-v"})));
  CHECK(alike[alike.size() - 2] ==
        "info  time: check T s, lower T s, open T s, compare T s, lower T s, group T s, compare T "
        "s, blocks T s, diagnose T s, describe T s");
  const Strings shorter = lines_of(data.run(with_more(words, {"--actual", "[1, 2]", "-v"})));
  CHECK(shorter[shorter.size() - 2] == "info  time: check T s, lower T s");
}

TEST_CASE("-v says what was read as a whole first", "[app]") {
  const Data data;
  write_file(data.directory / "t.csv", "1\n2\n3\n");
  const auto spooled = [&](const std::string& word, const std::string& input) {
    const Strings lines =
        lines_of(portable({"show", word, "-v"}).with_input(input).in(data.directory.path()).run());
    Strings found;
    std::ranges::copy_if(lines, std::back_inserter(found),
                         [](const std::string& line) { return line.starts_with("info  spool: "); });
    return found;
  };
  CHECK(spooled("d.npy", "") == Strings{});
  CHECK(spooled("t.csv", "") == Strings{"info  spool: t.csv: 6 bytes of text parsed in T s"});
  write_file(data.directory / "t.csv", "id\n1\n2\n3\n");
  CHECK(spooled("t.csv", "") == Strings{"info  spool: t.csv: 9 bytes of text parsed in T s",
                                        "info  spool: t.csv: the first line is a header: id"});
  const std::string npy = read_file(data.directory / "d.npy");
  CHECK(spooled("-", npy) ==
        Strings{fmt::format("info  spool: <stdin>: {} bytes of a pipe put into memory in T s",
                            npy.size())});
  output_of({"convert", "[1, 2, 3]", (data.directory / "z.npz:w").native(), "--compress"});
  CHECK(spooled("z.npz:w", "") == Strings{"info  spool: z.npz:w: 24 bytes inflated in T s"});
}

TEST_CASE("a batch says with -v where the time of its workers went, and with -vv each case",
          "[app]") {
  const BatchDirectory batch({case_line({{"name", "first"}, {"expected", {5, 2, 6}}}),
                              case_line({{"name", "second"}, {"expected", {5, 2, 6}}})});
  const Strings told = lines_of(batch.run({"-j", "1", "-v"}));
  CHECK(std::ranges::count(told,
                           "info  batch: 2 cases run by 1 workers, whose time went to cases T s, "
                           "reading T s, waiting T s") == 1);
  CHECK(std::ranges::count_if(told, [](const std::string& line) {
          return line.starts_with("info  slowest cases: ");
        }) == 1);
  const Strings all = lines_of(batch.run({"-j", "1", "-vv"}));
  CHECK(std::ranges::count(all, "debug case first (cases.jsonl:1): begins, 1 thread") == 1);
  CHECK(std::ranges::count(all, "debug case second (cases.jsonl:2): passed in T s") == 1);
}

}  // namespace tscatter
