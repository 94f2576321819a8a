#include "mpi/route.hpp"

#include <algorithm>

#include "process/log.hpp"
#include "tscatter/core/parallel.hpp"

namespace tscatter::app {
namespace {

constexpr std::int64_t most_received = std::int64_t{64} << 20U;  // bytes, by a rank in a round

// So few that a rank receives no more than that if all send everything to it, and that each rank
// has some.
std::int64_t segment_of(const EntryRecords& records, int ranks, std::int64_t most) {
  const std::int64_t fitting = most_received / (ranks * records.record_size());
  const std::int64_t share = (records.entries() + ranks - 1) / ranks;
  return std::max<std::int64_t>(std::min({fitting, share, most}), 1);
}

}  // namespace

Route::Route(Ranks& ranks, const EntryRecords& records, std::int64_t most,
             const std::atomic<bool>* stop)
    : ranks_{ranks},
      records_{records},
      deal_{.entries = records.entries(),
            .segment = segment_of(records, ranks.size(), most),
            .ranks = ranks.size()},
      stop_{stop} {}

void Route::check(int threads) const {
  std::atomic<std::int64_t> failed{deal_.rounds()};
  std::exception_ptr error;
  try {
    for_each_task(deal_.rounds(), threads, stop_, [&] {
      return [&, destinations = std::vector<std::uint64_t>()](std::int64_t round) mutable {
        const Range entries = deal_.of(round, ranks_.rank());
        try {
          records_.check(entries, destinations);
        } catch (...) {
          for (std::int64_t seen = failed;
               round < seen && !failed.compare_exchange_weak(seen, round);) {
          }
          throw;
        }
      };
    });
  } catch (...) {
    error = std::current_exception();
  }
  ranks_.agree(error, deal_.number(failed, ranks_.rank()));
}

std::vector<ReceivedEntries> Route::exchange(std::span<const RoutedPart> parts) const {
  Parcels parcels(records_, parts, ranks_.size());
  Arrivals arrivals(records_, parts, ranks_.rank());
  std::vector<std::byte> arrived;
  std::exception_ptr error;
  // A rank that fails says so in the next round, or at the end.
  const auto attempt = [&](const auto& step) {
    try {
      if (!error && stop_ != nullptr && *stop_) throw Cancelled();
      if (!error) step();
    } catch (...) {
      error = std::current_exception();
    }
  };
  std::int64_t sent = 0;
  std::int64_t received = 0;
  for (std::int64_t round = 0; round < deal_.rounds(); ++round) {
    attempt([&] { parcels.fill(deal_.of(round, ranks_.rank())); });
    if (!ranks_.exchange(parcels.all(), error != nullptr, arrived)) break;
    attempt([&] { arrivals.take(arrived); });
    for (const std::vector<std::byte>& parcel : parcels.all()) sent += std::ssize(parcel);
    received += std::ssize(arrived);
  }
  ranks_.agree(error);
  log_info("rank {} of {}: {} rounds of {} entries, {} bytes sent, {} received", ranks_.rank(),
           ranks_.size(), deal_.rounds(), deal_.segment, sent, received);
  return std::move(arrivals).all();
}

}  // namespace tscatter::app
