#include "tscatter/engine/cost.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "tscatter/core/memory.hpp"

namespace tscatter {
namespace {

constexpr double worker_start = 60'000;

struct CacheSizes {
  std::int64_t second = mebibyte;
  std::int64_t third = 16 * mebibyte;

  static const CacheSizes& of_this_machine() {
    static const CacheSizes sizes = measured();
    return sizes;
  }

 private:
  // The system's answer is 0 where it does not know.
  static CacheSizes measured() {
    CacheSizes sizes;
#ifdef _SC_LEVEL3_CACHE_SIZE
    const std::int64_t second = sysconf(_SC_LEVEL2_CACHE_SIZE);
    const std::int64_t third = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (second > 0) sizes.second = second;
    sizes.third = std::max(third > 0 ? third : sizes.third, 2 * sizes.second);
#endif
    return sizes;
  }
};

// A random access to an element among so many bytes, where others are under way.
double access(double bytes) {
  const CacheSizes& caches = CacheSizes::of_this_machine();
  constexpr double near = 0.9;
  constexpr double last_level = 2.5;
  constexpr double memory = 8.5;
  const auto between = [&](double low, double high, double from, double to) {
    const double share = std::log2(bytes / low) / std::log2(high / low);
    return from + std::clamp(share, 0.0, 1.0) * (to - from);
  };
  const auto second = static_cast<double>(caches.second);
  const auto third = static_cast<double>(caches.third);
  if (bytes <= second) return near;
  if (bytes <= third) return between(second, third, near, last_level);
  return between(third, 8 * third, last_level, memory);
}

// To move or combine a row of so many bytes, which lies anywhere among the target's.
double row(const EntryWork& work, double target) {
  constexpr double bytes_per_ns = 8;
  return 2 * access(target) + static_cast<double>(work.block_bytes) / bytes_per_ns;
}

}  // namespace

double straight_cost(const EntryWork& work, int ranges) {
  constexpr double read = 0.6;
  constexpr double choose = 1.0;  // those that go to the worker's range
  const auto entries = static_cast<double>(work.entries);
  const double target = static_cast<double>(work.target_bytes) / ranges;
  const double each = work.are_elements() ? access(target) : row(work, target);
  return entries * (read + (ranges > 1 ? choose : 0) + each / ranges) +
         (ranges > 1 ? worker_start * ranges : 0);
}

double grouped_cost(const EntryWork& work) {
  constexpr double group = 16;
  const double each = work.are_elements() ? group : group + row(work, 0);
  const double tiles = static_cast<double>(work.target_bytes) / (512 * 1024);
  return static_cast<double>(work.entries) * each / work.threads + 40 * tiles +
         worker_start * work.threads;
}

int best_ranges(const EntryWork& work) {
  int best = 1;
  for (int ranges = 2; ranges <= work.threads; ++ranges) {
    if (straight_cost(work, ranges) < straight_cost(work, best)) best = ranges;
  }
  return best;
}

}  // namespace tscatter
