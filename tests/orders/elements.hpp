// Elements to be judged, and their verdicts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "orders/hostile_terms.hpp"
#include "property/environment.hpp"
#include "tscatter/orders/element_judge.hpp"

namespace tscatter::device {

using orders::ElementVerdict;

inline std::uint64_t seed() { return property::from_environment("TSCATTER_SEED", 20260521); }

// Elements with the same number of writers, and their rows.
template <class T>
class Elements {
 public:
  Elements(std::size_t writers, std::size_t columns)
      : data_(columns), actual_(columns), terms_(writers, std::vector<T>(columns)) {
    for (const auto& row : terms_) pointers_.push_back(row.data());
  }

  // sub's terms are negated.
  void set(std::size_t column, Reduction reduction, const Terms& terms, double actual) {
    std::vector<T> updates;
    for (std::size_t k = 1; k < terms.size(); ++k) {
      updates.push_back(element<T>(reduction == Reduction::sub ? -terms[k] : terms[k]));
    }
    place(column, element<T>(terms[0]), updates, element<T>(actual));
  }

  void place(std::size_t column, T data, const std::vector<T>& updates, T actual) {
    data_[column] = data;
    actual_[column] = actual;
    for (std::size_t k = 0; k < terms_.size(); ++k) terms_[k][column] = updates[k];
  }

  // What the terms of one column are products of.
  void set_factors(std::size_t column, const Terms& factors) {
    if (factors_.empty()) factors_.assign(terms_.size(), std::vector<T>(data_.size()));
    for (std::size_t k = 0; k < factors_.size(); ++k)
      factors_[k][column] = element<T>(factors[k + 1]);
    factor_pointers_.clear();
    for (const auto& row : factors_) factor_pointers_.push_back(row.data());
  }

  orders::TermRows<T> rows() const {
    return {.data = data_, .actual = actual_, .terms = pointers_, .factors = factor_pointers_};
  }

  std::vector<ElementVerdict> verdicts(orders::ElementJudge<T>& judge) const {
    std::vector<ElementVerdict> verdicts(data_.size());
    judge.judge(rows(), verdicts);
    return verdicts;
  }

 private:
  std::vector<T> data_;
  std::vector<T> actual_;
  std::vector<std::vector<T>> terms_;
  std::vector<const T*> pointers_;
  std::vector<std::vector<T>> factors_;
  std::vector<const T*> factor_pointers_;
};

template <class T>
ElementVerdict verdict_of(Reduction reduction, const Terms& terms, double actual,
                          const orders::JudgeOptions& options = {}) {
  Elements<T> elements(terms.size() - 1, 1);
  elements.set(0, reduction, terms, actual);
  orders::ElementJudge<T> judge(reduction, options);
  return elements.verdicts(judge)[0];
}

inline Step step_of(Reduction reduction) {
  return reduction == Reduction::prod ? Step::multiply : Step::add;
}

// The dtype's unit in the last place of the value.
template <class T>
double ulp_of(double value) {
  const auto range = range_of<T>();
  const int exponent = value == 0 ? range.least_exponent : std::ilogb(value);
  return std::ldexp(1.0, std::max(exponent, range.least_exponent) - range.digits + 1);
}

inline std::string text_of(const Terms& terms, double actual) {
  std::string text;
  char word[64];
  for (const double term : terms) {
    std::snprintf(word, sizeof word, "%a ", term);
    text += word;
    if (text.size() > 2000) break;
  }
  std::snprintf(word, sizeof word, "-> %a", actual);
  return text + word;
}

template <class Function>
void for_each_real_dtype(const Function& function) {
  function.template operator()<Half>();
  function.template operator()<BFloat16>();
  function.template operator()<float>();
  function.template operator()<double>();
}

}  // namespace tscatter::device
