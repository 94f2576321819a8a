#include "parts/dealt_parts.hpp"

#include <algorithm>
#include <utility>

#include "process/signals.hpp"
#include "tscatter/engine/engine.hpp"
#include "tscatter/plan/lowered_plan.hpp"

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

}  // namespace tscatter::app
