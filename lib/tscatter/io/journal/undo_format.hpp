// The undo journal's bytes: a header, records of old bytes in any order, and a commit record that
// confirms that all are there. Format and invariants: docs/journal.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tscatter/core/bytes.hpp"
#include "tscatter/io/files/file.hpp"

namespace tscatter {

struct UndoHeader {
  static constexpr std::size_t size = 64;
  static constexpr std::uint64_t version = 2;

  std::uint64_t nonce = 0;  // seeds every checksum: no byte of an older journal passes
  FileIdentity file;
};

struct UndoRecordHead {
  static constexpr std::size_t size = 24;
  static constexpr std::int64_t most_bytes = std::int64_t{256} * 1024;  // of one record

  std::int64_t offset = 0;  // in the file
  std::int64_t length = 0;  // of the old bytes, which follow
  std::uint64_t sum = 0;    // of both and the old bytes
};

struct UndoCommit {
  static constexpr std::size_t size = 48;

  std::uint64_t nonce = 0;
  std::int64_t records = 0;
  std::int64_t position = 0;    // of this record, the last in the journal
  std::uint64_t total_sum = 0;  // the records' sums, added
};

std::array<std::byte, UndoHeader::size> encode(const UndoHeader& header);
std::array<std::byte, UndoCommit::size> encode(const UndoCommit& commit);

// Fills in the record's head, with the sum over the old bytes after it; returns the sum. REQUIRES:
// `record` has room for the head and the old bytes, no more.
std::uint64_t finish_record(std::uint64_t nonce, std::int64_t offset, std::span<std::byte> record);

// Reads a journal from any source, in pieces.
class UndoReader {
 public:
  // `name` is used in messages. Throws Error (file) when it cannot be read; (format, undo.u4) when
  // it has another version, or its header or commit record is not intact.
  UndoReader(const Source& journal, std::string name);

  // What it belongs to.
  const FileIdentity& file() const { return header_.file; }

  // Calls visit(offset, old bytes) for each record. Throws Error (format, undo.u4) at the first
  // that is damaged or outside the file.
  using Visit = std::function<void(std::int64_t offset, std::span<const std::byte> old_bytes)>;
  void visit(const Visit& visit) const;

 private:
  UndoHeader read_header() const;
  UndoCommit read_commit() const;
  bool read_record(std::int64_t position, std::vector<std::byte>& record) const;
  [[noreturn]] void refuse(const std::string& got) const;

  const Source& journal_;
  std::string name_;
  UndoHeader header_;
  UndoCommit commit_;
};

}  // namespace tscatter
