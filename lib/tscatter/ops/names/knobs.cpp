#include "tscatter/ops/names/knobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/forms/forms.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter {
namespace {

struct KnobInfo {
  Knob knob;
  std::string_view question;
  std::optional<Policy> policy;  // that answers it
};

constexpr std::array knob_table{
    KnobInfo{Knob::negative_index, "negative index", Policy::negative},
    KnobInfo{Knob::index_outside, "index out of range", Policy::outside},
    KnobInfo{Knob::updates_shape, "shape of updates", std::nullopt},
    KnobInfo{Knob::duplicates, "duplicates", Policy::duplicates},
    KnobInfo{Knob::extremes, "min, max", Policy::extremes},
    KnobInfo{Knob::initial_value, "use_init_val = false", Policy::initial},
    KnobInfo{Knob::mean_of_integers, "mean of integers", Policy::quotient},
    KnobInfo{Knob::mean_divisor, "divisor of a mean", Policy::divisor},
    KnobInfo{Knob::accumulation, "sums and products", Policy::accumulation}};
static_assert(detail::in_enum_order(knob_table, &KnobInfo::knob), "knob_table is indexed by Knob");

const KnobInfo& info(Knob knob) { return knob_table[static_cast<std::size_t>(knob)]; }

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

std::string_view unit_of_order(const Operation& operation) {
  if (forms::info(operation.form).repeated == forms::Repeated::elements)
    return "an element: each is an entry of its own";
  switch (operation.blocks) {
    case Blocks::whole: return "an entry: its block of updates is applied as a whole";
    case Blocks::mixed: return "an element: a block may have some of one entry, some of another";
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

std::string_view answer_of(const InitialValue& excluded) {
  return excluded == InitialValue::infinite
             ? "begins with 0, 1 for prod, infinity for min and -infinity for max, of integers "
               "their ends"
             : "begins with 0, 1 for prod, the largest number for min, the lowest for max";
}

std::string_view answer_by(Policy policy, const Operation& operation) {
  const PolicyInfo& row = info(policy);
  return row.words[row.word(operation)].answer;
}

std::string text_of(const Operation& operation, Knob knob) {
  switch (knob) {
    case Knob::negative_index:
    case Knob::index_outside:
    case Knob::duplicates:
    case Knob::extremes:
    case Knob::mean_of_integers:
    case Knob::accumulation: return std::string(answer_by(*info(knob).policy, operation));
    case Knob::updates_shape:
      return answer_of(operation.updates_shape, operation.called("indices")) +
             (operation.fits_updates_to_data ? "; those where the mask is true are written" : "");
    case Knob::initial_value: return std::string(answer_of(operation.excluded));
    case Knob::mean_divisor: {
      const bool takes_root = std::ranges::any_of(
          operation.reductions(), [](Reduction each) { return info(each).takes_root; });
      return fmt::format("is {}{}", takes_root ? "the square root of " : "",
                         answer_by(Policy::divisor, operation));
    }
  }
  unreachable();
}

// The policy that the operation leaves to each call; nullptr if it answers the question.
const PolicyInfo* unanswered(const Operation& operation, Knob knob) {
  const std::optional<Policy> policy = info(knob).policy;
  const bool is_open =
      policy && operation.unanswered.contains(*policy) && !operation.overridden.contains(*policy);
  return is_open ? &info(*policy) : nullptr;
}

}  // namespace

bool is_asked(const Operation& operation, Knob knob) {
  switch (knob) {
    case Knob::negative_index:
    case Knob::index_outside: return !operation.label(Check::index_range).empty();
    case Knob::duplicates: return forms::info(operation.form).repeats_places();
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
  for (const auto& [knob, question, policy] : knob_table) {
    if (!is_asked(operation, knob)) continue;
    const bool is_open = unanswered(operation, knob) != nullptr;
    const std::string_view reason = is_open ? text : operation.decision(knob);
    add(question, answer_of(operation, knob), reason);
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
