// Hypotheses about how updates meet: another reduction, policy, axis or operation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "tscatter/core/fail.hpp"
#include "tscatter/core/visit_dtype.hpp"
#include "tscatter/diagnose/hypotheses.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/ops/integers.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter::diagnose {
namespace {

// The mean's sum, divided by something else. divisor_for: instead of the right one; 0: not tried.
template <class DivisorFor>
void try_divisor(Examination& examination, std::string words, const DivisorFor& divisor_for) {
  MeetingTrial& trial = examination.trial();
  examination.try_each(std::move(words), [&](const GotElement& element) {
    const ReachedTerms& reached = element.reached;
    if (reached.terms().empty()) return trial.fit(reached, element.actual);
    const std::int64_t divisor = divisor_for(trial.divisor_for(reached.terms()));
    if (divisor == 0) return Fit::none;
    return trial.fit(reached.data.data(), reached.terms(), element.actual.data(), divisor);
  });
}

// The sum, rounded, times 1 / n, rounded: a half float's in float32.
void try_reciprocal(Examination& examination) {
  MeetingTrial& trial = examination.trial();
  visit_dtype(examination.type().dtype, [&]<class T>() {
    if constexpr (is_real_v<T>) {
      using Wide = std::conditional_t<HalfWidth<T>, float, T>;
      examination.try_each(
          "the sum, times the reciprocal of the count", [&](const GotElement& element) {
            const Terms terms = element.reached.terms();
            if (terms.empty()) return trial.fit(element.reached, element.actual);
            T sum;
            std::memcpy(&sum, trial.value_after(element.reached.data.data(), terms, 1).data(),
                        sizeof(T));
            const auto count = static_cast<Wide>(trial.divisor_for(terms));
            const T mean(static_cast<Wide>(sum) * (Wide{1} / count));
            const bool is_it =
                std::ranges::equal(std::as_bytes(std::span(&mean, 1)), element.actual);
            return is_it ? Fit::bits : Fit::none;
          });
    }
  });
}

void try_divisors(Examination& examination) {
  if (!info(examination.combination().reduction).takes_root) try_reciprocal(examination);
  try_divisor(examination, "the sum, not divided", [](std::int64_t) { return 1; });
  const bool takes_root = info(examination.combination().reduction).takes_root;
  const std::string by = takes_root ? "the sum, divided by the root of" : "the sum, divided by";
  try_divisor(examination, by + " one too many", [](std::int64_t divisor) { return divisor + 1; });
  try_divisor(examination, by + " one too few", [](std::int64_t divisor) { return divisor - 1; });
}

void try_start(Examination& examination, const std::string& number) {
  const Operation& operation = examination.operation();
  if (answer_to(info(Policy::initial), operation) == number) return;
  Operation own = operation;
  override_policy(own, info(Policy::initial), number);
  MeetingTrial trial(examination.type(),
                     combination_of(own, examination.call().arguments.attributes));
  examination.try_meeting("as with --self " + number, trial);
}

// Extremes and products that begin with zeros, and a largest one that begins with what C++ calls
// the least number of floats, which is positive.
void try_other_starts(Examination& examination) {
  const ReductionInfo& reduction = info(examination.combination().reduction);
  const bool has_other_identity =
      reduction.effect == OrderEffect::extreme || reduction.effect == OrderEffect::rounded_prod;
  if (!has_other_identity || !can_override(examination.operation(), Policy::initial)) return;
  try_start(examination, "0");
  const DType dtype = examination.type().dtype;
  if (reduction.name == "max" && info(dtype).kind == DTypeKind::real)
    try_start(examination, fmt::format("{}", least_normal(dtype)));
}

void try_without_alpha(Examination& examination) {
  Call call = examination.call();
  if (!call.arguments.unscaled) return;
  call.arguments.operands.insert_or_assign("updates", *std::move(call.arguments.unscaled));
  call.arguments.attributes["alpha"] = Number(std::int64_t{1});
  examination.try_call("as with --alpha 1", call);
}

// Another answer of an attribute that is a word, with what then becomes of indices out of range;
// and updates that are not multiplied.
void try_words(Examination& examination) {
  const Operation& operation = examination.operation();
  try_without_alpha(examination);
  const PolicyInfo& outside = info(Policy::outside);
  for (const AttributeInfo& attribute : operation.attributes) {
    if (attribute.type() != AttributeType::word) continue;
    for (const AttributeValue& other : attribute.choices) {
      Call call = examination.call();
      const Word own = operation.attribute<Word>(call.arguments.attributes, attribute.name);
      if (other == AttributeValue(own)) continue;
      call.arguments.attributes[std::string(attribute.name)] = other;
      const std::string words = fmt::format("as with --{} {}", attribute.word(), to_string(other));
      if (examination.try_call(words, call) != nullptr) continue;
      for (std::size_t word = 0; word < outside.words.size(); ++word) {
        Operation with_policy = operation;
        override_policy(with_policy, outside, word);
        call.operation = &with_policy;
        examination.try_call(
            fmt::format("{} --{} {}", words, outside.key, outside.words[word].word), call);
      }
    }
  }
}

// An answer to one question.
struct Answer {
  const PolicyInfo* policy;
  std::size_t word;

  friend bool operator<(const Answer& a, const Answer& b) {
    return std::pair(a.policy->policy, a.word) < std::pair(b.policy->policy, b.word);
  }
};

// Whether the question has anything to do with the reduction.
bool concerns(Policy policy, Reduction reduction, DType dtype) {
  switch (policy) {
    case Policy::extremes: return info(reduction).effect == OrderEffect::extreme;
    case Policy::accumulation:
    case Policy::initial: return reduction != Reduction::none;
    case Policy::divisor: return info(reduction).divides;
    case Policy::quotient: return info(reduction).divides && is_integer(dtype);
    case Policy::form:
    case Policy::outside:
    case Policy::negative:
    case Policy::duplicates: return true;
  }
  unreachable();
}

bool is_infinite(const Answer& answer) {
  return answer.policy->policy == Policy::initial &&
         answer.word == static_cast<std::size_t>(InitialValue::Kind::infinite);
}

// Of the two identities of an extreme of floats, the one that the operation itself never begins
// with.
bool is_foreign_identity(const Answer& answer, const Operation& operation) {
  if (operation.excluded == InitialValue::infinite)
    return answer.policy->policy == Policy::initial &&
           answer.word == static_cast<std::size_t>(InitialValue::Kind::identity);
  return is_infinite(answer);
}

// Infinities are other identities of min and max of floats only.
bool is_other_identity(const Answer& answer, Reduction reduction, DType dtype) {
  return !is_infinite(answer) ||
         (info(reduction).effect == OrderEffect::extreme && info(dtype).kind == DTypeKind::real);
}

// The answers to each question that the operation does not give. `dtype`: of data.
std::vector<std::vector<Answer>> other_answers(const Operation& operation, Reduction reduction,
                                               DType dtype) {
  constexpr std::array asked{Policy::outside,      Policy::negative, Policy::extremes,
                             Policy::accumulation, Policy::initial,  Policy::divisor,
                             Policy::quotient};
  std::vector<std::vector<Answer>> answers;
  for (const Policy policy : asked) {
    if (!can_override(operation, policy) || !concerns(policy, reduction, dtype)) continue;
    const PolicyInfo& row = info(policy);
    std::vector<Answer> some;
    for (std::size_t word = 0; word < row.words.size(); ++word) {
      const Answer answer{.policy = &row, .word = word};
      const bool is_other =
          row.words[word].word != answer_to(row, operation) && row.words[word].word != "error";
      if (is_other && is_other_identity(answer, reduction, dtype)) some.push_back(answer);
    }
    std::stable_partition(some.begin(), some.end(), [&](const Answer& each) {
      return !is_foreign_identity(each, operation);
    });
    answers.push_back(std::move(some));
  }
  return answers;
}

using Answers = std::set<Answer>;

// Each choice of one answer, or of none, for every question.
std::vector<Answers> choices_of(const std::vector<std::vector<Answer>>& answers,
                                TriedPolicies tried) {
  std::vector<Answers> choices{Answers{}};
  for (const auto& some : answers) {
    const std::size_t present = choices.size();
    for (std::size_t i = 0; i < present; ++i) {
      if (tried == TriedPolicies::one_at_a_time && !choices[i].empty()) continue;
      for (const Answer& each : some) {
        choices.push_back(choices[i]);
        choices.back().insert(each);
      }
    }
  }
  std::ranges::stable_sort(choices, {}, &Answers::size);
  return choices;
}

// "--include-self false", or true, where an attribute of the operation says so; else "".
std::string attribute_words(const Answer& answer, const Operation& operation,
                            const Arguments& arguments) {
  const AttributeInfo* attribute = operation.find_attribute("use_init_val");
  if (attribute == nullptr || answer.policy->policy != Policy::initial ||
      operation.policies.initial)
    return {};
  const bool has_two_identities =
      info(operation.reduction(arguments.attributes)).effect == OrderEffect::extreme &&
      info(arguments.operand("data").type().dtype).kind == DTypeKind::real;
  const bool is_excluded = is_infinite(answer) == (operation.excluded == InitialValue::infinite);
  const bool is_data = answer.word == static_cast<std::size_t>(InitialValue::Kind::data);
  if (!is_data && has_two_identities && !is_excluded) return {};
  std::string word(attribute->word());
  std::ranges::replace(word, '_', '-');
  return fmt::format(" --{} {}", word, is_data);
}

// With the flags of verify.
std::string answer_words(const Answers& answers, const Operation& operation,
                         const Arguments& arguments) {
  std::string words = "as with";
  for (const Answer& each : answers) {
    const std::string own = attribute_words(each, operation, arguments);
    words += !own.empty() ? own
                          : fmt::format(" --{} {}",
                                        names_of(*each.policy, each.policy->key, operation).front(),
                                        each.policy->words[each.word].word);
  }
  return words;
}

// Where indices that are out of range or negative go, the same updates may not arrive.
bool moves_entries(const Answers& answers) {
  return std::ranges::any_of(answers, [](const Answer& each) {
    return each.policy->policy == Policy::outside || each.policy->policy == Policy::negative;
  });
}

// The answers with the operation's own identity in the place of the other one.
Answers with_own_identity(const Answers& answers, const Operation& operation) {
  const bool is_infinite = operation.excluded == InitialValue::infinite;
  const auto own = is_infinite ? InitialValue::Kind::infinite : InitialValue::Kind::identity;
  Answers with_own;
  for (Answer each : answers) {
    if (is_foreign_identity(each, operation)) each.word = static_cast<std::size_t>(own);
    with_own.insert(each);
  }
  return with_own;
}

// Whether fewer other answers explain as much, or the operation's own identity does.
bool is_needless(const std::vector<std::pair<Answers, std::size_t>>& explained,
                 const Answers& answers, std::size_t count, const Operation& operation) {
  const Answers with_own = with_own_identity(answers, operation);
  return std::ranges::any_of(explained, [&](const auto& each) {
    if (each.second < count) return false;
    const bool is_smaller =
        each.first.size() < answers.size() &&
        std::includes(answers.begin(), answers.end(), each.first.begin(), each.first.end());
    const auto is_same = [](const Answer& a, const Answer& b) { return !(a < b) && !(b < a); };
    return is_smaller || std::ranges::equal(each.first, with_own, is_same);
  });
}

// An index, masks, slices and so on: no tensor of indices, or one that means something else.
bool says_places_otherwise(Form form) {
  switch (form) {
    case Form::index:
    case Form::flat:
    case Form::mask:
    case Form::section:
    case Form::diagonal: return true;
    case Form::rows:
    case Form::nd:
    case Form::elements:
    case Form::window:
    case Form::start:
    case Form::slice:
    case Form::batched_rows:
    case Form::segment:
    case Form::block: return false;
  }
  unreachable();
}

Tensor integer_tensor(Shape shape, std::int64_t value, std::string name) {
  return {{.type = ElementType::of(DType::int64), .shape = std::move(shape)},
          owned_source(std::vector<std::int64_t>{value}),
          std::move(name)};
}

std::string_view base_of(std::string_view operation) {
  return operation.substr(0, operation.rfind('-'));
}

// The other operation with the policies that the call has in the place of its own operation's.
Operation with_overrides(const Operation& other, const Operation& own) {
  Operation row = other;
  for (const PolicyInfo& each : policy_table()) {
    const std::string answer = answer_to(each, own);
    const bool is_overridden =
        own.overridden.contains(each.policy) && !own.unanswered.contains(each.policy);
    if (is_overridden && !answer.empty() && can_override(other, each.policy))
      override_policy(row, each, answer);
  }
  return row;
}

// An operand as it was given: updates before alpha multiplied them.
const Tensor* given_operand(const Call& call, std::string_view name) {
  if (name == "updates" && call.arguments.unscaled) return &*call.arguments.unscaled;
  return call.arguments.find(name);
}

// The arguments as the other operation takes them, an axis as an operand or an attribute; nullopt
// if it needs what is not given, or says in another way where updates go.
std::optional<Arguments> arguments_for(const Operation& other, const Call& call) {
  const Form form = call.operation->form;
  if (other.form != form && (says_places_otherwise(other.form) || says_places_otherwise(form)))
    return std::nullopt;
  // Updates are multiplied by alpha, which the other operation would not do.
  if (call.arguments.unscaled && other.find_attribute("alpha") == nullptr) return std::nullopt;
  const std::optional<std::int64_t> axis = named_axis(call);
  Arguments arguments;
  for (const OperandInfo& each : other.operands) {
    if (each.name == "axis" && axis) {
      arguments.operands.emplace("axis", integer_tensor({}, *axis, "axis"));
    } else if (const Tensor* given = given_operand(call, each.name)) {
      arguments.operands.emplace(each.name, *given);
    } else if (each.presence == Presence::required) {
      return std::nullopt;
    }
  }
  for (const AttributeInfo& each : other.attributes) {
    const auto given = call.arguments.attributes.find(each.name);
    if (each.name == "axis" && axis) {
      arguments.attributes["axis"] = *axis;
    } else if (given != call.arguments.attributes.end()) {
      if (!is_allowed(each, given->second)) return std::nullopt;
      arguments.attributes[std::string(each.name)] = given->second;
    }
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
  for (const auto& answers :
       other_answers(own, reduction, call.arguments.operand("data").type().dtype)) {
    for (const Answer& each : answers) {
      if (each.policy->words[each.word].word == answer_to(*each.policy, other))
        words.push_back(answer_words({each}, own, call.arguments));
    }
  }
  return words;
}

// An operation that explains something, and the place of its suspect.
struct Explaining {
  const Operation* operation;
  std::size_t suspect;
};

// Those of its own namespace first, then the namespaces in their order; in each the newest version
// before others.
std::vector<const Operation*> nearest_first(const Operation& own) {
  std::vector<const Operation*> all;
  const auto rows = operations();
  for (auto first = rows.begin(); first != rows.end();) {
    const std::string_view space = namespace_of((*first)->name);
    const auto last = std::find_if(first, rows.end(), [&](const Operation* each) {
      return namespace_of(each->name) != space;
    });
    all.insert(space == namespace_of(own.name) ? all.begin() : all.end(),
               std::reverse_iterator(last), std::reverse_iterator(first));
    first = last;
  }
  return all;
}

bool is_akin(const Operation& a, const Operation& b) {
  return namespace_of(a.name) == namespace_of(b.name) && a.form == b.form;
}

// Only a mean is taken for a sum that is divided by a root.
bool is_akin_to_root(Reduction own, Reduction other) {
  return info(own).divides || !info(other).takes_root;
}

// On small integers and, or and xor leave what others leave: they are tried where the operation has
// them. Of bools every other reduction is one of them, by another name.
bool is_confusable(const Examination& examination, Reduction own, Reduction other) {
  const bool is_of_bits = info(own).needs == Needs::bits;
  const std::vector<Reduction> choices = examination.operation().reductions();
  if (info(other).needs == Needs::bits) return is_of_bits || std::ranges::count(choices, other) > 0;
  return !is_of_bits || examination.type().dtype != DType::boolean || other == Reduction::none;
}

// The last suspect is about `other`. Of operations of one namespace and form that explain the
// same, one stays: the first of the highest version.
void keep_one_of_akin(std::vector<Suspect>& suspects, const Operation& other,
                      std::vector<Explaining>& explaining) {
  const auto same = std::ranges::find_if(explaining, [&](const Explaining& each) {
    return is_akin(*each.operation, other) && suspects[each.suspect].fits == suspects.back().fits;
  });
  if (same == explaining.end()) {
    explaining.push_back({.operation = &other, .suspect = suspects.size() - 1});
    return;
  }
  if (version_of(other.name) > version_of(same->operation->name)) {
    suspects[same->suspect] = std::move(suspects.back());
    same->operation = &other;
  }
  suspects.pop_back();
}

}  // namespace

void try_reductions(Examination& examination) {
  const DType dtype = examination.type().dtype;
  const Reduction own = examination.combination().reduction;
  const Extremes family = examination.operation().policies.extremes;
  for (const ReductionInfo& each : reduction_table) {
    const bool is_other = in_family(each.reduction, family) != each.reduction;
    if (each.name == info(own).name || is_other) continue;
    if (!is_confusable(examination, own, each.reduction)) continue;
    if (!is_akin_to_root(own, each.reduction)) continue;
    const auto combination = combination_with(examination.call(), each.reduction, dtype);
    if (!combination) continue;
    MeetingTrial trial(examination.type(), *combination);
    examination.try_meeting(reduction_words(each.name), trial);
  }
  if (info(own).divides) try_divisors(examination);
}

void try_policies(Examination& examination) {
  const Operation& operation = examination.operation();
  const Arguments& given = examination.call().arguments;
  std::vector<std::pair<Answers, std::size_t>> explained;
  for (const Answers& answers : choices_of(
           other_answers(operation, examination.combination().reduction, examination.type().dtype),
           examination.options().policies)) {
    if (answers.empty() || (moves_entries(answers) && !examination.has_few_entries())) continue;
    Operation own = operation;
    for (const Answer& each : answers) override_policy(own, *each.policy, each.word);
    const std::string words = answer_words(answers, operation, given);
    const Suspect* suspect = nullptr;
    if (moves_entries(answers)) {
      suspect = examination.try_call(words, {.operation = &own, .arguments = given});
    } else {
      MeetingTrial trial(examination.type(), combination_of(own, given.attributes));
      suspect = examination.try_meeting(words, trial);
    }
    if (suspect == nullptr) continue;
    const std::size_t count = suspect->fits.size();
    if (is_needless(explained, answers, count, operation)) examination.take_back();
    explained.emplace_back(answers, count);
  }
  try_other_starts(examination);
  if (examination.has_few_entries()) try_words(examination);
}

void try_axes(Examination& examination) {
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
    examination.try_call(fmt::format("along axis {}", axis), call);
  }
}

void try_operations(Examination& examination) {
  if (!examination.has_few_entries()) return;
  std::vector<Explaining> explaining;
  std::set<std::string_view> explained;  // another version of these need not be named
  for (const Operation* each : nearest_first(examination.operation())) {
    const Operation& other = *each;
    if (other.name == examination.operation().name || !other.unanswered.empty()) continue;
    if (other.base == BaseFrom::counts) continue;  // counts and sums have a dtype of their own
    if (explained.contains(base_of(other.name))) continue;
    auto arguments = arguments_for(other, examination.call());
    if (!arguments) continue;
    const Operation row = with_overrides(other, examination.operation());
    const Call call{.operation = &row, .arguments = *std::move(arguments)};
    Suspect* const suspect = examination.try_call(fmt::format("as {}", other.name), call);
    if (suspect == nullptr) continue;
    explained.insert(base_of(other.name));
    suspect->differences = differences_of(examination.call(), row, call.arguments);
    keep_one_of_akin(examination.suspects(), other, explaining);
  }
}

}  // namespace tscatter::diagnose
