#include "tscatter/ops/policies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/number.hpp"

namespace tscatter {
namespace {

constexpr std::array form_words{PolicyWord{"rows"}, PolicyWord{"nd"}, PolicyWord{"elements"},
                                PolicyWord{"window"}};
constexpr std::array outside_words{
    PolicyWord{"error", {}, "is refused"},
    PolicyWord{"drop-window", {"drop", "ignore"}, "drops its entry"},
    PolicyWord{"drop-elements", {"drop-element"}, "drops what its entry would write outside data"},
    PolicyWord{"clip-start", {"clip"}, "moves its entry's window into data"},
    PolicyWord{"clip-index", {}, "is replaced by the nearest in range"},
    PolicyWord{"modulo", {"mod", "wrap"}, "is taken modulo the size of its axis"}};
constexpr std::array negative_words{
    PolicyWord{"outside", {"oob"}, "is out of range"},
    PolicyWord{"from-the-end", {"wrap"}, "counts from the end of its axis"},
    PolicyWord{"drop", {}, "drops its entry"}};
constexpr std::array extremes_words{
    PolicyWord{"data", {}, "data: a NaN in data stays, one in updates is ignored; of equals data"},
    PolicyWord{"update", {}, "update: a NaN in updates stays, one in data goes; of equals updates"},
    PolicyWord{"propagate", {}, "propagate: a NaN stays; of equals data"},
    PolicyWord{"ieee", {}, "ieee: a NaN stays; -0 is less than +0"},
    PolicyWord{"ignore", {}, "ignore: a NaN gives way to a number; of equals data"}};
constexpr std::array accumulation_words{
    PolicyWord{"step", {}, "of floats are rounded to data's dtype at each step"},
    PolicyWord{"f32", {"float32", "once"}, "of half floats are kept in float32 and rounded once"},
    PolicyWord{"f64", {"float64"}, "of floats are kept in float64 and rounded once"}};
constexpr std::array initial_words{PolicyWord{"keep"}, PolicyWord{"identity"},
                                   PolicyWord{"infinite"}};
constexpr std::array duplicates_words{
    PolicyWord{"false", {}, "are applied in row-major order of the entries"},
    PolicyWord{"true", {}, "are refused"}};
constexpr std::array divisor_words{
    PolicyWord{"exact", {}, "the number of values"},
    PolicyWord{
        "dtype", {}, "the number of values in data's dtype: integers wrap around, and 0 becomes 1"},
    PolicyWord{
        "stalling", {}, "a count in data's dtype: floats stay where 1 more is rounded away"}};
constexpr std::array quotient_words{
    PolicyWord{"floor", {}, "is the sum, which wraps, divided and rounded down"},
    PolicyWord{"truncate", {}, "is the sum, which wraps, divided and rounded towards 0"}};

// A member of Policies whose values are numbered as the words.
template <auto member>
void set_member(Operation& operation, std::size_t word) {
  auto& place = operation.policies.*member;
  place = static_cast<std::decay_t<decltype(place)>>(word);
}

template <auto member>
std::size_t word_of_member(const Operation& operation) {
  return static_cast<std::size_t>(operation.policies.*member);
}

std::optional<Number> number_in_place_of_data(const Operation& operation) {
  const std::optional<InitialValue>& initial = operation.policies.initial;
  const bool is_number = initial && initial->kind == InitialValue::Kind::number;
  return is_number ? std::optional(initial->number) : std::nullopt;
}

constexpr std::array all_policies{
    PolicyInfo{.policy = Policy::form,
               .flag = "form",
               .key = "form",
               .help = "how indices name places",
               .needs = "no form of its own",
               .words = form_words,
               .set = [](Operation& o, std::size_t word) { o.form = static_cast<Form>(word); },
               .word = [](const Operation& o) { return static_cast<std::size_t>(o.form); }},
    PolicyInfo{.policy = Policy::outside,
               .flag = "oob",
               .key = "oob",
               .help = "what becomes of an index that is out of range",
               .needs = "index entries",
               .words = outside_words,
               .set = set_member<&Policies::outside>,
               .word = word_of_member<&Policies::outside>},
    PolicyInfo{.policy = Policy::negative,
               .flag = "negative",
               .key = "negative",
               .help = "what a negative index means",
               .needs = "index entries",
               .words = negative_words,
               .set = set_member<&Policies::negative>,
               .word = word_of_member<&Policies::negative>},
    PolicyInfo{.policy = Policy::extremes,
               .flag = "nan",
               .key = "extremes",
               .help = "what min and max leave of a NaN, and of equal values",
               .needs = "min and max",
               .words = extremes_words,
               .set = set_member<&Policies::extremes>,
               .word = word_of_member<&Policies::extremes>},
    PolicyInfo{.policy = Policy::accumulation,
               .flag = "accumulate",
               .key = "accumulate",
               .alias = "accumulator",
               .help = "how sums and products of floats are rounded: at each step, or once, at "
                       "the end, from float32 or float64",
               .needs = "a reduction",
               .words = accumulation_words,
               .set = set_member<&Policies::accumulation>,
               .word = word_of_member<&Policies::accumulation>},
    PolicyInfo{
        .policy = Policy::initial,
        .flag = "self",
        .key = "self",
        .help = "what the first update of an element combines with: data's value, the reduction's "
                "identity, the same with infinities, or a number",
        .needs = "a reduction",
        .words = initial_words,
        .set =
            [](Operation& o, std::size_t word) {
              o.policies.initial =
                  InitialValue{.kind = static_cast<InitialValue::Kind>(word), .number = {}};
            },
        .word =
            [](const Operation& o) {
              const std::size_t kind = o.policies.initial
                                           ? static_cast<std::size_t>(o.policies.initial->kind)
                                           : initial_words.size();
              return std::min(kind, initial_words.size());
            },
        .set_number =
            [](Operation& o, const Number& number) {
              o.policies.initial =
                  InitialValue{.kind = InitialValue::Kind::number, .number = number};
            },
        .number = number_in_place_of_data},
    PolicyInfo{.policy = Policy::duplicates,
               .flag = "unique",
               .key = "unique",
               .help = "refuse an index entry that writes where an earlier one wrote",
               .needs = "index entries",
               .words = duplicates_words,
               .set = set_member<&Policies::duplicates>,
               .word = word_of_member<&Policies::duplicates>},
    PolicyInfo{
        .policy = Policy::divisor,
        .flag = "divisor",
        .key = "divisor",
        .help = "what a mean is divided by: the number of values, that number in data's dtype, or "
                "a count in it, which stalls",
        .needs = "a mean",
        .words = divisor_words,
        .set = [](Operation& o,
                  std::size_t word) { o.policies.mean.divisor = static_cast<MeanDivisor>(word); },
        .word =
            [](const Operation& o) { return static_cast<std::size_t>(o.policies.mean.divisor); }},
    PolicyInfo{
        .policy = Policy::quotient,
        .flag = "quotient",
        .key = "quotient",
        .help = "how a mean of integers is rounded: down, or towards 0",
        .needs = "a mean",
        .words = quotient_words,
        .set = [](Operation& o,
                  std::size_t word) { o.policies.mean.quotient = static_cast<MeanQuotient>(word); },
        .word =
            [](const Operation& o) { return static_cast<std::size_t>(o.policies.mean.quotient); }},
};
static_assert([] {
  for (std::size_t i = 0; i < all_policies.size(); ++i) {
    if (static_cast<std::size_t>(all_policies[i].policy) != i) return false;
  }
  return true;
}());

bool is_meant(const PolicyWord& each, std::string_view word) {
  const auto is_it = [&](std::string_view known) {
    return !known.empty() && equal_ignoring_case(known, word);
  };
  return is_it(each.word) || std::ranges::any_of(each.aliases, is_it);
}

bool differ(const PolicyInfo& policy, const Operation& a, const Operation& b) {
  return answer_to(policy, a) != answer_to(policy, b);
}

}  // namespace

bool PolicyInfo::is_switch() const { return words.front().word == "false"; }

std::span<const PolicyInfo> policy_table() { return all_policies; }

const PolicyInfo& info(Policy policy) { return all_policies[static_cast<std::size_t>(policy)]; }

const PolicyInfo* find_policy(std::string_view name) {
  const auto found = std::ranges::find_if(all_policies, [&](const PolicyInfo& each) {
    return each.flag == name || each.key == name || (!name.empty() && each.alias == name);
  });
  return found == all_policies.end() ? nullptr : &*found;
}

bool reduces(const Operation& operation) {
  return std::ranges::any_of(operation.reductions(),
                             [](Reduction each) { return each != Reduction::none; });
}

bool has_extremes(const Operation& operation) {
  return std::ranges::any_of(operation.reductions(), [](Reduction each) {
    return info(each).effect == OrderEffect::extreme;
  });
}

bool has_mean(const Operation& operation) {
  return std::ranges::any_of(operation.reductions(),
                             [](Reduction each) { return info(each).divides; });
}

std::vector<std::string_view> names_of(const PolicyInfo& policy, std::string_view first,
                                       const Operation& operation) {
  std::vector<std::string_view> names;
  for (const std::string_view each : {first, policy.key, policy.alias}) {
    const bool is_taken = each.empty() || std::ranges::count(names, each) > 0 ||
                          operation.find_attribute(each) != nullptr;
    if (!is_taken) names.push_back(each);
  }
  return names;
}

bool can_override(const Operation& operation, Policy policy) {
  switch (policy) {
    case Policy::form: return operation.unanswered.contains(Policy::form);
    case Policy::outside:
    case Policy::negative:
    case Policy::duplicates: return !operation.label(Check::index_range).empty();
    case Policy::extremes: return has_extremes(operation);
    case Policy::accumulation:
    case Policy::initial: return reduces(operation);
    case Policy::divisor:
    case Policy::quotient: return has_mean(operation);
  }
  unreachable();
}

std::vector<const PolicyInfo*> policies_of(const Operation& operation) {
  std::vector<const PolicyInfo*> rows;
  for (const PolicyInfo& each : all_policies) {
    if (can_override(operation, each.policy)) rows.push_back(&each);
  }
  return rows;
}

std::optional<std::size_t> find_word(const PolicyInfo& policy, std::string_view word) {
  const auto found =
      std::ranges::find_if(policy.words, [&](const auto& each) { return is_meant(each, word); });
  if (found == policy.words.end()) return std::nullopt;
  return static_cast<std::size_t>(found - policy.words.begin());
}

bool is_answer(const PolicyInfo& policy, std::string_view text) {
  return find_word(policy, text) || (policy.set_number != nullptr && number_of(text));
}

std::string words_text(const PolicyInfo& policy) {
  std::string text;
  for (const PolicyWord& each : policy.words)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", each.word);
  return policy.set_number == nullptr ? text : text + ", a number";
}

std::string answer_to(const PolicyInfo& policy, const Operation& operation) {
  const std::size_t word = policy.word(operation);
  if (word < policy.words.size()) return std::string(policy.words[word].word);
  const std::optional<Number> number =
      policy.number == nullptr ? std::nullopt : policy.number(operation);
  return number ? to_string(*number) : std::string();
}

void override_policy(Operation& operation, const PolicyInfo& policy, std::size_t word) {
  policy.set(operation, word);
  operation.overridden.insert(policy.policy);
}

void override_policy(Operation& operation, const PolicyInfo& policy, std::string_view answer) {
  if (const auto word = find_word(policy, answer)) return override_policy(operation, policy, *word);
  policy.set_number(operation, *number_of(answer));
  operation.overridden.insert(policy.policy);
}

std::vector<PolicyAnswer> overrides_of(const Operation& operation) {
  std::vector<PolicyAnswer> answers;
  if (operation.overridden.empty()) return answers;
  for (const PolicyInfo& each : all_policies) {
    std::string answer = answer_to(each, operation);
    if (operation.overridden.contains(each.policy) && !answer.empty())
      answers.push_back(
          {.policy = names_of(each, each.key, operation).front(), .answer = std::move(answer)});
  }
  return answers;
}

void require_answers(const Operation& operation) {
  if (operation.unanswered.empty()) return;
  for (const PolicyInfo& each : all_policies) {
    const bool is_open =
        operation.unanswered.contains(each.policy) && !operation.overridden.contains(each.policy);
    // operation.o5
    if (is_open) {
      fail(ErrorKind::usage, "operation.o5", operation.id, "{} is missing: {}", each.key,
           words_text(each));
    }
  }
}

Call with_policies(Call call, const Policies& policies) {
  auto own = std::make_shared<Operation>(*call.operation);
  own->policies = policies;
  for (const PolicyInfo& each : all_policies) {
    if (!differ(each, *own, *call.operation)) continue;
    // operation.o4
    if (!can_override(*own, each.policy)) {
      fail(ErrorKind::usage, "operation.o4", own->id,
           "the policy {} is for operations with {}, got {}", each.key, each.needs, own->name);
    }
    own->overridden.insert(each.policy);
  }
  call.operation = own.get();
  call.own = std::move(own);
  return call;
}

}  // namespace tscatter
