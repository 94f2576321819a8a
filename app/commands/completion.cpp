#include "cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "batch/cases/case_reader.hpp"
#include "cli/help_text.hpp"
#include "cli/targets.hpp"
#include "commands/commands.hpp"
#include "jobs/operand.hpp"
#include "jobs/result.hpp"
#include "jobs/rules.hpp"
#include "process/environment.hpp"
#include "process/host.hpp"
#include "text/quoting.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/error.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

using Candidates = std::vector<Candidate>;
using Endings = std::vector<std::string_view>;

// Where a shell will look: ~/ is the home folder.
std::string path_to_read(const std::string& path) {
  if (path.starts_with("~/")) return variable("HOME").value_or("~") + path.substr(1);
  return path;
}

// Files with one of the endings, and folders, that begin so. No endings: all files.
Candidates files_from(const std::string& begun, const Endings& endings) {
  Candidates all;
  const std::size_t name_at = begun.rfind('/') + 1;
  const std::string folder = begun.substr(0, name_at);
  const std::string name_begun = begun.substr(name_at);
  std::error_code error;
  const fs::path place = folder.empty() ? "." : path_to_read(folder);
  for (fs::directory_iterator each(place, error), end; !error && each != end;
       each.increment(error)) {
    const std::string name = each->path().filename().native();
    std::error_code unknown;
    const bool is_hidden = name.starts_with('.') && !name_begun.starts_with('.');
    if (!name.starts_with(name_begun) || is_hidden) continue;
    if (each->is_directory(unknown)) {
      all.push_back({folder + name + "/"});
    } else if (endings.empty() || std::ranges::any_of(endings, [&](std::string_view ending) {
                 return name.ends_with(ending);
               })) {
      all.push_back({folder + name});
    }
  }
  return all;
}

Endings tensor_endings() {
  Endings all;
  for (const Format* format : formats()) all.push_back(format->ending);
  return all;
}

// x.npz: for x.npz, which a member follows.
void add_archives(Candidates& files) {
  Candidates archives;
  for (const Candidate& file : files) {
    const bool is_archive = std::ranges::any_of(formats(), [&](const Format* format) {
      return format->has_members() && format->has_ending(file.text);
    });
    if (is_archive) archives.push_back({file.text + ":"});
  }
  files.insert(files.end(), archives.begin(), archives.end());
}

// The columns of a table; the ones before the last comma are chosen already.
Candidates columns_of(const MemberName& name, const std::string& begun) {
  Candidates all;
  const std::string path = path_to_read(name.archive);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return all;
  FormatReading reading = format_reading(path);
  reading.part = name.member;
  const std::string front = begun.substr(0, begun.find_last_of(":,") + 1);
  for (const std::string& column : table_columns(FileSource(open_settled(path, path)), reading))
    all.push_back({front + column});
  return all;
}

Candidates members_of(const MemberName& name) {
  Candidates all;
  const auto archive = archive_named(path_to_read(name.archive));
  if (archive == nullptr) return all;
  for (const ArchiveMember& member : archive->members())
    all.push_back({fmt::format("{}:{}", name.archive, member.name)});
  return all;
}

// 4xf32=@ and a file, or csv: and a file.
Candidates files_behind(const std::string& front, const std::string& begun) {
  Candidates files = files_from(begun, {});
  for (Candidate& file : files) file.text.insert(0, front);
  return files;
}

// Where the operand of the last item begins, in an index that is not closed: "a.npy[[0, 1], ~ids"
// has one at 16. 0 without an index.
std::size_t item_at(const std::string& begun) {
  std::size_t at = 0;
  int depth = 0;
  for (std::size_t i = 0; i < begun.size(); ++i) {
    if (begun[i] == ']') --depth;
    if (begun[i] == '[' && i > 0) ++depth;
    const bool begins_item =
        depth == 1 && std::string_view("[,(~ ").find(begun[i]) != std::string_view::npos;
    if (begins_item) at = i + 1;
  }
  return depth == 1 ? at : 0;
}

Candidates operands(const std::string& begun) {
  constexpr std::string_view mark = "=@";
  if (const std::size_t at = begun.find(mark); at != std::string::npos)
    return files_behind(begun.substr(0, at + mark.size()), begun.substr(at + mark.size()));
  const std::size_t colon = begun.rfind(':');
  if (colon != std::string::npos) {
    // A member without a name is none: any letter stands for it.
    const auto name = split_member_name(begun.substr(0, colon) + ":x");
    if (name && name->format != &csv_format) return members_of(*name);
    const bool has_columns = name && name->member.find(':') != std::string::npos;
    if (has_columns) return columns_of(*name, begun);
    if (name) return files_behind(begun.substr(0, colon + 1), begun.substr(colon + 1));
  }
  Candidates files = files_from(begun, tensor_endings());
  add_archives(files);
  return files;
}

// Operands, also those that an index names.
Candidates tensors(const std::string& begun) {
  const std::size_t at = item_at(begun);
  Candidates all = operands(begun.substr(at));
  for (Candidate& each : all) each.text.insert(0, begun, 0, at);
  return all;
}

// Whether it can be read twice, and without waiting.
bool is_kept(const std::string& path) {
  return fs::is_regular_file(path) || fs::is_directory(path);
}

// Takes the first cases of the batch.
template <class Take>
void read_first_cases(const std::vector<std::string>& arguments, const Take& take) {
  constexpr int most = 1000;
  std::vector<std::string> paths(arguments.size());
  std::ranges::transform(arguments, paths.begin(), path_to_read);
  if (paths.empty() || !std::ranges::all_of(paths, is_kept)) return;
  CaseFiles files(paths);
  LineReader lines(files, InterruptScope::stop());
  CaseReader reader;
  for (int left = most; left > 0; --left) {
    const auto line = lines.next();
    if (!line) return;
    if (const auto each = reader.read(*line)) take(*each);
  }
}

// Without help.
Candidates named(const auto& texts) {
  Candidates all;
  for (const std::string& text : texts) all.push_back({text});
  return all;
}

Candidates case_names(const std::vector<std::string>& arguments) {
  Candidates all;
  read_first_cases(arguments, [&](const BatchCase& each) { all.push_back({each.name}); });
  return all;
}

// A pattern matches whole names.
Candidates case_globs(const std::vector<std::string>& arguments) {
  Candidates all = case_names(arguments);
  for (Candidate& each : all) each.text = escaped_glob(each.text);
  return all;
}

Candidates case_tags(const std::vector<std::string>& arguments) {
  std::set<std::string> tags;
  read_first_cases(arguments,
                   [&](const BatchCase& each) { tags.insert(each.tags.begin(), each.tags.end()); });
  return named(tags);
}

Candidates rules() {
  Candidates all;
  for (const Rule& rule : all_rules())
    all.push_back({std::string(rule.label), std::string(rule.text)});
  return all;
}

Candidates operation_candidates() {
  Candidates all;
  for (const IndexVerb& each : index_verbs())
    all.push_back({std::string(each.word), std::string(each.summary)});
  for (const Operation* each : operations())
    all.push_back({std::string(each->name), std::string(each->summary)});
  return all;
}

Candidates topics() {
  Candidates all = command_candidates(commands());
  for (const std::string_view name : topic_names()) all.push_back({std::string(name)});
  return all;
}

Candidates candidates_of(const CursorPlace& place) {
  switch (place.kind) {
    case ValueKind::free:
    case ValueKind::choice: return place.candidates;
    case ValueKind::tensor: return tensors(place.begun);
    case ValueKind::job: return files_from(place.begun, {".json"});
    case ValueKind::cases: return files_from(place.begun, {".jsonl"});
    case ValueKind::any_file: return files_from(place.begun, {});
    case ValueKind::folder: return files_from(place.begun, {"/"});
    case ValueKind::dtype: return named(dtype_names());
    case ValueKind::case_name: return case_names(place.arguments);
    case ValueKind::case_glob: return case_globs(place.arguments);
    case ValueKind::case_tag: return case_tags(place.arguments);
    case ValueKind::operation: return operation_candidates();
    case ValueKind::rule: return rules();
    case ValueKind::topic: return topics();
    case ValueKind::label_prefix: return named(label_prefixes());
  }
  unreachable();
}

bool begins_with(const std::string& text, const std::string& begun, ValueKind kind) {
  const bool is_name = kind == ValueKind::operation || kind == ValueKind::free;
  if (!is_name) return text.starts_with(begun);
  return text.size() >= begun.size() && equal_ignoring_case(text.substr(0, begun.size()), begun);
}

Candidates completed(const std::vector<std::string>& words) {
  const CursorPlace place = cursor_place(commands(), words);
  Candidates all;
  for (Candidate& each : candidates_of(place)) {
    if (!begins_with(each.text, place.begun, place.kind) || is_control(each.text)) continue;
    all.push_back({place.front + each.text, std::move(each.help)});
  }
  std::ranges::sort(all, {}, &Candidate::text);
  return all;
}

struct CompleteFlags {
  std::string shell;
  std::string line;
};

// A shell at its prompt has no use for a message.
int complete(const CompleteFlags& flags) {
  const std::vector<std::string> words = words_of_line(flags.line);
  Candidates all;
  try {
    all = completed(words);
  } catch (const Error&) {
    return 0;
  }
  print(candidate_lines(*find_shell(flags.shell), words.back(), all));
  return 0;
}

Argument shell_argument(std::string& place) {
  Argument argument{.name = "SHELL", .help = {}, .into = text(place)};
  argument.into.choices = shell_names();
  argument.help = fmt::format("{}", fmt::join(argument.into.choices, ", "));
  return argument;
}

Invocation bind_complete(const Operation*) {
  const auto flags = std::make_shared<CompleteFlags>();
  return {.arguments = {shell_argument(flags->shell),
                        {.name = "LINE",
                         .help = "the command line up to the cursor",
                         .into = text(flags->line)}},
          .run = [flags](const Messages&) { return complete(*flags); }};
}

Invocation bind_completion(const Operation*) {
  const auto name = std::make_shared<std::string>();
  return {.arguments = {shell_argument(*name)}, .run = [name](const Messages&) {
            print(find_shell(*name)->script);
            return 0;
          }};
}

}  // namespace

Command completion_command() {
  return {
      .name = "completion",
      .summary = "a script for the shell that completes command lines",
      .examples = {"tscatter completion bash > ~/.local/share/bash-completion/completions/tscatter",
                   "tscatter completion zsh > ~/.zfunc/_tscatter",
                   "tscatter completion fish > ~/.config/fish/completions/tscatter.fish"},
      .bind = bind_completion};
}

Command complete_command() {
  return {.name = "__complete",
          .summary = "what could stand at the end of a line",
          .examples = {},
          .bind = bind_complete,
          .group = CommandGroup::hidden};
}

}  // namespace tscatter::app
