#include "commands/explain.hpp"

#include <algorithm>

#include "result.hpp"
#include "run_log.hpp"
#include "text/explanation_text.hpp"
#include "text/json_line.hpp"
#include "text/number_text.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

std::string text_of(const Explanation& explanation, ExplanationForm form) {
  const Document document = explanation_document(explanation);
  return form == ExplanationForm::words ? document_text(document) : json_line(document);
}

}  // namespace

void explain_job(const Job& job, const ExplainOptions& options, ExplanationForm form) {
  const LoggedTime time;
  const Arguments arguments = open_arguments(job);
  log_arguments(arguments);
  if (options.at) checked_position(arguments.operand("data").shape(), *options.at, "--at");
  print(text_of(explain(*job.operation, arguments, options), form));
}

Position parse_position(const std::string& text, const std::string& where) {
  Position position;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto index = number_in<std::int64_t>(std::string_view(text).substr(begin, end - begin));
    // cli.c60
    if (!index)
      fail(ErrorKind::usage, "cli.c60", where, "must be integers like 1,2,3, got {}", text);
    position.push_back(*index);
    begin = end + 1;
  }
  return position;
}

}  // namespace tscatter::app
