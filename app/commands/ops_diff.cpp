#include "commands/ops_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "diff/differences.hpp"
#include "text/document.hpp"
#include "text/figure.hpp"

namespace tscatter::app {
namespace {

std::string verdict(const Operation& first, const Operation& second, std::size_t count) {
  if (count == 0) return fmt::format("{} and {} differ in nothing", first.name, second.name);
  return fmt::format("{} and {} differ in {}", first.name, second.name,
                     counted(static_cast<std::int64_t>(count), "answer"));
}

std::string answer_lines(const Operation& first, const Operation& second,
                         const Difference& difference) {
  const std::size_t width = std::max(first.name.size(), second.name.size());
  return fmt::format("  {:<{}}  {}\n  {:<{}}  {}\n", first.name, width, difference.answers[0],
                     second.name, width, difference.answers[1]);
}

std::string witness_lines(const ShownWitness& witness) {
  std::string text = fmt::format("  {}:\n", witness.words);
  for (std::size_t i = 0; i < witness.outcomes.size(); ++i)
    text += fmt::format("  $ {}\n  {}\n", witness.commands[i], witness.outcomes[i].text);
  return text;
}

std::string difference_lines(const Operation& first, const Operation& second,
                             const std::vector<Difference>& found) {
  std::string text = verdict(first, second, found.size()) + "\n";
  for (const Difference& each : found) {
    text += fmt::format("\n{}\n{}", each.question, answer_lines(first, second, each));
    if (each.witness) text += witness_lines(*each.witness);
  }
  return text;
}

std::vector<std::string> texts_of(const ShownWitness& witness) {
  return {witness.outcomes[0].text, witness.outcomes[1].text};
}

Document difference_row(const Difference& difference) {
  Document row;
  row.put("question", difference.question);
  row.put("answers",
          std::vector<std::string>(difference.answers.begin(), difference.answers.end()));
  if (!difference.witness) return row;
  const ShownWitness& witness = *difference.witness;
  row.put("case", witness.words);
  row.put("commands", std::vector<std::string>(witness.commands.begin(), witness.commands.end()));
  row.put("results", texts_of(witness));
  row.put("refused",
          std::vector<bool>{witness.outcomes[0].is_refused, witness.outcomes[1].is_refused});
  return row;
}

std::string difference_json(const Operation& first, const Operation& second,
                            const std::vector<Difference>& found) {
  Document document;
  document.put("operations", std::vector<std::string_view>{first.name, second.name});
  document.put("summary", verdict(first, second, found.size()));
  Table rows;
  for (const Difference& each : found) rows.rows.push_back(difference_row(each));
  document.put("differences", std::move(rows));
  return json_line(document);
}

}  // namespace

std::string difference_text(const Operation& first, const Operation& second, DiffForm form) {
  const std::vector<Difference> found = differences(first, second);
  return form == DiffForm::json ? difference_json(first, second, found)
                                : difference_lines(first, second, found);
}

}  // namespace tscatter::app
