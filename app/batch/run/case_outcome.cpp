#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <variant>

#include "batch/run/case_runner.hpp"
#include "jobs/written_file.hpp"
#include "pictures/picture.hpp"
#include "text/document.hpp"
#include "text/reports.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

namespace tscatter::app {
namespace {

void add_facts(Facts& facts, const Document& document) {
  for (const NamedFigure* each : shown_figures(document))
    facts.emplace_back(each->name, each->figure.text);
}

Document operation_of(const Job& job) {
  Document document;
  if (job.operation == nullptr) return document;
  document.add("op", "operation", text_figure(job.operation->name));
  const auto reduction = job.attributes.find("reduction");
  if (reduction == job.attributes.end() || reduction->second == AttributeValue(Reduction::none))
    return document;
  document.add("reduction", "reduction",
               text_figure(job.operation->word_of(std::get<Reduction>(reduction->second))));
  return document;
}

std::span<const OperandInfo> operands_of(const Job& job) {
  return job.operation == nullptr ? std::span<const OperandInfo>() : job.operation->operands;
}

// The files that the case names, under their keys.
Document files_of(const BatchCase& each) {
  const Job& job = each.job;
  Document files;
  const auto add = [&](std::string_view key, const std::string& word) {
    const std::filesystem::path path = shown_word(job.base, word);
    files.add(key, std::string(key), text_figure(path.lexically_normal().native()));
  };
  const auto add_word = [&](std::string_view key, const OperandWord& word) {
    if (word.form == WordForm::path) add(key, word.text);
  };
  for (const OperandInfo& operand : operands_of(job)) {
    const auto word = job.operands.find(operand.name);
    if (word != job.operands.end()) add_word(operand.name, word->second);
  }
  if (each.actual) add_word("actual", *each.actual);
  if (each.expected) add_word("expected", *each.expected);
  if (job.output) add("output", *job.output);
  return files;
}

// "float32 [2, 2]  [[1.0, 2.0], [3.0, 4.0]]"
std::string value_text(const Tensor& tensor) {
  std::string text;
  write_json(tensor, JsonForm::nested, [&](std::string_view part) { text += part; });
  text.pop_back();  // the last line break
  std::string line;
  for (const char each : text) {
    const bool is_indented = each == ' ' && (line.empty() || line.back() == ' ');
    if (!is_indented) line += each == '\n' ? ' ' : each;
  }
  return fmt::format("{} {}  {}", info(tensor.type().dtype).name,
                     tscatter::to_string(tensor.shape()), line);
}

bool is_small(const Tensor& tensor) {
  constexpr std::int64_t most = 48;
  return tensor.count() <= most && tensor.type().dtype != DType::opaque;
}

// A file that ends too early; most formats have one rule for it.
bool is_cut(const Error& error) {
  constexpr std::array<std::string_view, 5> labels{"npy.f3", "npy.f7", "npz.z15", "pb.f1", "st.f1"};
  return std::ranges::count(labels, error.label()) > 0 ||
         error.message().ends_with("an archive that is cut") ||
         (error.label() == "st.f5" && error.message().starts_with("the data must end"));
}

bool is_of_missing_member(const Error& error) {
  return std::ranges::any_of(formats(), [&](const Format* each) {
    return each->has_members() && error.label() == each->no_member;
  });
}

std::string_view reason_of_content(const Error& error) {
  if (is_of_missing_member(error)) return "tensor is missing";
  if (error.message().ends_with("got an empty file")) return "file is empty";
  return is_cut(error) ? "file is cut" : "file is broken";
}

}  // namespace

std::string_view reason_of(const Census& census) {
  if (!census.has_same_dtype()) return "dtype differs";
  return census.has_same_shape() ? "values differ" : "shape differs";
}

std::string_view reason_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::rule: return "refused";
    case ErrorKind::usage: return "case is wrong";
    case ErrorKind::format: return reason_of_content(error);
    case ErrorKind::internal: return "tscatter is wrong";
    case ErrorKind::file: break;
  }
  if (is_of_missing_member(error)) return "tensor is missing";
  if (error.label() == "undo.u5") return "file is half changed";
  return error.message().ends_with(errno_text(ENOENT)) ? "file is missing" : "file is not usable";
}

Facts values_of(const Arguments& arguments, const Tensor& actual) {
  const auto operands_are_small = std::ranges::all_of(
      arguments.operands, [](const auto& each) { return is_small(each.second); });
  if (!operands_are_small || !is_small(actual)) return {};
  Facts values;
  for (const auto& [name, tensor] : arguments.operands)
    values.emplace_back(escape_control(name), escape_control(value_text(tensor)));
  values.emplace_back("got", escape_control(value_text(actual)));
  return values;
}

void show(CaseResult& result, const Census& census, const FailureWanted& wanted) {
  result.judge = "compare";
  result.elements = census.elements;
  if (wanted.details) add_facts(result.facts, census_figures(census));
  if (wanted.tables) result.census_text = document_text(census_tables(census));
  if (wanted.json) result.census_json = written_json(census_document(census));
  if (census.grid) result.heatmap = svg_element(heatmap(census));
}

void show(CaseResult& result, const ArchiveComparison& archives, const FailureWanted& wanted) {
  result.judge = "compare";
  if (wanted.tables) result.census_text = document_text(comparison_tables(archives));
  if (wanted.json) result.census_json = written_json(comparison_document(archives));
}

void show(CaseResult& result, const Verification& verification, const FailureWanted& wanted) {
  result.judge = "verify";
  result.elements = verification.elements;
  result.reasons = reasons_of(verification);
  const std::string why = diagnosis_line(verification);
  if (!verification.diagnoses.named.empty()) result.why = why;
  if (wanted.details) {
    add_facts(result.facts, verdict_figures(verification));
    if (!why.empty()) result.facts.emplace_back("why", escape_control(why));
  }
  if (wanted.tables) result.census_text = document_text(verdict_tables(verification));
  if (wanted.json) result.verdict_json = written_json(verdict_document(verification));
  if (verification.grid) result.heatmap = svg_element(heatmap(verification));
}

void add_details(CaseResult& result, const BatchCase& each) {
  Document details = operation_of(each.job);
  Facts facts;
  add_facts(facts, details);
  facts.insert(facts.end(), result.facts.begin(), result.facts.end());
  const Document files = files_of(each);
  add_facts(facts, files);
  details.put("files", files);
  result.facts = std::move(facts);
  result.details = written_json(details);
}

}  // namespace tscatter::app
