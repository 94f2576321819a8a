#include "jobs/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "jobs/format_words.hpp"
#include "jobs/hints.hpp"
#include "jobs/job_index.hpp"
#include "jobs/job_json.hpp"
#include "jobs/job_keys.hpp"
#include "jobs/job_policies.hpp"
#include "jobs/operand.hpp"
#include "jobs/resources.hpp"
#include "jobs/written_file.hpp"
#include "process/environment.hpp"
#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/core/parallel.hpp"
#include "tscatter/io/files/locked_file.hpp"
#include "tscatter/ops/attribute_json.hpp"
#include "tscatter/ops/names/registry.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

using nlohmann::json;

std::vector<const OperandInfo*> operands_data_first(const Operation& operation) {
  std::vector<const OperandInfo*> order;
  order.reserve(operation.operands.size());
  for (const OperandInfo& operand : operation.operands) order.push_back(&operand);
  std::stable_partition(order.begin(), order.end(),
                        [](const OperandInfo* o) { return o->role == OperandRole::data; });
  return order;
}

// The dtype of values without one.
std::optional<DType> default_dtype(const Operation& operation, OperandRole role,
                                   std::optional<DType> asked, const Arguments& opened) {
  if (role == OperandRole::integers || role == OperandRole::list) return DType::int64;
  if (role == OperandRole::mask) return DType::boolean;
  if (role == OperandRole::data) return asked;
  const Tensor* data = opened.find("data");
  if (is_made(operation.base)) return asked;
  if (data == nullptr || data->type().dtype == DType::opaque) return std::nullopt;
  return data->type().dtype;
}

// Called before any operand is read, so that nothing of stdin is lost.
void require_one_stdin(const Job& job) {
  bool is_taken = job.is_from_stdin;
  for (const auto& [name, word] : job.operands) {
    if (!is_stdin(word)) continue;
    // cli.c6
    if (std::exchange(is_taken, true)) {
      fail(ErrorKind::usage, "cli.c6", job.name_of(name),
           "only one operand can be read from stdin, got a second -");
    }
  }
}

bool has_dtype_of_data(const OperandInfo& operand) {
  return operand.role == OperandRole::data || operand.role == OperandRole::updates;
}

void require_own_file(const Job& job, const std::string& name, const std::string& file) {
  // cli.c81
  if (job.replacing == Replacing::same_kind && is_cached_blob(job.base / file)) {
    fail(ErrorKind::usage, "cli.c81", name,
         "must not be a blob of a Hugging Face cache, which revisions share, to be changed in "
         "place (copy it, or add {}force), got {}",
         job.name_prefix, file);
  }
}

// Whether the file's ending belongs to another format than `format`, whose files are single tensors
// that cannot be changed in place.
bool is_of_other_format(const std::string& file, const Format& format) {
  return std::ranges::any_of(formats(), [&](const Format* each) {
    return each != &format && each->in_place == InPlace::refused && !each->is_archive() &&
           each->has_ending(file);
  });
}

// The file that names data whose elements are in another one, locked: nobody replaces it meanwhile.
// nullptr if they are in the file itself.
std::shared_ptr<const File> locked_name(const Job& job, const std::string& text) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(job.base / text, error);
  const bool is_elsewhere =
      !error && !member_name(job.base, text) && place_of_elements(job.base, text);
  if (!is_elsewhere) return nullptr;
  return std::make_shared<File>(
      open_locked(file, text, system_files(), Access::reading, waiting_in_place()));
}

// " (-o z.npz:a rewrites the archive)"; empty for a member that is not written.
std::string rewriting_hint(const Job& job, const std::string& text, const Format& archive) {
  if (!archive.names_outputs()) return {};
  return fmt::format(" ({} rewrites the archive)",
                     job.name_prefix.empty() ? "as output it" : "-o " + text);
}

// `format`: of the file, or of the member's archive.
void require_kind_in_place(const Job& job, const std::string& text, const std::string& where,
                           const std::optional<MemberName>& member, const Format& format) {
  // cli.c11
  if (!member && is_of_other_format(text, format)) {
    fail(ErrorKind::usage, "cli.c11", where, "must be {} to be changed in place, got {}",
         in_place_kinds(), text);
  }
  // cli.c30
  if (member && member->format->in_place == InPlace::refused) {
    fail(ErrorKind::usage, "cli.c30", where,
         "must be {} to be changed in place, got the member {}{}", in_place_kinds(), text,
         rewriting_hint(job, text, *member->format));
  }
}

// nullptr if the job has no data, which is refused later.
std::unique_ptr<InPlaceFile> open_data_in_place(const Job& job, std::optional<DType> asked,
                                                InPlaceOptions options) {
  const OperandInfo& data = *operands_data_first(*job.operation).front();
  const auto word = job.operands.find(data.name);
  if (word == job.operands.end()) return nullptr;
  const std::string& text = word->second.text;
  OperandOpener::Wanted wanted = wanted_of(job, data.name, data.role, word->second);
  wanted.dtype = asked;
  // cli.c132
  require_no_view(job.base, text, wanted.name,
                  "must be a whole tensor to be changed in place (tscatter set 'DATA[INDEX]' "
                  "VALUES --in-place writes at an index)");
  // cli.c11
  if (!names_a_path(word->second, wanted)) {
    fail(ErrorKind::usage, "cli.c11", wanted.name, "must be {} to be changed in place, got {}",
         in_place_kinds(), text);
  }
  options.name_lock = locked_name(job, text);
  const std::optional<MemberName> member = place_of_elements(job.base, text);
  if (!member) options.name_lock.reset();  // another run has replaced it meanwhile
  const Format& format = member ? *member->format : in_place_format(text);
  require_kind_in_place(job, text, wanted.name, member, format);
  require_file(job.base, word->second, wanted);
  require_own_file(job, wanted.name, member ? member->archive : text);
  if (!member && format.is_archive())
    OperandOpener(job.base).open(word->second, wanted);  // cli.c31
  options.durability = job.durability;
  options.journaling = job.journaling;
  options.waiting = waiting_in_place();
  if (member) {
    return open_in_place(*member->format, job.base / member->archive, member->member, options);
  }
  return open_in_place(format, job.base / text, {}, options);
}

void require_journal_in_place(const Job& job) {
  // cli.c80
  if (job.journaling == Journaling::left_out && job.placement == Placement::copy) {
    const bool is_flag = !job.name_prefix.empty();
    fail(ErrorKind::usage, "cli.c80", is_flag ? "--no-journal" : "no_journal", "needs {}",
         is_flag ? "--in-place" : "in_place");
  }
}

void require_data_in_place(const Job& job) {
  // cli.c11
  if (job.placement == Placement::in_place && is_made(job.operation->base)) {
    const bool is_flag = !job.name_prefix.empty();
    fail(ErrorKind::usage, "cli.c11", is_flag ? "--in-place" : "in_place",
         "{} makes its data and changes no file: give it an output", job.operation->name);
  }
}

// `in_place`: the file that is changed, if there is one.
void require_other_file(const Job& job, const InPlaceFile* in_place, const Tensor& tensor,
                        const std::string& name) {
  const std::string_view output = job.name_prefix.empty() ? "output" : "-o";
  // cli.c12
  if (in_place != nullptr && in_place->is_read_by(tensor)) {
    fail(ErrorKind::usage, "cli.c12", name,
         "must not be the file that is changed in place{}, got {}",
         job.index.empty()
             ? std::string()
             : fmt::format(" ({} may name it: then it is replaced as a whole)", output),
         tensor.name());
  }
}

// Refuses what can be refused before anything is opened.
void check_words(const Job& job) {
  require_one_stdin(job);
  require_journal_in_place(job);
  require_data_in_place(job);
  const bool has_table =
      std::ranges::any_of(job.operands, [](const auto& each) { return names_table(each.second); });
  require_table(job.missing, has_table || job.has_table_beside, job.name_prefix + "missing");
}

Tensor read_as_asked(const Job& job, const OperandInfo& operand, Tensor tensor,
                     std::optional<DType> asked) {
  if (!asked || !has_dtype_of_data(operand)) return tensor;
  Tensor viewed = viewed_as_asked(tensor, *asked);
  if (operand.role == OperandRole::data || is_made(job.operation->base))
    require_dtype(viewed, *asked, job.name_prefix + "dtype");
  return viewed;
}

// `opened`: what was opened before, data first.
Tensor as_asked(const Job& job, const OperandInfo& operand, Tensor tensor,
                std::optional<DType> asked, const Arguments& opened) {
  Tensor read = read_as_asked(job, operand, std::move(tensor), asked);
  const Tensor* const data = opened.find("data");
  const bool is_cast = operand.role == OperandRole::updates && data != nullptr;
  return is_cast ? cast_as_allowed(job, read, data->type()) : read;
}

// `in_place`: data, if it is changed in place.
Arguments open_operands(const Job& job, std::optional<DType> asked, const InPlaceFile* in_place) {
  OperandOpener opener(job.base);
  Arguments arguments{.operands = {}, .attributes = job.attributes};
  const auto operands = operands_with_dims(job);
  for (const OperandInfo* operand : operands_data_first(*job.operation)) {
    const auto word = operands.find(operand->name);
    if (word == operands.end()) continue;
    OperandOpener::Wanted wanted = wanted_of(job, operand->word(), operand->role, word->second);
    wanted.dtype = default_dtype(*job.operation, operand->role, asked, arguments);
    const bool is_output = in_place != nullptr && operand->role == OperandRole::data;
    wanted.is_cast = operand->role == OperandRole::updates && job.cast == CastPolicy::unsafe;
    Tensor tensor = is_output ? in_place->data() : opener.open(word->second, wanted);
    if (!is_output) require_other_file(job, in_place, tensor, wanted.name);
    arguments.operands.emplace(operand->name,
                               as_asked(job, *operand, std::move(tensor), asked, arguments));
  }
  open_index(job, opener, arguments, [&](const Tensor& operand, const std::string& name) {
    require_other_file(job, in_place, operand, name);
  });
  return is_made(job.operation->base)
             ? with_base(*job.operation, std::move(arguments), worker_count(job.threads))
             : arguments;
}

// Reads the members of one job object; keys that nobody reads are refused.
class JobReader {
 public:
  JobReader(const json& object, std::string name, std::span<const std::string_view> other_keys)
      : object_{object}, name_{std::move(name)}, other_keys_{other_keys} {}

  Job read() {
    Job job;
    read_operation(job);
    for (const auto& [key, value] : object_.items()) read_member(job, key, value);
    if (job.operation->form == Form::index && job.index.empty())
      take_index_of_data(job, where("data"));
    return job;
  }

 private:
  std::string where(std::string_view key) const { return fmt::format("{}: {}", name_, key); }

  // An operation, or a word for one.
  void read_operation(Job& job) const {
    const auto op = object_.find("op");
    // job.j3
    if (op == object_.end())
      fail(ErrorKind::usage, "job.j3", name_, "the key op, the name of an operation, is missing");
    // job.j3
    if (!op->is_string()) {
      fail(ErrorKind::usage, "job.j3", name_, "op must be the name of an operation, got {}",
           json_text(*op));
    }
    const auto wanted = op->get<std::string>();
    const Operation* verb = operation_of_verb(wanted);
    if (verb != nullptr) job.cast = cast_of_verbs;
    job.operation = verb != nullptr ? verb : find_operation(wanted);
    if (job.operation == nullptr) {
      std::vector<std::string> verbs;
      for (const IndexVerb& each : index_verbs()) verbs.emplace_back(each.word);
      // job.j3
      fail(ErrorKind::usage, "job.j3", name_, "op must be an operation{}, got {}",
           wanted == "get" ? R"( (what it reads is an "actual": "a.npy[1]"))"
                           : unknown_operation_hint(wanted, verbs, "see tscatter ops"),
           wanted);
    }
  }

  void read_member(Job& job, const std::string& key, const json& value) const {
    const Operation& operation = *job.operation;
    if (key == "op") return;
    if (const OperandInfo* operand = find_named(operation.operands, key)) {
      if (operand->role == OperandRole::index) return read_index(job, value, where(key));
      read_operand_into(job, *operand, key, value);
    } else if (const AttributeInfo* info = find_named(operation.attributes, key)) {
      if (!job.attributes.emplace(info->name, attribute(operation, *info, value)).second)
        refuse_second(*info, key);
    } else if (const PolicyInfo* policy = find_policy_key(operation, key)) {
      read_policy(job, *policy, value, where(key));
    } else if (key == "dims" && takes_dims(operation)) {
      set_dims(job, read_string(value, where(key)), where(key));
    } else if (const JobKey* known = find_job_key(key)) {
      known->read(job, value, where(key));
    } else {
      refuse_key(operation, key);
    }
  }

  template <class Info>
  static const Info* find_named(std::span<const Info> all, std::string_view key) {
    const auto found =
        std::ranges::find_if(all, [&](const Info& each) { return each.has_name(key); });
    return found == all.end() ? nullptr : &*found;
  }

  // Of an operand or attribute that the job has under another name.
  template <class Info>
  [[noreturn]] void refuse_second(const Info& info, std::string_view key) const {
    std::vector<std::string_view> names = other_names(info);
    names.push_back(info.word());
    const auto other = std::ranges::find_if(names, [&](std::string_view each) {
      return each != key && object_.contains(std::string(each));
    });
    const bool is_first = key == info.name;
    // job.j1
    fail(ErrorKind::usage, "job.j1", name_, "{} and {} are the same key: leave out one of them",
         is_first ? key : *other, is_first ? *other : key);
  }

  void read_operand_into(Job& job, const OperandInfo& operand, const std::string& key,
                         const json& value) const {
    const bool is_new = job.operands.emplace(operand.name, read_operand(value, where(key))).second;
    if (!is_new) refuse_second(operand, key);
  }

  // A text, or a list of items.
  static void read_index(Job& job, const json& value, const std::string& where) {
    if (value.is_string()) return add_index(job, value.get<std::string>(), WordForm::path, where);
    std::string text = source_text(value);
    if (value.is_number()) text = "[" + text + "]";
    const bool is_whole =
        text.starts_with('[') && text.find_first_not_of(" \t\n[") + 1 == text.size();
    if (is_whole) text = "[...]";  // a[()]
    const auto list = split_index("index" + text);
    // job.j4
    if (!list) {
      fail(ErrorKind::usage, "job.j4", where, "must be a text of items, or a list of them, got {}",
           json_text(value));
    }
    for (const std::string& each : list->items) {
      const std::string_view item = trimmed(each);
      const bool is_text = item.starts_with('"');
      const bool is_null = item == "null";
      const std::string word = is_text   ? json::parse(item).get<std::string>()
                               : is_null ? "None"
                                         : std::string(item);
      add_index_item(
          job, parse_index_word(word, job.base, is_text ? WordForm::path : WordForm::word, where));
    }
  }

  static const PolicyInfo* find_policy_key(const Operation& operation, std::string_view key) {
    for (const PolicyInfo* each : policies_of(operation)) {
      const auto names = names_of(*each, each->key, operation);
      if (std::ranges::count(names, key) > 0) return each;
    }
    return nullptr;
  }

  [[noreturn]] void refuse_key(const Operation& operation, const std::string& key) const {
    std::vector<std::string> known{"op"};
    for (const JobKey& each : job_keys()) known.emplace_back(each.name);
    known.insert(known.end(), other_keys_.begin(), other_keys_.end());
    for (const OperandInfo& operand : operation.operands) known.emplace_back(operand.word());
    for (const AttributeInfo& attribute : operation.attributes)
      known.emplace_back(attribute.word());
    if (takes_dims(operation)) known.emplace_back("dims");
    for (const PolicyInfo* policy : policies_of(operation))
      known.emplace_back(names_of(*policy, policy->key, operation).front());
    // job.j2
    fail(ErrorKind::usage, "job.j2", name_, "{0} has no key {2}{1}", operation.name,
         key_hint(operation, key, known), key);
  }

  static std::string key_hint(const Operation& operation, const std::string& key,
                              const std::vector<std::string>& known) {
    if (std::string hint = nearest_hint(key, known); !hint.empty()) return hint;
    if (std::string hint = other_operation_hint(operation, key); !hint.empty()) return hint;
    return fmt::format(" (see tscatter ops {})", operation.name);
  }

  static std::string value_hint(const Operation& operation, const AttributeInfo& info,
                                const std::string& word) {
    const bool is_reduction = info.type() == AttributeType::reduction;
    return is_reduction ? reduction_hint(operation, word) : nearest_hint(word, words_of(info));
  }

  AttributeValue attribute(const Operation& operation, const AttributeInfo& info,
                           const json& value) const {
    if (const auto read = read_attribute(info, value)) return *read;
    const bool is_word = !info.choices.empty();
    const std::string key = where(info.word());
    const std::string text = is_word ? read_string(value, key) : json_text(value);
    // job.j5
    fail(ErrorKind::usage, "job.j5", key, "must be {}{}, got {}", expectation(info),
         is_word ? value_hint(operation, info, text) : std::string(), text);
  }

  const json& object_;
  std::string name_;
  std::span<const std::string_view> other_keys_;
};

}  // namespace

std::string Job::name_of(std::string_view operand) const {
  const auto word = operands.find(operand);
  const OperandWord& given = word == operands.end() ? OperandWord{} : word->second;
  return wanted_of(*this, operand, OperandRole::data, given).name;
}

OutputWanted output_wanted(const Job& job) {
  const bool has_flags = !job.name_prefix.empty();
  return {.word = job.output,
          .memory = job.memory,
          .name = job.name_prefix + "output",
          .base = job.base,
          .format = job.format,
          .replacing = job.replacing,
          .options = has_flags ? OptionWords() : words_of_keys,
          .compression = job.compression,
          .durability = job.durability};
}

Arguments open_arguments(const Job& job) {
  check_words(job);
  return open_operands(job, job.dtype, nullptr);
}

OpenedJob open_job(const Job& job, const InPlaceOptions& options) {
  check_words(job);
  std::unique_ptr<InPlaceFile> in_place;
  if (job.placement == Placement::in_place) in_place = open_data_in_place(job, job.dtype, options);
  Arguments arguments = open_operands(job, job.dtype, in_place.get());
  return {.in_place = std::move(in_place), .arguments = std::move(arguments)};
}

Job parse_job(const std::string& text, const std::string& name) {
  return read_job(parse_job_object(text, name), name);
}

Job read_job(const json& object, const std::string& name,
             std::span<const std::string_view> other_keys) {
  return JobReader(object, name, other_keys).read();
}

OperandWord read_operand(const json& value, const std::string& where) {
  if (value.is_string()) return {.text = read_path(value, where), .form = WordForm::path};
  if (const auto raw = raw_operand(source_text(value), where)) return *raw;
  // job.j4
  if (value.is_null()) {
    fail(ErrorKind::usage, "job.j4", where,
         "must be a path, a number, true, false, a list or an object, got null");
  }
  return {.text = source_text(value), .form = WordForm::json};
}

}  // namespace tscatter::app
