#include "tscatter/ops/names/knobs.hpp"

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
                               Knob::mean_of_integers, Knob::mean_divisor,  Knob::accumulation};

std::string_view question_of(Knob knob) {
  switch (knob) {
    case Knob::negative_index: return "negative index";
    case Knob::index_outside: return "index out of range";
    case Knob::updates_shape: return "shape of updates";
    case Knob::duplicates: return "duplicates";
    case Knob::extremes: return "min, max";
    case Knob::initial_value: return "use_init_val = false";
    case Knob::mean_of_integers: return "mean of integers";
    case Knob::mean_divisor: return "divisor of a mean";
    case Knob::accumulation: return "sums and products";
  }
  unreachable();
}

std::string_view text_of(Form form) {
  switch (form) {
    case Form::rows: return "rows: indices are positions along one axis";
    case Form::nd: return "nd: the last axis of indices has coordinates";
    case Form::elements: return "elements: an index for each element of updates";
    case Form::window: return "window: where windows of data begin, by dimension numbers";
    case Form::start: return "start: where the updates of each batch begin along one axis";
    case Form::slice: return "slice: start, stop and step, no indices";
    case Form::batched_rows: return "batched rows: positions along axis 1, each batch has its own";
    case Form::index: return "index: NumPy's, with positions, masks and slices of any axes";
    case Form::flat: return "flat: indices are positions among all elements, in row-major order";
    case Form::mask: return "mask: the places where a mask is true";
    case Form::section: return "section: a slice or one position along one axis";
    case Form::diagonal: return "diagonal: of two axes, with an offset";
    case Form::segment: return "segment: indices are rows of data, which the call makes";
    case Form::block: return "block: where one block begins, by a number for each axis";
  }
  unreachable();
}

bool has_blocks(Form form) {
  switch (form) {
    case Form::rows:
    case Form::nd:
    case Form::window:
    case Form::start:
    case Form::batched_rows:
    case Form::index:
    case Form::segment: return true;
    case Form::block:
    case Form::elements:
    case Form::slice:
    case Form::flat:
    case Form::mask:
    case Form::section:
    case Form::diagonal: return false;
  }
  unreachable();
}

std::string_view unit_of_order(const Operation& operation) {
  if (!has_blocks(operation.form)) return "an element: each is an entry of its own";
  switch (operation.blocks) {
    case Blocks::whole: return "an entry: its block of updates is applied as a whole";
    case Blocks::mixed: return "an element: a block may have some of one entry, some of another";
  }
  unreachable();
}

std::string_view answer_of(NegativeIndex negative) {
  switch (negative) {
    case NegativeIndex::outside: return "is out of range";
    case NegativeIndex::from_the_end: return "counts from the end of its axis";
    case NegativeIndex::dropped: return "drops its entry";
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

std::string answer_of(UpdatesShape shape, std::string_view indices) {
  switch (shape) {
    case UpdatesShape::exact: return "exactly the one that is required";
    case UpdatesShape::one_element:
      return "the one that is required; where that is rank 0, any of one element";
    case UpdatesShape::broadcast: return "one that broadcasts to the required one";
    case UpdatesShape::broadcast_ones:
      return answer_of(UpdatesShape::broadcast, indices) +
             ", also with more axes of length 1 in front";
    case UpdatesShape::box:
      return fmt::format("as long as {} along each axis, or longer: the first are read", indices);
    case UpdatesShape::box_or_fill:
      return answer_of(UpdatesShape::box, indices) + "; or rank 0, one value for all";
    case UpdatesShape::fill: return "rank 0: one value for all";
    case UpdatesShape::as_many: return fmt::format("any of as many elements as {}", indices);
    case UpdatesShape::at_least:
      return "any of as many elements as the mask has true places, or more: the first are read";
    case UpdatesShape::repeat:
      return "any number of elements: where there are too few, they are read again from the first";
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

std::string_view answer_of(const InitialValue& excluded) {
  return excluded == InitialValue::infinite
             ? "begins with 0, 1 for prod, infinity for min and -infinity for max, of integers "
               "their ends"
             : "begins with 0, 1 for prod, the largest number for min, the lowest for max";
}

std::string_view answer_of(MeanQuotient quotient) {
  switch (quotient) {
    case MeanQuotient::floor: return "is exact and rounded down";
    case MeanQuotient::truncate: return "is exact and rounded towards 0";
  }
  unreachable();
}

std::string_view answer_of(MeanDivisor divisor) {
  switch (divisor) {
    case MeanDivisor::exact: return "the number of values";
    case MeanDivisor::in_dtype:
      return "the number of values in data's dtype: integers wrap around, and 0 becomes 1";
    case MeanDivisor::stalling:
      return "a count in data's dtype: floats stay where 1 more is rounded away";
  }
  unreachable();
}

std::string answer_of_divisor(const Operation& operation) {
  const bool takes_root = std::ranges::any_of(operation.reductions(),
                                              [](Reduction each) { return info(each).takes_root; });
  return fmt::format("is {}{}", takes_root ? "the square root of " : "",
                     answer_of(operation.policies.mean.divisor));
}

std::string text_of(const Operation& operation, Knob knob) {
  switch (knob) {
    case Knob::negative_index: return std::string(answer_of(operation.policies.negative));
    case Knob::index_outside: return std::string(answer_of(operation.policies.outside));
    case Knob::updates_shape:
      return answer_of(operation.updates_shape, operation.called("indices")) +
             (operation.fits_updates_to_data ? "; those where the mask is true are written" : "");
    case Knob::duplicates: return std::string(answer_of(operation.policies.duplicates));
    case Knob::extremes: return std::string(answer_of(operation.policies.extremes));
    case Knob::initial_value: return std::string(answer_of(operation.excluded));
    case Knob::mean_of_integers: return std::string(answer_of(operation.policies.mean.quotient));
    case Knob::mean_divisor: return answer_of_divisor(operation);
    case Knob::accumulation: return std::string(answer_of(operation.policies.accumulation));
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
    case Knob::mean_of_integers: return &info(Policy::quotient);
    case Knob::mean_divisor: return &info(Policy::divisor);
    case Knob::updates_shape: return nullptr;
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
    case Knob::mean_of_integers:
    case Knob::mean_divisor: return has_mean(operation);
    case Knob::accumulation: return reduces(operation);
  }
  unreachable();
}

std::string answer_of(const Operation& operation, Knob knob) {
  if (const PolicyInfo* open = unanswered(operation, knob))
    return fmt::format("each call says it, by {}", open->key);
  return text_of(operation, knob);
}

namespace {

std::string_view value_of_base(const Operation& operation) {
  switch (operation.base_value.kind) {
    case InitialValue::Kind::data:
    case InitialValue::Kind::identity: return "the reduction's identity";
    case InitialValue::Kind::infinite: return "the reduction's identity, of min and max infinite";
    case InitialValue::Kind::number: return "0";
  }
  unreachable();
}

std::string answer_of_base(const Operation& operation) {
  switch (operation.base) {
    case BaseFrom::operand: return "data: what no update reaches keeps its bytes";
    case BaseFrom::shape: return "made, as shape says: what no update reaches is 0";
    case BaseFrom::segments:
    case BaseFrom::counts:
      return fmt::format("made, a row for each segment: what no update reaches is {}",
                         value_of_base(operation));
  }
  unreachable();
}

}  // namespace

std::string form_of(const Operation& operation) {
  const PolicyInfo& form = info(Policy::form);
  const bool is_open =
      operation.unanswered.contains(Policy::form) && !operation.overridden.contains(Policy::form);
  return is_open ? fmt::format("each call says it, by {}", form.key)
                 : std::string(text_of(operation.form));
}

// Each decision answers its knob, and the questions that go with it.
std::vector<KnobLine> knobs_of(const Operation& operation) {
  const std::string_view text = operation.unanswered.empty() ? "the text" : "no text";
  std::vector<KnobLine> lines;
  const auto add = [&](std::string_view question, std::string_view answer,
                       std::string_view reason) {
    lines.push_back({.question = question,
                     .answer = std::string(answer),
                     .source = std::string(reason.empty() ? text : reason)});
  };
  add("form", form_of(operation), "");
  add("base", answer_of_base(operation), "");
  for (const Knob knob : all_knobs) {
    if (!is_asked(operation, knob)) continue;
    const bool is_open = unanswered(operation, knob) != nullptr;
    const std::string_view reason = is_open ? text : operation.decision(knob);
    add(question_of(knob), answer_of(operation, knob), reason);
    if (knob == Knob::duplicates && operation.policies.duplicates == DuplicatePolicy::ordered)
      add("unit of order", unit_of_order(operation), reason);
    if (knob == Knob::mean_of_integers)
      add("mean of floats",
          operation.policies.mean.rounds_sum()
              ? "is the sum in data's dtype, divided and rounded to it"
              : "is the sum, divided once and rounded to data's dtype",
          reason);
  }
  return lines;
}

}  // namespace tscatter
