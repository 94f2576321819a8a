#include "tscatter/ops/knobs.hpp"

#include <algorithm>
#include <array>

#include "tscatter/core/unreachable.hpp"
#include "tscatter/ops/forms/forms.hpp"

namespace tscatter {
namespace {

constexpr std::array all_knobs{Knob::negative_index,  Knob::index_outside, Knob::updates_shape,
                               Knob::duplicates,      Knob::extremes,      Knob::initial_value,
                               Knob::mean_of_integers};

std::string_view question_of(Knob knob) {
  switch (knob) {
    case Knob::negative_index: return "negative index";
    case Knob::index_outside: return "index out of range";
    case Knob::updates_shape: return "shape of updates";
    case Knob::duplicates: return "duplicates";
    case Knob::extremes: return "min, max";
    case Knob::initial_value: return "use_init_val = false";
    case Knob::mean_of_integers: return "mean of integers";
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

std::string_view answer_of(const Operation& operation, Knob knob) {
  switch (knob) {
    case Knob::negative_index: return answer_of(operation.policies.negative);
    case Knob::index_outside: return "is refused";
    case Knob::updates_shape: return answer_of(operation.updates_shape);
    case Knob::duplicates: return "are applied in row-major order of the entries";
    case Knob::extremes: return answer_of(operation.policies.extremes);
    case Knob::initial_value:
      return "begins with 0, 1 for prod, the largest number for min, the lowest for max";
    case Knob::mean_of_integers: return "is exact and rounded down";
  }
  unreachable();
}

bool has_extremes(const Operation& operation) {
  return std::ranges::any_of(operation.reductions(), [](Reduction each) {
    return info(each).effect == OrderEffect::extreme;
  });
}

bool has_mean(const Operation& operation) {
  return std::ranges::count(operation.reductions(), Reduction::mean) > 0;
}

bool is_asked(const Operation& operation, Knob knob) {
  switch (knob) {
    case Knob::negative_index:
    case Knob::index_outside: return !operation.label(Check::index_range).empty();
    case Knob::duplicates: return forms::info(operation.form).repeats_places;
    case Knob::updates_shape: return true;
    case Knob::extremes: return has_extremes(operation);
    case Knob::initial_value: return operation.find_attribute("use_init_val") != nullptr;
    case Knob::mean_of_integers: return has_mean(operation);
  }
  unreachable();
}

}  // namespace

std::vector<KnobLine> knobs_of(const Operation& operation) {
  std::vector<KnobLine> lines;
  for (const Knob knob : all_knobs) {
    if (!is_asked(operation, knob)) continue;
    const std::string_view reason = operation.decision(knob);
    lines.push_back({.question = question_of(knob),
                     .answer = std::string(answer_of(operation, knob)),
                     .source = std::string(reason.empty() ? "the text" : reason)});
  }
  return lines;
}

}  // namespace tscatter
