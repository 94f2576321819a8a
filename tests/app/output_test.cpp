// Where results go: files, stdout, what is printed, reports and dry runs.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "app/folder.hpp"
#include "catch.hpp"

namespace tscatter {
namespace {

using nlohmann::ordered_json;

// data [0, 0, 0] of uint8, 7 to place 1; and `more`.
Strings output_update(Strings more = {}) {
  return with_more(split_words("ScatterUpdate-3 -d 3xu8=0 -i [1] -u [7] -a 0"), more);
}

const std::string result_npy = npy_file(
    "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }" + std::string(60, ' ') + "\n",
    std::string("\0\7\0", 3));
const std::string result_json = "{\"dtype\": \"uint8\", \"shape\": [3], \"data\": [0, 7, 0]}\n";

// A file that a .npy may replace.
constexpr std::string_view old_npy = "\x93NUMPY old";

Strings keys(const std::string& json) {
  Strings names;
  const ordered_json object = ordered_json::parse(json);
  for (const auto& item : object.items()) names.push_back(item.key());
  return names;
}

const Strings report_keys = split_words(
    "op reduction dtype shape output index_entries duplicates elements_written bytes_read "
    "bytes_written threads");

}  // namespace

TEST_CASE("the output's name decides its format", "[app]") {
  const TemporaryDirectory directory;
  CHECK(output_of(output_update({"-o", directory / "x.npy"})).empty());
  CHECK(output_of(output_update({"-o", directory / "x.json"})).empty());
  CHECK(output_of(output_update({"-o", directory / "noextension"})).empty());
  CHECK(output_of(output_update({"-o", directory / "y.npy", "--sync"})).empty());
  CHECK(read_file(directory / "x.npy") == result_npy);
  CHECK(read_file(directory / "x.json") == result_json);
  CHECK(read_file(directory / "noextension") == result_npy);
  CHECK(read_file(directory / "y.npy") == result_npy);
  CHECK(directory.names() == Strings{"noextension", "x.json", "x.npy", "y.npy"});
}

TEST_CASE("-o - writes .npy, or JSON when asked for", "[app]") {
  CHECK(output_of(output_update({"-o", "-"})) == result_npy);
  CHECK(output_of(output_update({"-o", "-", "--format", "npy"})) == result_npy);
  CHECK(output_of(output_update({"-o", "-", "--format", "json"})) == result_json);
  CHECK(output_of(output_update()) == "[0, 7, 0]\n");
}

TEST_CASE("what is printed into a pipe, and what is written, is whole", "[app]") {
  const Strings words = split_words("ScatterUpdate -d 2000xi16=1 -i [0] -u [7] -a 0");
  CHECK(nlohmann::json::parse(output_of(words)).size() == 2000);
  Strings json(words);
  json.insert(json.end(), {"-o", "-", "--format", "json"});
  CHECK(nlohmann::json::parse(output_of(json)).at("data").size() == 2000);
}

TEST_CASE("outputs that are no plain files", "[app]") {
  const TemporaryDirectory directory;
  CHECK(output_of(output_update({"-o", "/dev/null"})).empty());
  CHECK(output_of(output_update({"-o", "/dev/stdout"})) == result_npy);
  CHECK(output_of(output_update({"-o", "/dev/fd/1"})) == result_npy);
  CHECK(refusal_of(3, output_update({"-o", "/dev/full"})) ==
        "/dev/full: cannot be written to its end: no space left on device [file.f5]");
  CHECK(refusal_of(3, Command(output_update()).with_output_to("/dev/full")) ==
        "<stdout>: cannot be written to its end: no space left on device [file.f5]");
  REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] { got = read_file(directory / "fifo"); });
  CHECK(output_of(output_update({"-o", directory / "fifo"})).empty());
  reader.join();
  CHECK(got == result_npy);
}

TEST_CASE("an output of a file that is an input replaces it", "[app]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.npy", result_npy);
  const Strings words{"ScatterUpdate",
                      "-d",
                      directory / "x.npy",
                      "-i",
                      "[0, 2]",
                      "-u",
                      directory / "u.npy",
                      "-a",
                      "0",
                      "-o",
                      directory / "x.npy"};
  write_file(directory / "u.npy",
             npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "ab"));
  CHECK(output_of(words).empty());
  CHECK(read_file(directory / "x.npy").ends_with("a\7b"));
  CHECK(directory.names() == Strings{"u.npy", "x.npy"});
}

TEST_CASE("a symbolic link is followed, permissions are kept", "[app]") {
  const TemporaryDirectory directory;
  write_file(directory / "target", old_npy);
  ::chmod((directory / "target").c_str(), 0640);
  std::filesystem::create_symlink("target", directory / "link");
  CHECK(output_of(output_update({"-o", directory / "link"})).empty());
  CHECK(std::filesystem::is_symlink(directory / "link"));
  CHECK(read_file(directory / "target") == result_npy);
  struct stat status {};
  ::stat((directory / "target").c_str(), &status);
  CHECK((status.st_mode & 0777U) == 0640);
}

TEST_CASE("a broken rule leaves the old output and no other file", "[app]") {
  const TemporaryDirectory directory;
  write_file(directory / "x.npy", old_npy);
  Strings words = output_update({"-o", directory / "x.npy"});
  words[4] = "[3]";
  CHECK(refusal_of(5, words) ==
        "scatter_update_3: indices[0] must be in [0, 3) for data axis 0, got 3 "
        "[scatter_update_3.c4]");
  CHECK(read_file(directory / "x.npy") == old_npy);
  CHECK(directory.names() == Strings{"x.npy"});
}

TEST_CASE("outputs that cannot be made", "[app]") {
  const Folder directory;
  CHECK(directory.refused(3, output_update({"-o", "no/x.npy"})) ==
        "no/x.npy: cannot be created: the folder no does not exist [file.f4]");
  CHECK(refusal_of(3, output_update({"-o", directory.path()})) ==
        directory.path().native() + ": is a folder: name a file in it [file.f7]");
}

TEST_CASE("a file that outgrows its limit leaves nothing", "[app]") {
  const Folder folder;
  for (const char* name : {"x.npy", "x.json"}) {
    const Command command =
        folder.command({"convert", "100000xu8=200", name}).with_file_limit(1000);
    CHECK(refusal_of(3, command).ends_with(": file too large [file.f5]"));
    CHECK(folder.names().empty());
  }
}

TEST_CASE("a literal of almost 2^63 bytes is refused for want of space", "[app]") {
  const Folder folder;
  for (const char* literal : {"9223372036854775807xu8=0", "9223372036854775600xu8=0"}) {
    const Command command =
        folder.command({"convert", literal, "x.npy"}).with_file_limit(100000000);
    CHECK(refusal_of(3, command).starts_with("x.npy: needs space for "));
    CHECK(folder.names().empty());
  }
}

TEST_CASE("the report's keys come in order, seconds last", "[app]") {
  const TemporaryDirectory directory;
  const std::string text =
      output_of(output_update({"--json", "-j", "2", "-o", directory / "x.npy"}));
  CHECK(text.find('\n') == text.size() - 1);
  Strings expected(report_keys);
  expected.emplace_back("seconds");
  CHECK(keys(text) == expected);
  const ordered_json report = ordered_json::parse(text);
  CHECK(report.at("op") == "ScatterUpdate-3");
  CHECK(report.at("reduction") == "none");
  CHECK(report.at("dtype") == "uint8");
  CHECK(report.at("shape").dump() == "[3]");
  CHECK(report.at("output") == (directory / "x.npy").native());
  CHECK(report.at("index_entries") == 1);
  CHECK(report.at("duplicates") == 0);
  CHECK(report.at("elements_written") == 1);
  CHECK(report.at("bytes_written") == 3);
  CHECK(report.at("seconds") >= 0);
}

TEST_CASE("the report is on stderr where stdout carries the tensor", "[app]") {
  const Result printed = tscatter_run(output_update({"--json"}));
  CHECK(printed.out == "[0, 7, 0]\n");
  CHECK(ordered_json::parse(printed.err).at("output").is_null());
  const Result npy = tscatter_run(output_update({"--json", "-o", "-"}));
  CHECK(npy.out == result_npy);
  CHECK(ordered_json::parse(npy.err).at("output") == "-");
}

TEST_CASE("duplicates are the entries whose destination an earlier one has", "[app]") {
  const Result result = tscatter_run(
      "ScatterNDUpdate-15 -d 4xi32=0 -i '[[1], [1], [-3], [0], [0]]' -u 5xi32=1 -r sum --json");
  CHECK(result.out == "[2, 3, 0, 0]\n");
  const ordered_json report = ordered_json::parse(result.err);
  CHECK(report.at("index_entries") == 5);
  CHECK(report.at("duplicates") == 3);
  CHECK(report.at("reduction") == "sum");
}

TEST_CASE("--dry-run checks every rule and writes nothing", "[app]") {
  const Folder folder;
  CHECK(output_of(output_update({"-n", "-j", "1", "-o", "x.npy"})) ==
        "op                ScatterUpdate-3\n"
        "dtype             uint8\n"
        "shape             [3]\n"
        "output            x.npy\n"
        "index entries     1\n"
        "duplicates        0\n"
        "elements written  1 of 3\n"
        "read              20 bytes\n"
        "written           3 bytes\n"
        "threads           1\n");
  CHECK(output_of(output_update({"--dry-run", "-j", "1", "--json"})) ==
        "{\"op\":\"ScatterUpdate-3\",\"reduction\":\"none\",\"dtype\":\"uint8\",\"shape\":[3],"
        "\"output\":null,\"index_entries\":1,\"duplicates\":0,\"elements_written\":1,\"bytes_"
        "read\":20,\"bytes_written\":3,\"threads\":1}\n");
  CHECK_THAT(output_of(output_update({"-n"})), contains("output            printed\n"));
  CHECK(folder.run(output_update({"-n", "-o", "x.npy"})).exit_code == 0);
  CHECK(folder.names().empty());
  Strings wrong = output_update({"-n"});
  wrong[4] = "[3]";
  CHECK(refusal_of(5, wrong).ends_with("[scatter_update_3.c4]"));
}

TEST_CASE("a dry run in place says so, and how large the undo journal will be", "[app]") {
  const TemporaryDirectory directory;
  CHECK(output_of({"convert", "2048x1024xu8=0", directory / "x.npy"}).empty());
  Strings words = with_more(
      split_words(
          "ScatterNDUpdate-15 -i '[[1], [2], [7]]' -u 3x1024xu8=1 -r sum -n -j 1 --in-place"),
      {"-d", directory / "x.npy"});
  const std::string text = output_of(words);
  CHECK_THAT(text, contains("reduction         sum\n"));
  CHECK_THAT(text, contains("x.npy, changed in place\nundo journal      4.2 KiB\n"));
  CHECK_THAT(text, contains("\nread              7.0 KiB\nwritten           4.0 KiB\n"));
  words.emplace_back("--json");
  const ordered_json report = ordered_json::parse(output_of(words));
  CHECK(report.at("in_place") == true);
  // A header, two records of whole sectors of the file, and the commit record.
  CHECK(report.at("journal_bytes") == 64 + 2 * 24 + 5 * 512 + 3 * 512 + 48);
  words.emplace_back("--no-journal");
  CHECK(ordered_json::parse(output_of(words)).at("journal_bytes") == 0);
  words.pop_back();
  words.back() = "--sync";
  CHECK_THAT(output_of(words), contains("undo journal      12.1 KiB\n"));
  words[2] = "0x1xi64=";
  words[4] = "0x1024xu8=";
  CHECK_THAT(output_of(words), contains("undo journal      none\n"));
  CHECK(directory.names() == Strings{"x.npy"});
}

TEST_CASE("the output keeps data's byte order and memory order", "[app]") {
  const TemporaryDirectory directory;
  const auto header = [](const char* descr, const char* order) {
    return std::string("{'descr': '") + descr + "', 'fortran_order': " + order +
           ", 'shape': (2, 2)}";
  };
  write_file(directory / "d.npy",
             npy_file(header(">i2", "True"), std::string("\0\1\0\3\0\2\0\4", 8)));
  write_file(directory / "u.npy",
             npy_file(header("<i2", "False"), std::string("\5\0\6\0\7\0\10\0", 8)));
  const Strings words{"ScatterUpdate",
                      "-d",
                      directory / "d.npy",
                      "-i",
                      "[1, 0]",
                      "-u",
                      directory / "u.npy",
                      "-a",
                      "1",
                      "-o",
                      directory / "o.npy"};
  CHECK(output_of(words).empty());
  const std::string output = read_file(directory / "o.npy");
  CHECK_THAT(output, contains("'descr': '>i2', 'fortran_order': True"));
  CHECK(output.ends_with(std::string("\0\6\0\10\0\5\0\7", 8)));
}

TEST_CASE("a closed stdin, stdout or stderr is an error or nothing, never another file", "[app]") {
  const TemporaryDirectory directory;
  write_file(directory / "d.npy", result_npy);
  const std::string before = read_file(directory / "d.npy");
  CHECK(refusal_of(3, Command({"ScatterUpdate", "-d", directory / "d.npy", "-i", "-", "-u",
                               "3xu8=1", "-a", "0"})
                          .with_closed(STDIN_FILENO)) ==
        "<stdin>: is not open: bad file descriptor [file.f1]");
  const Result no_stdout = Command({"show", directory / "d.npy"}).with_closed(STDOUT_FILENO).run();
  CHECK(no_stdout.exit_code == 3);
  const Result no_stderr =
      Command({"show", directory / "none.npy"}).with_closed(STDERR_FILENO).run();
  CHECK(no_stderr.exit_code == 3);
  const Result verbose = Command(output_update({"-v", "-o", directory / "o.npy"}))
                             .with_closed(STDERR_FILENO)
                             .with_closed(STDOUT_FILENO)
                             .run();
  CHECK(verbose.exit_code == 0);
  CHECK(read_file(directory / "o.npy") == result_npy);
  CHECK(read_file(directory / "d.npy") == before);
}

}  // namespace tscatter
