// EntryReader: the destinations of index entries, read anew from the index tensor whenever they are
// needed. It stands in the place of a list that would be too long for the memory, or that nobody
// needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/plan/destination_list.hpp"
#include "tscatter/plan/indexed_writes.hpp"

namespace tscatter {

// Native integers side by side that are the destinations of entries: those less than 0 count from
// the end, if `from_the_end`.
struct PlainEntries {
  const std::byte* indices;
  DType dtype;
  bool from_the_end;
};

class EntryReader {
 public:
  virtual ~EntryReader() = default;

  virtual std::int64_t size() const = 0;  // entries

  // Fills `into` with the destinations of the entries from `first` on; one that is dropped has
  // dropped_entry<std::uint64_t>. May be called from several threads. Throws Error: as the lowering
  // does if indices have changed since, and (file) if they cannot be read.
  virtual void read(std::int64_t first, std::span<std::uint64_t> into) const = 0;
  // The same in 32 bits, where dropped_entry<std::uint32_t> stands for a dropped entry. REQUIRES:
  // no destination is larger.
  virtual void read(std::int64_t first, std::span<std::uint32_t> into) const;

  // Checks so many entries, as read() does. Returns how many are dropped.
  virtual std::int64_t check(std::int64_t first, std::int64_t count) const;

  // Whether a reading costs little: indices lie in memory as they are read.
  virtual bool reads_memory() const { return false; }
  // The entries themselves, if they are plain and all in range. Whoever reads them checks each.
  virtual std::optional<PlainEntries> plain_entries() const { return std::nullopt; }
};

// The destinations of all entries, each below `destinations`; dropped ones are not counted yet.
// Throws as EntryReader::read(), and Cancelled.
DestinationList list_of(const EntryReader& reader, std::int64_t destinations,
                        const Parallelism& parallelism);

// For whoever finds that a second reading differs from the first.
[[noreturn]] inline void refuse_changed_entries() {
  // file.f3
  fail(ErrorKind::file, "file.f3", "indices", "changed while they were read");
}

}  // namespace tscatter
