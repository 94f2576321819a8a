// The format of the undo journal: checksums, versions, and damage anywhere.
#include "tscatter/io/journal/undo_format.hpp"

#include <limits>

#include "catch.hpp"
#include "io/half_changed.hpp"
#include "tscatter/core/byte_order.hpp"
#include "tscatter/io/files/checksum.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"

namespace tscatter {
namespace {

const std::string& half_changed = HalfChanged::file;

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

TEST_CASE("the checksum of names and parts is the same on every machine", "[io]") {
  std::string bytes;
  for (int i = 0; i < 77; ++i) bytes += static_cast<char>(i);
  CHECK(checksum(42, bytes_of(bytes)) == 0xce74cf7cdd731387U);
  CHECK(checksum(42, {}) == 0xc665eec342aa002eU);
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
  CHECK(half.refused() == half.journal.native() +
                              ": an undo journal must be intact (remove it if its file is), got a "
                              "damaged record at byte 64 [undo.u4]");
}

TEST_CASE("undo.u4: a journal that is not wholly explained is neither applied nor removed",
          "[io]") {
  const std::string damaged_header = "a damaged header";
  const std::string without_end = "one without its end";
  for (const bool is_changed : {false, true}) {
    const HalfChanged half;
    const std::string content = is_changed ? half.changed : half_changed;
    half.write_in_place(content);
    const auto check_refused = [&](const std::string& journal, const std::string& got) {
      write_file(half.journal, journal);
      const std::string message =
          half.journal.native() +
          ": an undo journal must be intact (remove it if its file is), got " + got + " [undo.u4]";
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
      CHECK(half.refused() == half.journal.native() +
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
        half.journal.native() + ": an undo journal must be of version 2, got 3 [undo.u4]");
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

}  // namespace tscatter
