#include "tscatter/diagnose/examination.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tscatter/core/number.hpp"
#include "tscatter/core/unreachable.hpp"
#include "tscatter/diagnose/written_places.hpp"
#include "tscatter/ops/forms/axis_operand.hpp"

namespace tscatter::diagnose {

Combination combination_of(const ScatterPlan& plan) {
  return {.reduction = plan.reduction, .initial = plan.initial, .accumulation = plan.accumulation};
}

std::optional<Combination> combination_with(const Call& call, Reduction reduction, DType dtype) {
  const Operation& operation = *call.operation;
  if (!is_defined(reduction, dtype)) return std::nullopt;
  Combination combination{.reduction = reduction,
                          .initial = operation.initial_value(call.arguments.attributes),
                          .accumulation = operation.policies.accumulation};
  if (combination.initial.kind != InitialValue::Kind::number) return combination;
  const std::optional<Number> number = fitted(combination.initial.number, dtype);
  if (!number) return std::nullopt;
  combination.initial.number = *number;
  return combination;
}

std::optional<std::int64_t> named_axis(const Call& call) {
  switch (call.operation->form) {
    case Form::rows:
    case Form::elements:
    case Form::start:
      return static_cast<std::int64_t>(forms::axis_of(*call.operation, call.arguments));
    case Form::nd:
    case Form::window:
    case Form::slice:
    case Form::batched_rows: return std::nullopt;
  }
  unreachable();
}

Terms terms_of(const Reached& reached, std::size_t element_size) {
  Terms terms;
  for (std::size_t k = 0; k < reached.writers(); ++k)
    terms.push_back(reached.terms.data() + k * element_size);
  return terms;
}

namespace {

// Arithmetic does not tell which NaN it leaves: of two NaNs it explains no difference.
Fit fit_of(const GotElement& element, const Reached& reached, MeetingTrial& trial) {
  const bool is_computed =
      trial.combination().reduction != Reduction::none && reached.writers() > 0;
  if (element.is_other_nan && is_computed) return Fit::none;
  return trial.fit(reached.data.data(), terms_of(reached, trial.type().size),
                   element.actual.data());
}

}  // namespace

Examination::Examination(const Call& call, const LoweredPlan& lowered,
                         std::vector<std::int64_t> wrong, const ReadActual& read,
                         const ExamineOptions& options)
    : call_{call},
      lowered_{lowered},
      type_{data().type()},
      read_{read},
      options_{options},
      numbers_{std::move(wrong)},
      trial_{type_, combination_of(lowered.plan)} {
  reach();
  wrong_ = numbers_.size();
  for (const std::int64_t number : numbers_) {
    all_.elements.push_back({.number = number, .actual = std::vector<std::byte>(type_.size)});
    read(number, all_.elements.back().actual);
  }
  for (std::size_t i = 0; i < wrong_; ++i) {
    const Reached& reached = all_.reached[i];
    const auto value = trial_.value_after(reached.data.data(), terms_of(reached, type_.size));
    GotElement& got = all_.elements[i];
    const NanDifference difference = nan_difference(type_.dtype, value.data(), got.actual.data());
    got.is_other_nan = difference != NanDifference::none;
    got.is_bare_nan = difference == NanDifference::bare;
  }
  if (wrong_ > 0) add_right();
}

// The first ones, which are the worst.
void Examination::reach() {
  ReachedRoom room(lowered_, type_.size, numbers_, limits_of_wrong);
  std::size_t count = 0;
  while (count < numbers_.size() && room.take(count)) ++count;
  numbers_.resize(count);
  auto reached = reached_elements(lowered_, data(), updates(), numbers_);
  if (reached) all_.reached = *std::move(reached);
}

// All elements of a small result; of a large one some of all, and some that entries name.
void Examination::add_right() {
  constexpr std::int64_t most = 1000;
  const std::int64_t count = data().count();
  std::vector<std::int64_t> numbers = spread(count, most);
  if (count > most) {
    const std::vector<std::int64_t> written = written_places(lowered_, most);
    numbers.insert(numbers.end(), written.begin(), written.end());
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }
  ReachedElements right = right_among(std::move(numbers));
  for (std::size_t i = 0; i < right.elements.size(); ++i) {
    numbers_.push_back(right.elements[i].number);
    all_.elements.push_back(std::move(right.elements[i]));
    all_.reached.push_back(std::move(right.reached[i]));
  }
}

// Of those with few updates.
ReachedElements Examination::right_among(std::vector<std::int64_t> numbers) {
  ReachedRoom room(lowered_, type_.size, numbers, limits_of_right);
  std::size_t place = 0;
  std::erase_if(numbers, [&](std::int64_t) { return !room.take(place++); });
  auto reached = reached_elements(lowered_, data(), updates(), numbers);
  ReachedElements right;
  for (std::size_t i = 0; reached && i < numbers.size(); ++i) {
    GotElement got{
        .number = numbers[i], .is_right = true, .actual = std::vector<std::byte>(type_.size)};
    read_(got.number, got.actual);
    Reached& each = (*reached)[i];
    if (fit_of(got, each, trial_) == Fit::none) continue;
    right.elements.push_back(std::move(got));
    right.reached.push_back(std::move(each));
  }
  return right;
}

// More of those that entries name, for what some of them do not deny.
const ReachedElements& Examination::more_right() {
  if (!more_right_) {
    const bool are_all = std::ssize(numbers_) == data().count();
    more_right_ = are_all ? ReachedElements{} : right_among(written_places(lowered_, most_places));
  }
  return *more_right_;
}

std::int64_t Examination::index_entry(std::int64_t entry) const {
  const auto* listed = std::get_if<ListedWrites>(&lowered_.plan.writes);
  if (listed == nullptr || !listed->named.of_indices) return entry;
  const EntryAxes& axes = listed->named;
  const Position position = axes.position(entry);
  std::int64_t number = 0;
  for (std::size_t i = 0; i < position.size(); ++i)
    number = number * axes.shape[(*axes.of_indices)[i]] + position[i];
  return number;
}

std::string Examination::entry_text(std::int64_t entry) const {
  if (entry < 0) return "its update";
  return "indices" + to_string(lowered_.entries().position(entry));
}

void Examination::add(Suspect suspect) {
  if (!suspect.fits.empty()) suspects_.push_back(std::move(suspect));
}

void Examination::try_meeting(std::string_view name, std::string words, MeetingTrial& trial) {
  try_each(name, std::move(words), [&](const GotElement& element, const Reached& reached) {
    return fit_of(element, reached, trial);
  });
}

void Examination::try_reached(std::string_view name, std::string words, const ReadReached& read,
                              MeetingTrial& trial, const Places& places) {
  look_at_stop();
  const auto reached = read(numbers_);
  if (!reached) return;
  Suspect suspect{.name = name, .words = std::move(words)};
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const Reached& each = (*reached)[i];
    const Fit fit =
        trial.fit(each.data.data(), terms_of(each, type_.size), all_.elements[i].actual.data());
    if (i < wrong_ && fit != Fit::none) suspect.fits.push_back({.element = i, .fit = fit});
    const bool is_denied = i >= wrong_ && fit == Fit::none;
    if (is_denied || (i + 1 >= wrong_ && suspect.fits.empty())) return;
  }
  const bool are_all = std::ssize(numbers_) == data().count();
  if (are_all || !is_denied(read, trial, places())) suspects_.push_back(std::move(suspect));
}

// Whether an element that is right would be wrong.
bool Examination::is_denied(const ReadReached& read, MeetingTrial& trial,
                            std::vector<std::int64_t> places) {
  const ReachedElements right = right_among(std::move(places));
  std::vector<std::int64_t> numbers;
  for (const GotElement& each : right.elements) numbers.push_back(each.number);
  auto reached = read(numbers);
  while (!reached && !numbers.empty()) {
    numbers.resize(numbers.size() / 2);
    reached = read(numbers);
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Reached& each = (*reached)[i];
    if (trial.fit(each.data.data(), terms_of(each, type_.size), right.elements[i].actual.data()) ==
        Fit::none)
      return true;
  }
  return false;
}

void Examination::try_call(std::string_view name, std::string words, const Call& call) {
  try {
    check_arguments(*call.operation, call.arguments);
    call.operation->validate(call.arguments);
    if (call.operation->infer_output(call.arguments).shape != data().shape()) return;
    const LoweredPlan lowered = call.operation->lower(call.arguments, options_.parallelism);
    MeetingTrial trial(type_, combination_of(lowered.plan));
    try_reached(
        name, std::move(words),
        [&](std::span<const std::int64_t> numbers) {
          return reached_elements(lowered, call.arguments.operand("data"),
                                  call.arguments.operand("updates"), numbers);
        },
        trial,
        [&] {
          std::vector<std::int64_t> places = written_places(lowered, most_places, &lowered_);
          const auto own = written_places(lowered_, most_places, &lowered);
          places.insert(places.end(), own.begin(), own.end());
          return places;
        });
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::file) throw;
  }
}

}  // namespace tscatter::diagnose
