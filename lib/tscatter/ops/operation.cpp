#include "tscatter/ops/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>

#include "tscatter/core/fail.hpp"
#include "tscatter/ops/policies.hpp"

namespace tscatter {
namespace {

constexpr std::array operation_rule_rows{
    Rule{"operation.o1", "every required operand and attribute is given"},
    Rule{"operation.o2", "every operand and attribute that is given belongs to the operation"},
    Rule{"operation.o3", "an attribute has one of the values that the operation lists"},
    Rule{"operation.o4", "a policy is overridden only where the operation has the question"},
    Rule{"operation.o5", "a call answers every question that the operation leaves open"},
    Rule{"operation.o6", "with unique, no index entry writes where an earlier one wrote"},
    Rule{"operation.o7", "a number that stands for data's value fits data's dtype"},
};

// "int8, int16 or int32".
std::string dtypes_text(std::span<const DType> dtypes) {
  std::string text;
  for (const DType each : dtypes) {
    if (!text.empty()) text += each == dtypes.back() ? " or " : ", ";
    text += info(each).name;
  }
  return text;
}

void require_attributes(const Operation& operation, const Arguments& arguments) {
  for (const AttributeInfo& attribute : operation.attributes) {
    // operation.o1
    if (attribute.is_required && !arguments.attributes.contains(attribute.name)) {
      fail(ErrorKind::usage, "operation.o1", operation.id, "{} is missing: {}", attribute.word(),
           values_text(attribute));
    }
  }
}

}  // namespace

const std::span<const Rule> operation_rules = operation_rule_rows;

std::string operand_of_item(std::size_t number) { return fmt::format("index{}", number); }

bool is_operand_of_item(std::string_view operand) {
  constexpr std::string_view prefix = "index";
  return operand.size() > prefix.size() && operand.starts_with(prefix) &&
         operand.find_first_not_of("0123456789", prefix.size()) == std::string_view::npos;
}

std::string_view entries_name(const Operation& operation) {
  return operation.find_operand("indices") == nullptr ? "index" : operation.called("indices");
}

const Tensor* Arguments::find(std::string_view name) const {
  const auto found = operands.find(name);
  return found == operands.end() ? nullptr : &found->second;
}

const Tensor& Arguments::operand(std::string_view name) const {
  const Tensor* tensor = find(name);
  assert(tensor != nullptr);
  return *tensor;
}

const AttributeInfo* Operation::find_attribute(std::string_view attribute) const {
  const auto found = std::ranges::find(attributes, attribute, &AttributeInfo::name);
  return found == attributes.end() ? nullptr : &*found;
}

const OperandInfo* Operation::find_operand(std::string_view operand) const {
  const auto found = std::ranges::find(operands, operand, &OperandInfo::name);
  return found == operands.end() ? nullptr : &*found;
}

std::vector<std::string_view> Operation::positional() const {
  if (!order.empty()) return {order.begin(), order.end()};
  std::vector<std::string_view> words;
  for (const Presence presence : {Presence::required, Presence::optional}) {
    for (const OperandInfo& each : operands) {
      if (each.presence == presence) words.push_back(each.word());
    }
  }
  return words;
}

std::string_view Operation::called(std::string_view word) const {
  if (is_made(base) && word == "data") return "output";
  if (const OperandInfo* operand = find_operand(word)) return operand->word();
  const AttributeInfo* attribute = find_attribute(word);
  return attribute == nullptr ? word : attribute->word();
}

Reduction Operation::reduction(const Attributes& given) const {
  if (find_attribute("accumulate") != nullptr)
    return attribute<bool>(given, "accumulate") ? Reduction::sum : Reduction::none;
  if (find_attribute("reduction") == nullptr) return in_family(fixed, policies.extremes);
  return in_family(attribute<Reduction>(given, "reduction"), policies.extremes);
}

Policies Operation::policies_of_call(const Attributes& given) const {
  Policies answered = policies;
  for (const AttributeInfo& each : attributes) {
    const auto found = given.find(each.name);
    const IndexAnswer* answer =
        answer_of(each, found == given.end() ? each.default_value : found->second);
    if (answer == nullptr) continue;
    const auto take = [&](Policy policy, const auto& given_answer, auto& into) {
      if (given_answer && !overridden.contains(policy)) into = *given_answer;
    };
    take(Policy::outside, answer->outside, answered.outside);
    take(Policy::negative, answer->negative, answered.negative);
    take(Policy::duplicates, answer->duplicates, answered.duplicates);
  }
  return answered;
}

InitialValue Operation::initial_value(const Attributes& given) const {
  if (policies.initial) return *policies.initial;
  if (find_attribute("use_init_val") == nullptr) return InitialValue::data;
  return attribute<bool>(given, "use_init_val") ? InitialValue::data : excluded;
}

std::vector<Reduction> Operation::reductions() const {
  std::vector<Reduction> reductions;
  if (find_attribute("accumulate") != nullptr) return {Reduction::none, Reduction::sum};
  const AttributeInfo* attribute = find_attribute("reduction");
  if (attribute == nullptr) {
    if (fixed != Reduction::none) reductions.push_back(fixed);
    return reductions;
  }
  for (const AttributeValue& each : attribute->choices)
    reductions.push_back(std::get<Reduction>(each));
  return reductions;
}

TensorHeader Operation::infer_output(const Arguments& arguments) const {
  return arguments.operand("data").header();
}

std::string_view Operation::word_of(Reduction reduction) const {
  const AttributeInfo* attribute = find_attribute("reduction");
  return attribute == nullptr ? to_string(reduction) : tscatter::word_of(*attribute, reduction);
}

bool takes_indices_of(const Operation& operation, DType dtype) {
  return std::ranges::count(operation.index_dtypes, dtype) > 0;
}

bool takes_data_of(const Operation& operation, DType dtype) {
  return std::ranges::count(operation.data_dtypes, dtype) > 0;
}

std::string index_dtypes_text(const Operation& operation) {
  if (operation.index_dtypes.size() == integer_dtypes.size()) return "of an integer dtype";
  return dtypes_text(operation.index_dtypes);
}

std::string data_dtypes_text(const Operation& operation) {
  std::vector<DType> taken;
  std::vector<DType> refused;
  for (const DType each : all_dtypes) {
    // Records have no reduction at all, which needs no word.
    const bool is_reduced = each == DType::opaque || is_defined(operation.fixed, each);
    (takes_data_of(operation, each) && is_reduced ? taken : refused).push_back(each);
  }
  if (refused.empty()) return "every dtype";
  if (refused.size() < taken.size()) return fmt::format("any dtype but {}", dtypes_text(refused));
  if (operation.fixed != Reduction::none) std::erase(taken, DType::opaque);
  return fmt::format("dtype {}", dtypes_text(taken));
}

std::string description_of(const Operation& operation, const OperandInfo& operand) {
  if (operand.name != "indices") return std::string(operand.help);
  return fmt::format("{}; {}", operand.help, index_dtypes_text(operation));
}

std::string names_of(const Operation& operation, std::span<const Reduction> reductions,
                     std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const bool is_last = i + 1 == reductions.size();
    if (i > 0) text += is_last ? fmt::format(" {} ", last) : ", ";
    text += operation.word_of(reductions[i]);
  }
  return text;
}

std::vector<std::string> examples_of(const Operation& operation) {
  std::vector<std::string> lines;
  for (const std::string_view words : operation.examples)
    lines.push_back(fmt::format("tscatter {} {}", operation.name, words));
  return lines;
}

std::int64_t version_of(std::string_view operation) {
  std::int64_t version = 0;
  const std::size_t digits = operation.rfind('-') + 1;  // the whole name, if it has no version
  std::from_chars(operation.data() + digits, operation.data() + operation.size(), version);
  return version;
}

void check_arguments(const Operation& operation, const Arguments& arguments) {
  require_answers(operation);
  require_attributes(operation, arguments);
  for (const OperandInfo& operand : operation.operands) {
    const bool is_given = operand.role == OperandRole::index
                              ? !arguments.index.empty()
                              : arguments.find(operand.name) != nullptr;
    // operation.o1
    if (operand.presence == Presence::required && !is_given) {
      fail(ErrorKind::usage, "operation.o1", operation.id, "{} is missing", operand.word());
    }
  }
  for (const auto& [name, tensor] : arguments.operands) {
    const bool is_of_item = operation.form == Form::index && is_operand_of_item(name);
    const bool is_base = arguments.has_base && name == "data";
    // operation.o2
    if (!is_of_item && !is_base && operation.find_operand(name) == nullptr) {
      fail(ErrorKind::usage, "operation.o2", operation.id, "the operation has no operand {}", name);
    }
  }
  for (const auto& [name, value] : arguments.attributes) {
    const AttributeInfo* attribute = operation.find_attribute(name);
    // operation.o2
    if (attribute == nullptr) {
      fail(ErrorKind::usage, "operation.o2", operation.id, "the operation has no attribute {}",
           name);
    }
    // operation.o3
    if (!is_allowed(*attribute, value)) {
      fail(ErrorKind::usage, "operation.o3", operation.id, "{} must be {}, got {}",
           attribute->word(), expectation(*attribute), text_of(*attribute, value));
    }
  }
}

}  // namespace tscatter
