#include "tscatter/diagnose/examination.hpp"

#include <fmt/format.h>

#include <utility>

namespace tscatter::diagnose {

Combination combination_of(const ScatterPlan& plan) {
  return {.reduction = plan.reduction, .initial = plan.initial, .accumulation = plan.accumulation};
}

Terms terms_of(const Reached& reached, std::size_t element_size) {
  Terms terms;
  for (std::size_t k = 0; k < reached.writers(); ++k)
    terms.push_back(reached.terms.data() + k * element_size);
  return terms;
}

Examination::Examination(const Call& call, const LoweredPlan& lowered,
                         std::vector<WrongElement> wrong, const ExamineOptions& options)
    : call_{call},
      lowered_{lowered},
      type_{data().type()},
      options_{options},
      wrong_{std::move(wrong)},
      trial_{type_, combination_of(lowered.plan)} {
  constexpr std::size_t fewer = 8;
  for (const WrongElement& each : wrong_) numbers_.push_back(each.number);
  while (!wrong_.empty()) {
    if (auto reached = reached_elements(lowered_, data(), updates(), numbers_)) {
      reached_ = *std::move(reached);
      return;
    }
    wrong_.resize(wrong_.size() / fewer);
    numbers_.resize(wrong_.size());
  }
}

std::string Examination::entry_text(std::int64_t entry) const {
  if (entry < 0) return "its update";
  return "indices" + to_string(lowered_.entries().position(entry));
}

void Examination::add(Suspect suspect) {
  if (!suspect.fits.empty()) suspects_.push_back(std::move(suspect));
}

void Examination::try_all(std::string_view name, std::string words,
                          std::span<const Reached> reached, MeetingTrial& trial) {
  Suspect suspect{.name = name, .words = std::move(words)};
  for (std::size_t i = 0; i < wrong_.size(); ++i) {
    const Fit fit = trial.fit(reached[i].data.data(), terms_of(reached[i], type_.size),
                              wrong_[i].actual.data());
    if (fit != Fit::none) suspect.fits.push_back({.element = i, .fit = fit});
  }
  add(std::move(suspect));
}

void Examination::try_call(std::string_view name, std::string words, const Call& call) {
  try {
    check_arguments(*call.operation, call.arguments);
    call.operation->validate(call.arguments);
    if (call.operation->infer_output(call.arguments).shape != data().shape()) return;
    const LoweredPlan lowered = call.operation->lower(call.arguments, options_.parallelism);
    const auto reached = reached_elements(lowered, call.arguments.operand("data"),
                                          call.arguments.operand("updates"), numbers_);
    if (!reached) return;
    MeetingTrial trial(type_, combination_of(lowered.plan));
    try_all(name, std::move(words), *reached, trial);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::file) throw;
  }
}

}  // namespace tscatter::diagnose
