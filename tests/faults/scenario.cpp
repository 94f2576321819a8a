#include "faults/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace tscatter::faults {
namespace {

constexpr std::string_view journal_ending = ".tscatter-undo";
constexpr int unreported = 6;                 // what the run was for is done
constexpr std::filesystem::perms mode{0604};  // of all files beforehand: no umask makes it
constexpr std::string_view temporary_front = ".tscatter-";

bool is_temporary(const std::filesystem::path& path) {
  return path.filename().native().starts_with(temporary_front);
}

// The state of earlier runs: it must be intact, but nothing depends on it.
bool is_state(const std::string& name) { return name.starts_with("state/"); }

Snapshot without_state(Snapshot snapshot) {
  std::erase_if(snapshot,
                [](const auto& file) { return is_state(file.first) && !is_temporary(file.first); });
  return snapshot;
}

// No two journals are the same.
Snapshot without_nonces(Snapshot snapshot) {
  for (auto& [name, content] : snapshot) {
    if (name.ends_with(journal_ending)) content = fmt::format("{} bytes", content.size());
  }
  return snapshot;
}

bool is_one_message(const std::string& text) {
  const bool is_text = text.starts_with("tscatter: ") && text.ends_with("]\n");
  const bool is_json = text.starts_with("{\"kind\":") && text.ends_with("}\n");
  return (is_text || is_json) && std::ranges::count(text, '\n') == 1;
}

bool writes_to_stderr(const SystemCall& call) {
  return name_of(call) == "write" && call.arguments[0] == 2;
}

bool must_not_be_seen(const Fault& fault) {
  return fault.deed == Deed::shorten || (fault.deed == Deed::fail && fault.error_number == EINTR);
}

}  // namespace

Snapshot snapshot_of(const std::filesystem::path& directory) {
  Snapshot snapshot;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file())
      snapshot[entry.path().lexically_relative(directory).native()] = read_file(entry.path());
  }
  return snapshot;
}

Scenario::Scenario(std::string name, Strings words, std::vector<Output> outputs)
    : name_{std::move(name)}, outputs_{std::move(outputs)} {
  tracing_ = tracing_of(std::move(words));
  before_ = {{"data.npy", operands().data},
             {"indices.npy", operands().indices},
             {"updates.npy", operands().updates}};
}

// "@NAME" is a file in the directory.
Tracing Scenario::tracing_of(Strings words) {
  for (std::string& word : words) {
    if (word.starts_with("@")) word = (directory_ / word.substr(1)).native();
    is_in_place_ = is_in_place_ || word == "--in-place";
  }
  words.insert(words.begin(), program());
  return {.words = std::move(words),
          .directory = directory_.path().native(),
          .environment = {"XDG_STATE_HOME=" + (directory_ / "state").native(),
                          "CI=", "ASAN_OPTIONS=detect_leaks=0:exitcode=99"}};
}

Scenario& Scenario::with_file(const std::string& name, std::string content) {
  before_[name] = std::move(content);
  return *this;
}

Scenario& Scenario::without_unnamed_files() {
  tracing_.knows_unnamed_files = false;
  return *this;
}

Scenario& Scenario::in_batch() {
  is_batch_ = true;
  return *this;
}

Scenario& Scenario::in_place() {
  is_in_place_ = true;
  return *this;
}

Scenario& Scenario::after_a_kill(Strings words, std::int64_t call) {
  killed_ = tracing_of(std::move(words));
  killed_at_ = call;
  return *this;
}

Scenario& Scenario::changing_nothing() {
  changes_nothing_ = true;
  return *this;
}

Scenario& Scenario::saying_first(const std::string& text) {
  first_line_ = "tscatter: " + (directory_ / "data.npy").native() + ": " + text + "\n";
  return *this;
}

Scenario& Scenario::filling(const std::string& directory) {
  filled_ = directory;
  return *this;
}

Scenario& Scenario::consuming(const std::string& directory) {
  consumed_ = directory;
  return *this;
}

void Scenario::restore() const {
  std::filesystem::remove_all(directory_ / "state");
  if (!filled_.empty()) std::filesystem::remove_all(directory_ / filled_);
  const Snapshot found = snapshot_of(directory_.path());
  for (const auto& [name, content] : found) {
    const auto wanted = before_.find(name);
    // Some file systems flush an overwritten file to the disk at once.
    if (wanted == before_.end() || wanted->second != content)
      std::filesystem::remove(directory_ / name);
  }
  for (const auto& [name, content] : before_) {
    if (std::filesystem::exists(directory_ / name)) continue;
    std::filesystem::create_directories((directory_ / name).parent_path());
    write_file(directory_ / name, content);
    std::filesystem::permissions(directory_ / name, mode);
  }
  if (killed_) traced_run(*killed_, {.call = killed_at_, .deed = Deed::kill});
}

std::string Scenario::message_of(const TracedResult& result) const {
  return result.err.substr(result.err.starts_with(first_line_) ? first_line_.size() : 0);
}

TracedResult Scenario::run_whole() {
  restore();
  const Snapshot start = snapshot_of(directory_.path());
  TracedResult result = traced_run(tracing_).value();
  after_ = changes_nothing_ ? start : snapshot_of(directory_.path());
  for (const auto& [name, content] : after_) {
    if (filled_.empty() || !name.starts_with(filled_ + "/")) continue;
    const bool is_list = name == filled_ + "/cases.jsonl";
    outputs_.push_back({.name = name, .promise = is_list ? Promise::none : Promise::whole});
  }
  return result;
}

const Output* Scenario::output_named(const std::string& name) const {
  const auto output = std::ranges::find(outputs_, name, &Output::name);
  return output == outputs_.end() ? nullptr : &*output;
}

std::string Scenario::trouble_after(const TracedResult& result, const Fault& fault,
                                    const SystemCall& call) const {
  if (std::string trouble = trouble_with_end(result, fault, call); !trouble.empty()) return trouble;
  const Snapshot found = snapshot_of(directory_.path());
  if (changes_nothing_) {
    const bool is_same = without_nonces(found) == without_nonces(after_);
    return is_same ? trouble_with_recovery() : "a file is not as it was";
  }
  if (std::string trouble = trouble_with_files(found, result, fault); !trouble.empty())
    return trouble;
  // If nothing differs, the next run was seen before.
  const Snapshot files = without_state(found);
  if (files == without_state(before_) || files == without_state(after_)) return "";
  return trouble_with_next_run();
}

std::string Scenario::trouble_with_end(const TracedResult& result, const Fault& fault,
                                       const SystemCall& call) const {
  if (fault.deed == Deed::kill || fault.deed == Deed::kill_after)
    return result.signal == SIGKILL ? "" : "it was not killed";
  if (result.signal != 0) return fmt::format("it died by signal {}: {}", result.signal, result.err);
  const int code = result.exit_code;
  const std::string message = message_of(result);
  const bool is_expected = code == 0 || code == 3 || code == unreported || (code == 1 && is_batch_);
  if (!is_expected) return fmt::format("exit code {}: {}", code, result.err);
  if (must_not_be_seen(fault) && code != 0)
    return fmt::format("exit code {} where it could go on: {}", code, message);
  if (code == 0 && !message.empty()) return "success, and yet a message: " + message;
  // A change that cannot be recorded is refused in the batch's report, on stdout.
  const bool is_in_report = is_batch_ && is_in_place_ && message.empty();
  const bool may_be_mute = writes_to_stderr(call) || fault.deed == Deed::fail_on || is_in_report;
  if (code >= 3 && !may_be_mute && !is_one_message(message))
    return "not a message of one line: " + message;
  return "";
}

std::string Scenario::trouble_with_files(const Snapshot& found, const TracedResult& result,
                                         const Fault& fault) const {
  const bool succeeded = result.exit_code == 0 || result.exit_code == unreported;
  for (const auto& [name, content] : before_) {
    const bool may_be_gone = !consumed_.empty() && name.starts_with(consumed_ + "/");
    if (!found.contains(name) && may_be_gone) continue;
    if (!found.contains(name)) return name + " is gone";
    const bool is_input = output_named(name) == nullptr && !is_state(name);
    if (is_input && found.at(name) != content) return name + " is changed";
    if (std::filesystem::status(directory_ / name).permissions() != mode)
      return name + " has lost its mode";
  }
  for (const auto& [name, content] : found) {
    const Output* output = output_named(name);
    if (output == nullptr) {
      if (!may_be_left(name, succeeded, fault)) return name + " is left";
    } else if (!found.contains(name + std::string(journal_ending)) &&
               !is_kept(*output, content, succeeded)) {
      return name + (succeeded ? " is not as it should be" : " is torn");
    }
  }
  return is_made_in_secret(found, result) ? "it is changed, and yet the run may be repeated" : "";
}

// Whether the exit code is that of a run that changed nothing, although the change stands. Whether
// it survives a power cut is found out only after it; a run without a journal says what it leaves.
bool Scenario::is_made_in_secret(const Snapshot& found, const TracedResult& result) const {
  const auto has = [&](std::string_view flag) {
    return std::ranges::find(tracing_.words, flag) != tracing_.words.end();
  };
  if (result.exit_code != 3 || !has("--in-place") || has("--sync") || has("--no-journal"))
    return false;
  const bool has_journal = found.contains("data.npy" + std::string(journal_ending));
  return !has_journal && found.at("data.npy") == after_.at("data.npy");
}

// A name that is neither an input's nor an output's.
bool Scenario::may_be_left(const std::string& name, bool succeeded, const Fault& fault) const {
  if (before_.contains(name) || (is_state(name) && !is_temporary(name))) return true;
  if (!consumed_.empty() && name.starts_with(consumed_ + "/")) return true;
  if (succeeded) return false;
  if (is_in_place_ && name.ends_with(journal_ending)) return true;
  // Only what can no longer be removed: the next run does it.
  return is_temporary(name) && fault.deed != Deed::fail;
}

bool Scenario::is_kept(const Output& output, const std::string& content, bool succeeded) const {
  const auto old = before_.find(output.name);
  if (content == after_.at(output.name)) return true;
  if (!succeeded && old != before_.end() && content == old->second) return true;
  if (output.promise == Promise::none) return !succeeded;
  return output.promise == Promise::readable && content.starts_with(output.begin) &&
         content.ends_with(output.end);
}

Result Scenario::run_on(Strings words) const {
  Command command(std::move(words));
  for (const std::string& variable : tracing_.environment) {
    const std::size_t at = variable.find('=');
    command.with_environment(variable.substr(0, at), variable.substr(at + 1));
  }
  return command.run();
}

std::string Scenario::trouble_with_recovery() const {
  const std::string data = directory_ / "data.npy";
  if (!std::filesystem::exists(data + std::string(journal_ending))) return "";
  const Result recovered = run_on({"recover", data});
  if (recovered.exit_code != 0) return "recover fails: " + recovered.err;
  const std::string found = read_file(data);
  const bool may_be_after = !changes_nothing_ && found == after_.at("data.npy");
  return found == before_.at("data.npy") || may_be_after
             ? ""
             : "recover makes it neither before nor after";
}

std::string Scenario::trouble_with_next_run() const {
  if (std::string trouble = trouble_with_recovery(); !trouble.empty()) return trouble;
  const Result result = run_on(Strings(tracing_.words.begin() + 1, tracing_.words.end()));
  if (result.exit_code != 0)
    return fmt::format("the next run ends with {}: {}", result.exit_code, result.err);
  const Snapshot found = snapshot_of(directory_.path());
  for (const auto& [name, content] : found) {
    if (is_state(name) && !is_temporary(name)) continue;
    if (!after_.contains(name)) return name + " is left even by the next run";
    const Output* output = output_named(name);
    const bool is_right =
        output == nullptr ? content == after_.at(name) : is_kept(*output, content, true);
    if (!is_right) return name + " is wrong after the next run";
  }
  return "";
}

}  // namespace tscatter::faults
