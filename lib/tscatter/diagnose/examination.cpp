#include "tscatter/diagnose/examination.hpp"

#include <fmt/format.h>

#include <algorithm>
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
                         std::vector<std::int64_t> wrong, const ReadActual& read,
                         const ExamineOptions& options)
    : call_{call},
      lowered_{lowered},
      type_{data().type()},
      options_{options},
      numbers_{std::move(wrong)},
      trial_{type_, combination_of(lowered.plan)} {
  reach();
  wrong_ = numbers_.size();
  for (const std::int64_t number : numbers_) {
    elements_.push_back({.number = number, .actual = std::vector<std::byte>(type_.size)});
    read(number, elements_.back().actual);
  }
  if (wrong_ > 0) add_right(read);
}

// The first ones, which are the worst.
void Examination::reach() {
  ReachedRoom room(lowered_, type_.size, numbers_, limits_of_wrong);
  std::size_t count = 0;
  while (count < numbers_.size() && room.take(count)) ++count;
  numbers_.resize(count);
  auto reached = reached_elements(lowered_, data(), updates(), numbers_);
  if (reached) reached_ = *std::move(reached);
}

// Of those with few updates.
void Examination::add_right(const ReadActual& read) {
  std::vector<std::int64_t> others = numbers_of_others();
  ReachedRoom room(lowered_, type_.size, others, limits_of_right);
  std::size_t place = 0;
  std::erase_if(others, [&](std::int64_t) { return !room.take(place++); });
  auto reached = reached_elements(lowered_, data(), updates(), others);
  if (!reached) return;
  for (std::size_t i = 0; i < others.size(); ++i) {
    GotElement got{.number = others[i], .actual = std::vector<std::byte>(type_.size)};
    read(got.number, got.actual);
    Reached& each = (*reached)[i];
    const Fit fit = trial_.fit(each.data.data(), terms_of(each, type_.size), got.actual.data());
    if (fit == Fit::none) continue;
    numbers_.push_back(got.number);
    elements_.push_back(std::move(got));
    reached_.push_back(std::move(each));
  }
}

// All elements of a small result; of a large one some that entries name, and some of all.
std::vector<std::int64_t> Examination::numbers_of_others() const {
  constexpr std::int64_t most = 500;
  const std::int64_t count = data().count();
  std::vector<std::int64_t> numbers;
  const std::int64_t step = std::max<std::int64_t>(count / most, 1);
  for (std::int64_t number = 0; number < count; number += step) numbers.push_back(number);
  const auto* listed = std::get_if<ListedWrites>(&lowered_.plan.writes);
  if (listed == nullptr || step == 1) return numbers;
  listed->destination_of_entry.visit([&](auto list) {
    const std::size_t stride = std::max<std::size_t>(list.size() / most, 1);
    for (std::size_t i = 0; i < list.size(); i += stride) {
      if (!is_dropped(list[i]))
        numbers.push_back(static_cast<std::int64_t>(list[i]) * listed->blocks.count());
    }
  });
  return numbers;
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
  try_each(name, std::move(words), [&](std::size_t i) {
    return trial.fit(reached[i].data.data(), terms_of(reached[i], type_.size),
                     elements_[i].actual.data());
  });
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
