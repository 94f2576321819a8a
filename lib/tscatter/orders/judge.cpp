#include "tscatter/orders/judge.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <complex>
#include <numeric>
#include <type_traits>

#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/kernels/reduce.hpp"
#include "tscatter/kernels/reductions.hpp"
#include "tscatter/orders/column_judge.hpp"
#include "tscatter/orders/find_order.hpp"
#include "tscatter/orders/sum_bounds.hpp"

namespace tscatter::orders {
namespace {

using Order = std::vector<std::size_t>;

template <class T>
DType dtype_of() {
  for (const DTypeInfo& candidate : dtype_table) {
    if (candidate.dtype == DType::opaque) break;
    const bool is_it = visit_dtype(candidate.dtype, []<class U> { return std::is_same_v<T, U>; });
    if (is_it) return candidate.dtype;
  }
  return DType::opaque;
}

template <class T>
struct PartOf {
  using Type = T;
};
template <class T>
struct PartOf<std::complex<T>> {
  using Type = T;
};

template <class T>
std::unique_ptr<ColumnJudge<T>> make_column_judge(Reduction reduction,
                                                  const JudgeOptions& options) {
  const bool adds = reduction == Reduction::sum || reduction == Reduction::sub;
  if constexpr (is_complex_v<T>) {
    using Part = typename PartOf<T>::Type;
    return adds ? make_complex_sum_judge<Part>(reduction, options)
                : make_complex_product_judge<Part>(options);
  } else if constexpr (is_real_dtype_v<T>) {
    if (adds) return make_sum_judge<T>(reduction, options);
    if (reduction == Reduction::prod) return make_product_judge<T>(options);
    return make_extreme_judge<T>(reduction, options);
  } else {
    return nullptr;
  }
}

// Applies whole orders to a chunk of columns, with the loops that the engine uses.
template <class T>
class OrderTrial {
 public:
  static constexpr std::size_t most_columns = 1024;

  explicit OrderTrial(Reduction reduction) : loop_(reduce_loop(dtype_of<T>(), reduction)) {}

  void apply(const TermRows<T>& rows, std::size_t first, std::size_t count, const Order& order) {
    std::copy_n(rows.data.data() + first, count, values_.begin());
    for (const std::size_t k : order) step(values_.data(), rows.terms[k] + first, count);
  }

  void step(T* values, const T* terms, std::size_t count) const {
    loop_(reinterpret_cast<std::byte*>(values), reinterpret_cast<const std::byte*>(terms),
          static_cast<std::int64_t>(count));
  }

  // What was applied last.
  const T* values() const { return values_.data(); }

  // As wide as an element: so they are made as many at a time as elements are compared.
  using Flag = element_math::Bits<is_complex_v<T> ? sizeof(T) / 2 : sizeof(T)>;

  // Sets the flags of those that are the same.
  static void compare(const T* values, const T* actual, std::size_t count, Flag* is_same) {
    for (std::size_t i = 0; i < count; ++i) {
      is_same[i] |= is_same_value(values[i], actual[i]) ? Flag{1} : Flag{0};
    }
  }

 private:
  // Bit for bit; of bools whether they are true.
  static bool is_same_value(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, Bool>) {
      return reductions::is_true(a) == reductions::is_true(b);
    } else {
      return same_bits(a, b);
    }
  }

  ReduceLoop loop_;
  std::array<T, most_columns> values_{};
};

// An order that explains all of a few columns: what a runtime leaves that applies whole blocks.
template <class T>
class CommonOrder {
 public:
  static constexpr std::size_t most_columns = 8;
  static constexpr std::size_t most_writers = 8;

  CommonOrder(const OrderTrial<T>& trial, const TermRows<T>& rows,
              std::span<const std::uint32_t> columns)
      : trial_(trial), terms_(rows.writers()), is_used_(rows.writers()) {
    for (std::size_t i = 0; i < most_columns; ++i) {
      const std::uint32_t column = columns[i * columns.size() / most_columns];
      values_[0][i] = rows.data[column];
      actual_[i] = rows.actual[column];
      for (std::size_t k = 0; k < terms_.size(); ++k) terms_[k][i] = rows.terms[k][column];
    }
  }

  std::optional<Order> find() {
    if (!descend()) return std::nullopt;
    return order_;
  }

 private:
  using Lanes = std::array<T, most_columns>;

  bool descend() {
    const std::size_t depth = order_.size();
    if (depth == terms_.size()) {
      return std::equal(actual_.begin(), actual_.end(), values_[depth].begin(), same_bits<T>);
    }
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      if (is_used_[k]) continue;
      values_[depth + 1] = values_[depth];
      trial_.step(values_[depth + 1].data(), terms_[k].data(), most_columns);
      order_.push_back(k);
      is_used_[k] = true;
      if (descend()) return true;
      is_used_[k] = false;
      order_.pop_back();
    }
    return false;
  }

  const OrderTrial<T>& trial_;
  std::vector<Lanes> terms_;
  std::vector<bool> is_used_;
  std::array<Lanes, most_writers + 1> values_{};
  Lanes actual_{};
  Order order_;
};

}  // namespace

template <class T>
class Judge<T>::State {
 public:
  State(Reduction reduction, const JudgeOptions& options)
      : trial_(reduction), column_judge_(make_column_judge<T>(reduction, options)) {}

  void judge(const TermRows<T>& rows, std::span<ElementVerdict> verdicts) {
    begin(rows);
    differing_.clear();
    for (std::size_t first = 0; first < rows.columns(); first += chunk) {
      judge_chunk(rows, first, std::min(chunk, rows.columns() - first), verdicts);
    }
  }

  bool is_of_last_order(const TermRows<T>& rows) {
    if (last_order_.size() != rows.writers() || rows.writers() > exact_writers) return false;
    for (std::size_t first = 0; first < rows.columns(); first += chunk) {
      const std::size_t count = std::min(chunk, rows.columns() - first);
      trial_.apply(rows, first, count, last_order_);
      if (std::memcmp(trial_.values(), rows.actual.data() + first, count * sizeof(T)) != 0)
        return false;
    }
    return true;
  }

  void forget() { last_order_.clear(); }

  std::span<const std::uint32_t> differing() const { return differing_; }

 private:
  static constexpr std::size_t chunk = OrderTrial<T>::most_columns;

  void begin(const TermRows<T>& rows) {
    const std::size_t writers = rows.writers();
    if (rows.in_order.empty() && in_order_.size() != writers) {
      in_order_.resize(writers);
      std::iota(in_order_.begin(), in_order_.end(), std::size_t{0});
    }
    may_have_common_ = column_judge_ != nullptr && writers > 1 && is_worth_a_search();
  }

  // Where blocks have not had a common order, the next ones seldom do.
  bool is_worth_a_search() {
    constexpr std::size_t some = 4;
    constexpr std::size_t period = 16;
    return blocks_without_common_ < some || blocks_without_common_++ % period == 0;
  }

  void judge_chunk(const TermRows<T>& rows, std::size_t first, std::size_t count,
                   std::span<ElementVerdict> verdicts) {
    open_.resize(count);
    std::iota(open_.begin(), open_.end(), static_cast<std::uint32_t>(first));
    const auto of_order = rows.writers() == 0 ? ElementClass::untouched : ElementClass::in_order;
    std::ranges::fill(verdicts.subspan(first, count), ElementVerdict{.element_class = of_order});
    const T* in_order = rows.in_order.data() + first;
    if (rows.in_order.empty()) {
      trial_.apply(rows, first, count, in_order_);
      in_order = trial_.values();
    }
    is_same_.fill(0);
    flag_same(in_order, rows, first, count);
    keep_open(first);
    differing_.insert(differing_.end(), open_.begin(), open_.end());
    // Beyond the number of writers that is decided exactly, a verdict must not depend on what was
    // judged before.
    const std::size_t writers = rows.writers();
    if (last_order_.size() == writers && !open_.empty() && writers <= exact_writers) {
      apply(rows, first, count, {&last_order_, 1}, verdicts);
    }
    if (may_have_common_ && open_.size() >= CommonOrder<T>::most_columns) {
      may_have_common_ = false;
      if (find_common(rows)) {
        apply(rows, first, count, {&last_order_, 1}, verdicts);
      }
    }
    if (column_judge_ != nullptr && writers > 2 && writers <= exact_writers) {
      try_some(rows, first, count, verdicts);
    }
    if (open_.empty()) return;
    if (column_judge_ != nullptr && writers > 0) return column_judge_->judge(rows, open_, verdicts);
    for (const std::uint32_t column : open_) verdicts[column] = wrong_without_measure;
  }

  bool find_common(const TermRows<T>& rows) {
    if (rows.writers() > CommonOrder<T>::most_writers) return false;
    auto order = CommonOrder<T>(trial_, rows, open_).find();
    blocks_without_common_ = order ? 0 : blocks_without_common_ + 1;
    if (!order) return false;
    last_order_ = *std::move(order);
    return true;
  }

  // Where many columns are open, whole rows are cheaper than columns that are gathered.
  void try_some(const TermRows<T>& rows, std::size_t first, std::size_t count,
                std::span<ElementVerdict> verdicts) {
    constexpr std::size_t many = 8;  // an eighth of the columns
    constexpr std::size_t most_orders = 6;
    if (open_.size() * many < count) return;
    auto& orders = some_orders_[rows.writers()];
    if (orders.empty()) orders = spread_orders(rows.writers(), most_orders);
    apply(rows, first, count, orders, verdicts);
  }

  // Takes the columns out that one of the orders explains.
  void apply(const TermRows<T>& rows, std::size_t first, std::size_t count,
             std::span<const Order> orders, std::span<ElementVerdict> verdicts) {
    is_same_.fill(0);
    for (const Order& order : orders) {
      trial_.apply(rows, first, count, order);
      flag_same(trial_.values(), rows, first, count);
    }
    for (const std::uint32_t column : open_) verdicts[column] = explained_by_order;
    keep_open(first);
  }

  void flag_same(const T* values, const TermRows<T>& rows, std::size_t first, std::size_t count) {
    trial_.compare(values, rows.actual.data() + first, count, is_same_.data());
  }

  void keep_open(std::size_t first) {
    std::size_t open = 0;
    for (const std::uint32_t column : open_) {
      open_[open] = column;
      open += is_same_[column - first] == 0 ? 1U : 0U;
    }
    open_.resize(open);
  }

  OrderTrial<T> trial_;
  std::unique_ptr<ColumnJudge<T>> column_judge_;
  Order in_order_;
  Order last_order_;
  std::array<std::vector<Order>, exact_writers + 1> some_orders_;
  bool may_have_common_ = false;
  std::size_t blocks_without_common_ = 0;  // since the last one that had one
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> differing_;
  std::array<typename OrderTrial<T>::Flag, chunk> is_same_{};
};

template <class T>
Judge<T>::Judge(Reduction reduction, const JudgeOptions& options)
    : state_(std::make_unique<State>(reduction, options)) {}
template <class T>
Judge<T>::Judge(Judge&&) noexcept = default;
template <class T>
Judge<T>& Judge<T>::operator=(Judge&&) noexcept = default;
template <class T>
Judge<T>::~Judge() = default;

template <class T>
void Judge<T>::judge(const TermRows<T>& rows, std::span<ElementVerdict> verdicts) {
  assert(rows.actual.size() == rows.columns() && verdicts.size() == rows.columns());
  state_->judge(rows, verdicts);
}
template <class T>
void Judge<T>::forget() {
  state_->forget();
}
template <class T>
std::span<const std::uint32_t> Judge<T>::differing() const {
  return state_->differing();
}
template <class T>
bool Judge<T>::is_of_last_order(const TermRows<T>& rows) {
  return state_->is_of_last_order(rows);
}

namespace {

// Calls function.operator()<Operation>().
template <class T, class Function>
auto with_operation(Reduction reduction, const Function& function) {
  using reductions::Sum, reductions::Sub, reductions::Prod, reductions::Min, reductions::Max;
  if constexpr (!is_complex_v<T>) {
    if (reduction == Reduction::min) return function.template operator()<Min>();
    if (reduction == Reduction::max) return function.template operator()<Max>();
  }
  if (reduction == Reduction::prod) return function.template operator()<Prod>();
  return reduction == Reduction::sub ? function.template operator()<Sub>()
                                     : function.template operator()<Sum>();
}

template <class T>
T canonical(const T& value) {
  if constexpr (is_complex_v<T> || is_real_dtype_v<T>) return reductions::with_one_nan(value);
  return value;
}

// Whether every partial sum is exact: all terms are multiples of a power of two that has room for
// their sum.
template <class T>
bool sums_exactly(const TermRows<T>& rows, std::size_t column) {
  long double magnitude = 0;
  double grid = HUGE_VAL;
  const auto add = [&](T term) {
    const auto value = static_cast<double>(widened(term));
    magnitude += std::fabs(value);
    grid = std::min(grid, lowest_bit(value));
  };
  add(rows.data[column]);
  for (const T* const terms : rows.terms) add(terms[column]);
  if (!std::isfinite(magnitude)) return false;
  const long double most = std::ldexp(1.0L, RealFormat<T>::precision) * grid;
  return magnitude < most && magnitude <= RealFormat<T>::most;
}

template <class T, class Operation>
OrderDependence dependence_of(const TermRows<T>& rows, std::size_t column,
                              std::span<const Order> orders) {
  const std::size_t writers = rows.writers();
  T first = rows.data[column];
  for (const T* const terms : rows.terms) first = Operation::apply(first, terms[column]);
  for (const Order& tried : orders) {
    if (!leaves<T, Operation>(rows, column, tried, first)) return OrderDependence::some;
  }
  if (writers <= enumerated_writers) return OrderDependence::none;
  if (writers > exact_writers) return OrderDependence::unknown;
  const TermArithmetic<T, Operation> arithmetic(rows, column);
  const OrderSets<T, TermArithmetic<T, Operation>> sets(writers, rows.data[column], arithmetic);
  if (!sets.is_complete()) return OrderDependence::unknown;
  return sets.results().size() > 1 ? OrderDependence::some : OrderDependence::none;
}

}  // namespace

template <class T>
std::optional<std::vector<std::size_t>> order_for(Reduction reduction, const TermRows<T>& rows,
                                                  std::size_t column) {
  return with_operation<T>(reduction, [&]<class Operation> {
    const bool selects = reduction == Reduction::min || reduction == Reduction::max;
    const T wanted = selects ? rows.actual[column] : canonical(rows.actual[column]);
    return find_order_of<T, Operation>(rows, column, wanted);
  });
}

template <class T>
void order_dependence(Reduction reduction, const TermRows<T>& rows,
                      std::span<OrderDependence> results) {
  const bool adds = reduction == Reduction::sum || reduction == Reduction::sub;
  const auto orders = tried_orders(rows.writers());
  for (std::size_t c = 0; c < rows.columns(); ++c) {
    results[c] = OrderDependence::none;
    if (rows.writers() < 2) continue;
    if constexpr (is_real_dtype_v<T>) {
      if (adds && sums_exactly(rows, c)) continue;
    }
    if constexpr (is_real_dtype_v<T> || is_complex_v<T>) {
      results[c] = with_operation<T>(
          reduction, [&]<class Operation> { return dependence_of<T, Operation>(rows, c, orders); });
    }
  }
}

#define TSCATTER_ORDERS_OF(T)                                                               \
  template class Judge<T>;                                                                  \
  template std::optional<std::vector<std::size_t>> order_for(Reduction, const TermRows<T>&, \
                                                             std::size_t);                  \
  template void order_dependence(Reduction, const TermRows<T>&, std::span<OrderDependence>);

TSCATTER_ORDERS_OF(Bool)
TSCATTER_ORDERS_OF(std::int8_t)
TSCATTER_ORDERS_OF(std::int16_t)
TSCATTER_ORDERS_OF(std::int32_t)
TSCATTER_ORDERS_OF(std::int64_t)
TSCATTER_ORDERS_OF(std::uint8_t)
TSCATTER_ORDERS_OF(std::uint16_t)
TSCATTER_ORDERS_OF(std::uint32_t)
TSCATTER_ORDERS_OF(std::uint64_t)
TSCATTER_ORDERS_OF(Half)
TSCATTER_ORDERS_OF(BFloat16)
TSCATTER_ORDERS_OF(float)
TSCATTER_ORDERS_OF(double)
TSCATTER_ORDERS_OF(std::complex<float>)
TSCATTER_ORDERS_OF(std::complex<double>)

#undef TSCATTER_ORDERS_OF

}  // namespace tscatter::orders
