#include "tscatter/explain/order_scan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "tscatter/core/best_of.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/memory.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/orders/dependence_judge.hpp"
#include "tscatter/reach/elements.hpp"

namespace tscatter {
namespace {

// With more writers, or elements so long that a row has one only, a destination is read row by row.
constexpr std::size_t most_side_by_side = orders::exact_writers;

struct IsBefore {
  bool operator()(const FoundElement& a, const FoundElement& b) const { return a.index < b.index; }
};

// The findings so far.
struct DependentElements {
  explicit DependentElements(std::int64_t most) : first{static_cast<std::size_t>(most)} {}

  // Whether an element with this index would be among the first.
  bool may_take(std::int64_t index) const {
    return !first.is_full() || (first.most() > 0 && index < first.last().index);
  }

  void take(const DependentElements& other) {
    dependent += other.dependent;
    undecided += other.undecided;
    first.merge(other.first);
  }

  std::int64_t dependent = 0;
  std::int64_t undecided = 0;
  BestOf<FoundElement, IsBefore> first;
};

// What the workers share.
struct Scan {
  const ListedWrites& writes;
  orders::Combination combination;
  const Tensor& data;
  const Tensor& updates;
  SharedGroups groups;
  const Places& places;
  std::span<const std::byte> start;
  std::int64_t most;

  std::int64_t columns() const { return writes.batches.count() * writes.blocks.count(); }

  // How many columns are judged together, and how many groups a task has.
  std::int64_t row_columns() const {
    constexpr std::int64_t most_columns = 1024;
    constexpr std::int64_t row_bytes = std::int64_t{64} * 1024;
    const auto size = static_cast<std::int64_t>(data.type().size);
    return std::clamp<std::int64_t>(row_bytes / std::max<std::int64_t>(size, 1), 1, most_columns);
  }
  std::int64_t task_groups() const {
    constexpr std::int64_t task_columns = std::int64_t{32} * 1024;
    return std::max<std::int64_t>(task_columns / std::min(columns(), row_columns()), 1);
  }
};

class ScanWorker {
 public:
  explicit ScanWorker(const Scan& scan)
      : scan_{scan},
        reader_{scan.writes, scan.data, scan.updates, scan.start},
        judge_{scan.data.type(), scan.combination} {}

  DependentElements scan(std::span<const EntryGroup> groups, Range columns) {
    found_ = DependentElements(scan_.most);
    for (const EntryGroup group : groups) {
      const bool is_long = group.size() > most_side_by_side || scan_.row_columns() == 1;
      const bool is_whole_row =
          columns.length() == scan_.row_columns() && reader_.has_in_memory(columns);
      if (is_long || is_whole_row) {
        judge_alone(group, columns);
      } else {
        gather(group, columns);
      }
    }
    for (const auto& row : rows_) {
      if (row != nullptr) flush(*row);
    }
    reader_.check();
    return std::exchange(found_, DependentElements(0));
  }

 private:
  // Where some of a row's columns, one after another, come from.
  struct Origin {
    EntryGroup group;
    Range columns;
  };

  // Elements with the same number of updates.
  struct Row {
    Row(std::size_t updates, std::size_t capacity, std::size_t element_size)
        : terms{static_cast<std::int64_t>(updates), capacity, element_size} {}

    orders::StoredTerms terms;
    std::size_t filled = 0;
    std::vector<Origin> origins;
  };

  std::size_t size() const { return scan_.data.type().size; }

  Row& row_of(std::size_t updates) {
    std::unique_ptr<Row>& row = rows_[updates];
    const auto capacity = static_cast<std::size_t>(scan_.row_columns());
    if (row == nullptr) row = std::make_unique<Row>(updates, capacity, size());
    return *row;
  }

  void gather(EntryGroup group, Range columns) {
    Row& row = row_of(group.size());
    while (columns.begin < columns.end) {
      const std::size_t filled = row.filled;
      const std::int64_t room = scan_.row_columns() - static_cast<std::int64_t>(filled);
      const Range part{.begin = columns.begin, .end = std::min(columns.end, columns.begin + room)};
      const auto put = [&](std::size_t k, const std::byte* from) {
        std::memcpy(row.terms.row(static_cast<std::int64_t>(k)) + filled * size(), from,
                    static_cast<std::size_t>(part.length()) * size());
      };
      if (scan_.combination.reduction != Reduction::none)
        put(0, reader_.data(group.front().destination, part));
      for (std::size_t k = 0; k < group.size(); ++k)
        put(k + 1, reader_.update(group[k].entry, part));
      row.origins.push_back({.group = group, .columns = part});
      row.filled += static_cast<std::size_t>(part.length());
      columns.begin = part.end;
      if (part.length() == room) flush(row);
    }
  }

  void flush(Row& row) {
    row.terms.set_columns(row.filled);
    verdicts_.resize(row.filled);
    judge_.judge(row.terms, verdicts_);
    std::span<const OrderDependence> rest(verdicts_);
    for (const Origin& origin : row.origins) {
      const auto count = static_cast<std::size_t>(origin.columns.length());
      note(origin, rest.first(count));
      rest = rest.subspan(count);
    }
    row.origins.clear();
    row.filled = 0;
  }

  void judge_alone(EntryGroup group, Range columns) {
    ReadTerms terms(reader_, group, columns);
    verdicts_.resize(terms.columns());
    judge_.judge(terms, verdicts_);
    note({.group = group, .columns = columns}, verdicts_);
  }

  void note(const Origin& origin, std::span<const OrderDependence> verdicts) {
    found_.undecided += std::ranges::count(verdicts, OrderDependence::unknown);
    found_.dependent += std::ranges::count(verdicts, OrderDependence::yes);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (verdicts[i] != OrderDependence::yes) continue;
      const std::int64_t column = origin.columns.begin + static_cast<std::int64_t>(i);
      const std::int64_t number =
          ElementPlace::of_column(scan_.writes, origin.group.front().destination, column)
              .number(scan_.writes);
      const std::int64_t index = scan_.places.elements.row_major(number);
      // In row-major order the elements ascend with the columns.
      if (scan_.places.elements.is_row_major() && !found_.may_take(index)) return;
      found_.first.offer(
          {.index = index, .number = number, .column = column, .group = origin.group});
    }
  }

  const Scan& scan_;
  ColumnReader reader_;
  orders::DependenceJudge judge_;
  std::array<std::unique_ptr<Row>, most_side_by_side + 1> rows_;
  std::vector<OrderDependence> verdicts_;
  DependentElements found_{0};
};

DependentElements scan_all(const Scan& scan, const ScanOptions& options) {
  const auto groups = static_cast<std::int64_t>(scan.groups.size());
  const std::int64_t width = scan.row_columns();
  const std::int64_t depth = scan.task_groups();
  const std::int64_t pieces = (scan.columns() + width - 1) / width;
  const std::int64_t chunks = (groups + depth - 1) / depth;
  DependentElements all(scan.most);
  std::mutex mutex;
  constexpr std::int64_t rows = 4;  // a worker's, of two readers and of the judge
  Parallelism parallelism = options.parallelism;
  parallelism.threads = std::min(
      parallelism.threads,
      workers_within(tile_memory, rows * static_cast<std::int64_t>(scan.data.type().size)));
  for_each_task(pieces * chunks, parallelism, scan.updates.byte_size(), [&] {
    return [&, worker = std::make_unique<ScanWorker>(scan)](std::int64_t task) {
      const std::int64_t column = task / chunks * width;
      const std::int64_t group = task % chunks * depth;
      const DependentElements found = worker->scan(
          scan.groups.subspan(static_cast<std::size_t>(group),
                              static_cast<std::size_t>(std::min(depth, groups - group))),
          {.begin = column, .end = std::min(column + width, scan.columns())});
      const std::scoped_lock lock(mutex);
      all.take(found);
    };
  });
  return all;
}

}  // namespace

std::optional<OrderReason> reason_of_dtype(DType dtype, Reduction reduction) {
  if (order_effect(reduction, dtype) != OrderEffect::nothing) return std::nullopt;
  return dtype == DType::boolean ? OrderReason::booleans : OrderReason::integers;
}

OrderReport scan_orders(const ListedWrites& writes, const orders::Combination& combination,
                        const Tensor& data, const Tensor& updates, SharedGroups groups,
                        const Places& places, const ScanOptions& options) {
  const Scan scan{.writes = writes,
                  .combination = combination,
                  .data = data,
                  .updates = updates,
                  .groups = groups,
                  .places = places,
                  .start = options.start,
                  .most = options.most};
  if (groups.empty() || scan.columns() == 0) return {};
  const DependentElements all = scan_all(scan, options);
  OrderReport report{.depends = OrderDependence::no,
                     .reason = OrderReason::by_the_values,
                     .dependent = all.dependent,
                     .undecided = all.undecided,
                     .first = {}};
  if (report.undecided > 0) report.depends = OrderDependence::unknown;
  if (report.dependent > 0) report.depends = OrderDependence::yes;
  ColumnReader reader(writes, data, updates, options.start);
  for (const FoundElement& found : all.first.sorted())
    report.first.push_back(example_of(found, combination, data.type(), reader, places));
  reader.check();
  return report;
}

namespace {

constexpr std::int64_t most_enumerated = orders::exact_writers;

using Bytes = std::vector<std::byte>;

class ExampleFinder {
 public:
  ExampleFinder(const FoundElement& found, const orders::Combination& combination,
                const ElementType& type, ColumnReader& reader, const Places& places)
      : found_{found},
        reduction_{combination.reduction},
        type_{type},
        places_{places},
        judge_{type, combination},
        terms_{reader, found.group, {.begin = found.column, .end = found.column + 1}} {}

  DependentElement find() {
    const std::int64_t n = terms_.updates();
    DependentElement element{.position = places_.elements.position(found_.number),
                             .index = found_.index,
                             .writers = n,
                             .in_order = {},
                             .other = {}};
    const Bytes first = result(in_order());
    element.in_order = example(in_order(), first);
    for (const orders::RegularOrder order : candidates(first)) {
      if (takes(regular(order), first, element)) return element;
    }
    take_shuffled(first, element);
    return element;
  }

 private:
  using Order = orders::DependenceJudge::Order;

  Order regular(orders::RegularOrder order) {
    return [order, n = terms_.updates()](std::int64_t k) { return order.at(k, n); };
  }
  Order in_order() { return regular({}); }

  bool takes(const Order& order, const Bytes& first, DependentElement& element) {
    const Bytes other = result(order);
    if (other == first) return false;
    element.other = example(order, other);
    return true;
  }

  // Perhaps only a few orders differ: tries the same ones in every run.
  void take_shuffled(const Bytes& first, DependentElement& element) {
    constexpr int most_tried = 2000;
    const std::int64_t n = terms_.updates();
    if (n > most_enumerated) return;
    std::vector<std::size_t> places = orders::first_to_last(static_cast<std::size_t>(n));
    const Order order = [&](std::int64_t k) {
      return static_cast<std::int64_t>(places[static_cast<std::size_t>(k)]);
    };
    std::mt19937_64 random;
    for (int i = 0; i < most_tried; ++i) {
      orders::shuffle(places, random);
      if (takes(order, first, element)) return;
    }
  }

  Bytes result(const Order& order) {
    const std::byte* bytes = judge_.result(terms_, order);
    return {bytes, bytes + type_.size};
  }

  bool is_update(std::int64_t index, const Bytes& value) {
    return std::memcmp(terms_.update(index), value.data(), value.size()) == 0;
  }

  // `first`: the result of the order of the entries.
  std::vector<orders::RegularOrder> candidates(const Bytes& first) {
    switch (order_effect(reduction_, type_.dtype)) {
      case OrderEffect::last_stays: return {last_differing(first)};
      case OrderEffect::extreme: return extreme_candidates(first);
      case OrderEffect::nothing:
      case OrderEffect::rounded_sum:
      case OrderEffect::rounded_prod: return regular_and_turned();
    }
    unreachable();
  }

  // The zero or NaN that stays came first, or last.
  std::vector<orders::RegularOrder> extreme_candidates(const Bytes& first) {
    const std::int64_t n = terms_.updates();
    std::vector<orders::RegularOrder> tried{first_equal(negated(first))};
    const orders::RegularOrder last = last_differing(first);
    tried.push_back({.first = (last.first + 1) % n, .step = 1});
    const std::vector<orders::RegularOrder> others = regular_and_turned();
    tried.insert(tried.end(), others.begin(), others.end());
    return tried;
  }

  std::vector<orders::RegularOrder> regular_and_turned() const {
    const std::int64_t n = terms_.updates();
    std::vector<orders::RegularOrder> tried = orders::regular_orders(n);
    for (std::int64_t k = 1; n <= most_enumerated && k < n; ++k)
      tried.push_back({.first = k, .step = 1});
    return tried;
  }

  // none: the last update stays.
  orders::RegularOrder last_differing(const Bytes& value) {
    std::int64_t k = terms_.updates() - 1;
    while (k > 1 && is_update(k - 1, value)) --k;
    return {.first = k, .step = 1};
  }

  // min, max: the first zero stays.
  orders::RegularOrder first_equal(const Bytes& value) {
    std::int64_t k = 1;
    while (k + 1 < terms_.updates() && !is_update(k, value)) ++k;
    return {.first = k, .step = 1};
  }

  static Bytes negated(Bytes real) {
    std::byte& highest = std::endian::native == std::endian::little ? real.back() : real.front();
    highest ^= std::byte{0x80};
    return real;
  }

  OrderExample example(const Order& order, Bytes result) const {
    result.resize(shown_bytes(type_));
    result.shrink_to_fit();  // thousands are kept
    const auto entry = [&](std::int64_t k) {
      return found_.group[static_cast<std::size_t>(order(k))].entry;
    };
    return {.entries = places_.entry_list(terms_.updates(), entry), .result = std::move(result)};
  }

  const FoundElement& found_;
  Reduction reduction_;
  const ElementType& type_;
  const Places& places_;
  orders::DependenceJudge judge_;
  ReadTerms terms_;
};

}  // namespace

DependentElement example_of(const FoundElement& found, const orders::Combination& combination,
                            const ElementType& type, ColumnReader& reader, const Places& places) {
  return ExampleFinder(found, combination, type, reader, places).find();
}

}  // namespace tscatter
