#include "mpi/route.hpp"

#include "process/log.hpp"
#include "process/signals.hpp"

namespace tscatter::app {

std::vector<ReceivedEntries> exchange_entries(Ranks& ranks, const EntryRecords& records,
                                              const Deal& deal, std::span<const RoutedPart> parts) {
  Parcels parcels(records, parts, ranks.size());
  Arrivals arrivals(records, parts, ranks.rank());
  std::vector<std::byte> arrived;
  std::exception_ptr error;
  // A rank that fails says so in the next round, or at the end.
  const auto attempt = [&](const auto& step) {
    try {
      if (!error && *InterruptScope::stop()) throw Cancelled();
      if (!error) step();
    } catch (...) {
      error = std::current_exception();
    }
  };
  std::int64_t sent = 0;
  std::int64_t received = 0;
  for (std::int64_t round = 0; round < deal.rounds(); ++round) {
    attempt([&] { parcels.fill(deal.of(round, ranks.rank())); });
    if (!ranks.exchange(parcels.all(), error != nullptr, arrived)) break;
    attempt([&] { arrivals.take(arrived); });
    for (const std::vector<std::byte>& parcel : parcels.all()) sent += std::ssize(parcel);
    received += std::ssize(arrived);
  }
  ranks.agree(error);
  log_info("rank {} of {}: {} rounds of {} entries, {} bytes sent, {} received", ranks.rank(),
           ranks.size(), deal.rounds(), deal.segment, sent, received);
  return std::move(arrivals).all();
}

}  // namespace tscatter::app
