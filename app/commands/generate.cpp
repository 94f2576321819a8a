#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/targets.hpp"
#include "commands/commands.hpp"
#include "commands/operation_flags.hpp"
#include "diff/witness.hpp"
#include "jobs/console.hpp"
#include "jobs/written_file.hpp"
#include "process/host.hpp"
#include "process/log.hpp"
#include "text/figure.hpp"
#include "text/number_text.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/generate/generator.hpp"
#include "tscatter/generate/large_calls.hpp"
#include "tscatter/generate/suite.hpp"

namespace tscatter::app {
namespace {

using generate::CaseGenerator;
using generate::GeneratedCase;
using generate::GenerateOptions;
using generate::Suite;

struct GenerateFlags {
  GenerateOptions options;
  std::optional<std::string> output;  // the directory
  bool lists = false;
  bool is_witness_set = false;
  bool is_large_set = false;
  std::shared_ptr<Operation> own{};  // the operation with other policies
};

// Prints the names of the cases, one per line.
void list_generated(const Suite& suite) {
  Console console;
  for (std::int64_t i = 0; i < suite.size; ++i) console.print(suite.at(i).name + "\n");
  console.flush();
}

void write_generated(const Suite& suite, const std::filesystem::path& directory,
                     ShowProgress show) {
  const InterruptScope scope;
  std::atomic<std::int64_t> written = 0;
  const auto line = [&] { return part_of(written.load(), suite.size).text + " cases written"; };
  Console console(show, line);
  write_suite(suite, directory,
              {.stop = InterruptScope::stop(), .written = [&](std::int64_t n) { written = n; }});
  log_info("{} in {}", several(written.load(), "case"), directory.native());
}

bool has_choices(const GenerateOptions& options) {
  const GenerateOptions plain{.operation = options.operation, .layout = options.layout};
  return options.count != plain.count ||
         CaseGenerator(options).command() != CaseGenerator(plain).command();
}

// The witness set is what it is: it has no random choices.
void require_no_choices(const GenerateOptions& options) {
  // cli.c71
  if (has_choices(options)) {
    fail(ErrorKind::usage, "cli.c71", "--witness",
         "must be given without flags that choose random cases, got {} --count {}",
         CaseGenerator(options).command(), options.count);
  }
}

// So is the large one; and a TensorProto has at most 2 GiB, a module all bytes as text.
void require_alone(const GenerateFlags& flags) {
  // cli.c72
  if (flags.is_witness_set || flags.options.layout != generate::Layout::npy ||
      has_choices(flags.options)) {
    fail(ErrorKind::usage, "cli.c72", "--large",
         "must be given without --witness, --layout onnx or mlir, and flags that choose random "
         "cases, got "
         "{} --count {}{}",
         CaseGenerator(flags.options).command(), flags.options.count,
         flags.is_witness_set ? " --witness" : "");
  }
}

// `flag` is the one that asks for the set.
Suite suite_of_set(const GenerateOptions& options, std::string_view flag,
                   std::vector<GeneratedCase> set) {
  auto cases = std::make_shared<std::vector<GeneratedCase>>(std::move(set));
  const auto count = static_cast<std::int64_t>(cases->size());
  std::string command = CaseGenerator(options).command();
  constexpr std::string_view seed = " --seed 0";
  command.replace(command.find(seed), seed.size(), fmt::format(" {}", flag));
  return {.command = std::move(command),
          .count = count,
          .size = count,
          .layout = options.layout,
          .at = [cases](std::int64_t index) { return (*cases)[static_cast<std::size_t>(index)]; }};
}

Suite witness_suite(const GenerateOptions& options) {
  require_no_choices(options);
  std::vector<GeneratedCase> cases = witness_set(*options.operation);
  if (options.layout != generate::Layout::npy)
    std::erase_if(cases, [](const GeneratedCase& each) { return !each.expected_error.empty(); });
  return suite_of_set(options, "--witness", std::move(cases));
}

Suite large_suite(const GenerateFlags& flags) {
  require_alone(flags);
  const Operation& operation = *flags.options.operation;
  std::vector<GeneratedCase> cases = generate::large_set(operation);
  // cli.c73
  if (cases.empty()) {
    fail(ErrorKind::usage, "cli.c73", "--large",
         "is for operations that change zeros and whose operands may be sparse files, got {}",
         operation.name);
  }
  return suite_of_set(flags.options, "--large", std::move(cases));
}

Suite wanted_suite(const GenerateFlags& flags) {
  if (flags.is_large_set) return large_suite(flags);
  if (flags.is_witness_set) return witness_suite(flags.options);
  return suite_of(CaseGenerator(flags.options));
}

int generate_cases(const GenerateFlags& flags, const Messages& messages) {
  const Suite suite = wanted_suite(flags);
  if (flags.lists) {
    list_generated(suite);
    return 0;
  }
  // cli.c3
  if (!flags.output)
    fail(ErrorKind::usage, "cli.c3", "generate", "--output is missing: --output FOLDER, or --list");
  require_folder_name("--output", *flags.output);
  write_generated(suite, *flags.output,
                  messages.is_quiet ? ShowProgress::no : ShowProgress::on_terminals);
  return 0;
}

std::uint64_t parse_seed(const std::string& text, const std::string& where) {
  const auto seed = number_in<std::uint64_t>(text);
  // cli.c70
  if (!seed) {
    fail(ErrorKind::usage, "cli.c70", where, "must be an integer from 0 to 2^64 - 1, got {}", text);
  }
  return *seed;
}

Flag reduction_flag(GenerateOptions& options, const AttributeInfo& attribute) {
  Target into =
      appended(options.reductions, [&attribute](const std::string& name, const std::string&) {
        return std::get<Reduction>(*parse_attribute(attribute, name));
      });
  into.choices = words_of(attribute);
  into.is_alias = [&attribute](const std::string& text) {
    return parse_attribute(attribute, text).has_value();
  };
  into.hint = value_hint(*options.operation, attribute);
  Flag flag = value_flag(flag_name(attribute), "NAME", "may be given several times (default: all)",
                         std::move(into));
  return repeatable(with_letter(attribute.flag, std::move(flag)));
}

std::vector<Flag> kind_flags(GenerateOptions& options) {
  constexpr int most_cases = 100000;
  std::vector<Flag> flags = in_group(
      "Cases", {value_flag("count", "N", "how many cases (default 100)",
                           integer(options.count, 1, most_cases)),
                value_flag("seed", "S", "the same seed gives the same bytes (default 0)",
                           parsed(options.seed, parse_seed)),
                repeatable(value_flag(
                    "dtype", "DTYPE",
                    "of data; may be given several times (default: all that the operation takes)",
                    appended(options.dtypes, parse_dtype_flag)))});
  for (const AttributeInfo& attribute : options.operation->attributes) {
    if (attribute.type() == AttributeType::reduction)
      flags.push_back(in_group("Cases", reduction_flag(options, attribute)));
  }
  return flags;
}

std::vector<Flag> value_flags(GenerateOptions& options) {
  using generate::Duplicates;
  using generate::ValueSet;
  constexpr int most_axes = 6;
  constexpr int least_elements = 64;
  constexpr int most_elements = 16777216;
  return in_group(
      "Cases",
      {value_flag("duplicates", "KIND", "none, some or heavy (default: all)",
                  one_of(options.duplicates, choices_of<Duplicates>(generate::duplicates_names))),
       value_flag("values", "SET",
                  "exact, rounding, swamp, special or full (default: all that fit the dtype)",
                  one_of(options.set, choices_of<ValueSet>(generate::value_set_names))),
       value_flag("max-rank", "R", "of data (default 6)", integer(options.max_rank, 1, most_axes)),
       value_flag("max-elements", "N", "of a tensor (default 4096, and 65536 with --values full)",
                  integer(options.max_elements, least_elements, most_elements)),
       switch_flag("errors", "add as many cases that break one rule each",
                   set_to(options.broken, generate::Broken::added))});
}

std::vector<Flag> index_flags(GenerateOptions& options) {
  constexpr int most_coordinates = 6;
  return in_group(
      "Cases",
      {value_flag("depth", "K", "only index entries of K coordinates, 0 to 6 (form nd)",
                  integer(options.depth, 0, most_coordinates)),
       repeatable(value_flag("index-dtype", "DTYPE",
                             "of all index tensors, of 32 or 64 bits; may be given several times "
                             "(default: all that the operation takes)",
                             appended(options.index_dtypes, parse_dtype_flag))),
       switch_flag("plain", "the index entries are one list, none is negative or out of range",
                   set_to(options.entries, generate::IndexEntries::plain))});
}

std::vector<Flag> set_flags(GenerateFlags& flags) {
  return in_group("Cases",
                  {switch_flag("witness",
                               "the operation's witness set instead: small cases that operations "
                               "and runtimes answer differently",
                               turn_on(flags.is_witness_set)),
                   switch_flag("large",
                               "the operation's large set instead: data of more than 2^31 "
                               "elements, as sparse files",
                               turn_on(flags.is_large_set))});
}

std::vector<Flag> output_flags(GenerateFlags& flags) {
  Flag output = with_letter(
      'o', value_flag("output", "DIR", "the directory that takes the cases", text(flags.output)));
  output.never_with = "list";
  return in_group(
      "Output",
      {std::move(output),
       value_flag(
           "layout", "LAYOUT",
           "npy: .npy files and cases.jsonl (default); onnx: node tests of ONNX, a folder each; "
           "mlir: modules of StableHLO, a file each",
           one_of(flags.options.layout, choices_of<generate::Layout>(generate::layout_names))),
       switch_flag("list", "print the names of the cases, write none", turn_on(flags.lists))});
}

// They make the operation a row of its own.
std::vector<Flag> own_policy_flags(GenerateFlags& flags) {
  return policy_flags(*flags.options.operation, PolicyNames::flags,
                      [&flags](const PolicyInfo& policy, const std::string& word) {
                        if (!flags.own)
                          flags.own = std::make_shared<Operation>(*flags.options.operation);
                        override_policy(*flags.own, policy, word);
                        flags.options.operation = flags.own.get();
                      });
}

Invocation bind_generate(const Operation* operation) {
  const auto flags = std::make_shared<GenerateFlags>();
  GenerateOptions& options = flags->options;
  options.operation = operation;
  return {.flags = joined(kind_flags(options), value_flags(options), index_flags(options),
                          set_flags(*flags), output_flags(*flags), own_policy_flags(*flags)),
          .run = [flags](const Messages& messages) { return generate_cases(*flags, messages); }};
}

}  // namespace

Command generate_command() {
  return {
      .name = "generate",
      .summary = "random cases with golden results, for testing a runtime",
      .examples = {"tscatter generate ScatterNDUpdate-15 --count 200 --seed 7 -o cases/",
                   "tscatter generate ScatterNDUpdate-15 --dtype f16 -r sum --values swamp -o f16/",
                   "tscatter generate torch.index_add --plain --index-dtype int64 -o vectors/",
                   "tscatter generate onnx.ScatterND-18 --layout onnx -o node/",
                   "tscatter generate stablehlo.scatter --layout mlir -o modules/",
                   "tscatter generate onnx.ScatterND-18 --witness -o witness/",
                   "tscatter generate onnx.ScatterND-18 --large -o large/",
                   "tscatter generate SliceScatter-15 --errors --list"},
      .bind = bind_generate,
      .progress_by = ProgressBy::command,
      .takes_operation = true};
}

}  // namespace tscatter::app
