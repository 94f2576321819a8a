// Job: one operation with its operands, attributes and output, as the command line or a JSON object
// describes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/index_items.hpp"
#include "jobs/operand.hpp"
#include "jobs/result.hpp"
#include "tscatter/apply/apply.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/journal/in_place_file.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/views/cast.hpp"

namespace tscatter::app {

struct Job {
  const Operation* operation = nullptr;    // with the job's own policies
  std::shared_ptr<const Operation> own{};  // the job's own row, if it overrides policies
  // Also those that items of the index name, by operand_of_item().
  std::map<std::string, OperandWord, std::less<>> operands;
  std::vector<IndexWord> index{};  // of an operation that has one
  // Dimension numbers that were given as one text, by the names of their operands.
  std::optional<std::map<std::string, std::string, std::less<>>> dims{};
  Attributes attributes;
  std::optional<std::string> output;   // nullopt: printed
  std::optional<ArrayPlace> memory{};  // takes the result in the place of an output
  const Format* format = nullptr;      // of the output; nullptr: by its name
  Replacing replacing = Replacing::same_kind;
  Compression compression = Compression::stored;
  std::optional<DType> dtype;        // of data without a dtype
  CastPolicy cast = CastPolicy::no;  // of updates to data's dtype
  Missing missing = Missing::refused;
  bool has_table_beside = false;  // a table of numbers is compared with the result
  int threads = 0;
  std::optional<std::int64_t> memory_limit{};  // of a run, in bytes
  Durability durability = Durability::kill;
  Placement placement = Placement::copy;
  Journaling journaling = Journaling::done;
  std::filesystem::path base;  // relative paths are relative to it
  bool is_from_stdin = false;  // then no operand may be stdin
  std::string name_prefix;     // "--" before a flag's name; nothing before a key's

  // What messages call an operand: the flag, argument or key that it was given to.
  std::string name_of(std::string_view operand) const;
};

// Where a job's result goes.
OutputWanted output_wanted(const Job& job);

// Opens the operands for reading, and gives untyped ones their dtypes. Throws Error.
Arguments open_arguments(const Job& job);

// A job's opened operands.
struct OpenedJob {
  std::unique_ptr<InPlaceFile> in_place;  // the output, if data is changed in place
  Arguments arguments;
};

// The same. If the job is in place, opens data to change it: the job decides about durability,
// journal and waiting, `options` about the rest. Throws Error.
OpenedJob open_job(const Job& job, const InPlaceOptions& options = {});

// Reads a job's JSON text. `name` is used in messages: its file. Throws Error (usage, job.j1 to
// job.j5, job.j12).
Job parse_job(const std::string& text, const std::string& name);

// The second step of parse_job (the first is parse_job_object), for callers whose objects have
// further keys, which they remove between the steps. `other_keys` are offered if a key is mistyped.
Job read_job(const nlohmann::json& object, const std::string& name,
             std::span<const std::string_view> other_keys = {});

// A key's value as a tensor. `where` is used in messages.
OperandWord read_operand(const nlohmann::json& value, const std::string& where);

// The JSON Schema of a job, and of the lines of a batch. For every operation of the registry.
std::string job_schema();

}  // namespace tscatter::app
