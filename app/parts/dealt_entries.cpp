#include "parts/dealt_entries.hpp"

#include <cstring>
#include <utility>

#include "process/environment.hpp"
#include "tscatter/engine/engine.hpp"
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

void compute_part_of(const ReceivedEntries& received, const EntryRecords& records, const Job& job,
                     const PartsCall& call, const PartsFolder& folder, std::int64_t part) {
  const Tensor& data = call.arguments.operand("data");
  compute_part(job, call, folder, part, [&](Output& output, const RunOptions& options) {
    options.begin(RunPhase::open);
    Sink& sink = output.begin(call.output, data.source());
    const RunCounts counts = run(records.received_plan(received.destinations), data,
                                 records.received_updates(received.payloads), sink, options);
    options.begin(RunPhase::commit);
    output.commit();
    return tscatter::Report{
        .operation = job.operation->name,
        .reduction = job.operation->reduction(call.arguments.attributes),
        .output = call.output,
        .index_entries = received.destinations->size() / static_cast<std::int64_t>(number_size),
        .counts = counts,
        .overridden = {}};
  });
}

}  // namespace tscatter::app
