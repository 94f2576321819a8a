// Entries are applied straight, by ranges of the output, or grouped: the result is that of the loop
// in order, bit for bit, and an index that is out of range leaves the output as it was.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "ops/call.hpp"
#include "tscatter/engine/cost.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/ops/forms/index_destinations.hpp"

namespace tscatter {
namespace {

constexpr std::array ways{EntryOrder::automatic, EntryOrder::straight, EntryOrder::by_range,
                          EntryOrder::in_copies, EntryOrder::grouped};

// What the engine decided, and whatever the test does when a phase begins.
class Watch final : public RunObserver {
 public:
  using Do = std::function<void(RunPhase)>;
  explicit Watch(Do what = nullptr) : do_{std::move(what)} {}

  void begins(RunPhase phase) override {
    if (do_) do_(phase);
  }
  void decided(const RunDecisions& decisions) override { decisions_ = decisions; }
  void kept(std::int64_t) override {}
  void ended(const WorkerFigures&) override {}
  const RunDecisions& decisions() const { return decisions_; }

 private:
  Do do_;
  RunDecisions decisions_;
};

struct Random {
  std::uint64_t state = 1;
  std::int64_t below(std::int64_t end) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>((state >> 33U) % static_cast<std::uint64_t>(end));
  }
};

// Rows of data and updates whose bytes are small: no float is a NaN whose bits an operand chose.
struct Rows {
  DType dtype;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t entries;
  Reduction reduction = Reduction::sum;
  bool from_the_end = true;
  std::vector<std::byte> data = {};
  std::vector<std::byte> updates = {};
  std::vector<std::int64_t> indices = {};

  std::size_t size() const { return info(dtype).size; }
  std::size_t row_bytes() const { return static_cast<std::size_t>(columns) * size(); }

  void fill() {
    Random random;
    const auto bytes_of = [&](std::int64_t count) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(count * columns) * size());
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(32));
      return bytes;
    };
    data = bytes_of(rows);
    updates = bytes_of(entries);
    for (std::int64_t i = 0; i < entries; ++i) {
      const std::int64_t row = random.below(rows);
      indices.push_back(from_the_end && random.below(3) == 0 ? row - rows : row);
    }
  }

  // By a loop of its own: one call for each entry.
  std::vector<std::byte> expected() const {
    std::vector<std::byte> result = data;
    const ReduceLoop reduce = reduce_loop(dtype, reduction);
    for (std::int64_t i = 0; i < entries; ++i) {
      const std::int64_t index = indices[static_cast<std::size_t>(i)];
      std::byte* const into =
          result.data() + static_cast<std::size_t>(index < 0 ? index + rows : index) * row_bytes();
      const std::byte* const from = updates.data() + static_cast<std::size_t>(i) * row_bytes();
      if (reduce == nullptr) {
        std::copy_n(from, row_bytes(), into);
      } else {
        reduce(into, from, columns);
      }
    }
    return result;
  }

  std::vector<std::byte> written(RunOptions options, bool is_in_place,
                                 RunObserver* observer = nullptr) const {
    options.observer = observer;
    std::vector<std::byte> own = data;
    std::vector<std::byte> fresh(data.size());
    const TensorHeader header{.type = ElementType::of(dtype), .shape = {rows, columns}};
    const TensorHeader of_updates{.type = header.type, .shape = {entries, columns}};
    MemoryOutput output{std::span(is_in_place ? own : fresh)};
    scatter_nd_update_15(
        {header, std::span<const std::byte>(own)}, view(std::span(indices), {entries, 1}),
        {of_updates, std::span<const std::byte>(updates)}, reduction, output, options);
    return is_in_place ? own : fresh;
  }
};

void check_orders(Rows rows) {
  rows.fill();
  const std::vector<std::byte> expected = rows.expected();
  for (const EntryOrder order : ways) {
    for (const int threads : {1, 2, 3, 7}) {
      for (const bool is_in_place : {true, false}) {
        INFO(info(rows.dtype).name << " rows of " << rows.columns << ", order "
                                   << static_cast<int>(order) << ", threads " << threads
                                   << ", in place " << is_in_place);
        const RunOptions options{.threads = threads, .entry_order = order};
        CHECK((rows.written(options, is_in_place) == expected));
      }
    }
  }
}

template <class Index>
std::string refusal_of(Index wrong, EntryOrder order, std::int64_t at) {
  constexpr std::int64_t rows = 100;
  constexpr std::int64_t entries = 70'000;  // several pieces
  std::vector<float> data(rows, 1);
  std::vector<Index> indices(entries, 7);
  indices[static_cast<std::size_t>(at)] = wrong;
  const std::vector<float> updates(entries, 1);
  MemoryOutput output{std::span(data)};
  std::string message = refusal([&](Output& into) {
    scatter_nd_update_15(view(std::span(data), {rows}), view(std::span(indices), {entries, 1}),
                         view(std::span(updates), {entries}), Reduction::sum, into,
                         {.threads = 2, .entry_order = order});
  });
  CHECK(std::ranges::count(data, 1.0F) == rows);
  return message;
}

}  // namespace

TEST_CASE("entries straight, by range and grouped leave the same bytes", "[engine]") {
  for (const DType dtype :
       {DType::int8, DType::float16, DType::float32, DType::int64, DType::complex128}) {
    for (const Reduction reduction : {Reduction::none, Reduction::sum}) {
      // Of one element, of a few, and longer than what is fetched ahead.
      check_orders(
          {.dtype = dtype, .rows = 1009, .columns = 1, .entries = 40'000, .reduction = reduction});
      check_orders(
          {.dtype = dtype, .rows = 1009, .columns = 5, .entries = 3000, .reduction = reduction});
      check_orders(
          {.dtype = dtype, .rows = 67, .columns = 1100, .entries = 150, .reduction = reduction});
    }
  }
  // Rows of which only the last write is kept: of several pieces, until all are written, or not
  // all.
  for (const std::int64_t rows : {3, 9000}) {
    check_orders({.dtype = DType::float32,
                  .rows = rows,
                  .columns = 16,
                  .entries = 40'000,
                  .reduction = Reduction::none});
  }
  // Larger than the nearest caches, so that places are fetched; fewer rows than workers.
  check_orders({.dtype = DType::float32, .rows = 300'000, .columns = 1, .entries = 50'000});
  check_orders({.dtype = DType::float32, .rows = 2, .columns = 1, .entries = 50'000});
  check_orders({.dtype = DType::float32, .rows = 1, .columns = 3, .entries = 5});
}

TEST_CASE("integers are combined in copies of the output, what has an order is not", "[engine]") {
  for (const DTypeInfo& each : dtype_table) {
    for (const ReductionInfo& reduction : reduction_table) {
      const bool is_of_operation =
          each.dtype != DType::opaque && reduction.reduction <= Reduction::max;
      if (!is_of_operation || !is_defined(reduction.reduction, each.dtype)) continue;
      Rows rows{.dtype = each.dtype,
                .rows = 301,
                .columns = 1,
                .entries = 20'000,
                .reduction = reduction.reduction};
      rows.fill();
      // Of no integer is an update its identity.
      if (is_integer(each.dtype))
        std::ranges::transform(rows.updates, rows.updates.begin(),
                               [](std::byte byte) { return byte | std::byte{64}; });
      INFO(each.name << " " << reduction.name);
      Watch watch;
      CHECK((rows.written({.threads = 3, .entry_order = EntryOrder::in_copies}, true, &watch) ==
             rows.expected()));
      const bool has_copies =
          is_integer(each.dtype) && !reduction.negates && reduction.reduction != Reduction::none;
      CHECK(watch.decisions().copies == (has_copies ? 3 : 1));
      CHECK(watch.decisions().form == WriteForm::straight);
    }
  }
  // As many copies as the memory that a list of the entries may take.
  Rows rows{.dtype = DType::int64, .rows = 1000, .columns = 1, .entries = 20'000};
  rows.fill();
  for (const int copies : {1, 2, 3}) {
    Watch watch;
    const RunOptions options{.threads = 8,
                             .entry_memory = 20'000 * RunOptions::bytes_per_entry,
                             .entry_order = EntryOrder::in_copies};
    rows.rows = options.entry_memory / 8 / std::max(copies - 1, 1) + (copies == 1 ? 1 : 0);
    rows.data.assign(static_cast<std::size_t>(rows.rows) * 8, std::byte{1});
    CHECK((rows.written(options, true, &watch) == rows.expected()));
    CHECK(watch.decisions().copies == copies);
  }
}

TEST_CASE("long rows into more memory than the caches hold leave the same bytes", "[engine]") {
  Rows rows{.dtype = DType::float32,
            .rows = 9000,
            .columns = 1100,
            .entries = 600,
            .reduction = Reduction::none};
  rows.fill();
  const std::vector<std::byte> expected = rows.expected();
  for (const EntryOrder order : {EntryOrder::straight, EntryOrder::by_range, EntryOrder::grouped})
    CHECK((rows.written({.threads = 2, .entry_order = order}, true) == expected));
}

TEST_CASE("one index out of range is refused before any is applied", "[engine]") {
  for (const EntryOrder order : ways) {
    for (const std::int64_t at : {0, 33'333, 69'999}) {
      const auto check = [&]<class Index>(Index wrong, const std::string& text) {
        CHECK(refusal_of(wrong, order, at) ==
              fmt::format("scatter_nd_update_15: indices[{}, 0] must be in [-100, 100) for data "
                          "axis 0, got {} [scatter_nd_update_15.c4]",
                          at, text));
      };
      check(std::int64_t{100}, "100");
      check(std::int64_t{-101}, "-101");
      check(std::numeric_limits<std::int64_t>::min(), "-9223372036854775808");
      check(std::numeric_limits<std::int64_t>::max(), "9223372036854775807");
      check(std::int32_t{100}, "100");
      check(std::numeric_limits<std::int32_t>::min(), "-2147483648");
    }
  }
}

TEST_CASE("plain indices are what one by one they mean", "[engine]") {
  for (const DTypeInfo& each : dtype_table) {
    if (!is_integer(each.dtype)) continue;
    visit_integer_dtype(each.dtype, [&]<class T>() {
      for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, std::int64_t{100}}) {
        for (const NegativeIndex negative : {NegativeIndex::from_the_end, NegativeIndex::outside}) {
          const Policies policies{.negative = negative, .outside = OutsideIndex::error};
          const auto below = static_cast<T>(-size);
          const auto end = static_cast<T>(size);
          for (const T odd :
               {std::numeric_limits<T>::min(), static_cast<T>(below - 1), below, static_cast<T>(-1),
                T{0}, static_cast<T>(end - 1), end, std::numeric_limits<T>::max()}) {
            // In a vector's middle, and behind the last one.
            for (const std::size_t at : {std::size_t{0}, std::size_t{5}, std::size_t{16}}) {
              std::vector<T> indices(17, 0);
              indices[at] = odd;
              INFO(each.name << ", size " << size << ", index " << +odd << " at " << at);
              const PlainIndices plain(std::as_bytes(std::span(indices)), each.dtype, size,
                                       negative);
              const bool is_inside = size > 0 && place_of(odd, size, policies) >= 0;
              std::vector<std::uint32_t> places(17, 7);
              CHECK(plain.are_in_range(0, 17) == is_inside);
              CHECK(plain.read(0, places) == is_inside);
              if (is_inside) CHECK(places[at] == place_of(odd, size, policies));
            }
          }
        }
      }
    });
  }
}

// The caller changes indices after they were checked: nothing outside data may be written.
TEST_CASE("indices in memory that change after the check are refused", "[engine]") {
  for (const EntryOrder order : {EntryOrder::straight, EntryOrder::by_range}) {
    for (const std::int64_t wrong : {std::int64_t{64}, std::int64_t{-65}, std::int64_t{1} << 40U}) {
      std::vector<std::int64_t> indices(1000, 3);
      std::vector<float> data(64, 0);
      const std::vector<float> updates(1000, 1);
      Watch watch([&](RunPhase phase) {
        if (phase == RunPhase::process) indices[500] = wrong;
      });
      CHECK_THAT(refusal([&](Output&) {
                   MemoryOutput output{std::span(data)};
                   scatter_nd_update_15(view(std::span(data), {64}),
                                        view(std::span(indices), {1000, 1}),
                                        view(std::span(updates), {1000}), Reduction::sum, output,
                                        {.threads = 2, .observer = &watch, .entry_order = order});
                 }),
                 Catch::Matchers::StartsWith(
                     "scatter_nd_update_15: indices[500, 0] must be in [-64, 64)"));
      CHECK(std::count(data.begin(), data.end(), 0.0F) >= 63);
    }
  }
}

TEST_CASE("duplicates are counted by each order", "[engine]") {
  for (const std::int64_t rows : {100, 1'000'000, 2'000'000}) {
    Rows few{.dtype = DType::float32, .rows = rows, .columns = 1, .entries = 5000};
    few.fill();
    std::vector<std::int64_t> places = few.indices;
    for (std::int64_t& place : places) place = (place + rows) % rows;
    std::ranges::sort(places);
    const auto distinct = std::unique(places.begin(), places.end()) - places.begin();
    for (const EntryOrder order : ways) {
      for (const int threads : {1, 3}) {
        std::vector<std::byte> own = few.data;
        MemoryOutput output{std::span(own)};
        const Report report = scatter_nd_update_15(
            {{.type = ElementType::of(DType::float32), .shape = {rows}},
             std::span<const std::byte>(own)},
            view(std::span(few.indices), {5000, 1}),
            {{.type = ElementType::of(DType::float32), .shape = {5000}},
             std::span<const std::byte>(few.updates)},
            Reduction::sum, output, {.threads = threads, .entry_order = order});
        CHECK(report.counts.duplicates == 5000 - distinct);
        CHECK(report.counts.elements_written == distinct);
      }
    }
  }
}

// Not memory: takes any bytes anywhere.
class BytesSink final : public Output, public Sink {
 public:
  explicit BytesSink(std::size_t size) : bytes_(size) {}
  Sink& begin(const TensorHeader&, const Source&) override { return *this; }
  void commit() override {}
  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    std::ranges::copy(bytes, bytes_.begin() + offset);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

TEST_CASE("a new file no longer than the entries' records is a buffer for them", "[engine]") {
  Rows rows{.dtype = DType::float32, .rows = 3'000'000, .columns = 1, .entries = 1'600'000};
  rows.fill();
  std::vector<std::int64_t> places = rows.indices;
  for (std::int64_t& place : places) place = (place + rows.rows) % rows.rows;
  std::ranges::sort(places);
  const auto distinct = std::unique(places.begin(), places.end()) - places.begin();
  const std::vector<std::byte> expected = rows.expected();
  // Where the entries may not be listed, they are grouped in windows.
  constexpr std::int64_t listed = 1'600'000 * RunOptions::bytes_per_entry;
  for (const std::int64_t memory : {std::int64_t{0}, listed, listed - 1}) {
    for (const EntryOrder order : ways) {
      Watch watch;
      BytesSink output(rows.data.size());
      const Report report = scatter_nd_update_15(
          {{.type = ElementType::of(DType::float32), .shape = {rows.rows}},
           std::span<const std::byte>(rows.data)},
          view(std::span(rows.indices), {rows.entries, 1}),
          {{.type = ElementType::of(DType::float32), .shape = {rows.entries}},
           std::span<const std::byte>(rows.updates)},
          Reduction::sum, output,
          {.threads = 2, .observer = &watch, .entry_memory = memory, .entry_order = order});
      INFO("memory " << memory << ", order " << static_cast<int>(order));
      CHECK((output.bytes() == expected));
      CHECK(report.counts.elements_written == distinct);
      if (order != EntryOrder::automatic && order != EntryOrder::grouped)
        CHECK((watch.decisions().form == WriteForm::straight) == (memory != listed - 1));
    }
  }
}

TEST_CASE("the engine chooses by cost", "[engine]") {
  constexpr std::int64_t kib = 1024;
  const auto of_elements = [](std::int64_t entries, std::int64_t target, int threads) {
    return EntryWork{.entries = entries,
                     .block_bytes = 4,
                     .element_size = 4,
                     .target_bytes = target,
                     .combines = true,
                     .threads = threads};
  };
  // What the nearest caches hold is written at once, by one worker.
  CHECK(best_ranges(of_elements(1000, 4 * kib, 8)) == 1);
  CHECK(best_ranges(of_elements(10'000'000, 4 * kib, 8)) == 1);
  CHECK(straight_cost(of_elements(10'000'000, 4 * kib, 8), 1) <
        straight_cost(of_elements(10'000'000, 1024 * 1024 * kib, 8), 1));
  // Integers that many entries go to are worth a copy.
  CHECK(copies_cost(of_elements(10'000'000, 1024 * kib, 2), 2) <
        straight_cost(of_elements(10'000'000, 1024 * kib, 2), 1));
  CHECK(copies_cost(of_elements(10'000, 1024 * kib, 2), 2) >
        straight_cost(of_elements(10'000, 1024 * kib, 2), 1));
  // Memory far away has a worker for each part.
  CHECK(best_ranges(of_elements(10'000'000, 1024 * 1024 * kib, 2)) == 2);
  // All workers read all entries: many of them had better share.
  const EntryWork many = of_elements(10'000'000, 1024 * 1024 * kib, 64);
  CHECK(grouped_cost(many) < straight_cost(many, best_ranges(many)));
}

}  // namespace tscatter
