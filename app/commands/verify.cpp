#include "commands/verify.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "environment.hpp"
#include "result.hpp"
#include "run_log.hpp"
#include "signals.hpp"
#include "text/json_line.hpp"
#include "text/verdict_text.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

void require_one_stdin(const Job& job, const std::string& actual) {
  if (actual != "-") return;
  for (const auto& [name, word] : job.operands) {
    // cli.c6
    if (word.form == WordForm::word && word.text == "-") {
      fail(ErrorKind::usage, "cli.c6", "--actual",
           "only one operand can be read from stdin, got a second -");
    }
  }
}

std::string text_of(const Verification& verification, VerdictForm form) {
  const Document document = verdict_document(verification, VerdictPlace::last);
  return form == VerdictForm::words ? document_text(document) : json_line(document);
}

}  // namespace

Tensor open_actual(const Job& job, const OperandWord& word, const std::string& where,
                   const Arguments& arguments) {
  const Tensor* data = arguments.find("data");
  std::optional<DType> dtype;
  if (data != nullptr && data->type().dtype != DType::opaque) dtype = data->type().dtype;
  OperandOpener opener(job.base);
  const Tensor actual =
      opener.open(word, {.name = where, .role = OperandRole::updates, .dtype = dtype});
  return dtype ? viewed_as(actual, *dtype) : actual;
}

bool verify_job(const Job& job, const std::string& actual, VerifyOptions options,
                VerdictForm form) {
  const LoggedTime time;
  require_one_stdin(job, actual);
  const Arguments arguments = open_arguments(job);
  const Tensor result = open_actual(job, {.text = actual}, "--actual", arguments);
  log_arguments(arguments);
  log_tensor("actual", result);
  options.spool_directory = temporary_directory();
  const Verification verification = verify(*job.operation, arguments, result, options);
  print(text_of(verification, form));
  return verification.is_legal();
}

}  // namespace tscatter::app
