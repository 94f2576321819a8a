#include "tscatter/explain/explain.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tscatter/core/best_of.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/engine/grouped_entries.hpp"
#include "tscatter/explain/order_scan.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/plan/scatter_plan.hpp"
#include "tscatter/reach/reached_terms.hpp"

namespace tscatter {
namespace {

struct EntryCensus {
  std::int64_t once = 0;     // destinations with one writer
  std::int64_t several = 0;  // with several
  std::int64_t most_writers = 0;
  std::vector<EntryGroup> busiest;  // most writers first
};

struct IsBusier {
  const Places* places;

  bool operator()(EntryGroup a, EntryGroup b) const {
    if (a.size() != b.size()) return a.size() > b.size();
    return places->destinations.is_before(a.front().destination, b.front().destination);
  }
};

struct Count {
  EntryCensus census;
  BestOf<EntryGroup, IsBusier> busiest;

  void take(EntryGroup group) {
    ++(group.size() == 1 ? census.once : census.several);
    census.most_writers = std::max(census.most_writers, static_cast<std::int64_t>(group.size()));
    if (group.size() > 1) busiest.offer(group);
  }

  void take(const Count& other) {
    census.once += other.census.once;
    census.several += other.census.several;
    census.most_writers = std::max(census.most_writers, other.census.most_writers);
    busiest.merge(other.busiest);
  }
};

Parallelism parallelism_of(const ExplainOptions& options) {
  return {
      .threads = worker_count(options.threads), .stop = options.stop, .progress = options.progress};
}

// `most`: how many of the busiest to keep.
EntryCensus take_census(const GroupedEntries& entries, const Places& places, std::int64_t most,
                        const Parallelism& parallelism) {
  const Count nothing{
      .census = {},
      .busiest = BestOf<EntryGroup, IsBusier>(static_cast<std::size_t>(most), {&places})};
  Count all = nothing;
  std::mutex mutex;
  constexpr std::size_t buckets_per_task = 64;
  const std::size_t tasks = (entries.bucket_count() + buckets_per_task - 1) / buckets_per_task;
  const auto bytes = static_cast<std::int64_t>(entries.size() * sizeof(IndexEntry));
  for_each_task(static_cast<std::int64_t>(tasks), parallelism, bytes, [&] {
    return [&](std::int64_t task) {
      Count count = nothing;
      const std::size_t begin = static_cast<std::size_t>(task) * buckets_per_task;
      const std::size_t end = std::min(begin + buckets_per_task, entries.bucket_count());
      for (std::size_t bucket = begin; bucket < end; ++bucket)
        entries.visit_bucket(bucket, [&](EntryGroup group) { count.take(group); });
      const std::scoped_lock lock(mutex);
      all.take(count);
    };
  });
  all.census.busiest = all.busiest.sorted();
  return std::move(all.census);
}

// `destination_elements`: how many a destination has in all batches; `elements`: of the output.
Coverage coverage_of(const EntryCensus& census, std::int64_t destination_elements,
                     std::int64_t elements) {
  Coverage coverage{.never = 0,
                    .once = census.once * destination_elements,
                    .several = census.several * destination_elements,
                    .most_writers = elements == 0 ? 0 : census.most_writers};
  coverage.never = elements - coverage.once - coverage.several;
  return coverage;
}

Coverage coverage_of(const LatticeWrites& writes, std::int64_t elements) {
  const std::int64_t written = writes.points() * writes.run;
  return {.never = elements - written,
          .once = written,
          .several = 0,
          .most_writers = written == 0 ? 0 : 1};
}

// The groups with several entries; `count` is their number. REQUIRES: the entries outlive them.
std::vector<EntryGroup> shared_groups(const GroupedEntries& entries, std::int64_t count) {
  std::vector<EntryGroup> groups;
  groups.reserve(static_cast<std::size_t>(count));
  for (std::size_t bucket = 0; bucket < entries.bucket_count(); ++bucket) {
    entries.visit_bucket(bucket, [&](EntryGroup group) {
      if (group.size() > 1) groups.push_back(group);
    });
  }
  return groups;
}

SharedDestination shared_destination_of(EntryGroup group, const Places& places) {
  const auto writers = static_cast<std::int64_t>(group.size());
  return {.place = places.place_of_destination(group.front().destination),
          .writers = writers,
          .entries = places.entry_list(
              writers, [&](std::int64_t k) { return group[static_cast<std::size_t>(k)].entry; })};
}

constexpr std::array explain_rule_rows{
    Rule{"explain.e1", "a position has one index for each axis of data"},
    Rule{"explain.e2", "each index of a position is in [-size, size) of its axis"},
    Rule{"explain.e3", "the number of listed elements is from 0 to 10000"},
    Rule{"explain.e4", "an element that is explained is at most 4194304 bytes long"},
    Rule{"explain.e5", "updates are given where the other operands do not determine their shape"},
};

void require_worst(std::int64_t worst) {
  // explain.e3
  if (worst < 0 || worst > most_explained) {
    fail(ErrorKind::usage, "explain.e3", "explain", "worst must be from 0 to {}, got {}",
         most_explained, worst);
  }
}

// Stands for updates that are not given: who writes what is known without them.
class UnreadSource final : public Source {
 public:
  explicit UnreadSource(std::int64_t size) : size_{size} {}

  std::int64_t size() const override { return size_; }
  void read(std::int64_t, std::span<std::byte>) const override { unreachable(); }

 private:
  std::int64_t size_;
};

void put_unread(Arguments& arguments, Shape shape) {
  const TensorHeader header{.type = arguments.operand("data").type(), .shape = std::move(shape)};
  arguments.operands.insert_or_assign(
      "updates", Tensor(header, std::make_shared<UnreadSource>(header.byte_size()), "updates"));
}

// Throws Error (rule) if another rule than that on the shape of updates is broken: it comes first.
bool has_other_shape(const Operation& operation, const Arguments& arguments) {
  try {
    prepared(operation, arguments);
    return false;
  } catch (const Error& error) {
    if (error.label() != operation.label(Check::updates_shape)) throw;
    return true;
  }
}

// The arguments with updates that have the shape which the other operands ask for, and elements
// that must not be read. Throws Error (usage, explain.e5, where they leave it open; rule).
// REQUIRES: no updates are given.
Arguments with_unread_updates(const Operation& operation, Arguments arguments) {
  if (arguments.find("data") == nullptr) return arguments;  // which is refused
  put_unread(arguments, {});
  check_arguments(operation, arguments);
  const auto updates_shape = forms::info(operation.form).updates_shape;
  // explain.e5
  if (operation.updates_shape == UpdatesShape::fill) return arguments;
  if (updates_shape == nullptr) {
    fail(ErrorKind::usage, "explain.e5", operation.id,
         "updates are missing: the other operands do not determine their shape");
  }
  if (has_other_shape(operation, arguments))
    put_unread(arguments, updates_shape(operation, arguments));
  return arguments;
}

// The parts of an explanation that need the lowered plan.
class Explainer {
 public:
  // `given`: the updates before they are broadcast; nullptr: none are.
  Explainer(const Operation& operation, const Arguments& arguments, const Tensor* given,
            const ExplainOptions& options, Explanation& into)
      : operation_{operation},
        data_{arguments.operand("data")},
        updates_{arguments.operand("updates")},
        given_{given},
        options_{options},
        parallelism_{parallelism_of(options)},
        into_{into} {}

  void explain(LoweredPlan lowered) {
    into_.index_entries = lowered.index_entries;
    into_.dropped = lowered.dropped;
    for (const Position& each : options_.at) into_.histories.push_back(history_of(lowered, each));
    const Places places(data_.header(), lowered.entries());
    if (auto* listed = std::get_if<ListedWrites>(&lowered.plan.writes)) {
      explain(*listed, lowered.plan, places);
    } else {
      into_.coverage = coverage_of(std::get<LatticeWrites>(lowered.plan.writes), data_.count());
    }
  }

 private:
  History history_of(const LoweredPlan& lowered, const Position& position) const {
    HistoryOptions wanted{.threads = options_.threads, .stop = options_.stop, .row = &operation_};
    if (operation_.fits_updates_to_data) wanted.updates_shape = data_.shape();
    if (given_ == nullptr) wanted.values = UpdateValues::unknown;
    if (given_ != nullptr) wanted.updates_shape = given_->shape();
    return history(lowered, data_, updates_, position, wanted);
  }

  void explain(ListedWrites& writes, const ScatterPlan& plan, const Places& places) {
    const auto entries = GroupedEntries::sorted(std::exchange(writes.destination_of_entry, {}),
                                                writes.destinations, parallelism_);
    const EntryCensus census = take_census(entries, places, options_.worst, parallelism_);
    into_.destinations = census.once + census.several;
    into_.meetings = census.several;
    into_.coverage =
        coverage_of(census, writes.batches.count() * writes.blocks.count(), data_.count());
    for (const auto group : census.busiest)
      into_.meeting.push_back(shared_destination_of(group, places));
    if (into_.coverage.several == 0) return;
    if (const auto reason = reason_of_dtype(data_.type().dtype, plan.reduction)) {
      into_.order.reason = *reason;
      return;
    }
    if (given_ == nullptr) {
      into_.order = {.depends = OrderDependence::unknown,
                     .reason = OrderReason::no_updates,
                     .undecided = into_.coverage.several};
      return;
    }
    into_.order = scan(writes, plan, places, shared_groups(entries, census.several));
  }

  OrderReport scan(const ListedWrites& writes, const ScatterPlan& plan, const Places& places,
                   SharedGroups groups) const {
    const std::vector<std::byte> start =
        start_value(data_.type().dtype, plan.reduction, plan.initial);
    return scan_orders(writes, combination_of(plan), data_, updates_, groups, places,
                       {.start = start, .most = options_.worst, .parallelism = parallelism_});
  }

  const Operation& operation_;
  const Tensor& data_;
  const Tensor& updates_;
  const Tensor* given_;
  const ExplainOptions& options_;
  Parallelism parallelism_;
  Explanation& into_;
};

}  // namespace

const std::span<const Rule> explain_rules = explain_rule_rows;

Explanation explain(const Operation& operation, const Arguments& call,
                    const ExplainOptions& options) {
  require_worst(options.worst);
  const Arguments given = is_made(operation.base) ? with_base(operation, call) : call;
  const Tensor* updates = given.find("updates");
  const Arguments arguments =
      prepared(operation, updates != nullptr ? given : with_unread_updates(operation, given));
  require_short_elements(arguments.operand("data"));
  for (const Position& each : options.at)
    checked_position(arguments.operand("data").shape(), each, "position");
  Explanation explanation{.operation = operation.name,
                          .reduction = operation.reduction(arguments.attributes),
                          .output = operation.infer_output(arguments),
                          .overridden = overrides_of(operation)};
  Explainer(operation, arguments, updates, options, explanation)
      .explain(operation.lower(arguments, {.parallelism = parallelism_of(options)}));
  return explanation;
}

}  // namespace tscatter
