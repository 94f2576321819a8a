#include "tscatter/ops/knobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tscatter/core/unreachable.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter {
namespace {

constexpr std::array all_knobs{Knob::negative_index,   Knob::index_outside, Knob::updates_shape,
                               Knob::duplicates,       Knob::extremes,      Knob::initial_value,
                               Knob::mean_of_integers, Knob::accumulation};

std::string_view question_of(Knob knob) {
  switch (knob) {
    case Knob::negative_index: return "negative index";
    case Knob::index_outside: return "index out of range";
    case Knob::updates_shape: return "shape of updates";
    case Knob::duplicates: return "duplicates";
    case Knob::extremes: return "min, max";
    case Knob::initial_value: return "use_init_val = false";
    case Knob::mean_of_integers: return "mean of integers";
    case Knob::accumulation: return "sums and products";
  }
  unreachable();
}

std::string_view answer_of(NegativeIndex negative) {
  switch (negative) {
    case NegativeIndex::outside: return "is out of range";
    case NegativeIndex::from_the_end: return "counts from the end of its axis";
  }
  unreachable();
}

std::string_view answer_of(OutsideIndex outside) {
  switch (outside) {
    case OutsideIndex::error: return "is refused";
    case OutsideIndex::drop_window: return "drops its entry";
    case OutsideIndex::drop_elements: return "drops what its entry would write outside data";
    case OutsideIndex::clip_start: return "moves its entry's window into data";
    case OutsideIndex::clip_index: return "is replaced by the nearest in range";
    case OutsideIndex::modulo: return "is taken modulo the size of its axis";
  }
  unreachable();
}

std::string_view answer_of(DuplicatePolicy duplicates) {
  switch (duplicates) {
    case DuplicatePolicy::ordered: return "are applied in row-major order of the entries";
    case DuplicatePolicy::forbidden: return "are refused";
  }
  unreachable();
}

std::string_view answer_of(Accumulation accumulation) {
  switch (accumulation) {
    case Accumulation::each_step: return "of floats are rounded to data's dtype at each step";
    case Accumulation::float32: return "of half floats are kept in float32 and rounded once";
    case Accumulation::float64: return "of floats are kept in float64 and rounded once";
  }
  unreachable();
}

std::string_view answer_of(UpdatesShape shape) {
  switch (shape) {
    case UpdatesShape::exact: return "exactly the one that is required";
    case UpdatesShape::one_element:
      return "the one that is required; where that is rank 0, any of one element";
  }
  unreachable();
}

std::string_view answer_of(Extremes extremes) {
  switch (extremes) {
    case Extremes::data:
      return "data: a NaN in data stays, one in updates is ignored; of equals data";
    case Extremes::update:
      return "update: a NaN in updates stays, one in data goes; of equals updates";
    case Extremes::propagate: return "propagate: a NaN stays; of equals data";
    case Extremes::ieee: return "ieee: a NaN stays; -0 is less than +0";
    case Extremes::ignore: return "ignore: a NaN gives way to a number; of equals data";
  }
  unreachable();
}

std::string_view text_of(const Operation& operation, Knob knob) {
  switch (knob) {
    case Knob::negative_index: return answer_of(operation.policies.negative);
    case Knob::index_outside: return answer_of(operation.policies.outside);
    case Knob::updates_shape: return answer_of(operation.updates_shape);
    case Knob::duplicates: return answer_of(operation.policies.duplicates);
    case Knob::extremes: return answer_of(operation.policies.extremes);
    case Knob::initial_value:
      return "begins with 0, 1 for prod, the largest number for min, the lowest for max";
    case Knob::mean_of_integers: return "is exact and rounded down";
    case Knob::accumulation: return answer_of(operation.policies.accumulation);
  }
  unreachable();
}

// The policy that answers the question; nullptr if none does.
const PolicyInfo* policy_of(Knob knob) {
  switch (knob) {
    case Knob::negative_index: return &info(Policy::negative);
    case Knob::index_outside: return &info(Policy::outside);
    case Knob::duplicates: return &info(Policy::duplicates);
    case Knob::extremes: return &info(Policy::extremes);
    case Knob::initial_value: return &info(Policy::initial);
    case Knob::accumulation: return &info(Policy::accumulation);
    case Knob::updates_shape:
    case Knob::mean_of_integers: return nullptr;
  }
  unreachable();
}

// The policy that the operation leaves to each call; nullptr if it answers the question.
const PolicyInfo* unanswered(const Operation& operation, Knob knob) {
  const PolicyInfo* policy = policy_of(knob);
  const bool is_open = policy != nullptr && operation.unanswered.contains(policy->policy) &&
                       !operation.overridden.contains(policy->policy);
  return is_open ? policy : nullptr;
}

bool has_mean(const Operation& operation) {
  return std::ranges::count(operation.reductions(), Reduction::mean) > 0;
}

}  // namespace

bool is_asked(const Operation& operation, Knob knob) {
  switch (knob) {
    case Knob::negative_index:
    case Knob::index_outside: return !operation.label(Check::index_range).empty();
    case Knob::duplicates: return forms::info(operation.form).repeats_places;
    case Knob::updates_shape: return true;
    case Knob::extremes: return has_extremes(operation);
    case Knob::initial_value:
      return operation.find_attribute("use_init_val") != nullptr ||
             operation.unanswered.contains(Policy::initial);
    case Knob::mean_of_integers: return has_mean(operation);
    case Knob::accumulation: return operation.reductions().size() > 1;
  }
  unreachable();
}

std::string answer_of(const Operation& operation, Knob knob) {
  if (const PolicyInfo* open = unanswered(operation, knob))
    return fmt::format("each call says it, by {}", open->key);
  return std::string(text_of(operation, knob));
}

std::vector<KnobLine> knobs_of(const Operation& operation) {
  std::vector<KnobLine> lines;
  for (const Knob knob : all_knobs) {
    if (!is_asked(operation, knob)) continue;
    const bool is_open = unanswered(operation, knob) != nullptr;
    const std::string_view reason = is_open ? "no text" : operation.decision(knob);
    lines.push_back({.question = question_of(knob),
                     .answer = answer_of(operation, knob),
                     .source = std::string(reason.empty() ? "the text" : reason)});
  }
  return lines;
}

}  // namespace tscatter
