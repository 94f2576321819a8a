#include "diff/differences.hpp"

#include <span>

#include "diff/questions.hpp"

namespace tscatter::app {
namespace {

// The first of the cases that the operations answer differently.
std::optional<ShownWitness> shown(std::span<const Witness> witnesses, const Operation& first,
                                  const Operation& second) {
  for (const Witness& each : witnesses) {
    ShownWitness tried{.words = each.words,
                       .commands = {command_line(each, first), command_line(each, second)},
                       .outcomes = {outcome_of(each, first), outcome_of(each, second)}};
    if (differ(tried.outcomes[0], tried.outcomes[1])) return tried;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Difference> differences(const Operation& first, const Operation& second) {
  std::vector<Difference> found;
  for (const Question& question : questions()) {
    if (!question.is_comparable(first, second)) continue;
    std::array answers{question.answer(first), question.answer(second)};
    if (answers[0] == answers[1]) continue;
    found.push_back({.question = question.words,
                     .answers = std::move(answers),
                     .witness = shown(question.witnesses, first, second)});
  }
  return found;
}

}  // namespace tscatter::app
