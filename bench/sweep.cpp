// Entries applied straight and grouped by tile, in memory, over targets, lists and blocks of many
// sizes, and which of both the engine chooses.
//
//   tscatter_sweep [ROUNDS [LARGEST]]     3 rounds; targets and indices of at most LARGEST bytes
//
// A line of JSON for each point: bytes of the target, entries, bytes of a block, reduction, the
// least milliseconds by each order, what the engine chose, and what it expected. A point whose
// choice looks 10 % slower than the best order is measured again, on fresh arrays, up to three
// times. Points that need more than 6 GiB are left out.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "array.hpp"
#include "tscatter/tscatter.hpp"

namespace {

using bench::Memory;
using tscatter::EntryOrder;

// What the engine decided.
class Decision final : public tscatter::RunObserver {
 public:
  void begins(tscatter::RunPhase) override {}
  void decided(const tscatter::RunDecisions& decisions) override { decisions_ = decisions; }
  void kept(std::int64_t) override {}
  void ended(const tscatter::WorkerFigures&) override {}
  const tscatter::RunDecisions& decisions() const { return decisions_; }

 private:
  tscatter::RunDecisions decisions_;
};

struct Point {
  std::int64_t target;  // bytes
  std::int64_t entries;
  std::int64_t block;  // bytes
  std::string_view reduction;

  std::int64_t updates() const { return entries * block; }
  bool fits() const {
    constexpr std::int64_t most = std::int64_t{6} << 30U;
    return target >= block && target + updates() + entries * 8 <= most;
  }
};

class Job {
 public:
  explicit Job(const Point& point)
      : data_{static_cast<std::size_t>(point.target)},
        indices_{static_cast<std::size_t>(point.entries * 8)},
        updates_{static_cast<std::size_t>(point.updates())} {
    std::ranges::fill(data_.span(), std::byte{1});
    std::ranges::fill(updates_.span(), std::byte{1});
    const std::int64_t rows = point.target / point.block;
    std::uint64_t state = 1;
    const std::span<std::byte> bytes = indices_.span();
    auto* const indices = reinterpret_cast<std::int64_t*>(bytes.data());
    for (std::int64_t i = 0; i < point.entries; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      indices[i] = static_cast<std::int64_t>((state >> 20U) % static_cast<std::uint64_t>(rows));
    }
    const std::int64_t columns = point.block / 4;
    arguments_.operands.emplace("data", view(data_, tscatter::DType::float32, {rows, columns}));
    arguments_.operands.emplace("indices",
                                view(indices_, tscatter::DType::int64, {point.entries, 1}));
    arguments_.operands.emplace("updates",
                                view(updates_, tscatter::DType::float32, {point.entries, columns}));
    arguments_.attributes.emplace("reduction",
                                  tscatter::reduction_from_name(point.reduction).value());
  }

  double milliseconds(EntryOrder order, tscatter::RunObserver* observer = nullptr) {
    tscatter::RunOptions options;
    options.counting = tscatter::Counting::left_out;
    options.entry_order = order;
    options.observer = observer;
    tscatter::MemoryOutput output{data_.span()};
    const auto begin = std::chrono::steady_clock::now();
    apply(*tscatter::find_operation("ScatterNDUpdate-15"), arguments_, output, options);
    const auto took = std::chrono::steady_clock::now() - begin;
    return std::chrono::duration<double, std::milli>(took).count();
  }

 private:
  static tscatter::Tensor view(Memory& memory, tscatter::DType dtype, tscatter::Shape shape) {
    return tscatter::view(memory.span(), dtype, std::move(shape));
  }

  Memory data_;
  Memory indices_;
  Memory updates_;
  tscatter::Arguments arguments_;
};

constexpr std::array orders{EntryOrder::straight, EntryOrder::by_range, EntryOrder::grouped};
constexpr std::array names{"straight", "by_range", "grouped"};
using Milliseconds = std::array<double, orders.size()>;  // the least of the runs, by each order

// The engine's own choice among `orders`.
std::size_t place_of(const tscatter::RunDecisions& chosen) {
  if (chosen.form != tscatter::WriteForm::straight) return 2;
  return chosen.threads == 1 ? 0 : 1;
}

tscatter::RunDecisions run_rounds(const Point& point, std::int64_t rounds, Milliseconds& least) {
  constexpr double short_run = 5;  // milliseconds: what takes less is run more often
  Job job(point);
  Decision decision;
  job.milliseconds(EntryOrder::automatic, &decision);
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < orders.size(); ++i) {
      double first = job.milliseconds(orders[i]);
      for (int more = 0; more < 9 && first < short_run; ++more)
        first = std::min(first, job.milliseconds(orders[i]));
      least[i] = std::min(least[i], first);
    }
  }
  return decision.decisions();
}

void measure(const Point& point, std::int64_t rounds) {
  constexpr double suspicious = 1.1;  // of the best order; pages and neighbours make as much
  constexpr int retakes = 3;
  Milliseconds least;
  least.fill(1e9);
  tscatter::RunDecisions chosen = run_rounds(point, rounds, least);
  for (int take = 0; take < retakes; ++take) {
    if (least[place_of(chosen)] <= suspicious * *std::ranges::min_element(least)) break;
    chosen = run_rounds(point, rounds, least);
  }
  std::printf(
      R"({"target": %lld, "entries": %lld, "block": %lld, "reduction": "%s", "straight": %.4f, )"
      R"("by_range": %.4f, "grouped": %.4f, "chosen": "%s", "threads": %d, "expected": [%.4f, %.4f]})"
      "\n",
      static_cast<long long>(point.target), static_cast<long long>(point.entries),
      static_cast<long long>(point.block), std::string(point.reduction).c_str(), least[0], least[1],
      least[2], names[place_of(chosen)], chosen.threads,
      (chosen.costs ? chosen.costs->straight : 0) / 1e6,
      (chosen.costs ? chosen.costs->grouped : 0) / 1e6);
  std::fflush(stdout);
}

// Targets and lists of at most `largest` bytes.
void sweep(std::int64_t rounds, std::int64_t largest) {
  for (const std::string_view reduction : {"sum", "none", "max"}) {
    for (const std::int64_t block : {4, 64, 512, 4096}) {
      for (std::int64_t target = 1024; target <= std::min(std::int64_t{1} << 32U, largest);
           target *= 16) {
        for (std::int64_t entries = 1000;
             entries <= std::min<std::int64_t>(100'000'000, largest / 8); entries *= 10) {
          const Point point{target, entries, block, reduction};
          if (point.fits()) measure(point, rounds);
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::int64_t rounds = argc > 1 ? std::stoll(argv[1]) : 3;
    sweep(rounds, argc > 2 ? std::stoll(argv[2]) : std::int64_t{1} << 40U);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tscatter_sweep: %s\n", error.what());
    return 1;
  }
}
