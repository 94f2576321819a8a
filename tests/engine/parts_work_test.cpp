// What the parts of a job read, keep and write, against the formulas of docs/scale.md: work, not
// time.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iostream>
#include <vector>

#include "catch.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

// Counts what is read; it has no view, as a file that is too large to map.
class CountingSource final : public Source {
 public:
  explicit CountingSource(std::span<const std::byte> bytes) : bytes_{bytes} {}
  std::int64_t size() const override { return std::ssize(bytes_); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    read_ += std::ssize(into);
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
  Work data, indices, updates, written, kept;
};

template <class T>
std::shared_ptr<CountingSource> counting(const std::vector<T>& values) {
  return std::make_shared<CountingSource>(std::as_bytes(std::span(values)));
}

// `row`: how many float32 each of the 50,000 entries writes; data has 4 MiB.
WorkOfParts work_of(std::int64_t parts, std::int64_t row) {
  constexpr std::int64_t entries = 50'000;
  const std::int64_t elements = std::int64_t{1} << 20U;
  const std::int64_t rows = elements / row;
  static const std::vector<float> data(static_cast<std::size_t>(elements), 1);
  std::vector<std::int64_t> indices(static_cast<std::size_t>(entries));
  for (std::int64_t i = 0; i < entries; ++i)
    indices[static_cast<std::size_t>(i)] = i * 2654435761 % rows;
  const std::vector<float> updates(static_cast<std::size_t>(entries * row), 2);
  const auto d = counting(data);
  const auto i = counting(indices);
  const auto u = counting(updates);
  const auto f32 = ElementType::of(DType::float32);
  const Tensor data_tensor({.type = f32, .shape = {rows, row}}, d, "data");
  const Tensor index_tensor({.type = ElementType::of(DType::int64), .shape = {entries, 1}}, i,
                            "indices");
  const Tensor updates_tensor({.type = f32, .shape = {entries, row}}, u, "updates");
  WorkOfParts work;
  for (std::int64_t part = 0; part < parts; ++part) {
    CountingOutput output;
    const OutputRange range{.begin = elements / parts * part, .end = elements / parts * (part + 1)};
    const Report report =
        scatter_nd_update_15(data_tensor, index_tensor, updates_tensor, Reduction::sum, output,
                             {.threads = 1, .tile_bytes = 4096, .range = range});
    CHECK(report.index_entries == entries);
    work.data.add(d->take());
    work.indices.add(i->take());
    work.updates.add(u->take());
    work.written.add(output.take());
    work.kept.add(report.counts.duplicates + report.counts.elements_written / row);
  }
  return work;
}

std::string row_text(std::int64_t parts, const WorkOfParts& work) {
  const auto mean = [&](const Work& each) {
    return static_cast<double>(each.sum) / static_cast<double>(parts);
  };
  return fmt::format("| {} | {:.0f} | {:.2f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} |\n", parts,
                     mean(work.kept), static_cast<double>(work.kept.most) / mean(work.kept),
                     mean(work.indices), mean(work.data), mean(work.updates), mean(work.written));
}

}  // namespace

TEST_CASE("parts do the work that docs/scale.md says, for 1 to 1024 of them") {
  constexpr std::int64_t data_bytes = std::int64_t{4} << 20U;
  constexpr std::int64_t entries = 50'000;
  for (const std::int64_t row : {1, 16}) {
    std::string table;
    for (std::int64_t parts = 1; parts <= 1024; parts *= 4) {
      const WorkOfParts work = work_of(parts, row);
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
    }
    std::cout << fmt::format(
        "work of each part, {} elements a row: | parts | entries kept | most / mean | bytes of "
        "indices | of data | of updates | written |\n{}",
        row, table);
  }
}

}  // namespace tscatter
