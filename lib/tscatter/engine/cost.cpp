#include "tscatter/engine/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

#include "tscatter/core/memory.hpp"

namespace tscatter {
namespace {

constexpr double worker_start = 35'000;

struct CacheSizes {
  std::int64_t second = mebibyte;
  std::int64_t third = 32 * mebibyte;

  // Read once. What the system does not tell stays as it is.
  static const CacheSizes& of_this_machine() {
    static const CacheSizes sizes = from_system();
    return sizes;
  }

 private:
  static CacheSizes from_system() {
    CacheSizes sizes;
    sizes.second = size_of_cache(2).value_or(sizes.second);
    sizes.third = std::max(size_of_cache(3).value_or(sizes.third), 4 * sizes.second);
    return sizes;
  }
  // Linux: "32768K". The C library tells the size of the whole machine's caches, also in a part of
  // it.
  static std::optional<std::int64_t> size_of_cache(int level) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", level));
    std::int64_t size = 0;
    char unit = ' ';
    if (!(file >> size >> unit) || size <= 0 || size > mebibyte) return std::nullopt;
    return size * (unit == 'M' ? mebibyte : 1024);
  }
};

// From 0 where `bytes` is at most `near` to 1 where it is at least `far`, by their logarithms.
double share_between(double near, double far, double bytes) {
  if (bytes <= near) return 0;
  return std::min(std::log2(bytes / near) / std::log2(far / near), 1.0);
}

// How far away memory of so many bytes is: 0 in the caches of a processor, 1 beyond all.
double distance(double bytes) {
  const CacheSizes& caches = CacheSizes::of_this_machine();
  const auto last = static_cast<double>(caches.third);
  return share_between(last / 8, 2 * last, bytes);
}

// To change an element that lies anywhere among so many bytes, while others are under way.
double element_change(const EntryWork& work) {
  const CacheSizes& caches = CacheSizes::of_this_machine();
  const auto second = static_cast<double>(caches.second);
  const auto third = static_cast<double>(caches.third);
  const auto bytes = static_cast<double>(work.target_bytes);
  const double change = 0.9 + 0.95 * share_between(second / 4, 4 * second, bytes) +
                        5.9 * share_between(third / 8, 2 * third, bytes) +
                        3.8 * share_between(2 * third, 32 * third, bytes);
  return work.combines ? change : 0.85 * change;
}

// To fetch and give back a row of the target.
double row_change(const EntryWork& work) {
  const auto row = static_cast<double>(work.block_bytes);
  const double change = work.combines ? 18 + 0.09 * row : 10 + 0.05 * row;
  return change * distance(static_cast<double>(work.target_bytes));
}

// To copy data to a new result, by so many workers.
double copy_cost(const EntryWork& work, double workers) {
  constexpr double bytes_per_ns = 4;
  return static_cast<double>(work.copied_bytes) / bytes_per_ns / workers;
}

// The rows that are written, where entries go anywhere.
double distinct_rows(const EntryWork& work) {
  const double rows =
      static_cast<double>(work.target_bytes) / static_cast<double>(work.block_bytes);
  return rows * -std::expm1(-static_cast<double>(work.entries) / rows);
}

}  // namespace

double straight_cost(const EntryWork& work, int ranges) {
  constexpr double read = 0.6;
  constexpr double choose = 1.0;  // those that go to the worker's range
  const auto entries = static_cast<double>(work.entries);
  const double workers = copy_cost(work, ranges) + (ranges > 1 ? worker_start * ranges : 0);
  if (work.are_elements()) {
    const double each = read + (ranges > 1 ? choose : 0) + element_change(work) / ranges;
    return entries * each + workers;
  }
  const auto row = static_cast<double>(work.block_bytes);
  const double arithmetic = work.combines ? 4 : 0;
  // Workers that leave out rows of updates read the others hardly faster together than one alone.
  const double copy = ranges > 1 ? 10 + 0.052 * row : 2 + 0.06 * row;
  return entries * (copy + (arithmetic + row_change(work)) / ranges) + workers;
}

double grouped_cost(const EntryWork& work) {
  constexpr double measured_with = 2;  // workers
  constexpr double tile = 512 * 1024;
  const auto entries = static_cast<double>(work.entries);
  const auto target = static_cast<double>(work.target_bytes);
  const auto row = static_cast<double>(work.block_bytes);
  // Rows of updates are read in the order of the target.
  const double far = std::max(distance(entries * row), distance(target));
  // The first records of a tile take longer than those that follow.
  const double begins = 2.2 * (1 - share_between(1e6, 1e7, entries));
  double all = 0;
  if (work.are_elements()) {
    const double tiles = std::log2(std::max(target / tile, 1.0));
    // The system clears memory for the records.
    const double clears = 0.15 * share_between(3e7, 1e8, entries);
    all = entries * (3.3 + 0.25 * std::clamp(tiles - 3, 0.0, 4.0) +
                     0.75 * std::max(tiles - 7, 0.0) + begins + clears);
  } else if (work.combines) {
    all = entries * (14 + 0.07 * row + far * (38 + 0.01 * row));
  } else {
    // Of a row that is written several times only the last write is left.
    all = entries * (4.5 + begins) +
          distinct_rows(work) * (20 + 0.045 * row + far * (38 + 0.012 * row));
  }
  // For little no second worker is started.
  const bool is_short = entries * row + static_cast<double>(work.copied_bytes) < 4 * tile;
  const double workers = is_short ? 1 : work.threads;
  return all * measured_with / workers + copy_cost(work, workers) + 40 * target / tile +
         (is_short ? 0 : worker_start * workers);
}

EntryCosts entry_costs(const EntryWork& work, int ranges) {
  const CacheSizes& caches = CacheSizes::of_this_machine();
  return {.straight = straight_cost(work, ranges),
          .grouped = grouped_cost(work),
          .target_bytes = work.target_bytes,
          .second_cache = caches.second,
          .third_cache = caches.third};
}

int best_ranges(const EntryWork& work) {
  int best = 1;
  for (int ranges = 2; ranges <= work.threads; ++ranges) {
    if (straight_cost(work, ranges) < straight_cost(work, best)) best = ranges;
  }
  return best;
}

}  // namespace tscatter
