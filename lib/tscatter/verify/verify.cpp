#include "tscatter/verify/verify.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <mutex>
#include <utility>

#include "tscatter/core/byte_order.hpp"
#include "tscatter/core/bytes.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/memory.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/diagnose/diagnose.hpp"
#include "tscatter/engine/engine.hpp"
#include "tscatter/io/formats/npy/opaque_words.hpp"
#include "tscatter/orders/find_order.hpp"
#include "tscatter/plan/scatter_plan.hpp"
#include "tscatter/reach/elements.hpp"
#include "tscatter/reach/reached_terms.hpp"
#include "tscatter/verify/actual_reader.hpp"
#include "tscatter/verify/block_explanations.hpp"
#include "tscatter/verify/findings.hpp"
#include "tscatter/verify/tile_check.hpp"

namespace tscatter {
namespace {

constexpr std::size_t most_described = 100;  // elements with a history
constexpr std::int64_t tiles_per_box = 16;   // for copying a result of another memory order
constexpr std::int64_t most_steps = 16;      // of a history

void check_options(const VerifyOptions& options) {
  // verify.v1
  if (options.worst < 0 || options.worst > most_verdicts) {
    fail(ErrorKind::usage, "verify.v1", "worst", "must be from 0 to {}, got {}", most_verdicts,
         options.worst);
  }
}

void require_verifiable(const Tensor& data) {
  // verify.v2
  if (data.type().size > longest_examined) {
    fail(ErrorKind::usage, "verify.v2", data.name(),
         "an element that is verified must be at most {} bytes long, got {}", longest_examined,
         data.type().size);
  }
}

// A tile has at least one element.
int most_workers(std::int64_t tile_bytes) {
  constexpr std::int64_t tiles = 8;  // computed, actual, data, indices of 4 bytes, terms, rows
  constexpr std::int64_t rest = std::int64_t{2} << 20U;
  return workers_within(tile_memory, tiles * tile_bytes + rest);
}

// Whether the plan says all: its entries are listed, or it has none.
bool is_whole(const ScatterPlan& plan) {
  const auto* listed = std::get_if<ListedWrites>(&plan.writes);
  return std::holds_alternative<LatticeWrites>(plan.writes) ||
         (listed != nullptr && listed->reader == nullptr);
}

struct NotInOrder {};

// Takes no bytes but compares them with the actual result's. Throws NotInOrder where they differ.
class ComparingSink final : public Sink {
 public:
  ComparingSink(const ActualReader& actual, const ElementType& type)
      : actual_{actual}, type_{type} {}

  bool takes_short_writes() const override { return true; }
  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    std::vector<std::byte> bools;
    if (type_.dtype == DType::boolean) {
      bools.assign(bytes.begin(), bytes.end());
      make_canonical_bools(bools);
      bytes = bools;
    }
    if (!actual_.equals(offset / static_cast<std::int64_t>(type_.size), bytes)) throw NotInOrder();
  }

 private:
  const ActualReader& actual_;
  const ElementType& type_;
};

class Verifier {
 public:
  // `given_updates`: before they were broadcast, cut to the size of indices, or scaled.
  Verifier(const LoweredPlan& lowered, const Call& call, const Tensor& given_updates,
           const ActualReader& actual, const VerifyOptions& options)
      : lowered_{lowered},
        call_{call},
        given_updates_{given_updates},
        options_{options},
        data_{call.arguments.operand("data")},
        updates_{call.arguments.operand("updates")},
        actual_{actual},
        numbering_{data_.shape(), data_.order()},
        places_{data_.header(), numbering_, options.grid},
        findings_{numbering_, options.worst, places_},
        threads_{std::min(worker_count(options.threads),
                          most_workers(std::max(options.tile_bytes,
                                                static_cast<std::int64_t>(data_.type().size))))} {}

  // Whether the result is, bit for bit, what the entries leave in order: then there is nothing else
  // to find, and no list is needed. Fills `into` if so. Ends at the first difference.
  bool is_in_order(Verification& into) {
    const auto size = static_cast<std::int64_t>(data_.type().size);
    if (size > options_.tile_bytes || factors() != nullptr) return false;
    options_.begin(VerifyPhase::compare);
    ComparingSink output(actual_, data_.type());
    try {
      // A worker of a run keeps less beside its tile than one that checks it.
      const RunCounts counts = tscatter::run(lowered_.plan, data_, updates_, output,
                                             {.threads = threads_,
                                              .tile_bytes = 2 * options_.tile_bytes,
                                              .stop = options_.stop,
                                              .progress = options_.progress});
      actual_.source().check_view();
      count(counts.elements_written, into);
      return true;
    } catch (const NotInOrder&) {
      return false;
    }
  }

  void run(Verification& into) {
    const Reduction reduction = lowered_.plan.reduction;
    DestinationSet differing;
    const std::int64_t touched = check_tiles(lowered_.plan, differing);
    if (reduction == Reduction::none) explain_blocks(std::move(differing).sorted(), into);
    count(touched, into);
    describe(into);
  }

 private:
  VerifyJob job() {
    return {.call = call_,
            .data = data_,
            .updates = updates_,
            .actual = actual_,
            .legal = LegalBits::of(options_, call_, data_.type().dtype),
            .numbering = numbering_,
            .places = places_,
            .options = options_};
  }

  Grouping grouping(Reduction reduction) const {
    const auto size = static_cast<std::int64_t>(data_.type().size);
    const auto elements = std::max<std::int64_t>(options_.tile_bytes / size, 1);
    return {.reduction = reduction,
            .tile_elements =
                static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(elements))),
            .parallelism = parallelism(),
            .keeps_entries = factors() != nullptr};
  }

  Parallelism parallelism() const {
    return {.threads = threads_, .stop = options_.stop, .progress = options_.progress};
  }

  // What a number multiplied to get the updates, where a variant of the operation rounds that in
  // another way; else nullptr.
  const Tensor* factors() const {
    const bool is_needed = has_other_bits(data_.type().dtype) &&
                           std::ranges::any_of(call_.operation->variants, &Variant::is_fused);
    return is_needed && call_.arguments.unscaled ? &*call_.arguments.unscaled : nullptr;
  }

  // Returns how many elements at least one update reaches.
  std::int64_t check_tiles(ScatterPlan plan, DestinationSet& differing) {
    const orders::Combination combination = combination_of(plan);
    const Grouping grouping = this->grouping(combination.reduction);
    options_.begin(VerifyPhase::group);
    const Writers writers = make_writers(std::move(plan), data_, updates_, grouping);
    const CheckJob job{this->job(), factors(), writers, combination};
    options_.begin(VerifyPhase::compare);
    std::mutex mutex;
    std::deque<TileCheck> workers;
    workers.emplace_back(job);
    for_each_task(workers.front().tiles(), parallelism(), data_.byte_size(), [&] {
      const std::scoped_lock lock(mutex);
      TileCheck* worker = &workers.emplace_back(job);
      return [worker](std::int64_t tile) { worker->check(tile); };
    });
    actual_.source().check_view();
    for (TileCheck& worker : workers) {
      findings_.merge(std::move(worker.findings()));
      differing.merge(worker.differing_destinations());
    }
    return writers.count_distinct(grouping) * writers.sizes().elements_per_destination;
  }

  void explain_blocks(std::vector<std::int64_t> destinations, Verification& into) {
    if (destinations.empty()) return;
    options_.begin(VerifyPhase::blocks);
    const OverwriteJob job{this->job(), std::get<ListedWrites>(lowered_.plan.writes), threads_};
    BlockExplanations explanations(job, std::move(destinations));
    findings_.merge(std::move(explanations.findings()));
    into.torn = explanations.torn_blocks(options_.worst);
  }

  void count(std::int64_t touched, Verification& into) {
    into.classes = findings_.classes();
    const std::int64_t other_untouched = findings_.other_untouched();
    into.classes[index(ElementClass::untouched)] = into.elements - touched - other_untouched;
    std::int64_t not_in_order = -other_untouched;
    for (const ElementClass each :
         {ElementClass::reordered, ElementClass::rounded, ElementClass::torn, ElementClass::wrong})
      not_in_order += into.count(each);
    into.classes[index(ElementClass::in_order)] = touched - not_in_order;
    into.needed = findings_.needed();
    into.hiding = findings_.hiding();
    into.would_explain = findings_.would_explain();
    for (const Variant& each : call_.operation->variants) {
      const std::size_t number = into.variants.size() + 1;
      into.variants.push_back({.says = each.says, .elements = findings_.of_variant(number)});
    }
    if (const std::int64_t wrong = into.count(ElementClass::wrong); wrong > 0)
      into.place = places_.place(wrong);
    into.grid = std::move(places_).grid();
  }

  static std::size_t index(ElementClass element_class) {
    return static_cast<std::size_t>(element_class);
  }

  void describe(Verification& into) {
    const Finding* largest = findings_.largest();
    const std::optional<Finding> kept = largest ? std::optional(*largest) : std::nullopt;
    const std::vector<std::int64_t> sample = findings_.sample();
    const std::vector<Finding> worst = findings_.sorted_worst();
    options_.begin(VerifyPhase::diagnose);
    const std::vector<std::int64_t> diagnosed = numbers_to_diagnose(worst, sample);
    into.diagnoses = diagnosis_of(diagnosed);
    auto& flushed = into.would_explain[static_cast<std::size_t>(orders::Deviation::flushed)];
    flushed = std::max(flushed, into.diagnoses.flushed);
    options_.begin(VerifyPhase::describe);
    if (kept) {
      into.largest_share = kept->verdict.share;
      into.largest = report(*kept, true);
    }
    for (const Finding& each : worst) {
      into.worst.push_back(report(each, into.worst.size() < most_described));
      const auto place = std::ranges::find(diagnosed, each.number) - diagnosed.begin();
      if (place < into.diagnoses.examined)
        into.worst.back().diagnosis = into.diagnoses.of_element[static_cast<std::size_t>(place)];
    }
  }

  // The wrong ones of the worst elements, and others.
  std::vector<std::int64_t> numbers_to_diagnose(const std::vector<Finding>& worst,
                                                const std::vector<std::int64_t>& sample) const {
    constexpr std::size_t most_bytes = std::size_t{4} << 20U;
    constexpr std::size_t longest = 4096;
    if (data_.type().size > longest) return {};
    const std::size_t most = std::min(ElementSample::most, most_bytes / data_.type().size);
    std::vector<std::int64_t> numbers;
    for (const Finding& each : worst) {
      if (each.verdict.element_class == ElementClass::wrong && numbers.size() < most_described)
        numbers.push_back(each.number);
    }
    std::vector<std::int64_t> sorted = numbers;
    std::ranges::sort(sorted);
    for (const std::int64_t number : sample) {
      if (!std::ranges::binary_search(sorted, number)) numbers.push_back(number);
    }
    numbers.resize(std::min(numbers.size(), most));
    return numbers;
  }

  orders::Diagnoses diagnosis_of(std::span<const std::int64_t> numbers) const {
    const auto read = [this](std::int64_t number, std::span<std::byte> into) {
      actual_.read(number, into);
      turn_elements(into, data_.type());
    };
    return diagnose::diagnose(call_, lowered_, {numbers.begin(), numbers.end()}, read,
                              {.policies = options_.policies,
                               .parallelism = {.threads = threads_, .stop = options_.stop},
                               .given_updates = &given_updates_});
  }

  ElementReport report(const Finding& finding, bool has_history) const {
    ElementReport report{.verdict = finding.verdict,
                         .index = numbering_.row_major(finding.number),
                         .position = numbering_.position(finding.number),
                         .actual = finding.actual,
                         .in_order = finding.in_order,
                         .order = finding.order};
    if (!has_history) return report;
    report.history = history(lowered_, data_, updates_, report.position,
                             {.most_steps = most_steps,
                              .kept = finding.order.empty() ? -1 : finding.order.front(),
                              .stop = options_.stop,
                              .updates_shape = given_updates_.shape(),
                              .row = call_.operation});
    if (lowered_.plan.reduction != Reduction::none &&
        report.verdict.element_class == ElementClass::reordered)
      report.order = order_of(report);
    return report;
  }

  std::vector<std::int64_t> order_of(const ElementReport& report) const {
    if (report.history->writers > most_steps) return {};
    std::vector<std::vector<std::byte>> terms;
    for (const HistoryStep& step : report.history->steps) terms.push_back(step.value);
    const orders::Meeting meeting{.reduction = lowered_.plan.reduction,
                                  .accumulation = accumulation_of(report.verdict),
                                  .rounds_sum = lowered_.plan.mean.rounds_sum()};
    return orders::explaining_order(data_.type().dtype, meeting, report.history->divisor,
                                    report.history->start(), report.actual, terms);
  }

  Accumulation accumulation_of(const ElementVerdict& verdict) const {
    if (verdict.variant == 0) return lowered_.plan.accumulation;
    const Variant& variant = call_.operation->variants[verdict.variant - std::size_t{1}];
    return variant.accumulation.value_or(lowered_.plan.accumulation);
  }

  const LoweredPlan& lowered_;
  const Call& call_;
  const Tensor& given_updates_;
  const VerifyOptions& options_;
  const Tensor& data_;
  const Tensor& updates_;
  const ActualReader& actual_;
  Numbering numbering_;
  WrongPlaces places_;
  Findings findings_;
  int threads_;
};

constexpr std::array verify_rule_rows{
    Rule{"verify.v1", "the number of worst elements is from 0 to 10000"},
    Rule{"verify.v2", "an element that is verified is at most 4194304 bytes long"},
};

}  // namespace

const std::span<const Rule> verify_rules = verify_rule_rows;

bool Verification::has_same_dtype() const {
  return is_same_but_for_byte_order(actual.type, expected.type);
}

Verification verify(const Operation& operation, const Arguments& call, const Tensor& actual,
                    const VerifyOptions& options) {
  const KeptWorkers workers;
  check_options(options);
  options.begin(VerifyPhase::check);
  const Arguments given = with_base(operation, call);
  const Arguments arguments = prepared(operation, given);
  require_verifiable(arguments.operand("data"));
  Verification verification{.operation = operation.name,
                            .reduction = operation.reduction(arguments.attributes),
                            .actual = actual.header(),
                            .expected = operation.infer_output(arguments),
                            .overridden = overrides_of(operation)};
  options.begin(VerifyPhase::lower);
  const Parallelism parallelism{
      .threads = worker_count(options.threads), .stop = options.stop, .progress = options.progress};
  const LoweredPlan for_run = operation.lower_for_run(arguments, {.parallelism = parallelism});
  verification.dropped = for_run.dropped;
  if (!verification.has_same_dtype() || !verification.has_same_shape()) return verification;
  verification.elements = actual.count();
  options.begin(VerifyPhase::open);
  actual.source().check_content(parallelism);
  if (verification.elements == 0) return verification;
  const Call made{.operation = &operation, .arguments = arguments};
  const Tensor& updates = given.operand("updates");
  const ActualReader reader(actual, arguments.operand("data").header(),
                            tiles_per_box * options.tile_bytes, options.spool_directory,
                            options.stop);
  if (Verifier(for_run, made, updates, reader, options).is_in_order(verification))
    return verification;
  if (is_whole(for_run.plan)) {
    Verifier(for_run, made, updates, reader, options).run(verification);
    return verification;
  }
  options.begin(VerifyPhase::lower);
  const LoweredPlan lowered = operation.lower(arguments, {.parallelism = parallelism});
  Verifier(lowered, made, updates, reader, options).run(verification);
  return verification;
}

}  // namespace tscatter
