// The destinations of index entries: listed, or read anew whenever they are needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "tscatter/core/dtype.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/memory.hpp"
#include "tscatter/core/progress.hpp"
#include "tscatter/plan/unlisted_writes.hpp"

namespace tscatter {

// ---- DestinationList: the destination of each index entry, in 32 bits where they suffice, else
// in 64. An entry may be dropped: it has no destination and writes nothing. Copies share the list.

// In the place of a destination: the entry writes nothing. No destination is that large.
template <class Destination>
inline constexpr Destination dropped_entry = std::numeric_limits<Destination>::max();

template <class Destination>
constexpr bool is_dropped(Destination destination) {
  return destination == dropped_entry<Destination>;
}

class DestinationList {
 public:
  DestinationList() = default;

  // Room for `entries` destinations, each below `destinations`; not filled yet. Throws
  // std::bad_alloc.
  DestinationList(std::int64_t entries, std::int64_t destinations) {
    if (destinations <= std::numeric_limits<std::uint32_t>::max()) {
      *list_ = Buffer<std::uint32_t>(memory_size(entries, sizeof(std::uint32_t)));
    } else {
      *list_ = Buffer<std::uint64_t>(memory_size(entries, sizeof(std::uint64_t)));
    }
  }

  std::int64_t size() const {
    return std::visit([](const auto& list) { return static_cast<std::int64_t>(list.size()); },
                      std::as_const(*list_));
  }

  // Calls function(std::span of the destinations), of 32 or of 64 bits each.
  template <class Function>
  decltype(auto) visit(const Function& function) {
    return std::visit([&](auto& list) { return function(list.span()); }, *list_);
  }
  template <class Function>
  decltype(auto) visit(const Function& function) const {
    return std::visit([&](const auto& list) { return function(list.span()); },
                      std::as_const(*list_));
  }

  // How many entries are dropped: whoever fills the list with some calls count_dropped().
  std::int64_t dropped() const { return dropped_; }
  void count_dropped() {
    dropped_ = visit([](auto list) {
      return std::int64_t{std::ranges::count_if(list, [](auto each) { return is_dropped(each); })};
    });
  }
  std::int64_t kept() const { return size() - dropped_; }

 private:
  using List = std::variant<Buffer<std::uint32_t>, Buffer<std::uint64_t>>;

  std::shared_ptr<List> list_ = std::make_shared<List>();
  std::int64_t dropped_ = 0;
};

// ---- EntryReader: the destinations of index entries, read anew from the index tensor whenever
// they are needed. It stands in the place of a list that would be too long for the memory, or that
// nobody needs.

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
