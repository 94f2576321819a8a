// The undo journal: what is refused, and what a rollback does.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "catch.hpp"
#include "io/forwarding_files.hpp"
#include "io/half_changed.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

const std::string& file = HalfChanged::file;

void update(const Tensor& data, Output& output) {
  scatter_update_3(data, list({0, 2}), view(std::span<const std::uint8_t>({'x', 'z'}), {2}),
                   scalar(0), output);
}

// Keeps bytes 1 and 2 in the journal: they may be written now.
Sink& begin_change(InPlaceFile& output) {
  Sink& sink = output.begin(output.data().header(), output.data().source());
  std::vector<std::byte> buffer;
  const ByteRange range{.begin = 1, .end = 3};
  sink.undo_log()->keep({&range, 1}, buffer);
  sink.undo_log()->seal();
  return sink;
}

}  // namespace

TEST_CASE("a committed journal is rolled back, once", "[io]") {
  const HalfChanged half;
  const Leftover expected{.state = UndoState::committed, .ranges = 2, .bytes = 3};
  CHECK(recover(half.path, Recovery::checked) == expected);
  CHECK(read_file(half.path) == half.changed);
  CHECK(recover(half.path) == expected);
  CHECK(read_file(half.path) == file);
  CHECK(half.directory.names() == std::vector<std::string>{"x.npy"});
  CHECK(recover(half.path) == Leftover{});
}

TEST_CASE("a link to the file leads to its journal", "[io]") {
  const HalfChanged half;
  std::filesystem::create_symlink("x.npy", half.directory / "link.npy");
  CHECK(recover(half.directory / "link.npy").bytes == 3);
  CHECK(read_file(half.path) == file);
}

TEST_CASE("only blocks that are not as they were are written back", "[io]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "x.npy";
  write_file(path, "");
  std::filesystem::resize_file(path, 1 << 20U);  // a hole
  leave_journal(path, {{.begin = 100, .end = 1 << 20U}});
  {
    const File data = open_locked(path, path.native(), system_files());
    data.write_at(500'000, bytes_of("changed"));
  }
  CHECK(recover(path).state == UndoState::committed);
  CHECK(read_file(path) == std::string(1 << 20U, '\0'));
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK(status.st_blocks * 512 <= std::int64_t{64} * 1024);
}

TEST_CASE("a run in place keeps its journal until its commit, with the owner's rights only",
          "[io]") {
  const TemporaryDirectory directory;
  const auto path = directory / "x.npy";
  write_file(path, file);
  {
    InPlaceFile output = npy_in_place(path);
    begin_change(output).write(1, bytes_of("XY"));
    struct stat status {};
    REQUIRE(::stat(journal_of(path).c_str(), &status) == 0);
    CHECK((status.st_mode & 07777U) == 0600);
  }
  // Without a commit it is rolled back.
  CHECK(read_file(path) == file);
  CHECK(directory.names() == std::vector<std::string>{"x.npy"});
}

TEST_CASE("a run in place without a journal makes none", "[io]") {
  const TemporaryDirectory directory;
  const auto path = directory / "x.npy";
  write_file(path, file);
  InPlaceFile output = npy_in_place(path, {.journaling = Journaling::left_out});
  CHECK(output.begin(output.data().header(), output.data().source()).undo_log() == nullptr);
}

TEST_CASE("the next run in place rolls back first, and says what it found", "[io]") {
  const HalfChanged half;
  InPlaceFile output = npy_in_place(half.path);
  CHECK(output.leftover() == Leftover{.state = UndoState::committed, .ranges = 2, .bytes = 3});
  update(output.data(), output);
  CHECK(read_file(half.path) == file.substr(0, file.size() - 6) + "xbzdef");
}

TEST_CASE("undo.u1: without a journal there is no change", "[io]") {
  const TemporaryDirectory directory;
  const auto path = directory / (std::string(245, 'n') + ".npy");
  write_file(path, file);
  InPlaceFile output = npy_in_place(path);
  CHECK(refusal([&] { update(output.data(), output); }) ==
        path.native() +
            ": the undo journal cannot be written beside the file (or use --no-journal): file name "
            "too long [undo.u1]");
  CHECK(read_file(path) == file);
}

TEST_CASE("undo.u2: a journal that anybody could have made is not trusted", "[io]") {
  const HalfChanged half;
  REQUIRE(::chmod(half.journal.c_str(), 0620) == 0);
  CHECK(half.refused() == half.path.native() + ": its undo journal, " + half.journal.native() +
                              ", must be a regular file of the user or of the file's owner that "
                              "nobody else may write to, got one of user " +
                              std::to_string(::getuid()) + " with mode 620 [undo.u2]");
  std::filesystem::rename(half.journal, half.directory / "j");
  std::filesystem::create_symlink("j", half.journal);
  CHECK(half.refused() == half.path.native() + ": its undo journal, " + half.journal.native() +
                              ", cannot be opened: too many levels of symbolic links [undo.u2]");
  std::filesystem::remove(half.journal);
  REQUIRE(::mkfifo(half.journal.c_str(), 0600) == 0);
  CHECK_THAT(half.refused(), contains("got another kind of user"));
  CHECK(read_file(half.path) == half.changed);
}

TEST_CASE("undo.u3: a journal of another file is left alone", "[io]") {
  const HalfChanged half;
  write_file(half.directory / "y.npy", half.changed);
  std::filesystem::rename(half.journal, journal_of(half.directory / "y.npy"));
  const std::string refused = refusal([&] { recover(half.directory / "y.npy"); });
  CHECK(refused.starts_with((half.directory / "y.npy").native() + ": its undo journal, " +
                            journal_of(half.directory / "y.npy").native() +
                            ", belongs to another file, of inode "));
  CHECK(refused.ends_with("[undo.u3]"));
  CHECK(read_file(half.directory / "y.npy") == half.changed);
  CHECK(half.directory.names().size() == 3);
}

TEST_CASE("undo.u3: a file that has another size by now is another file", "[io]") {
  const HalfChanged half;
  half.write_in_place(half.changed + "more");
  CHECK(half.refused().ends_with("[undo.u3]"));
  CHECK(read_file(half.path) == half.changed + "more");
}

TEST_CASE("undo.u5: a file that is half changed is not read", "[io]") {
  const HalfChanged half;
  CHECK(refusal([&] { open_npy(half.path); }) ==
        half.path.native() +
            ": is half changed: a run in place was killed (tscatter recover rolls back), and its "
            "undo journal is " +
            half.journal.native() + " [undo.u5]");
  CHECK(refusal([&] { open_tensor(half.path); }).ends_with(" [undo.u5]"));
  {
    const File held = open_locked(half.path, "held", system_files());
    CHECK(refusal([&] { open_npy(half.path); }) ==
          half.path.native() +
              ": is being changed in place by another tscatter, whose undo journal is " +
              half.journal.native() + " [undo.u5]");
  }
  InPlaceFile output = npy_in_place(half.path, {.recovery = Recovery::checked});
  CHECK(output.leftover().state == UndoState::committed);
  CHECK(refusal([&] { update(output.data(), output); }) ==
        half.path.native() +
            ": an undo journal stands beside it: roll it back first (tscatter recover) [undo.u5]");
  CHECK(read_file(half.path) == half.changed);
}

TEST_CASE("undo.u7: a file that has a second name is not changed with a journal", "[io]") {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "x.npy";
  write_file(path, file);
  std::filesystem::create_hard_link(path, directory / "y.npy");
  {
    InPlaceFile output = npy_in_place(path);
    CHECK(refusal([&] { update(output.data(), output); }) ==
          path.native() +
              ": must have one name to be changed in place with an undo journal (or use "
              "--no-journal), got 2 hard links [undo.u7]");
  }
  CHECK(read_file(path) == file);
  InPlaceFile output = npy_in_place(path, {.journaling = Journaling::left_out});
  update(output.data(), output);
  CHECK(read_file(directory / "y.npy") != file);
  CHECK(directory.names().size() == 2);
}

TEST_CASE("a file that is put under the name before the lock is the one that is changed", "[io]") {
  class Swapping final : public ForwardingFiles {
   public:
    explicit Swapping(const TemporaryDirectory& directory) : directory_{directory} {}
    int flock(int descriptor, int operation) override {
      if (std::filesystem::exists(directory_ / "new.npy"))
        std::filesystem::rename(directory_ / "new.npy", directory_ / "x.npy");
      return ForwardingFiles::flock(descriptor, operation);
    }

   private:
    const TemporaryDirectory& directory_;
  };
  const TemporaryDirectory directory;
  write_file(directory / "x.npy", "old");
  write_file(directory / "new.npy", file);
  Swapping files(directory);
  {
    InPlaceFile output = npy_in_place(directory / "x.npy", {.files = &files});
    update(output.data(), output);
  }
  CHECK(read_file(directory / "x.npy") != file);
  CHECK(read_file(directory / "x.npy").size() == file.size());
}

TEST_CASE("a file that may only be read is recovered where there is nothing to do", "[io]") {
  class ReadOnly final : public ForwardingFiles {
    int open(const Path& path, int flags, mode_t mode) override {
      if ((flags & O_ACCMODE) == O_RDONLY) return ForwardingFiles::open(path, flags, mode);
      errno = EROFS;
      return -1;
    }
  };
  ReadOnly files;
  const HalfChanged half;
  CHECK(recover(half.path, Recovery::checked, files).bytes == 3);
  CHECK(refusal([&] { recover(half.path, Recovery::done, files); }) ==
        half.path.native() + ": may not be written to: read-only file system [file.f4]");
  std::filesystem::remove(half.journal);
  CHECK(recover(half.path, Recovery::done, files) == Leftover{});
}

TEST_CASE("a file that cannot be opened to look for a journal is an input that cannot be", "[io]") {
  class TooManyOpen final : public ForwardingFiles {
    int open(const Path&, int, mode_t) override {
      errno = EMFILE;
      return -1;
    }
  };
  TooManyOpen files;
  const HalfChanged half;
  CHECK(refusal([&] { recover(half.path, Recovery::checked, files); }) ==
        half.path.native() + ": cannot be opened: too many open files [file.f1]");
}

namespace {

std::int64_t time_of_change(const std::filesystem::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mtim.tv_sec;
}

// In seconds.
void set_time_of_change(const std::filesystem::path& path, std::int64_t time) {
  const std::array<timespec, 2> times{
      {{.tv_sec = time, .tv_nsec = 0}, {.tv_sec = time, .tv_nsec = 0}}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0) == 0);
}

}  // namespace

TEST_CASE("undo.u8: a file that was changed after the run gets no old bytes, but with --force",
          "[io]") {
  const HalfChanged half;
  const std::int64_t killed = time_of_change(half.journal);
  set_time_of_change(half.path, killed + 6);
  const std::string message =
      half.path.native() +
      ": was changed 6 s after a run in place was killed, whose undo journal is " +
      half.journal.native() +
      " (remove the journal if the file is intact; tscatter recover --force rolls back) [undo.u8]";
  CHECK(half.refused() == message);
  CHECK(refusal([&] { recover(half.path, Recovery::checked); }) == message);
  CHECK(refusal([&] { npy_in_place(half.path); }) == message);
  CHECK(refusal([&] { open_npy(half.path); }) == message);
  CHECK(read_file(half.path) == half.changed);
  CHECK(
      recover(half.path, Recovery::checked, system_files(), {}, OtherWriters::passed_over).bytes ==
      3);
  CHECK(recover(half.path, Recovery::done, system_files(), {}, OtherWriters::passed_over).bytes ==
        3);
  CHECK(read_file(half.path) == file);
}

TEST_CASE("a write a few seconds after the journal's time, or before it, is the run's own",
          "[io]") {
  for (const std::int64_t later : {-100000, 0, 5}) {
    const HalfChanged half;
    set_time_of_change(half.path, time_of_change(half.journal) + later);
    CHECK(recover(half.path).bytes == 3);
    CHECK(read_file(half.path) == file);
  }
}

TEST_CASE("the journal of a change has the time of its last writes", "[io]") {
  const TemporaryDirectory directory;
  const auto path = directory / "x.npy";
  write_file(path, file);
  InPlaceFile output = npy_in_place(path);
  Sink& sink = begin_change(output);
  const std::int64_t sealed = time_of_change(journal_of(path));
  for (int i = 0; i < 2; ++i) {
    set_time_of_change(journal_of(path), sealed - 3600);
    std::this_thread::sleep_for(std::chrono::milliseconds(101));
    sink.write(1, bytes_of("XY"));
    CHECK(time_of_change(journal_of(path)) >= sealed);
  }
}

TEST_CASE("a rollback that is killed can be repeated at any time", "[io]") {
  class Failing final : public ForwardingFiles {
    ssize_t pwrite(int, ConstBytes, std::int64_t) override {
      errno = EIO;
      return -1;
    }
  };
  const HalfChanged half;
  const std::int64_t now = time_of_change(half.journal);
  set_time_of_change(half.journal, now - 3600);
  set_time_of_change(half.path, now - 3600);
  Failing files;
  CHECK(refusal([&] { recover(half.path, Recovery::done, files); }).ends_with("[undo.u6]"));
  CHECK(time_of_change(half.journal) >= now);
  set_time_of_change(half.path, now);  // as its writes would have
  CHECK(recover(half.path).bytes == 3);
  CHECK(read_file(half.path) == file);
}

TEST_CASE("a change that cannot be taken back says what it leaves", "[io]") {
  class Failing final : public ForwardingFiles {
   public:
    ssize_t pwrite(int descriptor, ConstBytes bytes, std::int64_t offset) override {
      if (writes_left-- > 0) return ForwardingFiles::pwrite(descriptor, bytes, offset);
      errno = EIO;
      return -1;
    }
    int writes_left = 4;  // header, records, commit record, and the first into the file
  };
  for (const Journaling journaling : {Journaling::done, Journaling::left_out}) {
    const TemporaryDirectory directory;
    write_file(directory / "x.npy", file);
    Failing files;
    InPlaceFile output =
        npy_in_place(directory / "x.npy", {.journaling = journaling, .files = &files});
    CHECK(output.take_back() == Output::Remains::nothing);
    Sink& sink = output.begin(output.data().header(), output.data().source());
    std::vector<std::byte> buffer;
    const ByteRange range{.begin = 0, .end = 3};
    if (sink.undo_log() != nullptr) {
      sink.undo_log()->keep(std::span(&range, 1), buffer);
      sink.undo_log()->seal();
    } else {
      files.writes_left = 1;
    }
    sink.write(0, bytes_of("xyz"));
    const bool has_journal = journaling == Journaling::done;
    CHECK(output.take_back() == (has_journal ? Output::Remains::journal : Output::Remains::change));
    CHECK(directory.names().size() == (has_journal ? 2U : 1U));
  }
}

}  // namespace tscatter
