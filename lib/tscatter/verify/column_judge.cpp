#include "tscatter/verify/column_judge.hpp"

#include <array>
#include <cassert>
#include <cstdlib>
#include <optional>
#include <vector>

#include "tscatter/core/visit_dtype.hpp"

namespace tscatter {
namespace {

template <class T>
class TypedJudge final : public ColumnJudge {
 public:
  TypedJudge(Reduction reduction, const JudgeOptions& options)
      : reduction_{reduction}, options_{options}, judge_{reduction, options} {}

  void clear_rows() override { rows_.clear(); }
  void add_row(const std::byte* terms) override {
    rows_.push_back(reinterpret_cast<const T*>(terms));
  }

  void judge(const Columns& columns, std::span<ElementVerdict> verdicts) override {
    judge_.judge(rows_of(columns), verdicts);
  }

  void judge_under(NanPolicy policy, const Columns& columns,
                   std::span<ElementVerdict> verdicts) override {
    JudgeOptions options = options_;
    options.nan = policy;
    Judge<T>(reduction_, options).judge(rows_of(columns), verdicts);
  }

  void forget() override { judge_ = Judge<T>(reduction_, options_); }

 private:
  TermRows<T> rows_of(const Columns& columns) const {
    return {.data = {reinterpret_cast<const T*>(columns.data), columns.count},
            .actual = {reinterpret_cast<const T*>(columns.actual), columns.count},
            .terms = rows_};
  }

  Reduction reduction_;
  JudgeOptions options_;
  Judge<T> judge_;
  std::vector<const T*> rows_;
};

}  // namespace

std::unique_ptr<ColumnJudge> make_column_judge(DType dtype, Reduction reduction,
                                               const JudgeOptions& options) {
  return visit_dtype(dtype, [&]<class T>() -> std::unique_ptr<ColumnJudge> {
    return std::make_unique<TypedJudge<T>>(reduction, options);
  });
}

std::vector<std::int64_t> explaining_order(DType, Reduction, const JudgeOptions&,
                                           std::span<const std::byte>, std::span<const std::byte>,
                                           std::span<const std::vector<std::byte>>) {
  return {};
}

}  // namespace tscatter
