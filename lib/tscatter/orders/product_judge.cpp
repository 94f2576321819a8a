#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tscatter/kernels/reductions.hpp"
#include "tscatter/orders/element_judge.hpp"
#include "tscatter/orders/find_order.hpp"
#include "tscatter/orders/order_search.hpp"
#include "tscatter/orders/scaled.hpp"

namespace tscatter::orders {
namespace {

// How far products of n + 1 factors may be from the exact one: decision 41. `growth` bounds the
// error of one multiplication relative to its result, `underflow` its error if the result is
// subnormal.
struct ProductErrors {
  double relative = 0;
  Scaled absolute{};  // to be multiplied by the greatest product
  Scaled stretch{};   // how much greater than exact a partial product can be

  static ProductErrors of(std::size_t writers, double growth, const Scaled& underflow) {
    const auto n = static_cast<double>(writers);
    const double slack = 1 + power_of_two(-9);
    const double small = std::log1p(underflow.in_units_of(0));
    const double logarithm = n * (std::log1p(growth) + small);
    const Scaled stretch = Scaled::exp(logarithm);
    return {.relative = std::expm1(n * std::log1p(growth)) * (1 + power_of_two(-40)),
            .absolute = stretch * Scaled(n * slack) * underflow,
            .stretch = stretch * Scaled(1 + power_of_two(-40))};
  }
};

// The magnitudes of the factors that are neither zero nor infinite nor NaN.
struct Magnitudes {
  Scaled greatest{1};  // of those above 1
  Scaled least{1};     // of those below 1
  bool has_nan = false;
  bool has_infinity = false;
  bool has_zero = false;
  bool has_subnormal = false;

  // Every partial product is a multiple of `grid`, and a power of two times at most `multiples`.
  Scaled grid{1};
  double multiples = 1;

  bool is_special() const { return has_nan || has_infinity || has_zero; }

  // Adds a factor whose parts are multiples of `power`, `count` of them together.
  void add_grid(double power, double count) {
    if (power < 1) grid = grid * Scaled(power);
    multiples *= count;
  }

  void add(double magnitude, double normal_min) {
    has_nan |= std::isnan(magnitude);
    has_infinity |= std::isinf(magnitude);
    has_zero |= magnitude == 0;
    if (!(magnitude > 0) || std::isinf(magnitude)) return;
    has_subnormal |= magnitude < normal_min;
    Scaled& product = magnitude > 1 ? greatest : least;
    product = product * Scaled(magnitude);
    add_grid(lowest_bit(magnitude), magnitude / lowest_bit(magnitude));
  }
};

// Whether no partial product is rounded. `multiples` itself is exact as far as float64 has digits.
template <class T>
bool are_exact(const Magnitudes& magnitudes, const JudgeOptions& options) {
  using Format = RealFormat<T>;
  const bool is_flushed = options.subnormals == Subnormals::flushed;
  const Scaled least(is_flushed ? Format::normal_min : Format::least);
  const double most = std::min(1 / Format::unit, power_of_two(53) - 1);
  return !(magnitudes.has_nan || magnitudes.has_infinity) && magnitudes.multiples <= most &&
         !(magnitudes.grid < least) && !(Scaled(Format::most) < magnitudes.greatest);
}

template <class T>
bool overflows(const Magnitudes& magnitudes, const ProductErrors& errors,
               const JudgeOptions& options) {
  return !are_exact<T>(magnitudes, options) &&
         !(magnitudes.greatest * errors.stretch < Scaled(RealFormat<T>::most));
}

// Whether a partial product may fall below `limit`, and so become 0 or lose digits.
inline bool underflows(const Magnitudes& magnitudes, const ProductErrors& errors, double limit) {
  return magnitudes.least < errors.stretch * Scaled(limit);
}

inline ElementVerdict measured(double share, Deviation deviation) {
  if (share > 1) return {.element_class = ElementClass::wrong, .share = share};
  return {.element_class = ElementClass::rounded, .deviation = deviation, .share = share};
}

template <class T>
class ProductJudge final : public ReductionJudge<T> {
 public:
  using Format = RealFormat<T>;

  explicit ProductJudge(const JudgeOptions& options) : options_(options) {}

  void judge(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
             std::span<ElementVerdict> verdicts) override {
    const double mixed_unit = Format::unit + 2 * Format::wide_unit;
    const Scaled underflow = Scaled(Format::least) * Scaled(0.5);  // of float64: no float64
    one_ = ProductErrors::of(rows.writers(), Format::unit, underflow);
    any_ = ProductErrors::of(rows.writers(), mixed_unit, underflow);
    flushed_ =
        ProductErrors::of(rows.writers(), mixed_unit, underflow + Scaled(Format::normal_min));
    const std::size_t at_once = TermBlock<T>::columns_at_once(rows.writers());
    for (std::size_t first = 0; first < columns.size(); first += at_once) {
      const auto group = columns.subspan(first, std::min(at_once, columns.size() - first));
      judge_group(rows, group, verdicts);
    }
  }

 private:
  void judge_group(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
                   std::span<ElementVerdict> verdicts) {
    std::vector<std::uint32_t> candidates;
    for (const std::uint32_t column : columns) {
      verdicts[column] = verdict(rows, column);
      if (may_be_reached(rows, column, verdicts[column])) candidates.push_back(column);
    }
    if (candidates.empty()) return;
    // The search multiplies in T.
    if (prescribes_wider<T>(options_.accumulation))
      return find_wide_orders(rows, candidates, verdicts);
    const auto magnitude = [](Lane<T> x) { return std::fabs(x); };
    block_.gather(rows, candidates, magnitude, magnitude);
    const auto found = [&](std::size_t place) { verdicts[candidates[place]] = explained_by_order; };
    search_.search(block_, found);
    search_.decide(block_, no_errors_.data(), found);
  }

  void find_wide_orders(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
                        std::span<ElementVerdict> verdicts) const {
    for (const std::uint32_t column : columns) {
      if (order_of(rows, column)) verdicts[column] = explained_by_order;
    }
  }

  // For a special element, verdict() has already looked for an order.
  static bool may_be_reached(const TermRows<T>& rows, std::size_t column,
                             const ElementVerdict& verdict) {
    return rows.writers() > 1 && verdict.element_class == ElementClass::rounded &&
           verdict.deviation != Deviation::flushed && verdict.deviation != Deviation::other_nan &&
           std::isfinite(widened(rows.actual[column])) && !magnitudes_of(rows, column).has_zero;
  }

  static Magnitudes magnitudes_of(const TermRows<T>& rows, std::size_t column) {
    Magnitudes magnitudes;
    const auto add = [&](T factor) {
      magnitudes.add(std::fabs(static_cast<double>(widened(factor))), Format::normal_min);
    };
    add(rows.data[column]);
    for (const T* const factors : rows.terms) add(factors[column]);
    return magnitudes;
  }

  ElementVerdict verdict(const TermRows<T>& rows, std::size_t column) const {
    const Magnitudes magnitudes = magnitudes_of(rows, column);
    const auto actual = static_cast<double>(widened(rows.actual[column]));
    if (std::isnan(actual)) return verdict_of_nan(rows, column, magnitudes);
    const bool must_be_nan = magnitudes.has_nan || (magnitudes.has_infinity && magnitudes.has_zero);
    if (must_be_nan || std::signbit(actual) != sign_of(rows, column)) return wrong_without_measure;
    if (actual == 0 && becomes_zero(magnitudes)) return rounded_as(Deviation::flushed);
    if (magnitudes.is_special()) {
      // With the zero or the infinity first, it stays whatever follows.
      const bool stays = magnitudes.has_zero ? actual == 0 : std::isinf(actual);
      return stays ? explained_by_order : wrong_without_measure;
    }
    if (are_exact<T>(magnitudes, options_)) return wrong_without_measure;  // not in-order
    if (std::isinf(actual)) return verdict_of_infinity(rows, column, magnitudes);
    return verdict_by_bound(rows, column, magnitudes);
  }

  bool becomes_zero(const Magnitudes& magnitudes) const {
    return options_.subnormals == Subnormals::flushed && magnitudes.has_subnormal &&
           !magnitudes.has_infinity && !magnitudes.has_zero;
  }

  static bool sign_of(const TermRows<T>& rows, std::size_t column) {
    bool sign = std::signbit(widened(rows.data[column]));
    for (const T* const factors : rows.terms) sign ^= std::signbit(widened(factors[column]));
    return sign;
  }

  // NaN comes from a NaN, and from 0 times an infinity: given, or reached by partial products.
  ElementVerdict verdict_of_nan(const TermRows<T>& rows, std::size_t column,
                                const Magnitudes& magnitudes) const {
    if (magnitudes.has_nan || (magnitudes.has_infinity && magnitudes.has_zero)) {
      return rounded_as(Deviation::other_nan);
    }
    const bool is_flushed = options_.subnormals == Subnormals::flushed;
    const bool has_infinity = magnitudes.has_infinity || overflows<T>(magnitudes, any_, options_);
    const double zero_below = is_flushed ? Format::normal_min : Format::least;
    const bool has_zero = magnitudes.has_zero || (is_flushed && magnitudes.has_subnormal) ||
                          underflows(magnitudes, any_, zero_below);
    if (rows.writers() == 1 && !is_flushed) return wrong_without_measure;
    return has_infinity && has_zero ? of_order(rows, column) : wrong_without_measure;
  }

  ElementVerdict verdict_of_infinity(const TermRows<T>& rows, std::size_t column,
                                     const Magnitudes& magnitudes) const {
    const bool is_exact = rows.writers() == 1 && !std::is_same_v<T, double>;
    if (is_exact || !overflows<T>(magnitudes, any_, options_)) return wrong_without_measure;
    return of_order(rows, column);
  }

  ElementVerdict of_order(const TermRows<T>& rows, std::size_t column) const {
    return order_of(rows, column) ? explained_by_order : rounded_as(Deviation::tree);
  }

  std::optional<std::vector<std::size_t>> order_of(const TermRows<T>& rows,
                                                   std::size_t column) const {
    const Meeting meeting{.reduction = Reduction::prod, .accumulation = options_.accumulation};
    return find_order(meeting, rows, column, rows.actual[column]);
  }

  ElementVerdict verdict_by_bound(const TermRows<T>& rows, std::size_t column,
                                  const Magnitudes& magnitudes) const {
    ScaledPair product(std::fabs(static_cast<double>(widened(rows.data[column]))));
    for (const T* const factors : rows.terms) {
      product.multiply(std::fabs(static_cast<double>(widened(factors[column]))));
    }
    const Scaled actual(std::fabs(static_cast<double>(widened(rows.actual[column]))));
    const double share = rows.writers() == 1
                             ? share_of_one(product, actual)
                             : product.share_of_distance(actual, bound(any_, product, magnitudes));
    const double one = product.share_of_distance(actual, bound(one_, product, magnitudes));
    const auto needed = one <= 1 ? Deviation::one_accumulator : Deviation::tree;
    if (share <= 1 || options_.subnormals == Subnormals::kept) return measured(share, needed);
    const Scaled flushed = bound(flushed_, product, magnitudes);
    return measured(product.share_of_distance(actual, flushed), Deviation::flushed);
  }

  static Scaled bound(const ProductErrors& errors, const ScaledPair& product,
                      const Magnitudes& magnitudes) {
    const Scaled relative = product.high() * Scaled(errors.relative);
    if (!underflows(magnitudes, errors, 2 * Format::normal_min)) return relative;
    return relative + errors.absolute * magnitudes.greatest;
  }

  // One multiplication has one result; a wider float64 may round it twice.
  static double share_of_one(const ScaledPair& product, const Scaled& actual) {
    constexpr bool has_bound = std::is_same_v<T, double>;
    if (!has_bound) return std::numeric_limits<double>::infinity();
    const Scaled least = Scaled(Format::least) * Scaled(0.5);
    const Scaled near = std::max(product.half_ulp(Format::unit), least);
    const Scaled twice = product.high() * Scaled(2 * Format::wide_unit);
    return product.share_of_distance(actual, near + twice);
  }

  JudgeOptions options_;
  ProductErrors one_;
  ProductErrors any_;
  ProductErrors flushed_;
  TermBlock<T> block_;
  OrderSearch<T, ProductStep<T>> search_;
  std::array<double, TermBlock<T>::most_columns> no_errors_{};
};

template <class T>
class ComplexProductJudge final : public ReductionJudge<std::complex<T>> {
 public:
  using Value = std::complex<T>;
  using Format = RealFormat<T>;

  explicit ComplexProductJudge(const JudgeOptions& options) : options_(options) {}

  void judge(const TermRows<Value>& rows, std::span<const std::uint32_t> columns,
             std::span<ElementVerdict> verdicts) override {
    const double root_of_5 = std::sqrt(5.0) * (1 + power_of_two(-50));
    const double unit = root_of_5 * (Format::unit + 2 * Format::wide_unit);
    const bool is_flushed = options_.subnormals == Subnormals::flushed;
    const Scaled kept(Format::least * 2);
    const Scaled underflow = is_flushed ? kept + Scaled(8 * Format::normal_min) : kept;
    errors_ = ProductErrors::of(rows.writers(), unit, underflow);
    one_ = ProductErrors::of(rows.writers(), root_of_5 * Format::unit, kept);
    for (const std::uint32_t column : columns) verdicts[column] = verdict(rows, column);
  }

 private:
  ElementVerdict verdict(const TermRows<Value>& rows, std::size_t column) const {
    Magnitudes magnitudes;
    add(rows.data[column], magnitudes);
    for (const Value* const factors : rows.terms) add(factors[column], magnitudes);
    const Value actual = rows.actual[column];
    const ElementVerdict verdict = is_finite(actual) ? verdict_by_bound(rows, column, magnitudes)
                                                     : verdict_of_special(actual, magnitudes);
    if (verdict.element_class == ElementClass::wrong || rows.writers() == 1) return verdict;
    const auto order = find_order({Reduction::prod}, rows, column, actual, most_complex_values);
    return order ? explained_by_order : verdict;
  }

  static bool is_finite(Value value) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  }

  static void add(Value factor, Magnitudes& magnitudes) {
    if (is_finite(factor)) {
      const Scaled modulus = modulus_of(factor);
      magnitudes.has_zero |= modulus.is_zero();
      magnitudes.has_subnormal |= modulus < Scaled(Format::normal_min);
      if (modulus.is_zero()) return;
      Scaled& product = Scaled(1) < modulus ? magnitudes.greatest : magnitudes.least;
      product = product * modulus;
      const auto [re, im] =
          std::array{std::fabs(double{factor.real()}), std::fabs(double{factor.imag()})};
      const double power = std::min(lowest_bit(re), lowest_bit(im));
      magnitudes.add_grid(power, re / power + im / power);
      return;
    }
    const bool has_infinity = std::isinf(factor.real()) || std::isinf(factor.imag());
    (has_infinity ? magnitudes.has_infinity : magnitudes.has_nan) = true;
  }

  // Computed at half the size or at 2^100 times it, so that nothing overflows or underflows.
  static Scaled modulus_of(Value value) {
    const auto re = static_cast<double>(value.real());
    const auto im = static_cast<double>(value.imag());
    const int exponent = std::max(std::fabs(re), std::fabs(im)) > 1 ? -1 : 100;
    const double modulus = std::hypot(std::ldexp(re, exponent), std::ldexp(im, exponent));
    return Scaled(modulus) * Scaled(std::ldexp(1 + power_of_two(-50), -exponent));
  }

  // Once a part is not finite the product stays so. Which parts are NaN depends on how a complex
  // product is written (C's Annex G recovers infinities), except that NaN alone stays NaN.
  ElementVerdict verdict_of_special(Value actual, const Magnitudes& magnitudes) const {
    const bool may_be_infinite =
        magnitudes.has_infinity || overflows<T>(magnitudes, errors_, options_);
    const bool is_nan = std::isnan(actual.real()) || std::isnan(actual.imag());
    if (may_be_infinite) return rounded_as(Deviation::tree);
    if (magnitudes.has_nan && is_nan) return rounded_as(Deviation::other_nan);
    return wrong_without_measure;
  }

  ElementVerdict verdict_by_bound(const TermRows<Value>& rows, std::size_t column,
                                  const Magnitudes& magnitudes) const {
    if (magnitudes.has_nan || magnitudes.has_infinity) return wrong_without_measure;
    if (are_exact<T>(magnitudes, options_)) return verdict_of_exact(rows, column);
    ScaledComplex product(wide(rows.data[column]));
    for (const Value* const factors : rows.terms) product.multiply(wide(factors[column]));
    const std::complex<double> actual = wide(rows.actual[column]);
    const Scaled modulus = magnitudes.has_zero ? Scaled(0) : magnitudes.greatest * magnitudes.least;
    const double one = product.share_of_distance(actual, bound(one_, modulus, magnitudes));
    const double share = product.share_of_distance(actual, bound(errors_, modulus, magnitudes));
    return measured(share, one <= 1 ? Deviation::one_accumulator : Deviation::tree);
  }

  // Except for the signs of zeros, which depend on how a complex product is written.
  static ElementVerdict verdict_of_exact(const TermRows<Value>& rows, std::size_t column) {
    Value product = rows.data[column];
    for (const Value* const factors : rows.terms) {
      product = reductions::Prod::apply(product, factors[column]);
    }
    const bool is_same = product == rows.actual[column];
    return is_same ? rounded_as(Deviation::one_accumulator) : wrong_without_measure;
  }

  static std::complex<double> wide(Value value) {
    return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
  }

  static Scaled bound(const ProductErrors& errors, const Scaled& modulus,
                      const Magnitudes& magnitudes) {
    return modulus * Scaled(errors.relative) + errors.absolute * magnitudes.greatest;
  }

  JudgeOptions options_;
  ProductErrors one_;
  ProductErrors errors_;
};

}  // namespace

template <class T>
std::unique_ptr<ReductionJudge<T>> make_product_judge(const JudgeOptions& options) {
  if constexpr (is_complex_v<T>) {
    return std::make_unique<ComplexProductJudge<typename T::value_type>>(options);
  } else {
    return std::make_unique<ProductJudge<T>>(options);
  }
}

template std::unique_ptr<ReductionJudge<Half>> make_product_judge(const JudgeOptions&);
template std::unique_ptr<ReductionJudge<BFloat16>> make_product_judge(const JudgeOptions&);
template std::unique_ptr<ReductionJudge<float>> make_product_judge(const JudgeOptions&);
template std::unique_ptr<ReductionJudge<double>> make_product_judge(const JudgeOptions&);
template std::unique_ptr<ReductionJudge<std::complex<float>>> make_product_judge(
    const JudgeOptions&);
template std::unique_ptr<ReductionJudge<std::complex<double>>> make_product_judge(
    const JudgeOptions&);

}  // namespace tscatter::orders
