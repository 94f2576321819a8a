#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <variant>

#include "batch/run/case_runner.hpp"
#include "jobs/separate_files.hpp"
#include "text/reports.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/text/json_tensor.hpp"

namespace tscatter::app {
namespace {

void add_operation(Document& document, const Job& job) {
  if (job.operation == nullptr) return;
  document.add("op", "operation", text_figure(job.operation->name));
  const auto reduction = job.attributes.find("reduction");
  if (reduction == job.attributes.end() || reduction->second == AttributeValue(Reduction::none))
    return;
  document.add("reduction", "reduction",
               text_figure(job.operation->word_of(std::get<Reduction>(reduction->second))));
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

Document failure_document(const BatchCase& each, const CaseOutcome& came) {
  Document document;
  add_operation(document, each.job);
  if (came.census) document.show(census_figures(*came.census));
  if (came.verification) {
    document.show(verdict_figures(*came.verification));
    if (const std::string why = diagnosis_line(*came.verification); !why.empty())
      document.show("why", why);
  }
  Document files = files_of(each);
  document.put("files", files);
  document.show(std::move(files));
  return document;
}

Document failure_tables(const CaseOutcome& came) {
  if (came.census) return census_tables(*came.census);
  if (came.archives) return comparison_tables(*came.archives);
  return came.verification ? verdict_tables(*came.verification) : Document();
}

}  // namespace tscatter::app
