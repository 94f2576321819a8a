#include "commands/operation_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/targets.hpp"
#include "jobs/hints.hpp"
#include "jobs/job_index.hpp"
#include "jobs/job_policies.hpp"
#include "jobs/operand.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter::app {
namespace {

std::string with_hyphens(std::string_view text) {
  std::string name(text);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::vector<std::string> with_hyphens(const std::vector<std::string_view>& names) {
  std::vector<std::string> made;
  made.reserve(names.size());
  for (const std::string_view each : names) made.push_back(with_hyphens(each));
  return made;
}

// An item of the index: a flag that is given for each.
Flag index_flag(Job& job, const OperandInfo& operand) {
  return {
      .name = with_hyphens(operand.word()),
      .letter = operand.flag,
      .group = "Operands",
      .value = "ITEM",
      .help = [&operand] { return std::string(operand.help); },
      .into = {.set =
                   [&job](const auto& word, const auto& where) {
                     add_index_item(job, parse_index_word(word, job.base, WordForm::word, where));
                   },
               .take =
                   [&job](const Array& array) {
                     add_index_item(job, {.text = array.tensor.name(), .operand = array.word()});
                   }},
      .presence = operand.presence,
      .occurrence = Occurrence::repeated,
      .aliases = with_hyphens(other_names(operand))};
}

Target into_job(Job& job, const std::string& name) {
  return operand([&job, name](OperandWord word) { job.operands[name] = std::move(word); });
}

Flag operand_flag(Job& job, const OperandInfo& operand) {
  if (operand.role == OperandRole::index) return index_flag(job, operand);
  const std::string name(operand.name);
  return {.name = with_hyphens(operand.word()),
          .letter = operand.flag,
          .group = "Operands",
          .value = operand.role == OperandRole::list ? "LIST" : "TENSOR",
          .help =
              [&operation = *job.operation, &operand] {
                const bool is_optional = operand.presence == Presence::optional;
                return description_of(operation, operand) + (is_optional ? " (optional)" : "");
              },
          .into = into_job(job, name),
          .presence = operand.presence,
          .aliases = with_hyphens(other_names(operand))};
}

void set_indexed(Job& job, const std::string& word, const std::string& where) {
  job.operands["data"] = {.text = word};
  take_index_of_data(job, where);
  for (auto& [name, operand] : job.operands) operand.where = where;
  for (IndexWord& item : job.index) {
    if (item.operand) item.operand->where = where;
  }
  if (!job.index.empty()) return;
  const std::size_t bracket = word.find_first_of("[]");
  // cli.c131
  if (bracket != 0 && bracket != std::string::npos) {
    fail(ErrorKind::usage, "cli.c131", where, "each bracket must be opened and closed once, got {}",
         word);
  }
  fail(ErrorKind::usage, "cli.c131", where, "an index is missing, as in {0}[ids.npy] or {0}[...]",
       format_of_name(word).has_members() ? word + ":NAME" : word);
}

AttributeValue attribute_value(const AttributeInfo& attribute, const std::string& text,
                               const std::string& where) {
  const std::optional<AttributeValue> value = parse_attribute(attribute, text);
  // cli.c4
  if (!value) {
    fail(ErrorKind::usage, "cli.c4", where, "must be {}, got {}", expectation(attribute), text);
  }
  return *value;
}

// A boolean flag without a value is true.
Flag attribute_flag(Job& job, const AttributeInfo& attribute) {
  const Operation& operation = *job.operation;
  const std::string name(attribute.name);
  const bool is_boolean = spoken_type(attribute) == AttributeType::boolean;
  return {.name = flag_name(attribute),
          .letter = attribute.flag,
          .group = "Operands",
          .value = placeholder(attribute),
          .implied = is_boolean ? "true" : "",
          .help = [&attribute] { return help_of(attribute); },
          .into = {.choices = words_of(attribute),
                   .is_alias =
                       [&attribute](const auto& text) {
                         return parse_attribute(attribute, text).has_value();
                       },
                   .hint = value_hint(operation, attribute),
                   .set =
                       [&job, &attribute, name](const auto& text, const auto& where) {
                         job.attributes.insert_or_assign(name,
                                                         attribute_value(attribute, text, where));
                       }},
          .presence = attribute.is_required ? Presence::required : Presence::optional,
          .aliases = with_hyphens(other_names(attribute))};
}

std::string policy_help(const PolicyInfo& policy) {
  if (policy.is_switch()) return std::string(policy.help);
  return fmt::format("{}: {}", policy.help, words_text(policy));
}

// A number is an answer that is no choice.
std::function<std::string(const std::string&)> hint_of(const PolicyInfo& policy) {
  if (policy.set_number == nullptr) return {};
  return [](const std::string&) { return std::string(" (or a number)"); };
}

// Without a value a switch is on.
Flag policy_flag(const Operation& operation, const PolicyInfo& policy, PolicyNames names,
                 const SetPolicy& set) {
  const auto all =
      names_of(policy, names == PolicyNames::flags ? policy.flag : policy.key, operation);
  Flag flag{.name = std::string(all.front()),
            .group = "Policies, instead of the operation's own",
            .value = policy.is_switch() ? "BOOL" : "NAME",
            .implied = policy.is_switch() ? "true" : "",
            .help = [&policy] { return policy_help(policy); },
            .into = {.is_alias = [&policy](const auto& text) { return is_answer(policy, text); },
                     .hint = hint_of(policy),
                     .set = [&policy, set](const auto& text, const auto&) { set(policy, text); }}};
  for (const PolicyWord& each : policy.words) flag.into.choices.emplace_back(each.word);
  flag.aliases.assign(all.begin() + 1, all.end());
  return flag;
}

}  // namespace

std::string help_of(const AttributeInfo& attribute) {
  std::string values = fmt::format("{}: {}", attribute.help, values_text(attribute));
  if (attribute.is_required || attribute.is_open()) return values;
  return fmt::format("{} (default {})", values, text_of(attribute, attribute.default_value));
}

std::function<std::string(const std::string&)> value_hint(const Operation& operation,
                                                          const AttributeInfo& attribute) {
  if (attribute.type() != AttributeType::reduction) return {};
  return [&operation](const std::string& word) { return reduction_hint(operation, word); };
}

std::string flag_name(const AttributeInfo& attribute) { return with_hyphens(attribute.word()); }

std::string flag_name(const OperandInfo& operand) { return with_hyphens(operand.word()); }

Job job_of(const Operation& operation) {
  Job job;
  job.operation = &operation;
  job.name_prefix = "--";
  return job;
}

Job job_of_word(const Operation& operation) {
  Job job = job_of(operation);
  job.cast = cast_of_verbs;
  return job;
}

Argument indexed_argument(Job& job, const std::string& help) {
  return {.name = "DATA[INDEX]",
          .help = help + ": items as in NumPy's brackets",
          .into = {.set = [&job](const auto& word, const auto& where) {
            set_indexed(job, word, where);
          }}};
}

std::vector<Flag> indexed_flags(Job& job) {
  std::vector<Flag> flags;
  for (const OperandInfo& operand : job.operation->operands) {
    if (operand.role == OperandRole::data || operand.role == OperandRole::index)
      flags.push_back(operand_flag(job, operand));
  }
  return flags;
}

std::vector<Argument> word_arguments(Job& job, Presence values) {
  return {indexed_argument(job, "a tensor, and what is written of it"),
          {.name = "VALUES",
           .help = "broadcast to the shape of data[index]",
           .into = into_job(job, "updates"),
           .presence = values}};
}

std::vector<Flag> operation_flags(Job& job, PolicyNames names) {
  constexpr std::size_t room = 64;  // for those that are joined to it, too
  std::vector<Flag> flags;
  flags.reserve(room);
  for (const OperandInfo& operand : job.operation->operands)
    flags.push_back(operand_flag(job, operand));
  return joined(std::move(flags), flags_beside_operands(job, names));
}

std::vector<Flag> flags_beside_operands(Job& job, PolicyNames names) {
  std::vector<Flag> flags;
  if (takes_dims(*job.operation)) {
    const auto set = [&job](const auto& word, const auto& where) { set_dims(job, word, where); };
    const auto help = [] { return std::string(dims_help); };
    flags.push_back(in_group("Operands", value_flag("dims", "TEXT", help, {.set = set})));
  }
  for (const AttributeInfo& attribute : job.operation->attributes)
    flags.push_back(attribute_flag(job, attribute));
  return joined(std::move(flags),
                {dtype_flag(dtype(job.dtype)), missing_flag(job.missing), cast_flag(job.cast)},
                policy_flags(*job.operation, names,
                             [&job](const PolicyInfo& policy, const std::string& word) {
                               override_policy(job, policy, word);
                             }));
}

Flag case_flag(CaseWords& words) {
  Flag flag =
      value_flag("case", "NAME", "the case of CASES whose operation, operands and files are taken",
                 text(words.name));
  flag.presence = Presence::required;
  return in_group("Operands", std::move(flag));
}

Argument cases_argument(CaseWords& words) {
  return {.name = "CASES",
          .help = "a file of JSON Lines, one case a line; - for stdin",
          .into = text(words.cases)};
}

FoundCase open_case(const CaseWords& words) { return find_case(*words.name, *words.cases); }

FoundCase open_case_of_job(const CaseWords& words) {
  FoundCase found = open_case(words);
  // cli.c62
  if (found.each.has_no_job()) {
    fail(ErrorKind::usage, "cli.c62", "--case",
         "must be a case with an operation (tscatter compare takes one without), got {}",
         found.each.name);
  }
  return found;
}

std::vector<Flag> policy_flags(const Operation& operation, PolicyNames names,
                               const SetPolicy& set) {
  std::vector<Flag> flags;
  for (const PolicyInfo* each : policies_of(operation)) {
    flags.push_back(policy_flag(operation, *each, names, set));
    if (operation.unanswered.contains(each->policy)) flags.back().presence = Presence::required;
  }
  return flags;
}

}  // namespace tscatter::app
