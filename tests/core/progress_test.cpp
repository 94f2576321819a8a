#include "tscatter/core/progress.hpp"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "tscatter/compare/census.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/io/formats/text/literal.hpp"
#include "tscatter/tscatter.hpp"

namespace tscatter {
namespace {

using Phases = std::vector<std::pair<std::int64_t, std::int64_t>>;  // bytes done, of how many

// What was done of each phase at its end.
class PhaseLog final : public Progress {
 public:
  ~PhaseLog() override = default;

  // Without those of unknown length that did nothing.
  Phases phases() {
    begin(0);
    return std::move(phases_);
  }

 private:
  void begun() override {
    if (last_done_ > 0 || last_total_ > 0) phases_.emplace_back(last_done_, last_total_);
    last_done_ = 0;
    last_total_ = total();
  }
  void moved() override { last_done_ = done(); }

  Phases phases_;
  std::atomic<std::int64_t> last_done_{0};
  std::int64_t last_total_ = 0;
};

Tensor literal(std::string_view text) { return *literal_tensor(text, "literal"); }

}  // namespace

TEST_CASE("kept workers run every task of each loop, also of loops within loops", "[core]") {
  const auto run = [](std::int64_t tasks, int threads) {
    std::atomic<std::int64_t> sum{0};
    for_each_task(tasks, {.threads = threads}, [&] {
      return [&](std::int64_t task) {
        for_each_task(3, {.threads = 2}, [&] { return [&](std::int64_t) { sum += task; }; });
      };
    });
    return sum.load();
  };
  const KeptWorkers outer;
  for (int i = 0; i < 300; ++i) {
    const KeptWorkers inner;
    const std::int64_t tasks = i % 9;
    CHECK(run(tasks, 1 + i % 5) == 3 * tasks * (tasks - 1) / 2);
  }
  for (int i = 0; i < 20; ++i) {
    CHECK_THROWS_AS(for_each_task(50, {.threads = 3},
                                  [] {
                                    return [](std::int64_t task) {
                                      if (task == 7) throw Cancelled();
                                    };
                                  }),
                    Cancelled);
    CHECK(run(4, 3) == 18);
  }
}

TEST_CASE("kept workers are gone with their owner, and run where the caller may", "[core]") {
  const auto threads_now = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  const auto before = threads_now();
  cpu_set_t own;
  REQUIRE(::sched_getaffinity(0, sizeof(own), &own) == 0);
  {
    const KeptWorkers workers;
    CHECK(threads_now() == before);
    std::atomic<int> same{0};
    for (int i = 0; i < 10; ++i) {
      for_each_task(4, {.threads = 4}, [&] {
        cpu_set_t allowed;
        const bool is_same = ::sched_getaffinity(0, sizeof(allowed), &allowed) == 0 &&
                             CPU_EQUAL(&own, &allowed) != 0;
        return [&, is_same](std::int64_t) { same += is_same ? 1 : 0; };
      });
    }
    CHECK(same == 40);
    CHECK(threads_now() == before + 3);
  }
  CHECK(threads_now() == before);
  cpu_set_t after;
  REQUIRE(::sched_getaffinity(0, sizeof(after), &after) == 0);
  CHECK(CPU_EQUAL(&own, &after) != 0);
}

TEST_CASE("tasks tell of all bytes, whatever their number and that of workers", "[core]") {
  for (const int threads : {1, 4}) {
    for (const std::int64_t tasks : {1, 3, 7, 1000}) {
      PhaseLog log;
      std::atomic<std::int64_t> run{0};
      for_each_task(tasks, {.threads = threads, .progress = &log}, 100,
                    [&] { return [&](std::int64_t) { ++run; }; });
      CHECK(run == tasks);
      CHECK(log.done() == 100);
      CHECK(log.total() == 100);
    }
  }
  PhaseLog log;
  for_each_task(0, {.threads = 1, .progress = &log}, 100, [] { return [](std::int64_t) {}; });
  CHECK(log.phases().empty());
}

TEST_CASE("a phase inside another one gives its figures back", "[core]") {
  PhaseLog log;
  log.begin(10);
  log.add(4);
  {
    const InnerPhase inner(&log, 7);
    inner.add(7);
  }
  CHECK(log.total() == 10);
  log.add(6);
  CHECK(log.phases() == Phases{{4, 10}, {7, 7}, {10, 10}});
  const InnerPhase nobody(nullptr, 7);
  nobody.add(7);
}

TEST_CASE("an operation tells of its indices, its updates and its tiles", "[core]") {
  const auto phases = [](EntryOrder order) {
    std::vector<float> result(3000000);
    const Tensor data = literal("3000000xf32=0");
    PhaseLog log;
    const RunOptions options{.threads = 2, .progress = &log, .entry_order = order};
    MemoryOutput output(std::span<float>{result});
    scatter_nd_update_15(data, literal("2x1xi64=7,2999999"), literal("2xf32=1"), Reduction::sum,
                         output, options);
    return log.phases();
  };
  // Checked; listed, with updates.
  CHECK(phases(EntryOrder::straight) == Phases{{2, 2}, {12000000, 12000000}});
  CHECK(phases(EntryOrder::grouped) == Phases{{2, 2}, {2, 2}, {8, 8}, {12000000, 12000000}});
}

TEST_CASE("compare tells of the bytes of both tensors", "[core]") {
  PhaseLog log;
  const Census census =
      compare(literal("300000xf32=0"), literal("300000xf32=1"), {.progress = &log});
  CHECK(census.differing == 300000);
  CHECK(log.phases() == Phases{{2400000, 2400000}});
}

TEST_CASE("of several tasks that fail, the first is told", "[core]") {
  constexpr auto soon = std::chrono::milliseconds(20);
  for (const std::int64_t last : {0, 1}) {
    std::atomic<int> begun = 0;
    const auto run = [&] {
      for_each_task(2, {.threads = 2}, [&] {
        return [&](std::int64_t task) {
          ++begun;
          for (int i = 0; begun < 2 && i < 100; ++i) std::this_thread::sleep_for(soon);
          if (task == last) std::this_thread::sleep_for(soon);
          throw Error(ErrorKind::file, "x.f1", "x", task == 0 ? "first" : "second");
        };
      });
    };
    CHECK_THROWS_WITH(run(), "x: first [x.f1]");
  }
}

}  // namespace tscatter
