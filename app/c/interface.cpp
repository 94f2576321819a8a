// The functions of tscatter.h: what they throw becomes a code and a tsc_error.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "c/command_call.hpp"
#include "c/handles.hpp"
#include "c/tscatter.h"
#include "commands/apply.hpp"
#include "commands/batch.hpp"
#include "commands/commands.hpp"
#include "process/errors.hpp"
#include "process/version.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {

StopFlag flag_of(const tsc_stop* stop) {
  static const std::atomic<bool> never = false;
  return stop == nullptr ? &never : &stop->is_raised;
}

namespace {

// A tsc_error with the texts that it points to.
struct OwnedError : tsc_error {
  std::string kind_text;
  std::string label_text;
  std::string where_text;
  std::string message_text;
  std::string whole;
};

// There is no memory even for an error.
tsc_error last_resort{TSC_FILE,
                      "file",
                      "memory.m1",
                      "tscatter",
                      out_of_memory,
                      "tscatter: out of memory (a run needs 64 MiB and 32 bytes per index entry; "
                      "see --memory) [memory.m1]"};

tsc_error* owned(int code, const std::string& kind, const std::string& label,
                 const std::string& where, const std::string& message) {
  auto owned = std::make_unique<OwnedError>();
  owned->kind_text = kind;
  owned->label_text = label;
  owned->where_text = where;
  owned->message_text = message;
  owned->whole = where + ": " + message + (label.empty() ? "" : " [" + label + "]");
  owned->tsc_error::operator=
      ({code, owned->kind_text.c_str(), owned->label_text.c_str(), owned->where_text.c_str(),
        owned->message_text.c_str(), owned->whole.c_str()});
  return owned.release();
}

int tell(int code, const std::string& kind, const std::string& label, const std::string& where,
         const std::string& message, tsc_error** error) noexcept {
  if (error == nullptr) return code;
  try {
    *error = owned(code, kind, label, where, message);
  } catch (...) {
    *error = &last_resort;
  }
  return code;
}

int tell_memory(tsc_error** error) noexcept {
  if (error != nullptr) *error = &last_resort;
  return TSC_FILE;
}

void put(const std::string& text, char** place) {
  if (place == nullptr) return;
  *place = static_cast<char*>(std::malloc(text.size() + 1));
  if (*place == nullptr) throw std::bad_alloc();
  std::memcpy(*place, text.c_str(), text.size() + 1);
}

// No exception leaves it.
template <class Work>
int guarded(char** text, tsc_error** error, const Work& work) noexcept {
  if (text != nullptr) *text = nullptr;
  if (error != nullptr) *error = nullptr;
  try {
    const Answer answer = work();
    put(answer.text, text);
    return answer.code;
  } catch (const Cancelled&) {
    return tell(TSC_STOPPED, "stopped", "", "tscatter", "the call was stopped", error);
  } catch (const Error& e) {
    return tell(exit_code(e.kind()), std::string(to_string(e.kind())), e.label(), e.where(),
                e.message(), error);
  } catch (const std::bad_alloc&) {
    return tell_memory(error);
  } catch (const std::exception& e) {
    // internal.i1
    return tell(TSC_INTERNAL, "internal", "internal.i1", "tscatter", internal_error(e.what()),
                error);
  } catch (...) {
    // internal.i1
    return tell(TSC_INTERNAL, "internal", "internal.i1", "tscatter", internal_error("no exception"),
                error);
  }
}

const tsc_request& request_of(const tsc_request* request) {
  static const tsc_request nothing{};
  return request == nullptr ? nothing : *request;
}

enum class Leaves : bool { text, result };

// What the functions tsc_NAME call, and whether a result must have a place.
struct Function {
  std::string_view name;
  Command (*command)(const Operation* operation);
  bool takes_operation = true;
  Leaves leaves = Leaves::text;
};

constexpr std::array functions{
    Function{"apply", [](const Operation* operation) { return apply_command(*operation); }, true,
             Leaves::result},
    Function{"verify", [](const Operation*) { return verify_command(); }},
    Function{"explain", [](const Operation*) { return explain_command(); }},
    Function{"generate", [](const Operation*) { return generate_command(); }},
    Function{"compare", [](const Operation*) { return compare_command(); }, false},
    Function{"run", [](const Operation*) { return batch_command(); }, false},
    Function{"get", [](const Operation*) { return get_command_of_flags(); }, false, Leaves::result},
};

struct NamedCall {
  const Operation* operation;  // nullptr: the command takes none
  Command command;
  Leaves leaves;
};

NamedCall call_named(std::string_view name, const char* operation) {
  const auto* const function = std::ranges::find(functions, name, &Function::name);
  // cli.c1
  if (function == functions.end()) {
    std::vector<std::string_view> names(functions.size());
    std::ranges::transform(functions, names.begin(), &Function::name);
    fail(ErrorKind::usage, "cli.c1", "command", "must be one of {}, got {}", fmt::join(names, ", "),
         name);
  }
  // cli.c5
  if (!function->takes_operation && operation != nullptr) {
    fail(ErrorKind::usage, "cli.c5", "operation", "must be left out: {} takes none, got {}", name,
         operation);
  }
  const Operation* const called =
      function->takes_operation ? &operation_called(operation) : nullptr;
  return {called, function->command(called), function->leaves};
}

int run(const char* name, const char* operation, const tsc_request* request, char** text,
        tsc_error** error) {
  return guarded(text, error, [&] {
    const NamedCall named = call_named(name, operation);
    if (named.leaves == Leaves::result) require_place_of_result(named.command, request_of(request));
    return call(named.command, named.operation, request_of(request));
  });
}

// The result goes to memory that `alloc` gives.
int run_alloc(const char* name, const char* operation, const tsc_request* request, tsc_alloc* alloc,
              void* context, char** text, tsc_error** error) {
  return guarded(text, error, [&] {
    const NamedCall named = call_named(name, operation);
    return call(named.command, named.operation, request_of(request), memory_from(alloc, context));
  });
}

}  // namespace
}  // namespace tscatter::app

using namespace tscatter::app;

extern "C" {

const char* tsc_version(void) { return version().data(); }
int tsc_abi(void) { return TSC_ABI; }

int tsc_describe(char** text, tsc_error** error) {
  return guarded(text, error, [] { return Answer{.text = description()}; });
}

int tsc_flags(const char* command, const char* operation, char** text, tsc_error** error) {
  return guarded(text, error, [&] {
    const NamedCall named = call_named(command == nullptr ? "" : command, operation);
    return Answer{.text = flags_text(named.command, named.operation)};
  });
}

int tsc_apply(const char* operation, const tsc_request* request, char** text, tsc_error** error) {
  return run("apply", operation, request, text, error);
}

int tsc_apply_alloc(const char* operation, const tsc_request* request, tsc_alloc* alloc,
                    void* context, char** text, tsc_error** error) {
  return run_alloc("apply", operation, request, alloc, context, text, error);
}

int tsc_get_alloc(const tsc_request* request, tsc_alloc* alloc, void* context, char** text,
                  tsc_error** error) {
  return run_alloc("get", nullptr, request, alloc, context, text, error);
}

int tsc_plan_new(const char* operation, const tsc_request* request, tsc_plan** plan,
                 tsc_error** error) {
  if (plan == nullptr) return TSC_USAGE;
  *plan = nullptr;
  return guarded(nullptr, error, [&] {
    *plan = new tsc_plan(plan_of(operation_called(operation), request_of(request)));
    return Answer{};
  });
}

int tsc_plan_apply(const tsc_plan* plan, void* const* bytes, tsc_error** error) {
  return guarded(nullptr, error, [&] {
    run_plan(*plan, bytes);
    return Answer{};
  });
}

void tsc_plan_free(tsc_plan* plan) { delete plan; }

int tsc_verify(const char* operation, const tsc_request* request, char** text, tsc_error** error) {
  return run("verify", operation, request, text, error);
}

int tsc_explain(const char* operation, const tsc_request* request, char** text, tsc_error** error) {
  return run("explain", operation, request, text, error);
}

int tsc_generate(const char* operation, const tsc_request* request, char** text,
                 tsc_error** error) {
  return run("generate", operation, request, text, error);
}

int tsc_compare(const tsc_request* request, char** text, tsc_error** error) {
  return run("compare", nullptr, request, text, error);
}

int tsc_run(const tsc_request* request, char** text, tsc_error** error) {
  return run("run", nullptr, request, text, error);
}

int tsc_get(const tsc_request* request, char** text, tsc_error** error) {
  return run("get", nullptr, request, text, error);
}

void tsc_text_free(char* text) { std::free(text); }

void tsc_error_free(tsc_error* error) {
  if (error == &last_resort) return;
  delete static_cast<OwnedError*>(error);
}

tsc_stop* tsc_stop_new(void) { return new (std::nothrow) tsc_stop; }
void tsc_stop_raise(tsc_stop* stop) { stop->is_raised = true; }
void tsc_stop_free(tsc_stop* stop) { delete stop; }

double tsc_stop_progress(const tsc_stop* stop) {
  const auto total = static_cast<double>(stop->progress.total());
  return total > 0 ? std::min(static_cast<double>(stop->progress.done()) / total, 1.0) : -1;
}
}
