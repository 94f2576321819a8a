// Hypotheses about how updates meet: another reduction, policy, axis or operation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tscatter/diagnose/hypotheses.hpp"
#include "tscatter/io/files/owned_source.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::diagnose {
namespace {

Reduction reduction_of(Examination& examination) {
  return examination.trial().combination().reduction;
}

// The mean's sum, before it is divided.
void try_undivided(Examination& examination, std::string_view name) {
  MeetingTrial& trial = examination.trial();
  if (reduction_of(examination) != Reduction::mean) return;
  examination.try_each(name, "the sum, not divided", [&](std::size_t i) {
    const Reached& reached = examination.reached()[i];
    return trial.fit(reached.data.data(), terms_of(reached, examination.type().size),
                     examination.elements()[i].actual.data(), 1);
  });
}

// An answer to one question.
struct Answer {
  const PolicyInfo* policy;
  std::size_t word;

  friend bool operator<(const Answer& a, const Answer& b) {
    return std::pair(a.policy->policy, a.word) < std::pair(b.policy->policy, b.word);
  }
};

// The answers to each question that the operation does not give; first none.
std::vector<std::vector<std::optional<Answer>>> other_answers(const Operation& operation,
                                                              Reduction reduction) {
  constexpr std::array asked{Policy::outside, Policy::negative, Policy::extremes,
                             Policy::accumulation, Policy::initial};
  std::vector<std::vector<std::optional<Answer>>> answers;
  for (const Policy policy : asked) {
    if (!can_override(operation, policy)) continue;
    const PolicyInfo& row = info(policy);
    const bool is_of_reductions = policy == Policy::accumulation || policy == Policy::initial;
    if (is_of_reductions && reduction == Reduction::none) continue;
    if (policy == Policy::extremes && info(reduction).effect != OrderEffect::extreme) continue;
    std::vector<std::optional<Answer>> some{std::nullopt};
    for (std::size_t word = 0; word < row.words.size(); ++word) {
      if (row.words[word].word != answer_to(row, operation) && row.words[word].word != "error")
        some.emplace_back(Answer{.policy = &row, .word = word});
    }
    answers.push_back(std::move(some));
  }
  return answers;
}

using Answers = std::set<Answer>;

// Each choice of one answer, or of none, for every question.
std::vector<Answers> choices_of(const std::vector<std::vector<std::optional<Answer>>>& answers,
                                TriedPolicies tried) {
  std::vector<Answers> choices{Answers{}};
  for (const auto& some : answers) {
    const std::size_t present = choices.size();
    for (std::size_t i = 0; i < present; ++i) {
      for (const std::optional<Answer>& each : some) {
        if (!each || (tried == TriedPolicies::one_at_a_time && !choices[i].empty())) continue;
        choices.push_back(choices[i]);
        choices.back().insert(*each);
      }
    }
  }
  std::ranges::stable_sort(choices, {}, &Answers::size);
  return choices;
}

std::string words_of(const Answers& answers) {
  std::string words = "as with";
  for (const Answer& each : answers)
    words += fmt::format(" --{} {}", each.policy->flag, each.policy->words[each.word].word);
  return words;
}

// Where indices that are out of range or negative go, the same updates may not arrive.
bool moves_entries(const Answers& answers) {
  return std::ranges::any_of(answers, [](const Answer& each) {
    return each.policy->policy == Policy::outside || each.policy->policy == Policy::negative;
  });
}

// Whether fewer other answers explain as much.
bool is_needless(const std::vector<std::pair<Answers, std::size_t>>& explained,
                 const Answers& answers, std::size_t count) {
  return std::ranges::any_of(explained, [&](const auto& each) {
    return each.first.size() < answers.size() && each.second >= count &&
           std::includes(answers.begin(), answers.end(), each.first.begin(), each.first.end());
  });
}

Tensor integer_tensor(Shape shape, std::int64_t value, std::string name) {
  return {{.type = ElementType::of(DType::int64), .shape = std::move(shape)},
          owned_source(std::vector<std::int64_t>{value}),
          std::move(name)};
}

std::string_view base_of(std::string_view operation) {
  return operation.substr(0, operation.rfind('-'));
}

// The arguments as the other operation takes them; nullopt if it needs what is not given.
std::optional<Arguments> arguments_for(const Operation& other, const Call& call) {
  Arguments arguments;
  for (const OperandInfo& each : other.operands) {
    if (const Tensor* given = call.arguments.find(each.name)) {
      arguments.operands.emplace(each.name, *given);
    } else if (each.presence == Presence::required) {
      return std::nullopt;
    }
  }
  for (const AttributeInfo& each : other.attributes) {
    const auto given = call.arguments.attributes.find(each.name);
    if (given == call.arguments.attributes.end()) continue;
    if (!is_allowed(each, given->second)) return std::nullopt;
    arguments.attributes[std::string(each.name)] = given->second;
  }
  return arguments;
}

std::string reduction_words(std::string_view reduction) {
  return fmt::format("as with the reduction {}", reduction);
}

// What the other operation does otherwise, in the words of other hypotheses.
std::vector<std::string> differences_of(const Call& call, const Operation& other,
                                        const Arguments& arguments) {
  const Operation& own = *call.operation;
  const Reduction reduction = own.reduction(call.arguments.attributes);
  const Reduction theirs = other.reduction(arguments.attributes);
  std::vector<std::string> words;
  if (info(reduction).name != info(theirs).name)
    words.push_back(reduction_words(info(theirs).name));
  for (const auto& answers : other_answers(own, reduction)) {
    for (const std::optional<Answer>& each : answers) {
      if (each && each->policy->words[each->word].word == answer_to(*each->policy, other))
        words.push_back(words_of({*each}));
    }
  }
  return words;
}

}  // namespace

void try_reductions(Examination& examination, std::string_view name) {
  const DType dtype = examination.type().dtype;
  const Reduction own = reduction_of(examination);
  for (const ReductionInfo& each : reduction_table) {
    const bool is_family = each.effect == OrderEffect::extreme && each.extremes != Extremes::data;
    if (each.name == info(own).name || is_family || !is_defined(each.reduction, dtype)) continue;
    MeetingTrial trial(examination.type(), {.reduction = each.reduction,
                                            .initial = examination.lowered().plan.initial.kind ==
                                                               InitialValue::Kind::number
                                                           ? InitialValue::data
                                                           : examination.lowered().plan.initial});
    examination.try_all(name, reduction_words(each.name), examination.reached(), trial);
  }
  try_undivided(examination, name);
}

void try_policies(Examination& examination, std::string_view name) {
  const Operation& operation = examination.operation();
  std::vector<std::pair<Answers, std::size_t>> explained;
  for (const Answers& answers : choices_of(other_answers(operation, reduction_of(examination)),
                                           examination.options().policies)) {
    if (answers.empty() || (moves_entries(answers) && !examination.has_few_entries())) continue;
    auto own = std::make_shared<Operation>(operation);
    for (const Answer& each : answers) override_policy(*own, *each.policy, each.word);
    const std::size_t before = examination.suspects().size();
    if (moves_entries(answers)) {
      const Call call{.operation = own.get(), .arguments = examination.call().arguments};
      examination.try_call(name, words_of(answers), call);
    } else {
      const Attributes& given = examination.call().arguments.attributes;
      MeetingTrial trial(examination.type(), {.reduction = own->reduction(given),
                                              .initial = own->initial_value(given),
                                              .accumulation = own->policies.accumulation});
      examination.try_all(name, words_of(answers), examination.reached(), trial);
    }
    if (examination.suspects().size() == before) continue;
    const std::size_t count = examination.suspects().back().fits.size();
    if (is_needless(explained, answers, count)) examination.suspects().pop_back();
    explained.emplace_back(answers, count);
  }
}

void try_axes(Examination& examination, std::string_view name) {
  const Arguments& given = examination.call().arguments;
  if (!examination.has_few_entries()) return;
  const auto rank = static_cast<std::int64_t>(examination.data().rank());
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    Call call = examination.call();
    if (const Tensor* operand = given.find("axis")) {
      call.arguments.operands.insert_or_assign(
          "axis", integer_tensor(operand->shape(), axis, operand->name()));
    } else if (examination.operation().find_attribute("axis") != nullptr) {
      call.arguments.attributes["axis"] = axis;
    } else {
      return;
    }
    examination.try_call(name, fmt::format("along axis {}", axis), call);
  }
}

void try_operations(Examination& examination, std::string_view name) {
  if (!examination.has_few_entries()) return;
  std::set<std::string_view> explained;  // another version of these need not be named
  const auto all = operations();
  for (const Operation* each : std::vector(all.rbegin(), all.rend())) {
    const Operation& other = *each;
    if (other.name == examination.operation().name || !other.unanswered.empty()) continue;
    if (explained.contains(base_of(other.name))) continue;
    auto arguments = arguments_for(other, examination.call());
    if (!arguments) continue;
    const std::size_t before = examination.suspects().size();
    const Call call{.operation = &other, .arguments = *std::move(arguments)};
    examination.try_call(name, fmt::format("as {}", other.name), call);
    if (examination.suspects().size() == before) continue;
    explained.insert(base_of(other.name));
    examination.suspects().back().differences =
        differences_of(examination.call(), other, call.arguments);
  }
}

}  // namespace tscatter::diagnose
