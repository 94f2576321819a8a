#include "parts/routed_entries.hpp"

#include <utility>

#include "process/log.hpp"
#include "process/signals.hpp"
#include "text/figure.hpp"

namespace tscatter::app {

RoutedEntries route_entries(const EntryRecords& records, const Deal& deal, int rank,
                            std::span<const RoutedPart> parts, const Exchange& exchange) {
  Parcels parcels(records, parts, deal.ranks);
  Arrivals arrivals(records, parts, rank);
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
    attempt([&] { parcels.fill(deal.of(round, rank)); });
    if (!exchange(parcels.all(), error != nullptr, arrived)) break;
    attempt([&] { arrivals.take(arrived); });
    for (const std::vector<std::byte>& parcel : parcels.all()) sent += std::ssize(parcel);
    received += std::ssize(arrived);
  }
  log_info("rank {} of {}: {} of {}, {} sent, {} received", rank, deal.ranks,
           several(deal.rounds(), "round"), several(deal.segment, "entry"), several(sent, "byte"),
           several(received, "byte"));
  return {.of_own_parts = std::move(arrivals).all(), .error = error};
}

}  // namespace tscatter::app
