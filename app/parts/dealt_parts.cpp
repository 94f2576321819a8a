#include "parts/dealt_parts.hpp"

#include <algorithm>

#include "tscatter/engine/engine.hpp"

namespace tscatter::app {
namespace {

constexpr int parts_per_rank = 8;

// No more than there are units.
std::int64_t usual_parts(const PartsJob& job, int ranks) {
  const std::int64_t units = (job.file_bytes + job.unit - 1) / job.unit;
  return std::clamp<std::int64_t>(units, 1, std::int64_t{parts_per_rank} * ranks);
}

}  // namespace

std::vector<std::int64_t> find_missing(PartsCall& call, const PartsFolder& folder,
                                       std::optional<std::int64_t> wanted, int ranks) {
  const std::optional<PartsJob> present = folder.job();
  call.wanted.parts = wanted.value_or(present ? present->parts : usual_parts(call.wanted, ranks));
  if (present) {
    require_same_job(call.wanted, *present, folder.output());
    if (folder.is_left_by_finish()) return {};
  }
  require_unfinished(call, folder);
  return missing_in(present ? folder.markers(*present) : PartMarkers(), call.wanted.parts);
}

std::size_t parts_of_wave(int ranks) {
  return static_cast<std::size_t>(parts_per_rank) * static_cast<std::size_t>(ranks);
}

std::vector<RoutedPart> deal_parts(const PartsCall& call, const PartsFolder& folder,
                                   std::span<const std::int64_t> parts, int ranks) {
  std::vector<RoutedPart> dealt;
  for (const std::int64_t part : parts) {
    const OutputRange elements = open_part(call, folder, part).elements;
    dealt.push_back({.part = part,
                     .elements = {.begin = elements.begin, .end = elements.end},
                     .rank = static_cast<int>(std::ssize(dealt) % ranks)});
  }
  return dealt;
}

void compute_dealt(const Job& job, const PartsCall& call, const PartsFolder& folder,
                   std::int64_t part) {
  compute_part(job, call, folder, part, [&](Output& output, const RunOptions& options) {
    return apply(*job.operation, call.arguments, output, options);
  });
}

void compute_dealt(const ReceivedEntries& received, const EntryRecords& records, const Job& job,
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
        .index_entries = received.destinations->size() / std::int64_t{sizeof(std::uint64_t)},
        .counts = counts,
        .overridden = {}};
  });
}

}  // namespace tscatter::app
