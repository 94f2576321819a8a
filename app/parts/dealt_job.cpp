#include "parts/dealt_job.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "process/environment.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "text/figure.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/engine/engine.hpp"
#include "tscatter/plan/destinations.hpp"
#include "tscatter/plan/scatter_plan.hpp"

namespace tscatter::app {
namespace {

constexpr std::int64_t parts_per_rank = 8;

// No more than there are units.
std::int64_t usual_parts(const PartsJob& job, int ranks) {
  const std::int64_t units = (job.file_bytes + job.unit - 1) / job.unit;
  return std::clamp<std::int64_t>(units, 1, parts_per_rank * ranks);
}

}  // namespace

DealtJob::DealtJob(Job job, std::int64_t unit, int ranks)
    : job_{std::move(job)},
      ranks_{ranks},
      call_{open_parts(job_, job_.name_prefix + "parts", 1, unit)},
      prepared_{prepared(*job_.operation, call_.arguments)},
      folder_{call_.file} {}

std::vector<std::int64_t> DealtJob::find_missing(std::optional<std::int64_t> wanted) {
  const std::optional<PartsJob> present = folder_.job();
  have_parts(wanted.value_or(present ? present->parts : usual_parts(call_.wanted, ranks_)));
  if (present) {
    require_same_job(call_.wanted, *present, folder_.output());
    if (folder_.is_left_by_finish()) return {};
  }
  require_unfinished(folder_);
  return missing_in(present ? folder_.markers(*present) : PartMarkers(), parts());
}

std::optional<EntryRecords> DealtJob::records() const {
  // The check of duplicates needs all entries.
  if (job_.operation->policies.duplicates == DuplicatePolicy::forbidden) return std::nullopt;
  const InterruptScope scope;
  LoweredPlan lowered =
      job_.operation->lower(prepared_, {.parallelism = {.stop = InterruptScope::stop()},
                                        .most_listed = 0,
                                        .check = EntryCheck::by_reader});
  return EntryRecords::of(std::move(lowered.plan), prepared_.operand("updates"));
}

std::int64_t DealtJob::join() const {
  const PartsJob present = folder_.publish_job(call_.wanted);
  require_same_job(call_.wanted, present, folder_.output());
  return static_cast<std::int64_t>(present.run >> 1U);
}

std::size_t DealtJob::parts_of_wave() const {
  return static_cast<std::size_t>(parts_per_rank) * static_cast<std::size_t>(ranks_);
}

std::vector<RoutedPart> DealtJob::deal(std::span<const std::int64_t> parts) const {
  std::vector<RoutedPart> dealt;
  for (const std::int64_t part : parts) {
    const OutputRange elements = open_part(call_, folder_, part).elements;
    dealt.push_back({.part = part,
                     .elements = {.begin = elements.begin, .end = elements.end},
                     .rank = static_cast<int>(std::ssize(dealt) % ranks_)});
  }
  return dealt;
}

void DealtJob::compute(std::int64_t part) const {
  const InterruptScope scope;
  compute_part(job_, call_, folder_, part, [&](Output& output, const RunOptions& options) {
    return apply(*job_.operation, call_.arguments, output, options);
  });
}

void DealtJob::compute(std::int64_t part, const ReceivedEntries& received,
                       const EntryRecords& records) const {
  const Tensor& data = call_.arguments.operand("data");
  const InterruptScope scope;
  compute_part(job_, call_, folder_, part, [&](Output& output, const RunOptions& options) {
    options.begin(RunPhase::open);
    Sink& sink = output.begin(call_.output, data.source());
    const RunCounts counts = run(records.received_plan(received.destinations), data,
                                 records.received_updates(received.payloads), sink, options);
    options.begin(RunPhase::commit);
    output.commit();
    return tscatter::Report{
        .operation = job_.operation->name,
        .reduction = job_.operation->reduction(call_.arguments.attributes),
        .output = call_.output,
        .index_entries = received.destinations->size() / std::int64_t{sizeof(std::uint64_t)},
        .counts = counts,
        .overridden = {}};
  });
}

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
