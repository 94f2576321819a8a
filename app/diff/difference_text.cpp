#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/witness.hpp"
#include "text/document.hpp"
#include "text/figure.hpp"
#include "tscatter/ops/names/knobs.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

// The case, with what came of it in the first and the second operation.
struct ShownWitness {
  std::string_view words;
  std::array<std::string, 2> commands;
  std::array<Outcome, 2> outcomes;
};

struct Difference {
  std::string_view question;  // "negative index"
  std::array<std::string, 2> answers;
  std::optional<ShownWitness> witness;  // nullopt: no case shows it
};

// A question at which two operations are compared. Its witnesses stand in witnesses.cpp.
struct Question {
  std::string_view words;
  std::string (*answer)(const Operation& operation);
  bool (*is_comparable)(const Operation& first, const Operation& second);  // whether both have one
};

bool always(const Operation&, const Operation&) { return true; }

bool have_same_form(const Operation& first, const Operation& second) {
  return first.form == second.form;
}

template <Knob knob>
bool both_have(const Operation& first, const Operation& second) {
  return is_asked(first, knob) && is_asked(second, knob);
}

bool both_reduce(const Operation& first, const Operation& second) {
  return !first.reductions().empty() && !second.reductions().empty();
}

template <Knob knob>
bool have_form_and(const Operation& first, const Operation& second) {
  return have_same_form(first, second) && both_have<knob>(first, second);
}

template <Knob knob>
std::string answer_to(const Operation& operation) {
  return answer_of(operation, knob);
}

std::string reductions_text(const Operation& operation) {
  std::vector<Reduction> reductions = operation.reductions();
  std::ranges::sort(reductions);
  std::string text;
  for (const Reduction each : reductions)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", to_string(each));
  return text.empty() ? "none" : text;
}

std::string length_text(const Operation& operation) {
  return operation.label(Check::indices_length).empty() ? "any" : "at most that of data";
}

bool are_elements(const Operation& first, const Operation& second) {
  return first.form == Form::elements && second.form == Form::elements;
}

std::string axis_text(const Operation& operation) {
  const AttributeInfo* axis = operation.find_attribute("axis");
  return axis == nullptr || axis->is_required ? "must be given" : "0 by default";
}

std::string initial_text(const Operation& operation) {
  if (!is_asked(operation, Knob::initial_value)) return "there is no such attribute";
  return answer_of(operation, Knob::initial_value);
}

constexpr std::array table{
    Question{"form", form_of, always},
    Question{"reductions", reductions_text, always},
    Question{"dtypes of data", data_dtypes_text, always},
    Question{"dtypes of indices", index_dtypes_text, both_have<Knob::negative_index>},
    Question{"length of indices", length_text, are_elements},
    Question{"axis", axis_text, are_elements},
    Question{"shape of updates", answer_to<Knob::updates_shape>,
             have_form_and<Knob::updates_shape>},
    Question{"negative index", answer_to<Knob::negative_index>, both_have<Knob::negative_index>},
    Question{"index out of range", answer_to<Knob::index_outside>, both_have<Knob::index_outside>},
    Question{"duplicates", answer_to<Knob::duplicates>, both_have<Knob::duplicates>},
    Question{"min, max", answer_to<Knob::extremes>, both_have<Knob::extremes>},
    Question{"sums and products", answer_to<Knob::accumulation>, both_have<Knob::accumulation>},
    Question{"use_init_val = false", initial_text, both_reduce},
    Question{"mean of integers", answer_to<Knob::mean_of_integers>,
             both_have<Knob::mean_of_integers>},
    Question{"divisor of a mean", answer_to<Knob::mean_divisor>, both_have<Knob::mean_divisor>},
};

// The first of the cases that the operations answer differently.
std::optional<ShownWitness> shown(std::string_view question, const Operation& first,
                                  const Operation& second) {
  for (const Witness& each : witnesses()) {
    if (each.question != question) continue;
    ShownWitness tried{.words = each.words,
                       .commands = {command_line(each, first), command_line(each, second)},
                       .outcomes = {outcome_of(each, first), outcome_of(each, second)}};
    if (differ(tried.outcomes[0], tried.outcomes[1])) return tried;
  }
  return std::nullopt;
}

// In the order of the table of questions; empty if they differ in nothing.
std::vector<Difference> differences(const Operation& first, const Operation& second) {
  std::vector<Difference> found;
  for (const Question& question : table) {
    if (!question.is_comparable(first, second)) continue;
    std::array answers{question.answer(first), question.answer(second)};
    if (answers[0] == answers[1]) continue;
    found.push_back({.question = question.words,
                     .answers = std::move(answers),
                     .witness = shown(question.words, first, second)});
  }
  return found;
}

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

std::string difference_text(const Operation& first, const Operation& second, ReportForm form) {
  const std::vector<Difference> found = differences(first, second);
  return form == ReportForm::json ? difference_json(first, second, found)
                                  : difference_lines(first, second, found);
}

}  // namespace tscatter::app
