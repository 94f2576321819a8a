#include "parts/dealt_entries.hpp"

#include <atomic>
#include <cstring>
#include <utility>

#include "process/environment.hpp"
#include "process/signals.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/plan/destination_list.hpp"

namespace tscatter::app {
namespace {

constexpr std::size_t number_size = sizeof(std::uint64_t);

// Calls visit(part) for the parts that have one of the elements.
template <class Visit>
void visit_meeting(std::span<const RoutedPart> parts, Range elements, const Visit& visit) {
  const auto first = std::ranges::partition_point(
      parts, [&](const RoutedPart& part) { return part.elements.end <= elements.begin; });
  for (auto part = first; part != parts.end() && part->elements.begin < elements.end; ++part)
    visit(*part);
}

std::shared_ptr<Spool> spool_of_part() {
  return std::make_shared<Spool>(temporary_directory(), "the entries of a part");
}

void append_bytes(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void store(Spool& spool, std::vector<std::byte>& bytes) {
  if (!bytes.empty()) spool.append(bytes);
  bytes.clear();
}

}  // namespace

Deal Deal::of(const EntryRecords& records, int ranks, std::int64_t most) {
  constexpr std::int64_t most_received = std::int64_t{64} << 20U;  // bytes
  const std::int64_t entries = records.entries();
  const std::int64_t fitting = most_received / (ranks * records.record_size());
  const std::int64_t share = (entries + ranks - 1) / ranks;
  return {.entries = entries,
          .segment = std::max<std::int64_t>(std::min({fitting, share, most}), 1),
          .ranks = ranks};
}

RefusedEntry check_dealt(const EntryRecords& records, const Deal& deal, int rank, int threads) {
  const InterruptScope scope;
  std::atomic<std::int64_t> failed{deal.rounds()};
  std::exception_ptr error;
  try {
    for_each_task(deal.rounds(), {.threads = threads, .stop = InterruptScope::stop()}, [&] {
      return [&, destinations = std::vector<std::uint64_t>()](std::int64_t round) mutable {
        try {
          records.check(deal.of(round, rank), destinations);
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
  return {.error = error, .segment = deal.number(failed, rank)};
}

Parcels::Parcels(const EntryRecords& records, std::span<const RoutedPart> parts, int ranks)
    : records_{records},
      parts_{parts},
      parcels_(static_cast<std::size_t>(ranks)),
      last_(static_cast<std::size_t>(ranks), -1) {}

void Parcels::fill(Range entries) {
  for (std::vector<std::byte>& parcel : parcels_) parcel.clear();
  records_.read(entries, batch_);
  for (std::size_t i = 0; i < batch_.destinations.size(); ++i) {
    if (is_dropped(batch_.destinations[i])) continue;
    const std::int64_t entry = entries.begin + static_cast<std::int64_t>(i);
    visit_meeting(parts_, records_.elements(batch_.destinations[i]), [&](const RoutedPart& part) {
      const auto rank = static_cast<std::size_t>(part.rank);
      if (std::exchange(last_[rank], entry) != entry) append(i, parcels_[rank]);
    });
  }
}

void Parcels::append(std::size_t entry, std::vector<std::byte>& parcel) const {
  const auto size = static_cast<std::size_t>(records_.payload_size());
  append_bytes(parcel, std::as_bytes(std::span(&batch_.destinations[entry], 1)));
  append_bytes(parcel, std::span(batch_.payloads).subspan(entry * size, size));
}

Arrivals::Arrivals(const EntryRecords& records, std::span<const RoutedPart> parts, int rank)
    : records_{records} {
  for (const RoutedPart& part : parts) {
    if (part.rank != rank) continue;
    own_.push_back(part);
    received_.push_back({.destinations = spool_of_part(), .payloads = spool_of_part()});
  }
  destinations_.resize(own_.size());
  payloads_.resize(own_.size());
}

void Arrivals::take(std::span<const std::byte> arrived) {
  const auto size = static_cast<std::size_t>(records_.record_size());
  for (; !arrived.empty(); arrived = arrived.subspan(size)) {
    std::uint64_t destination = 0;
    std::memcpy(&destination, arrived.data(), number_size);
    visit_meeting(own_, records_.elements(destination), [&](const RoutedPart& part) {
      const auto place = static_cast<std::size_t>(&part - own_.data());
      append_bytes(destinations_[place], arrived.first(number_size));
      append_bytes(payloads_[place], arrived.subspan(number_size, size - number_size));
    });
  }
  for (std::size_t i = 0; i < received_.size(); ++i) {
    store(*received_[i].destinations, destinations_[i]);
    store(*received_[i].payloads, payloads_[i]);
  }
}

}  // namespace tscatter::app
