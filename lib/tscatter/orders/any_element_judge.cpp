#include "tscatter/orders/any_element_judge.hpp"

#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/orders/element_judge_state.hpp"

namespace tscatter::orders {
namespace {

template <class T>
class TypedJudge final : public AnyElementJudge {
 public:
  TypedJudge(Reduction reduction, const JudgeOptions& options) : judge_{reduction, options} {}

  void begin_rows(std::int64_t count) override {
    rows_.clear();
    rows_.reserve(static_cast<std::size_t>(count));
    factors_.clear();
  }
  void add_row(const std::byte* terms) override {
    rows_.push_back(reinterpret_cast<const T*>(terms));
  }
  void add_factors(const std::byte* factors) override {
    factors_.push_back(reinterpret_cast<const T*>(factors));
  }

  std::size_t rows() const override { return rows_.size(); }
  const std::byte* row(std::size_t number) const override {
    return reinterpret_cast<const std::byte*>(rows_[number]);
  }
  bool has_factors() const override { return !factors_.empty(); }
  const std::byte* factors(std::size_t number) const override {
    return reinterpret_cast<const std::byte*>(factors_[number]);
  }

  std::int64_t judge(const Columns& columns, std::span<ElementVerdict> verdicts,
                     Reordered reordered) override {
    return judge_.judge(rows_of(columns), verdicts, reordered);
  }

  bool is_of_last_order(const Columns& columns) override {
    return judge_.is_of_last_order(rows_of(columns));
  }

  std::span<const std::uint32_t> differing() const override { return judge_.differing(); }

  void forget() override { judge_.forget(); }

 private:
  TermRows<T> rows_of(const Columns& columns) const {
    return {.data = {reinterpret_cast<const T*>(columns.data), columns.count},
            .actual = {reinterpret_cast<const T*>(columns.actual), columns.count},
            .terms = rows_,
            .in_order = {reinterpret_cast<const T*>(columns.in_order), columns.count},
            .divisor = columns.divisor,
            .factors = factors_};
  }

  ElementJudge<T> judge_;
  std::vector<const T*> rows_;
  std::vector<const T*> factors_;
};

}  // namespace

std::unique_ptr<AnyElementJudge> make_any_element_judge(DType dtype, Reduction reduction,
                                                        const JudgeOptions& options) {
  return visit_dtype(dtype, [&]<class T>() -> std::unique_ptr<AnyElementJudge> {
    return std::make_unique<TypedJudge<T>>(reduction, options);
  });
}

template class ElementJudge<Half>;
template class ElementJudge<BFloat16>;
template class ElementJudge<float>;
template class ElementJudge<double>;
template class ElementJudge<std::complex<float>>;
template class ElementJudge<std::complex<double>>;

}  // namespace tscatter::orders
