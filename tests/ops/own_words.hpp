// Calls that the operations of a library refuse, in its own words.
#pragma once

#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "ops/call.hpp"

namespace tscatter {

struct OwnWordsCall {
  Check check;
  std::string_view names;  // of operations, with blanks between them
  Arguments call;          // of which an operation gets the attributes that it has
  std::string message;
};

// Tensors have the operation's words for names, as in a command line. Those of items begin the
// index. A reduction that must be given is prod.
inline Arguments in_words_of(const Operation& operation, const Arguments& call) {
  Arguments arguments;
  for (const auto& [name, operand] : call.operands) {
    const bool is_item = is_operand_of_item(name);
    const std::string word =
        is_item ? fmt::format("index[{}]", name.substr(5)) : std::string(operation.called(name));
    arguments.operands.emplace(name, Tensor(operand.header(), operand.shared_source(), word));
    if (is_item) arguments.index.push_back({OperandItem{name}, word});
  }
  for (const auto& [name, value] : call.attributes)
    if (operation.find_attribute(name) != nullptr) arguments.attributes.emplace(name, value);
  if (const AttributeInfo* reduce = operation.find_attribute("reduction");
      reduce != nullptr && reduce->is_required)
    arguments.attributes.emplace("reduction", Reduction::prod);
  std::ranges::copy(call.index, std::back_inserter(arguments.index));
  return arguments;
}

using Labels = std::set<std::string_view>;

// Checks the whole message of each call, and returns the labels that came. `front` is what all
// names begin with.
inline Labels labels_of_refused(const std::string& front, const std::vector<OwnWordsCall>& calls) {
  Labels labels;
  for (const OwnWordsCall& refused : calls) {
    std::istringstream names{std::string(refused.names)};
    for (std::string name; names >> name;) {
      const Operation& operation = *find_operation(front + name);
      labels.insert(operation.label(refused.check));
      CHECK(refusal(operation, in_words_of(operation, refused.call)) ==
            message_of(operation, refused.check, refused.message));
    }
  }
  return labels;
}

inline void check_has_rules(const Labels& labels, const Operation& operation) {
  for (const OperationRule& rule : operation.rules) {
    INFO(rule.label);
    CHECK(labels.contains(rule.label));
  }
}

}  // namespace tscatter
