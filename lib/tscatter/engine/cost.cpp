#include "tscatter/engine/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

#include "tscatter/core/memory.hpp"

namespace tscatter {
namespace {

constexpr double worker_start = 17'500;

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

double second_cache() { return static_cast<double>(CacheSizes::of_this_machine().second); }
double third_cache() { return static_cast<double>(CacheSizes::of_this_machine().third); }

// How far away memory of so many bytes is: 0 in the caches of a processor, 1 beyond all.
double distance(double bytes) { return share_between(third_cache() / 8, 2 * third_cache(), bytes); }

// The rows that are written, where entries go anywhere.
double distinct_rows(const EntryWork& work) {
  const double rows =
      static_cast<double>(work.target_bytes) / static_cast<double>(work.block_bytes);
  return rows * -std::expm1(-static_cast<double>(work.entries) / rows);
}

// Of the target and what is read beside it, as the caches see it: of each row also a line of its
// page's entry in the page table.
double touched_bytes(const EntryWork& work) {
  constexpr double line = 64;
  const double row = std::max(static_cast<double>(work.block_bytes), line);
  const auto updates = static_cast<double>(work.entries * work.block_bytes);
  return std::min(static_cast<double>(work.target_bytes),
                  distinct_rows(work) * (row + line) + updates);
}

// How far away the page table of the target is.
double distance_of_pages(const EntryWork& work) {
  return share_between(third_cache() / 2, 16 * third_cache(),
                       static_cast<double>(work.target_bytes));
}

// How far away a list of elements is, with its indices, which is read once.
double list_distance(const EntryWork& work) {
  constexpr std::int64_t index = 8;  // bytes
  return share_between(third_cache() / 2, 3 * third_cache(),
                       static_cast<double>(work.entries * (index + work.block_bytes)));
}

double element_read(const EntryWork& work) { return 0.301 + 0.343 * list_distance(work); }

// Where no place is written down between index and sum.
double saved_by_indexing(const EntryWork& work) {
  constexpr double near = 32.0 * 1024;
  return work.is_indexed
             ? 0.4 * (1 - share_between(near, 8 * near, static_cast<double>(work.target_bytes)))
             : 0;
}

// To see whether an element goes to the worker's range.
double element_choice(const EntryWork& work) {
  const double each = work.element_size == 4 ? 0.079 : work.element_size == 8 ? 0.239 : 0.64;
  return each + 0.32 * list_distance(work);
}

// To change an element that lies anywhere in the target, while others are under way, by one of
// `ranges` workers: where the caches hold what is touched, beyond them, and where its pages, too,
// have to be found.
double element_change(const EntryWork& work, int ranges) {
  const double touched = touched_bytes(work);
  const double own = touched / ranges;
  const double near = 0.285 + 0.4 * share_between(second_cache() / 32, second_cache() / 4, own) +
                      0.077 * share_between(second_cache() / 4, 4 * second_cache(), own);
  const double far = 1.43 * share_between(0.48 * third_cache(), 0.82 * third_cache(), touched);
  const double pages = 2.62 * distance_of_pages(work);
  return ((work.combines ? 1 : 0.94) * near + std::hypot(far, pages)) / ranges;
}

// Workers that have checked the entries are only woken.
double start_of_workers(const EntryWork& work, int workers) {
  constexpr std::int64_t checked_by_one = std::int64_t{16} * 1024;  // entries
  constexpr double woken = 3'000;
  if (workers == 1) return 0;
  return workers * (work.entries > checked_by_one ? woken : worker_start);
}

// To find rows on pages of 4 KiB: a processor has 64 of them at hand, and updates that stream
// through the caches displace the others. What is larger lies on huge pages.
double page_change(const EntryWork& work, double bytes) {
  constexpr double huge_page = 2.0 * mebibyte;
  constexpr double near = 128 * 1024;
  if (bytes >= huge_page) return 0;
  const auto row = static_cast<double>(work.block_bytes);
  const double change = work.combines
                            ? 0.049 * std::min(row, 512.0) + 0.039 * std::max(row - 512, 0.0)
                            : 1.8 + 0.0076 * row;
  const double streamed = distance(static_cast<double>(work.entries) * row);
  return share_between(near, 2 * near, bytes) * change * std::max(streamed, 0.064);
}

// To combine with a row of the target, and to fetch it and give it back, by one of `ranges` workers
// that share the rows.
double row_change(const EntryWork& work, int ranges) {
  const auto row = static_cast<double>(work.block_bytes);
  const double touched = touched_bytes(work);
  const double beyond_second = share_between(second_cache() / 4, 4 * second_cache(), touched);
  // Many rows this short are on their way at once. Of longer ones the pages are found only once.
  const double little = std::min(row, 512.0);
  const double pages = distance_of_pages(work);
  const double fetched =
      work.combines ? (1.7 + 0.047 * little) * (0.85 + 0.7 * pages) + 0.051 * (row - little)
                    : (2.5 + 0.0313 * little + 0.0018 * (row - little)) * (0.85 + 0.4 * pages);
  return (work.combines ? 2.4 + 0.0041 * row : 0) +
         (work.combines ? 0.0032 : 0.0098) * row * beyond_second + fetched * distance(touched) +
         page_change(work, static_cast<double>(work.target_bytes) / ranges);
}

// To copy data to a new result, by so many workers.
double copy_cost(const EntryWork& work, double workers) {
  constexpr double bytes_per_ns = 4;
  return static_cast<double>(work.copied_bytes) / bytes_per_ns / workers;
}

}  // namespace

double straight_cost(const EntryWork& work, int ranges) {
  const auto entries = static_cast<double>(work.entries);
  if (work.are_elements()) {
    const double each = element_read(work) - (ranges > 1 ? 0 : saved_by_indexing(work)) +
                        (ranges > 1 ? element_choice(work) : 0) + element_change(work, ranges);
    return entries * each + copy_cost(work, ranges) + start_of_workers(work, ranges);
  }
  const double workers = copy_cost(work, ranges) + (ranges > 1 ? worker_start * ranges : 0);
  const auto row = static_cast<double>(work.block_bytes);
  const double far = distance(entries * row);
  // Workers that leave out rows of updates read the others hardly faster together than one alone,
  // and hinder each other where the target is near and updates are not.
  const double hindered =
      work.combines ? 0.064 * row * far * (1 - distance(touched_bytes(work))) / ranges : 0;
  const auto alone = [row](double far_updates) {
    return 1.16 + (0.0118 + 0.0126 * far_updates) * row;
  };
  const std::int64_t target_rows = work.target_bytes / work.block_bytes;
  if (!work.combines && keeps_last_rows(work.entries, target_rows)) {
    const auto rows = static_cast<double>(target_rows);
    // By then random entries have reached every row.
    const double looked_at = std::min(entries, rows * (std::log(rows) + 0.6));
    const double from = share_between(third_cache(), 16 * third_cache(), entries * row);
    const double each = alone(from) + row_change(work, ranges) + 15;
    return looked_at * (ranges > 1 ? 4 : 1) + distinct_rows(work) * each / ranges + workers;
  }
  const double copy =
      ranges > 1 ? 4.3 + 1.3 * far + (0.0159 + 0.0065 * far) * row + hindered : alone(far);
  return entries * (copy + row_change(work, ranges) / ranges) + workers;
}

double copies_cost(const EntryWork& work, int copies) {
  constexpr double bytes_per_ns = 3;  // to make a copy and to combine it
  const double each = static_cast<double>(work.entries) *
                      (element_read(work) - saved_by_indexing(work) + element_change(work, 1)) /
                      copies;
  const double made = static_cast<double>(work.target_bytes) * (copies - 1) / bytes_per_ns;
  return each + made + copy_cost(work, 1) + 2 * start_of_workers(work, copies);
}

double grouped_cost(const EntryWork& work) {
  constexpr double measured_with = 2;  // workers
  constexpr double tile = 512 * 1024;
  const auto entries = static_cast<double>(work.entries);
  const auto target = static_cast<double>(work.target_bytes);
  const auto row = static_cast<double>(work.block_bytes);
  // Rows of updates are read in the order of the target.
  const double far = std::max(distance(entries * row), distance(touched_bytes(work)));
  // Of a row that is written several times only the last write is left.
  const double writes = work.combines ? entries : distinct_rows(work);
  // The system clears memory for the records, which all workers write. That takes 0.3 ns a record
  // where it has the memory, and 16 where the host of a virtual machine has to find it first.
  const double clears =
      work.are_elements() || !work.combines ? 1.6 * share_between(1e6, 1e7, entries) : 0;
  double all = 0;
  if (work.are_elements()) {
    const double tiles = std::log2(std::max(target / tile, 1.0));
    // The first records of a tile take longer than those that follow.
    const double spread = 1 - share_between(1e7, 1e8, entries);
    all = entries * (2.04 + spread * (0.73 * std::clamp(tiles - 3, 0.0, 4.0) +
                                      0.61 * std::max(tiles - 7, 0.0)));
  } else if (work.combines) {
    all = entries * (5.8 + 0.0105 * row + far * (43 + 0.0545 * row));
  } else {
    all = entries * 1.38 + writes * (7.7 + 0.0068 * row + far * (38 + 0.021 * row));
  }
  // For little no second worker is started.
  const bool is_short = writes * row + static_cast<double>(work.copied_bytes) < 4 * tile;
  const double workers = is_short ? 1 : work.threads;
  return all * measured_with / workers + entries * clears * measured_with / work.threads +
         copy_cost(work, workers) + 40 * target / tile +
         (is_short ? 0 : 2 * worker_start * workers);
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
