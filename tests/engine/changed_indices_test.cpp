// Indices that change, or are cut, while they are read several times: a run by windows says so.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "catch.hpp"
#include "io/files.hpp"
#include "ops/answered.hpp"
#include "ops/call.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/journal/in_place_file.hpp"
#include "tscatter/ops/names/registry.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t all_rows = 4000;
constexpr std::int64_t all_entries = 3000;

std::vector<std::int32_t> spread() {
  std::vector<std::int32_t> indices(all_entries);
  for (std::int64_t i = 0; i < all_entries; ++i)
    indices[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * 7919 % all_rows);
  return indices;
}

// Has other bytes from a reading on: each begins at the front. Counts what is read.
class ChangingSource final : public Source {
 public:
  ChangingSource(std::vector<std::int32_t> first, std::vector<std::int32_t> later, int readings)
      : first_{std::move(first)}, later_{std::move(later)}, left_{readings} {}

  std::int64_t size() const override {
    return static_cast<std::int64_t>(first_.size() * sizeof(std::int32_t));
  }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    if (offset == 0) --left_;
    read_ += static_cast<std::int64_t>(into.size());
    const auto bytes = std::as_bytes(std::span(left_ >= 0 ? first_ : later_));
    std::ranges::copy(bytes.subspan(static_cast<std::size_t>(offset), into.size()), into.begin());
  }
  std::int64_t bytes_read() const { return read_; }

 private:
  std::vector<std::int32_t> first_;
  std::vector<std::int32_t> later_;
  mutable std::atomic<int> left_;
  mutable std::atomic<std::int64_t> read_{0};
};

// A mapped file that was cut: zeros, until somebody asks.
class CutSource final : public Source {
 public:
  explicit CutSource(std::int64_t bytes) : zeros_(static_cast<std::size_t>(bytes)) {}

  std::int64_t size() const override { return static_cast<std::int64_t>(zeros_.size()); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    std::ranges::copy(std::span(zeros_).subspan(static_cast<std::size_t>(offset), into.size()),
                      into.begin());
  }
  std::optional<std::span<const std::byte>> view() const override { return zeros_; }
  void check_view() const override {
    throw Error(ErrorKind::file, "file.f3", "i.npy", "must keep its size while it is read");
  }

 private:
  std::vector<std::byte> zeros_;
};

TensorHeader of_int32(Shape shape, MemoryOrder order = MemoryOrder::c) {
  return {.type = ElementType::of(DType::int32), .shape = std::move(shape), .order = order};
}

std::string outcome(const Tensor& indices, std::int64_t row, Reduction reduction,
                    RunOptions options) {
  std::vector<float> output(static_cast<std::size_t>(all_rows * row));
  MemoryOutput memory{std::span(output)};
  try {
    scatter_nd_update_15(zeros({all_rows, row}), indices, zeros({all_entries, row}), reduction,
                         memory, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "done";
}

}  // namespace

TEST_CASE("file.f3: indices that change between two readings are no overrun", "[engine]") {
  const std::string refusal = "indices: changed while they were read [file.f3]";
  const std::vector<std::int32_t> all_first(all_entries, 0);
  const std::vector<std::int32_t> all_last(all_entries, all_rows - 1);
  for (const std::int64_t row : {1, 3}) {
    for (const Reduction reduction : {Reduction::none, Reduction::sum}) {
      for (const auto& later : {all_first, all_last}) {
        // The rules are checked by the first reading, entries are counted by the second.
        for (const int readings : {2, 3, 4}) {
          INFO(row << " a row, other entries from reading " << readings << " on");
          const Tensor indices(of_int32({all_entries, 1}),
                               std::make_shared<ChangingSource>(spread(), later, readings));
          CHECK(outcome(indices, row, reduction,
                        {.threads = 1, .tile_bytes = 4096, .entry_memory = 8000}) == refusal);
        }
      }
    }
  }
}

TEST_CASE("file.f3: indices in Fortran order that are cut while they are read by windows",
          "[engine]") {
  const Tensor indices(of_int32({all_entries, 2}, MemoryOrder::fortran),
                       std::make_shared<CutSource>(all_entries * 8));
  CHECK(refusal([&](Output& output) {
          scatter_nd_update_15(zeros({40, 100}), indices, zeros({all_entries}), Reduction::sum,
                               output, {.threads = 1, .entry_memory = 8000});
        }) == "i.npy: must keep its size while it is read [file.f3]");
}

TEST_CASE("file.f3: indices that change in place after the old bytes are kept write nothing else",
          "[engine]") {
  // 128 float32 are what is kept at least. As many entries go to each tile of 1024 as before.
  constexpr std::int64_t columns = 4096;
  const TemporaryDirectory directory;
  const std::string path = directory / "d.npy";
  std::vector<std::int32_t> first(64 * columns);
  for (std::size_t i = 0; i < first.size(); ++i)
    first[i] = static_cast<std::int32_t>(i % 4 * 1024 + i % 128);
  std::vector<std::int32_t> later = first;
  for (std::int32_t& index : later) index += 128;
  const auto outcome_of = [&](const char* operation, const Shape& data, const Shape& entries_shape,
                              Attributes attributes, int readings) {
    std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},)}}",
                                     fmt::join(data, ", "));
    write_file(path, npy_file(header, std::string(64 * columns * 4, 'a')));
    const std::string before = read_file(path);
    const auto file = open_in_place(npy_format, path, {}, {});
    const auto source = std::make_shared<ChangingSource>(first, later, readings);
    Shape updates = entries_shape;
    if (data.size() == 1) updates.pop_back();
    const Arguments arguments = arguments_of(file->data(), Tensor(of_int32(entries_shape), source),
                                             zeros(updates), std::move(attributes));
    const RunOptions options{.threads = 1, .tile_bytes = 4096, .entry_memory = 1 << 20};
    try {
      apply(*find_operation(operation), arguments, *file, options);
    } catch (const Error& error) {
      file->take_back();
      CHECK((read_file(path) == before));
      return std::string(error.what());
    }
    return std::string("done");
  };
  const std::string rule = "indices: changed while they were read [file.f3]";
  // Box by box, and by windows.
  const auto boxes = [&](int readings) {
    return outcome_of("onnx.ScatterElements-18", {64, columns}, {64, columns},
                      {{"axis", std::int64_t{1}}, {"reduction", Reduction::sum}}, readings);
  };
  const auto windows = [&](int readings) {
    return outcome_of("ScatterNDUpdate-15", {64 * columns}, {64 * columns, 1},
                      {{"reduction", Reduction::sum}}, readings);
  };
  // Checked, counted (for windows only), kept, written.
  CHECK(boxes(1000) == "done");
  CHECK((boxes(2) == rule || boxes(3) == rule));
  CHECK(windows(1000) == "done");
  CHECK(windows(3) == rule);
}

TEST_CASE("a run of no elements reads indices once, to check them", "[engine]") {
  for (const std::int64_t begin : {0, 7}) {
    const auto source = std::make_shared<ChangingSource>(spread(), spread(), 100);
    CHECK(outcome(Tensor(of_int32({all_entries, 1}), source), 1, Reduction::sum,
                  {.threads = 1, .range = OutputRange{.begin = begin, .end = begin}}) == "done");
    CHECK(source->bytes_read() == all_entries * 4);
  }
}

TEST_CASE("windows whose numbers lie far apart in indices read these a few times", "[engine]") {
  // Two numbers an entry: all first ones, then all second ones.
  constexpr std::int64_t starts = 50'000;
  std::vector<std::int32_t> indices(2 * starts);
  for (std::int64_t i = 0; i < 2 * starts; ++i)
    indices[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * 7919 % 50);
  const auto source = std::make_shared<ChangingSource>(indices, indices, 1'000'000);
  const auto list = [](const std::vector<std::int64_t>& axes) {
    return tensor<std::int64_t>({std::ssize(axes)}, axes);
  };
  Arguments arguments{.operands = {{"data", zeros({50, 50})},
                                   {"indices", Tensor(of_int32({2, starts}), source)},
                                   {"updates", zeros({starts})},
                                   {"update_window_dims", list({})},
                                   {"inserted_window_dims", list({0, 1})},
                                   {"input_batching_dims", list({})},
                                   {"scatter_indices_batching_dims", list({})},
                                   {"scatter_dims_to_operand_dims", list({0, 1})},
                                   {"index_vector_dim", tensor<std::int64_t>({}, {0})}},
                      .attributes = {{"reduction", Reduction::sum}}};
  std::vector<float> output(2500);
  MemoryOutput memory{std::span(output)};
  apply(answered(Form::window), arguments, memory,
        {.threads = 1, .range = OutputRange{.begin = 0, .end = 2500}});
  // Checked, counted and grouped. A piece of entries may meet two blocks of each number.
  CHECK(source->bytes_read() < 4 * 2 * source->size());
}

}  // namespace tscatter
