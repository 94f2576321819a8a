// A change in place by parts: claims, journals, finish and recover.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/process.hpp"
#include "app/sum_of_rows.hpp"
#include "catch.hpp"
#include "io/files.hpp"
#include "io/forwarding_files.hpp"
#include "parts/part_claim.hpp"
#include "parts/part_in_place.hpp"
#include "tscatter/io/formats/npy_format.hpp"

namespace tscatter {
namespace {

struct PartsInPlace {
  TemporaryDirectory directory;
  std::string before;
  std::string after;

  PartsInPlace() {
    write_operands_of_sum(directory);
    before = bytes("d.npy");
    run(call({"-o", "after.npy"}));
    after = bytes("after.npy");
  }

  static Strings call(const Strings& more) {
    Strings words = sum_of_rows;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static Strings part(const std::string& number, const Strings& more = {}) {
    Strings words = call({"--in-place", "--unit", "4K", "--part", number});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Command command(const Strings& words) const {
    Command command(words);
    return command.in(directory.path());
  }
  Result run(const Strings& words) const { return command(words).run(); }
  std::string out_of(const Strings& words) const {
    const Result result = run(words);
    CHECK(result.err.empty());
    CHECK(result.exit_code == 0);
    return result.out;
  }
  std::string refused(int exit_code, const Strings& words) const {
    return refusal_of(exit_code, command(words));
  }
  std::filesystem::path folder() const { return directory / "d.npy.tscatter-parts"; }
  std::string bytes(const std::string& name) const { return read_file(directory / name); }
  void claim(const std::string& part, const std::string& job = "", int restarts = 0) const {
    write_file(folder() / ("busy." + part),
               fmt::format(R"({{"host":"n1","process":7,"slurm_job":"{}","restarts":{}}})", job,
                           restarts));
  }
};

// Has no files without names, and another process makes every name in the last moment.
class LateFiles final : public ForwardingFiles {
 public:
  int open_unnamed(const Path&, mode_t) override {
    errno = EOPNOTSUPP;
    return -1;
  }
  int link(int descriptor, const Path& path) override {
    write_file(path, "another");
    return ForwardingFiles::link(descriptor, path);
  }
  int rename(const Path& from, const Path& to) override {
    write_file(to, "another");
    return ForwardingFiles::rename(from, to);
  }
};

// Another process takes the job back, and begins another, when the part is about to claim itself.
class LostFiles final : public ForwardingFiles {
 public:
  int link(int descriptor, const Path& path) override {
    const Path job = path.parent_path() / "job";
    if (path.filename() == "busy.0001")
      write_file(job, to_json(app::PartsJob{.run = 2, .facts = {}}));
    return ForwardingFiles::link(descriptor, path);
  }
};

// A disk that has no space left once it is full.
class FullFiles final : public ForwardingFiles {
 public:
  bool is_full = false;
  ssize_t pwrite(int descriptor, ConstBytes bytes, std::int64_t offset) override {
    if (!is_full) return ForwardingFiles::pwrite(descriptor, bytes, offset);
    errno = ENOSPC;
    return -1;
  }
};

// Part 1 of 2 of d.npy, by the library.
struct FirstPart {
  std::string path;
  app::PartsFolder folder;
  std::unique_ptr<InPlaceFile> file;
  app::PartInPlace output;

  FirstPart(const PartsInPlace& parts, FileSystem& files)
      : path{(parts.directory / "d.npy").native()},
        folder{path, files},
        file{open_in_place(
            npy_format, path, "",
            {.recovery = Recovery::checked, .locking = Locking::by_caller, .files = &files})},
        output{folder,
               {.run = 1,
                .parts = 2,
                .file_bytes = std::ssize(parts.before),
                .facts = {app::in_place_fact}},
               1,
               *file,
               app::TakeOver::refused} {}

  Sink& begin() {
    const Tensor& data = file->data();
    return output.begin({.type = data.type(), .shape = data.shape()}, data.source());
  }
};

const std::string p8_rule =
    "d.npy: a part in place must be computed by one process (--take-over, if that is dead), got ";

}  // namespace

TEST_CASE("the parts of a change in place are the bytes of one run, each made once", "[app]") {
  const PartsInPlace parts;
  for (const int count : {1, 2, 7, 64}) {
    INFO(count);
    write_file(parts.directory / "d.npy", parts.before);
    for (int part = count; part >= 1; --part) {
      for (int twice = 0; twice < 2; ++twice)
        parts.out_of(PartsInPlace::part(fmt::format("{}/{}", part, count)));
    }
    CHECK((parts.bytes("d.npy") == parts.after));
    CHECK(parts.out_of({"parts", "d.npy", "--missing"}).empty());
    CHECK(parts.out_of({"finish", "d.npy", "--wait", "0"}) == "-  d.npy\n");
    CHECK(!std::filesystem::exists(parts.folder()));
    CHECK((parts.bytes("d.npy") == parts.after));
  }
}

TEST_CASE("finish waits for the name that says that a file is changed in place", "[app]") {
  const PartsInPlace parts;
  parts.out_of(PartsInPlace::part("1/2"));
  const std::filesystem::path name = parts.folder() / "in-place";
  std::filesystem::rename(name, parts.directory / "hidden");
  Running finish(parts.command({"finish", "d.npy", "--wait", "60"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::filesystem::rename(parts.directory / "hidden", name);
  parts.out_of(PartsInPlace::part("2/2"));
  CHECK(finish.finish().exit_code == 0);
  CHECK((parts.bytes("d.npy") == parts.after));
  CHECK(!std::filesystem::exists(parts.folder()));
}

TEST_CASE("recover takes back all parts of a change in place, until finish", "[app]") {
  const PartsInPlace parts;
  for (const char* number : {"1/3", "3/3"}) parts.out_of(PartsInPlace::part(number));
  CHECK((parts.bytes("d.npy") != parts.before));
  CHECK(parts.out_of({"recover", "-n", "d.npy"}).starts_with("d.npy: would take back a change"));
  CHECK((parts.bytes("d.npy") != parts.before));
  const std::string said = parts.out_of({"recover", "d.npy"});
  CHECK(said.starts_with("d.npy: took back a change in place by parts: "));
  CHECK(said.ends_with(" of 2 parts\n"));
  CHECK((parts.bytes("d.npy") == parts.before));
  CHECK(!std::filesystem::exists(parts.folder()));
  CHECK(parts.out_of({"recover", "d.npy"}) == "d.npy: nothing to roll back\n");
}

TEST_CASE("recover removes the folder of a part that was killed before it began", "[app]") {
  const PartsInPlace parts;
  std::string left;
  SECTION("with the job alone") {
    parts.out_of(PartsInPlace::part("2/2"));
    const std::string job = read_file(parts.folder() / "job");
    parts.out_of({"recover", "d.npy"});
    std::filesystem::create_directory(parts.folder());
    write_file(parts.folder() / "job", job);
    left = "took back a change in place by parts: 0 bytes in 0 ranges of 0 parts\n";
  }
  SECTION("with nothing, or what has no name yet") {
    std::filesystem::create_directory(parts.folder());
    write_file(parts.folder() / ".tscatter-0", "");
    left = "nothing to roll back\n";
  }
  parts.out_of({"recover", "-n", "d.npy"});
  CHECK(std::filesystem::exists(parts.folder()));
  CHECK(parts.out_of({"recover", "d.npy"}) == "d.npy: " + left);
  CHECK(!std::filesystem::exists(parts.folder()));
  CHECK((parts.bytes("d.npy") == parts.before));
}

TEST_CASE("recover leaves the parts of a new file alone", "[app]") {
  const PartsInPlace parts;
  parts.out_of(PartsInPlace::call({"-o", "o.npy", "--part", "1/2"}));
  write_file(parts.directory / "o.npy", parts.before);
  CHECK(parts.out_of({"recover", "o.npy"}) == "o.npy: nothing to roll back\n");
  CHECK(parts.out_of({"parts", "o.npy", "--missing"}) == "2\n");
}

TEST_CASE("what finish or recover decided stands, whichever comes then", "[app]") {
  const PartsInPlace parts;
  for (const char* number : {"1/2", "2/2"}) parts.out_of(PartsInPlace::part(number));
  SECTION("finished") {
    write_file(parts.folder() / "finished", "-");
    CHECK(parts.refused(3, PartsInPlace::part("1/2")) ==
          "d.npy: a part must belong to the job whose parts are there, got one that is finished "
          "(tscatter finish removes what is left) [part.p2]");
    CHECK(parts.out_of({"recover", "d.npy"}) == "d.npy: nothing to roll back\n");
    CHECK((parts.bytes("d.npy") == parts.after));
  }
  SECTION("taken back") {
    write_file(parts.folder() / "finished", "taken back");
    CHECK(parts.refused(3, PartsInPlace::part("1/2")) ==
          "d.npy: a part must belong to the job whose parts are there, got one that is being taken "
          "back (tscatter recover ends that) [part.p2]");
    CHECK(parts.refused(3, {"finish", "d.npy", "--wait", "0"}) ==
          "d.npy: every part must be done, got a change that is taken back (tscatter recover ends "
          "that) [part.p3]");
    parts.out_of({"recover", "d.npy"});
    CHECK((parts.bytes("d.npy") == parts.before));
  }
  CHECK(!std::filesystem::exists(parts.folder()));
}

TEST_CASE("part.p5: a file that is changed by parts is not read or changed by anything else",
          "[app]") {
  const PartsInPlace parts;
  const std::string rule =
      "d.npy: must not be read or changed while it is changed in place by parts (tscatter finish "
      "ends that, tscatter recover takes it back), got ";
  parts.out_of(PartsInPlace::part("1/2"));
  for (const Strings& words :
       {PartsInPlace::call({"-o", "o.npy"}), PartsInPlace::call({"--in-place"}),
        Strings{"show", "d.npy"}, Strings{"convert", "[1]", "d.npy"}}) {
    const std::string said = parts.refused(3, words);
    CHECK(said.starts_with(rule));
    CHECK(said.ends_with("d.npy.tscatter-parts [part.p5]"));
  }
  parts.out_of(PartsInPlace::part("2/2"));
  parts.out_of({"finish", "d.npy", "--wait", "0"});
  parts.out_of({"show", "d.npy"});
}

TEST_CASE("part.p8: a part in place is computed by one process", "[app]") {
  const PartsInPlace parts;
  parts.out_of(PartsInPlace::part("1/2"));
  parts.claim("0002");
  CHECK(parts.refused(3, PartsInPlace::part("2/2")) ==
        p8_rule + "part 2 claimed by process 7 on n1 [part.p8]");
  CHECK(parts.refused(3, {"recover", "d.npy"}) ==
        p8_rule + "part 2 claimed by process 7 on n1 [part.p8]");
  SECTION("which may be dead") {
    parts.out_of(PartsInPlace::part("2/2", {"--take-over"}));
    CHECK((parts.bytes("d.npy") == parts.after));
    CHECK(!std::filesystem::exists(parts.folder() / "busy.0002"));
  }
  SECTION("which recover may know, too") {
    parts.out_of({"recover", "d.npy", "--take-over"});
    CHECK((parts.bytes("d.npy") == parts.before));
  }
  SECTION("unless Slurm began it anew") {
    parts.claim("0002", "12", 1);
    const auto began = [&](const char* job, const char* restarts) {
      Command command = parts.command(PartsInPlace::part("2/2"));
      command.with_environment("SLURM_JOB_ID", job);
      command.with_environment("SLURM_RESTART_COUNT", restarts);
      return command.run().exit_code;
    };
    CHECK(began("12", "1") == 3);
    CHECK(began("13", "2") == 3);
    CHECK(began("12", "2") == 0);
    CHECK((parts.bytes("d.npy") == parts.after));
  }
  SECTION("not even then where its lock is held") {
    const int file = ::open((parts.directory / "d.npy").c_str(), O_RDWR | O_CLOEXEC);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_start = 60000;
    lock.l_len = 1;
    REQUIRE(::fcntl(file, F_OFD_SETLK, &lock) == 0);
    CHECK(parts.refused(3, PartsInPlace::part("2/2", {"--take-over"})) ==
          "d.npy: a part in place must be computed by one process, got another at work on part 2 "
          "[part.p8]");
    const std::string said = parts.refused(3, {"recover", "d.npy", "--take-over"});
    CHECK(said.ends_with("[file.f8]"));
    CHECK(!std::filesystem::exists(parts.folder() / "finished"));  // nothing is decided
    ::close(file);
  }
}

TEST_CASE("part.p8: a claim is made by one process, also where files have names at once", "[app]") {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "d.npy.tscatter-parts");
  LateFiles files;
  const app::PartsFolder folder((directory / "d.npy").native(), files);
  CHECK(!folder.publish(folder.claim_path(1), "own"));
  CHECK(folder.text_of(folder.claim_path(1)) == "another");
}

TEST_CASE("part.p2: a part changes nothing when its job was taken back before the claim", "[app]") {
  const PartsInPlace parts;
  LostFiles files;
  FirstPart part(parts, files);
  CHECK(refusal([&] { part.begin(); }) ==
        part.path +
            ": a part must belong to the job whose parts are there, got one that was taken back "
            "[part.p2]");
  CHECK(part.folder.journals().empty());
}

TEST_CASE("undo.u1: the journal of a part that has no space is not to be left out", "[app]") {
  const PartsInPlace parts;
  FullFiles files;
  FirstPart part(parts, files);
  Sink& sink = part.begin();
  files.is_full = true;
  std::vector<std::byte> buffer;
  CHECK(refusal([&] {
          sink.undo_log()->keep(std::array{ByteRange{.begin = 0, .end = 12}}, buffer);
        }) == part.path +
                  ": the undo journal of a change in place must be writable beside the file, got "
                  "no space left on device [undo.u1]");
}

TEST_CASE("undo.u7: the journal of a part whose file has two names is not to be left out",
          "[app]") {
  const PartsInPlace parts;
  std::filesystem::create_hard_link(parts.directory / "d.npy", parts.directory / "e.npy");
  CHECK(parts.refused(3, PartsInPlace::part("1/2")) ==
        "d.npy: must have one name to be changed in place with an undo journal, got 2 hard links "
        "[undo.u7]");
}

TEST_CASE("a part that was killed is rolled back before it begins anew", "[app]") {
  const PartsInPlace parts;
  for (const char* number : {"1/2", "2/2"}) parts.out_of(PartsInPlace::part(number));
  // As if part 2 had been killed when it was almost done.
  std::filesystem::remove(parts.folder() / "done.0002");
  parts.claim("0002");
  CHECK(std::filesystem::exists(parts.folder() / "undo.0002"));
  parts.out_of(PartsInPlace::part("2/2", {"--take-over"}));
  CHECK((parts.bytes("d.npy") == parts.after));
}

TEST_CASE("part.p9: a change in place by parts keeps journals, of elements within units", "[app]") {
  const PartsInPlace parts;
  const std::string rule =
      "--part: a change in place by parts must keep journals, and have elements that do not lie "
      "across units of the file, got ";
  CHECK(parts.refused(2, PartsInPlace::part("1/2", {"--no-journal"})) == rule + "none [part.p9]");
  write_file(parts.directory / "r.npy",
             npy_file("{'descr': '|V3', 'fortran_order': False, 'shape': (2000,)}",
                      std::string(6000, 'a')));
  write_file(parts.directory / "v.npy",
             npy_file("{'descr': '|V3', 'fortran_order': False, 'shape': (1,)}", "bcd"));
  const Strings records{"ScatterNDUpdate", "-d",         "r.npy",  "-i", "[[0]]", "-u",
                        "v.npy",           "--in-place", "--part", "1/2"};
  CHECK(parts.refused(2, records).starts_with(rule + "elements of 3 bytes from byte "));
}

TEST_CASE("cli.c90: --take-over is given with a part in place", "[app]") {
  const PartsInPlace parts;
  const std::string rule = "--take-over: must be given with a part in place, got ";
  CHECK(parts.refused(2, PartsInPlace::call({"-o", "o.npy", "--take-over"})) ==
        rule + "no part [cli.c90]");
  CHECK(parts.refused(2, PartsInPlace::call({"-o", "o.npy", "--part", "1/2", "--take-over"})) ==
        rule + "an output [cli.c90]");
}

TEST_CASE("part.p5: no digest is made of a file that parts are changing", "[app]") {
  const PartsInPlace parts;
  parts.out_of(PartsInPlace::part("1/2"));
  CHECK(parts.refused(3, {"digest", "d.npy"}).ends_with("got d.npy.tscatter-parts [part.p5]"));
}

TEST_CASE("a recover that finds a damaged journal has decided nothing", "[app]") {
  const PartsInPlace parts;
  for (const char* number : {"1/2", "2/2"}) parts.out_of(PartsInPlace::part(number));
  const std::filesystem::path journal = parts.folder() / "undo.0002";
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) - 1);
  CHECK(parts.run({"recover", "d.npy"}).exit_code != 0);
  CHECK(!std::filesystem::exists(parts.folder() / "finished"));
  parts.out_of({"finish", "d.npy", "--wait", "0"});
  CHECK((parts.bytes("d.npy") == parts.after));
}

TEST_CASE("cli.c91: finish --check is given for parts of a new file", "[app]") {
  const PartsInPlace parts;
  parts.out_of(PartsInPlace::part("1/1"));
  CHECK(parts.refused(2, {"finish", "d.npy", "--check"}) ==
        "--check: must be given for parts of a new file, which have checksums, got d.npy, changed "
        "in place [cli.c91]");
}

}  // namespace tscatter
