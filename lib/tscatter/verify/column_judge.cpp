#include "tscatter/verify/column_judge.hpp"

#include <cstring>
#include <optional>
#include <vector>

#include "tscatter/core/visit_dtype.hpp"

namespace tscatter {
namespace {

template <class T>
class TypedJudge final : public ColumnJudge {
 public:
  TypedJudge(Reduction reduction, const orders::JudgeOptions& options)
      : judge_{reduction, options} {}

  void begin_rows(std::int64_t count) override {
    rows_.clear();
    rows_.reserve(static_cast<std::size_t>(count));
  }
  void add_row(const std::byte* terms) override {
    rows_.push_back(reinterpret_cast<const T*>(terms));
  }

  void judge(const Columns& columns, std::span<orders::ElementVerdict> verdicts) override {
    judge_.judge(rows_of(columns), verdicts);
  }

  bool is_of_last_order(const Columns& columns) override {
    return judge_.is_of_last_order(rows_of(columns));
  }

  std::span<const std::uint32_t> differing() const override { return judge_.differing(); }

  void forget() override { judge_.forget(); }

 private:
  orders::TermRows<T> rows_of(const Columns& columns) const {
    return {.data = {reinterpret_cast<const T*>(columns.data), columns.count},
            .actual = {reinterpret_cast<const T*>(columns.actual), columns.count},
            .terms = rows_,
            .in_order = {reinterpret_cast<const T*>(columns.in_order), columns.count}};
  }

  orders::Judge<T> judge_;
  std::vector<const T*> rows_;
};

}  // namespace

std::unique_ptr<ColumnJudge> make_column_judge(DType dtype, Reduction reduction,
                                               const orders::JudgeOptions& options) {
  return visit_dtype(dtype, [&]<class T>() -> std::unique_ptr<ColumnJudge> {
    return std::make_unique<TypedJudge<T>>(reduction, options);
  });
}

std::vector<std::int64_t> explaining_order(DType dtype, Reduction reduction,
                                           std::span<const std::byte> data,
                                           std::span<const std::byte> actual,
                                           std::span<const std::vector<std::byte>> terms) {
  return visit_dtype(dtype, [&]<class T>() -> std::vector<std::int64_t> {
    const auto value = [](std::span<const std::byte> bytes) {
      T element;
      std::memcpy(&element, bytes.data(), sizeof(T));
      return element;
    };
    std::vector<T> values;
    for (const std::vector<std::byte>& term : terms) values.push_back(value(term));
    std::vector<const T*> rows;
    rows.reserve(values.size());
    for (const T& each : values) rows.push_back(&each);
    const T before = value(data);
    const T after = value(actual);
    const auto order = orders::order_for<T>(
        reduction, {.data = {&before, 1}, .actual = {&after, 1}, .terms = rows, .in_order = {}}, 0);
    if (!order) return {};
    return {order->begin(), order->end()};
  });
}

}  // namespace tscatter
