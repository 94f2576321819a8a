#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tscatter/kernels/reductions.hpp"
#include "tscatter/orders/element_judge.hpp"
#include "tscatter/orders/find_order.hpp"
#include "tscatter/orders/order_search.hpp"
#include "tscatter/orders/special_sum.hpp"
#include "tscatter/orders/sum_bounds.hpp"

namespace tscatter::orders {
namespace {

template <class T>
class SumJudge final : public ReductionJudge<T> {
 public:
  using Real = Lane<T>;

  SumJudge(Reduction reduction, const JudgeOptions& options)
      : reduction_(reduction), options_(options) {}

  void judge(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
             std::span<ElementVerdict> verdicts) override {
    const std::size_t at_once = TermBlock<T>::columns_at_once(rows.writers());
    for (std::size_t first = 0; first < columns.size(); first += at_once) {
      const auto group = columns.subspan(first, std::min(at_once, columns.size() - first));
      judge_group(rows, group, verdicts);
    }
  }

 private:
  void judge_group(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
                   std::span<ElementVerdict> verdicts) {
    block_.gather_sum(rows, columns, reduction_);
    for (const std::uint32_t column : columns) verdicts[column] = explained_by_order;
    // No order of terms that are not finite leaves a finite value: only targets matter here.
    std::fill_n(sums_.begin(), block_.count(), Real{0});
    add_zeros(block_.target());
    judge_specials(rows, columns, verdicts);
    const std::size_t writers = rows.writers();
    if (writers > 1 && !is_wide_ && !is_fused_) {
      search_.search(block_, [](std::size_t) {});
      judge_plain(columns, verdicts);
    }
    if (block_.count() == 0) return;
    std::fill_n(sums_.begin(), block_.count(), Real{0});
    add_zeros(block_.data());
    for (std::size_t k = 0; k < writers; ++k) add_zeros(block_.term(k));
    judge_specials(rows, columns, verdicts);
    if (block_.count() == 0) return;
    if (is_fused_) return judge_fused(columns, verdicts);
    bounds_.calculate(block_, Subnormals::kept);
    for (std::size_t j = 0; j < block_.count(); ++j) {
      ElementVerdict& of_column = verdicts[columns[block_.place(j)]];
      of_column = writers == 1 ? verdict_of_one(j) : verdict(j);
      of_column.hides_update = hides_update(of_column, j);
    }
    if (options_.subnormals == Subnormals::flushed) judge_flushed(columns, verdicts);
    if (writers == 1) return;
    if (is_wide_) return find_wide_orders(rows, columns, verdicts);
    if (!search_.has_more_to_decide(writers)) return;
    keep_candidates();
    search_.decide(block_, errors_.data(),
                   [&](std::size_t place) { verdicts[columns[place]] = explained_by_order; });
  }

  // Those that an order may still explain are not among them.
  void judge_plain(std::span<const std::uint32_t> columns, std::span<ElementVerdict> verdicts) {
    if constexpr (PlainSums<T>::applies) {
      const std::size_t writers = block_.writers();
      if (search_.has_more_to_decide(writers) || writers > PlainSums<T>::most_writers) return;
      plain_.calculate(block_);
      for (std::size_t j = 0; j < block_.count(); ++j) {
        flags_[j] = plain_.is_legal(j) ? 0 : 1;
        if (flags_[j] != 0) continue;
        verdicts[columns[block_.place(j)]] = {.element_class = ElementClass::rounded,
                                              .deviation = Deviation::one_accumulator,
                                              .share = plain_.share(j),
                                              .hides_update = plain_.hides_update(j)};
      }
      block_.keep(flags_.data());
    }
  }

  // The search adds in T; in the accumulator's dtype there are few different sums.
  void find_wide_orders(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
                        std::span<ElementVerdict> verdicts) const {
    const Meeting meeting{.reduction = reduction_, .accumulation = options_.accumulation};
    for (std::size_t j = 0; j < block_.count(); ++j) {
      const std::uint32_t column = columns[block_.place(j)];
      ElementVerdict& verdict = verdicts[column];
      if (verdict.element_class != ElementClass::rounded) continue;
      if (find_order(meeting, rows, column, rows.actual[column])) verdict = explained_by_order;
    }
  }

  // The products themselves are not known, so no order is looked for. One that is tiny has a sign
  // where its rounding is a zero.
  void judge_fused(std::span<const std::uint32_t> columns, std::span<ElementVerdict> verdicts) {
    bounds_.calculate(block_, options_.subnormals, Products::fused);
    for (std::size_t j = 0; j < block_.count(); ++j)
      verdicts[columns[block_.place(j)]] =
          measured(bounds_.distance(j), largest_bound(j), needed(j));
  }

  void judge_flushed(std::span<const std::uint32_t> columns, std::span<ElementVerdict> verdicts) {
    for (std::size_t j = 0; j < block_.count(); ++j) {
      const ElementVerdict& verdict = verdicts[columns[block_.place(j)]];
      flags_[j] = verdict.element_class == ElementClass::wrong ? 1 : 0;
    }
    flushed_ = block_;
    flushed_.keep(flags_.data());
    if (flushed_.count() == 0) return;
    SumBounds<T>& bounds = flushed_bounds_;
    bounds.calculate(flushed_, Subnormals::flushed);
    for (std::size_t j = 0; j < flushed_.count(); ++j) {
      if (!bounds.may_flush(j)) continue;
      const double of_tree = is_wide_ ? 0 : bounds.tree(j);
      const double bound = std::max(bounds.wider_accumulator(j), of_tree);
      verdicts[columns[flushed_.place(j)]] =
          measured(bounds.distance(j), bound, Deviation::flushed);
    }
  }

  void judge_specials(const TermRows<T>& rows, std::span<const std::uint32_t> columns,
                      std::span<ElementVerdict> verdicts) {
    const std::size_t count = block_.count();
    if (std::all_of(sums_.begin(), sums_.begin() + count, [](Real sum) { return sum == 0; })) {
      return;
    }
    for (std::size_t j = 0; j < count; ++j) {
      flags_[j] = sums_[j] == 0 ? 1 : 0;
      if (flags_[j] != 0) continue;
      const Meeting meeting{.reduction = reduction_, .accumulation = options_.accumulation};
      const std::uint32_t column = columns[block_.place(j)];
      const bool has_products = is_fused_ && !rows.factors.empty();
      verdicts[column] =
          has_products ? SpecialSum<T>::of_products(rows, column, meeting, options_.alpha).verdict()
                       : SpecialSum<T>(rows, column, meeting).verdict();
    }
    block_.keep(flags_.data());
  }

  // Adds 0 for finite values, else NaN.
  void add_zeros(const Real* values) {
    for (std::size_t j = 0; j < block_.count(); ++j) sums_[j] += values[j] * 0;
  }

  // For a value of zero, whether its sign is possible: -0.0 comes only from -0.0, unless the
  // updates are added up before they are subtracted from data of -0.0.
  enum class ZeroSign : std::uint8_t { as_any_order, as_a_tree, never };

  ZeroSign zero_sign(std::size_t j) const {
    if (block_.target()[j] != 0) return ZeroSign::as_any_order;
    bool is_all_negative_zero = is_negative_zero(block_.data()[j]);
    for (std::size_t k = 0; k < block_.writers() && is_all_negative_zero; ++k) {
      is_all_negative_zero = is_negative_zero(block_.term(k)[j]);
    }
    if (is_all_negative_zero) return ZeroSign::as_a_tree;
    if (!std::signbit(block_.target()[j])) return ZeroSign::as_any_order;
    const bool may_subtract_zero = is_subtracted_ && is_negative_zero(block_.data()[j]);
    return may_subtract_zero ? ZeroSign::as_a_tree : ZeroSign::never;
  }

  static bool is_negative_zero(Real x) { return x == 0 && std::signbit(x); }

  // One addition has one result; a wider float64 may round it twice.
  ElementVerdict verdict_of_one(std::size_t j) const {
    const double bound = std::is_same_v<T, double> ? bounds_.wider_accumulator(j) : 0;
    if (zero_sign(j) == ZeroSign::never) return wrong_without_measure;
    if (bounds_.distance(j) == 0) return rounded_as(Deviation::tree);
    return measured(bounds_.distance(j), bound, Deviation::wider_accumulator);
  }

  ElementVerdict verdict(std::size_t j) const {
    const ZeroSign sign = zero_sign(j);
    if (sign == ZeroSign::never) return wrong_without_measure;
    if (is_wide_) return of_prescribed(bounds_.distance(j), bounds_.wider_accumulator(j));
    const auto deviation = sign == ZeroSign::as_a_tree ? Deviation::tree : needed(j);
    return measured(bounds_.distance(j), largest_bound(j), deviation);
  }

  // An update of zero hides behind no bound: nothing tells that it is lost.
  bool hides_update(const ElementVerdict& verdict, std::size_t j) const {
    if (verdict.element_class != ElementClass::rounded) return false;
    const double bound = is_wide_ ? bounds_.wider_accumulator(j) : largest_bound(j);
    for (std::size_t k = 0; k < block_.writers(); ++k) {
      const double size = std::fabs(static_cast<double>(block_.term(k)[j])) * bounds_.scale(j);
      if (size != 0 && size < bound) return true;
    }
    return false;
  }

  double largest_bound(std::size_t j) const {
    return std::max({bounds_.one_accumulator(j), bounds_.wider_accumulator(j), bounds_.tree(j)});
  }

  static ElementVerdict of_prescribed(double distance, double bound) {
    return measured(distance, bound, Deviation::wider_accumulator);
  }

  Deviation needed(std::size_t j) const {
    if (bounds_.distance(j) <= bounds_.one_accumulator(j)) return Deviation::one_accumulator;
    if (bounds_.distance(j) <= bounds_.wider_accumulator(j)) return Deviation::wider_accumulator;
    return Deviation::tree;
  }

  static ElementVerdict measured(double distance, double bound, Deviation deviation) {
    const double share = distance == 0 ? 0 : distance / bound;
    if (distance > bound) return {.element_class = ElementClass::wrong, .share = share};
    return {.element_class = ElementClass::rounded, .deviation = deviation, .share = share};
  }

  // Keeps the columns that one accumulator may leave in some order.
  void keep_candidates() {
    for (std::size_t j = 0; j < block_.count(); ++j) {
      const bool may_be_reached = bounds_.distance(j) <= bounds_.one_accumulator(j) &&
                                  zero_sign(j) == ZeroSign::as_any_order;
      flags_[j] = may_be_reached ? 1 : 0;
      errors_[block_.place(j)] = bounds_.unscaled_accumulator(j);
    }
    block_.keep(flags_.data());
  }

  Reduction reduction_;
  JudgeOptions options_;
  bool is_subtracted_ = info(reduction_).negates;
  bool is_wide_ = prescribes_wider<T>(options_.accumulation);
  bool is_fused_ = options_.products == Products::fused;
  TermBlock<T> block_;
  TermBlock<T> flushed_;
  PlainSums<T> plain_;
  SumBounds<T> bounds_;
  SumBounds<T> flushed_bounds_;
  OrderSearch<T, SumStep<T>> search_;
  std::array<std::uint8_t, TermBlock<T>::most_columns> flags_{};
  std::array<Real, TermBlock<T>::most_columns> sums_{};
  std::array<double, TermBlock<T>::most_columns> errors_{};
};

// Part by part: two accumulators; each may follow its own order.
template <class T>
class ComplexSumJudge final : public ReductionJudge<std::complex<T>> {
 public:
  ComplexSumJudge(Reduction reduction, const JudgeOptions& options)
      : is_subtracted_(info(reduction).negates), part_judge_(reduction, options) {}

  void judge(const TermRows<std::complex<T>>& rows, std::span<const std::uint32_t> columns,
             std::span<ElementVerdict> verdicts) override {
    for (std::size_t first = 0; first < columns.size(); first += most_columns) {
      const std::size_t count = std::min(most_columns, columns.size() - first);
      judge_group(rows, columns.subspan(first, count), verdicts);
    }
  }

 private:
  static constexpr std::size_t most_columns = 64;

  void judge_group(const TermRows<std::complex<T>>& rows, std::span<const std::uint32_t> columns,
                   std::span<ElementVerdict> verdicts) {
    std::array<std::array<ElementVerdict, most_columns>, 2> parts;
    judge_part(rows, columns, 0, parts[0]);
    judge_part(rows, columns, 1, parts[1]);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      verdicts[columns[j]] = worse(parts[0][j], parts[1][j]);
    }
  }

  static ElementVerdict worse(const ElementVerdict& a, const ElementVerdict& b) {
    ElementVerdict verdict = a.element_class < b.element_class ? b : a;
    if (a.element_class == b.element_class && a.deviation < b.deviation) verdict = b;
    verdict.share = std::max(a.share, b.share);
    verdict.hides_update = a.hides_update || b.hides_update;
    return verdict;
  }

  void judge_part(const TermRows<std::complex<T>>& rows, std::span<const std::uint32_t> columns,
                  std::size_t part, std::array<ElementVerdict, most_columns>& verdicts) {
    const std::size_t count = columns.size();
    cells_.resize((rows.writers() + 2) * count);
    pointers_.clear();
    open_.clear();
    copy_part(rows.data.data(), columns, part, cells_.data());
    copy_part(rows.actual.data(), columns, part, cells_.data() + count);
    for (std::size_t k = 0; k < rows.writers(); ++k) {
      T* const into = cells_.data() + (k + 2) * count;
      copy_part(rows.terms[k], columns, part, into);
      pointers_.push_back(into);
    }
    const TermRows<T> part_rows{.data = {cells_.data(), count},
                                .actual = {cells_.data() + count, count},
                                .terms = pointers_};
    for (std::size_t j = 0; j < count; ++j) {
      verdicts[j] = {.element_class = ElementClass::in_order};
      if (!is_in_order(part_rows, j)) open_.push_back(static_cast<std::uint32_t>(j));
    }
    part_judge_.judge(part_rows, open_, {verdicts.data(), count});
  }

  static void copy_part(const std::complex<T>* from, std::span<const std::uint32_t> columns,
                        std::size_t part, T* into) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      into[j] = part == 0 ? from[columns[j]].real() : from[columns[j]].imag();
    }
  }

  bool is_in_order(const TermRows<T>& rows, std::size_t j) const {
    T value = rows.data[j];
    for (const T* const terms : rows.terms) {
      value = is_subtracted_ ? reductions::Sub::apply(value, terms[j])
                             : reductions::Sum::apply(value, terms[j]);
    }
    return same_bits(value, rows.actual[j]);
  }

  bool is_subtracted_;
  SumJudge<T> part_judge_;
  std::vector<T> cells_;
  std::vector<const T*> pointers_;
  std::vector<std::uint32_t> open_;
};

}  // namespace

template <class T>
std::unique_ptr<ReductionJudge<T>> make_sum_judge(Reduction reduction,
                                                  const JudgeOptions& options) {
  if constexpr (is_complex_v<T>) {
    return std::make_unique<ComplexSumJudge<typename T::value_type>>(reduction, options);
  } else {
    return std::make_unique<SumJudge<T>>(reduction, options);
  }
}

template std::unique_ptr<ReductionJudge<Half>> make_sum_judge(Reduction, const JudgeOptions&);
template std::unique_ptr<ReductionJudge<BFloat16>> make_sum_judge(Reduction, const JudgeOptions&);
template std::unique_ptr<ReductionJudge<float>> make_sum_judge(Reduction, const JudgeOptions&);
template std::unique_ptr<ReductionJudge<double>> make_sum_judge(Reduction, const JudgeOptions&);
template std::unique_ptr<ReductionJudge<std::complex<float>>> make_sum_judge(Reduction,
                                                                             const JudgeOptions&);
template std::unique_ptr<ReductionJudge<std::complex<double>>> make_sum_judge(Reduction,
                                                                              const JudgeOptions&);

}  // namespace tscatter::orders
