// The undo journal: its format, what is refused, and what a rollback does.
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <limits>

#include "catch.hpp"
#include "io/files.hpp"
#include "io/forwarding_files.hpp"
#include "io/left_journal.hpp"
#include "tscatter/io/files/checksum.hpp"
#include "tscatter/io/files/little_endian.hpp"
#include "tscatter/io/formats/npy_file.hpp"
#include "tscatter/io/journal/rollback.hpp"
#include "tscatter/io/journal/undo_format.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

const std::string file =
    npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (6,)}", "abcdef");

// x.npy with a committed journal of its last four bytes, which have since changed.
struct HalfChanged {
  TemporaryDirectory directory;
  std::filesystem::path path = directory / "x.npy";
  std::filesystem::path journal = journal_of(path);
  std::string changed = file.substr(0, file.size() - 4) + "CDEF";

  HalfChanged() {
    const auto size = static_cast<std::int64_t>(file.size());
    write_file(path, file);
    leave_journal(path, {{.begin = size - 4, .end = size - 2}, {.begin = size - 1, .end = size}});
    // The third of the four was kept by nobody.
    changed[changed.size() - 2] = 'e';
    write_in_place(changed);
  }

  void write_in_place(const std::string& text) const {
    const File data = open_locked(path, path.native(), system_files());
    data.write_at(0, bytes_of(text));
  }
  void damage(std::size_t at) const {
    std::string bytes = read_file(journal);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    write_file(journal, bytes);
  }
  std::string refused() const {
    return refusal([&] { recover(path); });
  }
};

// testdata/undo, from a program with version 1 of the journal that was killed while it changed the
// 1024 numbers of x.npy, which count up from 0.
struct HalfChangedByVersion1 {
  // Identifies the file as on the disk where the program was killed.
  class Files final : public ForwardingFiles {
   public:
    int identify(int /*descriptor*/, FileIdentity& identity) override {
      identity = {.inode = 11001889,
                  .birth_seconds = 1795328627,
                  .birth_nanoseconds = 539527408,
                  .size = 2176};
      return 0;
    }
  };

  TemporaryDirectory directory;
  std::filesystem::path path = directory / "x.npy";
  std::filesystem::path journal = journal_of(path);
  mutable Files files;

  HalfChangedByVersion1() {
    const std::filesystem::path left = TSCATTER_UNDO_DIR;
    write_file(path, read_file(left / "version_1.npy"));
    write_file(journal, read_file(left / "version_1.npy.tscatter-undo"));
  }

  std::string whole() const {
    constexpr int numbers = 1024;
    std::string bytes = read_file(path).substr(0, 128);
    for (int i = 0; i < numbers; ++i) {
      bytes += static_cast<char>(i & 0xFF);
      bytes += static_cast<char>(i >> 8);
    }
    return bytes;
  }
};

std::string text(const std::filesystem::path& path) { return path.native(); }

void update(const Tensor& data, Output& output) {
  scatter_update_3(data, list({0, 2}), view(std::span<const std::uint8_t>({'x', 'z'}), {2}),
                   scalar(0), output);
}

}  // namespace

TEST_CASE("a checksum sees every bit, the length and the seed", "[io]") {
  std::string bytes(70, 'x');
  const std::uint64_t whole = checksum(1, bytes_of(bytes));
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string other = bytes;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << (bit % 8)));
    CHECK(checksum(1, bytes_of(other)) != whole);
  }
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK(checksum(1, bytes_of(bytes.substr(0, size))) != whole);
  CHECK(checksum(2, bytes_of(bytes)) != whole);
  CHECK(checksum(1, bytes_of(std::string(8, '\0'))) != checksum(1, bytes_of(std::string(9, '\0'))));
}

TEST_CASE("the journal's checksum is the same on every machine", "[io]") {
  std::string bytes;
  for (int i = 0; i < 77; ++i) bytes += static_cast<char>(i);
  CHECK(checksum(42, bytes_of(bytes)) == 0xce74cf7cdd731387U);
  CHECK(checksum(42, {}) == 0xc665eec342aa002eU);
}

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
    Sink& sink = output.begin(output.data().header(), output.data().source());
    std::vector<std::byte> buffer;
    const ByteRange range{.begin = 1, .end = 3};
    sink.undo_log()->keep({&range, 1}, buffer);
    sink.undo_log()->seal();
    sink.write(1, bytes_of("XY"));
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
        text(path) +
            ": the undo journal of a change in place must be writable beside the file (or use "
            "--no-journal), got file name too long [undo.u1]");
  CHECK(read_file(path) == file);
}

TEST_CASE("undo.u2: a journal that anybody could have made is not trusted", "[io]") {
  const HalfChanged half;
  REQUIRE(::chmod(half.journal.c_str(), 0620) == 0);
  CHECK(half.refused() == text(half.path) + ": its undo journal, " + text(half.journal) +
                              ", must be a regular file of the user or of the file's owner that "
                              "nobody else may write to, got one of user " +
                              std::to_string(::getuid()) + " with mode 620 [undo.u2]");
  std::filesystem::rename(half.journal, half.directory / "j");
  std::filesystem::create_symlink("j", half.journal);
  CHECK(half.refused() == text(half.path) + ": its undo journal, " + text(half.journal) +
                              ", must be a regular file that can be opened, got too many levels "
                              "of symbolic links [undo.u2]");
  std::filesystem::remove(half.journal);
  REQUIRE(::mkfifo(half.journal.c_str(), 0600) == 0);
  CHECK(half.refused().find("got another kind of user") != std::string::npos);
  CHECK(read_file(half.path) == half.changed);
}

TEST_CASE("undo.u3: a journal of another file is left alone", "[io]") {
  const HalfChanged half;
  write_file(half.directory / "y.npy", half.changed);
  std::filesystem::rename(half.journal, journal_of(half.directory / "y.npy"));
  const std::string refused = refusal([&] { recover(half.directory / "y.npy"); });
  CHECK(refused.starts_with(text(half.directory / "y.npy") + ": its undo journal, " +
                            text(journal_of(half.directory / "y.npy")) +
                            ", must belong to it (remove the journal if the file is intact), got "
                            "one of another file: inode "));
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

TEST_CASE("undo.u4: a committed journal with any bit turned is not applied", "[io]") {
  const HalfChanged half;
  const std::string journal = read_file(half.journal);
  for (std::size_t at = 0; at < journal.size(); ++at) {
    half.damage(at);
    INFO(at);
    CHECK(half.refused().ends_with("[undo.u4]"));
    write_file(half.journal, journal);
  }
  CHECK(read_file(half.path) == half.changed);
  half.damage(70);
  CHECK(half.refused() == text(half.journal) +
                              ": an undo journal must be intact (remove it if its file is), "
                              "got a damaged record at byte 64 [undo.u4]");
}

TEST_CASE("undo.u4: a journal that is not wholly explained is neither applied nor removed",
          "[io]") {
  const std::string damaged_header = "a damaged header";
  const std::string without_end = "one without its end";
  for (const bool is_changed : {false, true}) {
    const HalfChanged half;
    const std::string content = is_changed ? half.changed : file;
    half.write_in_place(content);
    const auto check_refused = [&](const std::string& journal, const std::string& got) {
      write_file(half.journal, journal);
      const std::string message = text(half.journal) +
                                  ": an undo journal must be intact (remove it if its file is), "
                                  "got " +
                                  got + " [undo.u4]";
      CHECK(half.refused() == message);
      CHECK(refusal([&] { npy_in_place(half.path); }) == message);
      CHECK(refusal([&] { open_npy(half.path); }) == message);
      CHECK(read_file(half.journal) == journal);
      CHECK(read_file(half.path) == content);
    };
    const std::string whole = read_file(half.journal);
    std::string flipped = whole;
    flipped[20] = static_cast<char>(flipped[20] ^ 1);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      INFO(size);
      check_refused(whole.substr(0, size), size < UndoHeader::size ? damaged_header : without_end);
      check_refused(flipped.substr(0, size), damaged_header);
    }
    check_refused(whole + "\n", without_end);
    check_refused("precious notes", damaged_header);
    check_refused(std::string(1000, '\0'), damaged_header);
  }
}

TEST_CASE("undo.u4: a record of any length at any place is refused without a look beyond the file",
          "[io]") {
  const HalfChanged half;
  const std::string journal = read_file(half.journal);
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const std::size_t at : {UndoHeader::size, UndoHeader::size + 8}) {
    for (const std::int64_t value : {least, least + 10, std::int64_t{-1}, most - 1, most}) {
      std::string bytes = journal;
      for (std::size_t i = 0; i < 8; ++i)
        bytes[at + i] = static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
      write_file(half.journal, bytes);
      CHECK(half.refused() == text(half.journal) +
                                  ": an undo journal must be intact (remove it if its file is), "
                                  "got a damaged record at byte 64 [undo.u4]");
    }
  }
  CHECK(read_file(half.path) == half.changed);
}

TEST_CASE("undo.u4: a journal of another version is left to the program that wrote it", "[io]") {
  const HalfChanged half;
  std::string bytes = read_file(half.journal);
  bytes[8] = 3;
  write_file(half.journal, bytes);
  CHECK(half.refused() ==
        text(half.journal) + ": an undo journal must be of version 1 or 2, got 3 [undo.u4]");
  bytes[8] = 1;
  write_file(half.journal, bytes);
  CHECK(half.refused() == text(half.journal) +
                              ": an undo journal must be intact (remove it if its file is), "
                              "got a damaged header [undo.u4]");
}

TEST_CASE("a journal of version 1, which an older program left, is rolled back", "[io]") {
  const HalfChangedByVersion1 half;
  CHECK(recover(half.path, Recovery::checked, half.files) ==
        Leftover{.state = UndoState::committed, .ranges = 3, .bytes = 1024});
  CHECK(recover(half.path, Recovery::done, half.files).state == UndoState::committed);
  CHECK(read_file(half.path) == half.whole());
  CHECK(half.directory.names() == std::vector<std::string>{"x.npy"});
}

TEST_CASE("undo.u4: a journal of version 1 with any wrong byte is not applied", "[io]") {
  const HalfChangedByVersion1 half;
  const std::string journal = read_file(half.journal);
  const std::string changed = read_file(half.path);
  int applied = 0;
  for (std::size_t at = 0; at < journal.size(); ++at) {
    std::string bytes = journal;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    write_file(half.journal, bytes);
    if (!refusal([&] { recover(half.path, Recovery::done, half.files); }).ends_with("[undo.u4]"))
      ++applied;
  }
  CHECK(applied == 0);
  CHECK(read_file(half.path) == changed);
}

TEST_CASE("a journal of version 2 has the same bytes on every machine", "[io]") {
  UndoHeader header;
  header.nonce = 42;
  header.file = {.inode = 7, .birth_seconds = 8, .birth_nanoseconds = 9, .size = 10};
  const auto last_word = [](std::span<const std::byte> bytes) {
    return load_little_endian(&bytes[bytes.size() - 8]);
  };
  CHECK(load_little_endian(encode(header).data() + 8) == 2);
  CHECK(last_word(encode(header)) == 0x9aa735c4dea3bcacU);
  CHECK(last_word(encode(UndoCommit{.nonce = 42, .records = 1, .position = 64, .total_sum = 5})) ==
        0xa87b6cafd671bf3aU);
  std::string record(UndoRecordHead::size, '\0');
  for (int i = 0; i < 300; ++i) record += static_cast<char>(i);
  CHECK(finish_record(42, 3, std::as_writable_bytes(std::span(record))) == 0x84bd2b8be4fb44d5U);
}

TEST_CASE("undo.u5: a file that is half changed is not read", "[io]") {
  const HalfChanged half;
  CHECK(refusal([&] { open_npy(half.path); }) ==
        text(half.path) +
            ": must not be half changed (tscatter recover rolls back), got the undo journal of a "
            "run in place that was killed, " +
            text(half.journal) + " [undo.u5]");
  {
    const File held = open_locked(half.path, "held", system_files());
    CHECK(refusal([&] { open_npy(half.path); }) ==
          text(half.path) +
              ": must not be read while another tscatter changes it in place, got its undo "
              "journal, " +
              text(half.journal) + " [undo.u5]");
  }
  InPlaceFile output = npy_in_place(half.path, {.recovery = Recovery::checked});
  CHECK(output.leftover().state == UndoState::committed);
  CHECK(refusal([&] { update(output.data(), output); }) ==
        text(half.path) +
            ": must be rolled back before it is changed, got an undo journal beside it [undo.u5]");
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
          text(path) +
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
        text(half.path) +
            ": must be an output that may be written to, got read-only file system [file.f4]");
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
        text(half.path) + ": must be a file that can be opened, got too many open files [file.f1]");
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
