// What the parts of a job read, keep and write, against the formulas of docs/scale.md: work, not
// time.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iostream>
#include <vector>

#include "catch.hpp"
#include "property/environment.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

// The most that was allocated at any reading or writing, beside what was there before. 0 where the
// allocator does not say, as under a sanitizer.
class Allocated {
 public:
  static void note() { highest = std::max(highest, now()); }
  static void begin() { highest = before = now(); }
  static std::int64_t most() { return highest - before; }

 private:
  static std::int64_t now() {
#if __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 info = mallinfo2();
#else
    const struct mallinfo info = mallinfo();  // counts in int
#endif
    return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
  }
  inline static std::int64_t before = 0;
  inline static std::int64_t highest = 0;
};

// Counts what is read; it has no view, as a file that is too large to map.
class CountingSource final : public Source {
 public:
  explicit CountingSource(std::span<const std::byte> bytes) : bytes_{bytes} {}
  std::int64_t size() const override { return std::ssize(bytes_); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    read_ += std::ssize(into);
    Allocated::note();
    std::ranges::copy(bytes_.subspan(static_cast<std::size_t>(offset), into.size()), into.begin());
  }
  std::int64_t take() const { return read_.exchange(0); }

 private:
  std::span<const std::byte> bytes_;
  mutable std::atomic<std::int64_t> read_{0};
};

class CountingOutput final : public Output, public Sink {
 public:
  Sink& begin(const TensorHeader&, const Source&) override { return *this; }
  void commit() override {}
  void write(std::int64_t, std::span<const std::byte> bytes) override {
    written_ += std::ssize(bytes);
    Allocated::note();
  }
  std::int64_t take() { return written_.exchange(0); }

 private:
  std::atomic<std::int64_t> written_{0};
};

// Of all parts: the sum and the largest.
struct Work {
  std::int64_t sum = 0;
  std::int64_t most = 0;
  void add(std::int64_t part) {
    sum += part;
    most = std::max(most, part);
  }
};

struct WorkOfParts {
  Work data, indices, updates, written, kept, memory;
};

template <class T>
std::shared_ptr<CountingSource> counting(const std::vector<T>& values) {
  return std::make_shared<CountingSource>(std::as_bytes(std::span(values)));
}

// A job of 50,000 entries; data has 4 MiB of float32.
class CountedJob {
 public:
  static constexpr std::int64_t entries = 50'000;

  // `row`: how many elements each entry writes.
  explicit CountedJob(std::int64_t row)
      : row_{row}, values_(elements, 1), updates_(static_cast<std::size_t>(entries * row), 2) {
    for (std::int64_t i = 0; i < entries; ++i)
      indices_.push_back(i * 2654435761 % (elements / row));
  }

  WorkOfParts work(std::int64_t parts) const {
    WorkOfParts work;
    for (std::int64_t part = 0; part < parts; ++part) {
      add_part({.begin = elements / parts * part, .end = elements / parts * (part + 1)}, work);
    }
    return work;
  }

 private:
  static constexpr std::int64_t elements = std::int64_t{1} << 20U;

  void add_part(const OutputRange& range, WorkOfParts& work) const {
    const auto data = counting(values_);
    const auto indices = counting(indices_);
    const auto updates = counting(updates_);
    const auto f32 = ElementType::of(DType::float32);
    const auto i64 = ElementType::of(DType::int64);
    CountingOutput output;
    RunOptions options{.threads = 1, .tile_bytes = 4096, .range = range};
    const auto run = [&] {
      return scatter_nd_update_15(
          Tensor({.type = f32, .shape = {elements / row_, row_}}, data, "data"),
          Tensor({.type = i64, .shape = {entries, 1}}, indices, "indices"),
          Tensor({.type = f32, .shape = {entries, row_}}, updates, "updates"), Reduction::sum,
          output, options);
    };
    // As parts are run: what counting takes is not taken.
    options.counting = Counting::left_out;
    Allocated::begin();
    run();
    work.memory.add(Allocated::most());
    options.counting = Counting::done;
    for (const auto& source : {data, indices, updates}) source->take();
    output.take();
    const Report report = run();
    CHECK(report.index_entries == entries);
    work.data.add(data->take());
    work.indices.add(indices->take());
    work.updates.add(updates->take());
    work.written.add(output.take());
    work.kept.add(report.counts.duplicates + report.counts.elements_written / row_);
  }

  std::int64_t row_;
  std::vector<float> values_;
  std::vector<std::int64_t> indices_;
  std::vector<float> updates_;
};

std::string row_text(std::int64_t parts, const WorkOfParts& work) {
  const auto mean = [&](const Work& each) {
    return static_cast<double>(each.sum) / static_cast<double>(parts);
  };
  return fmt::format("| {} | {:.0f} | {:.2f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} |\n",
                     parts, mean(work.kept), static_cast<double>(work.kept.most) / mean(work.kept),
                     mean(work.indices), mean(work.data), mean(work.updates), mean(work.written),
                     static_cast<double>(work.memory.most) / 1024);
}

}  // namespace

TEST_CASE("parts do the work that docs/scale.md says, for 1 to 1024 of them") {
  constexpr std::int64_t data_bytes = std::int64_t{4} << 20U;
  constexpr std::int64_t entries = CountedJob::entries;
  constexpr std::int64_t fixed_memory = std::int64_t{512} << 10U;
  const auto most_parts = static_cast<std::int64_t>(
      property::extent("TSCATTER_PARTS", {.whole = 1024, .sample = 1024, .slowed = 64}));
  for (const std::int64_t row : {1, 16}) {
    const CountedJob job(row);
    std::string table;
    const std::int64_t entry_memory = row == 1 ? 8 : 16;  // bytes
    for (std::int64_t parts = 1; parts <= most_parts; parts *= 4) {
      const WorkOfParts work = job.work(parts);
      table += row_text(parts, work);
      INFO(row << " elements a row\n" << table);
      // Data is read and the result written once, in equal shares.
      CHECK(work.data.sum == data_bytes);
      CHECK(work.written.sum == data_bytes);
      CHECK(work.written.most == data_bytes / parts);
      // Each part reads all indices three times: checked, counted, kept.
      CHECK(work.indices.most <= 3 * entries * 8);
      // Each entry is kept once.
      CHECK(work.kept.sum == entries);
      // Updates: of rows what is kept, of single elements all for each part.
      if (row > 1) CHECK(work.updates.sum == entries * row * 4);
      CHECK(work.updates.most <= entries * row * 4);
      if (row == 1) CHECK(work.updates.most >= entries * row * 4 * 95 / 100);
      // Entries that are kept, what is read of the list at once, and a tile.
      CHECK(work.memory.most <= work.kept.most * entry_memory + fixed_memory);
    }
    std::cout << fmt::format(
        "work of each part, {} elements a row: | parts | entries kept | most / mean | bytes of "
        "indices | of data | of updates | written | KiB of memory, at most |\n{}",
        row, table);
  }
}

}  // namespace tscatter
