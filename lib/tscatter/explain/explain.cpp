#include "tscatter/explain/explain.hpp"

#include <array>
#include <memory>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/core/unreachable.hpp"
#include "tscatter/engine/grouped_entries.hpp"
#include "tscatter/explain/coverage.hpp"
#include "tscatter/explain/order_scan.hpp"
#include "tscatter/explain/places.hpp"
#include "tscatter/kernels/identity.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/plan/lowered_plan.hpp"
#include "tscatter/reach/reached_terms.hpp"

namespace tscatter {
namespace {

constexpr std::array explain_rule_rows{
    Rule{"explain.e1", "a position has one index for each axis of data"},
    Rule{"explain.e2", "each index of a position is in [-size, size) of its axis"},
    Rule{"explain.e3", "the number of listed elements is from 0 to 10000"},
    Rule{"explain.e4", "an element that is explained is at most 4194304 bytes long"},
    Rule{"explain.e5", "updates are given where the other operands leave its shape open"},
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
         "updates must be given where the other operands leave its shape open, got nothing");
  }
  if (has_other_shape(operation, arguments))
    put_unread(arguments, updates_shape(operation, arguments));
  return arguments;
}

// The parts of an explanation that need the lowered plan.
class Explainer {
 public:
  // `given`: the updates before they are broadcast; nullptr: none are.
  Explainer(const Arguments& arguments, const Tensor* given, const ExplainOptions& options,
            Explanation& into)
      : data_{arguments.operand("data")},
        updates_{arguments.operand("updates")},
        given_{given},
        options_{options},
        threads_{worker_count(options.threads)},
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
    HistoryOptions wanted{.threads = options_.threads, .stop = options_.stop};
    if (given_ == nullptr) wanted.values = UpdateValues::unknown;
    if (given_ != nullptr) wanted.updates_shape = given_->shape();
    return history(lowered, data_, updates_, position, wanted);
  }

  void explain(ListedWrites& writes, const ScatterPlan& plan, const Places& places) {
    const auto entries = GroupedEntries::sorted(std::exchange(writes.destination_of_entry, {}),
                                                writes.destinations, threads_, options_.stop);
    const EntryCensus census =
        take_census(entries, places, options_.worst,
                    {.threads = threads_, .stop = options_.stop, .progress = options_.progress});
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
                       {.start = start,
                        .most = options_.worst,
                        .threads = threads_,
                        .stop = options_.stop,
                        .progress = options_.progress});
  }

  const Tensor& data_;
  const Tensor& updates_;
  const Tensor* given_;
  const ExplainOptions& options_;
  int threads_;
  Explanation& into_;
};

}  // namespace

const std::span<const Rule> explain_rules = explain_rule_rows;

Explanation explain(const Operation& operation, const Arguments& given,
                    const ExplainOptions& options) {
  require_worst(options.worst);
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
  Explainer(arguments, updates, options, explanation)
      .explain(operation.lower(arguments, {.threads = worker_count(options.threads),
                                           .stop = options.stop,
                                           .progress = options.progress}));
  return explanation;
}

}  // namespace tscatter
