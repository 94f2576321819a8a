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
#include "process/log.hpp"
#include "process/signals.hpp"
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

std::vector<Flag> number_flags(GenerateOptions& options) {
  constexpr int most_cases = 100000;
  return {{.name = "count",
           .group = "Cases",
           .value = "N",
           .help = "how many cases (default 100)",
           .into = integer(options.count, 1, most_cases)},
          {.name = "seed",
           .group = "Cases",
           .value = "S",
           .help = "the same seed gives the same bytes (default 0)",
           .into = parsed(options.seed, parse_seed)}};
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
  return {.name = flag_name(attribute),
          .letter = attribute.flag,
          .group = "Cases",
          .value = "NAME",
          .help = "may be given several times (default: all)",
          .into = std::move(into),
          .occurrence = Occurrence::repeated};
}

std::vector<Flag> kind_flags(GenerateOptions& options) {
  std::vector<Flag> flags{
      {.name = "dtype",
       .group = "Cases",
       .value = "DTYPE",
       .help = "of data; may be given several times (default: all that the operation takes)",
       .into = appended(options.dtypes, parse_dtype_flag),
       .occurrence = Occurrence::repeated}};
  for (const AttributeInfo& attribute : options.operation->attributes) {
    if (attribute.type() == AttributeType::reduction)
      flags.push_back(reduction_flag(options, attribute));
  }
  return flags;
}

std::vector<Flag> value_flags(GenerateOptions& options) {
  using generate::Duplicates;
  using generate::ValueSet;
  return {{.name = "duplicates",
           .group = "Cases",
           .value = "KIND",
           .help = "none, some or heavy (default: all)",
           .into = one_of(options.duplicates, choices_of<Duplicates>(generate::duplicates_names))},
          {.name = "values",
           .group = "Cases",
           .value = "SET",
           .help = "exact, rounding, swamp, special or full (default: all that fit the dtype)",
           .into = one_of(options.set, choices_of<ValueSet>(generate::value_set_names))}};
}

std::vector<Flag> index_flags(GenerateOptions& options) {
  constexpr int most_coordinates = 6;
  return {
      {.name = "depth",
       .group = "Cases",
       .value = "K",
       .help = "only index entries of K coordinates, 0 to 6 (form nd)",
       .into = integer(options.depth, 0, most_coordinates)},
      {.name = "index-dtype",
       .group = "Cases",
       .value = "DTYPE",
       .help = "of all index tensors, of 32 or 64 bits; may be given several times (default: all "
               "that the operation takes)",
       .into = appended(options.index_dtypes, parse_dtype_flag),
       .occurrence = Occurrence::repeated},
      {.name = "plain",
       .group = "Cases",
       .help = "the index entries are one list, none is negative or out of range",
       .into = set_to(options.entries, generate::IndexEntries::plain)}};
}

std::vector<Flag> limit_flags(GenerateOptions& options) {
  constexpr int most_axes = 6;
  constexpr int least_elements = 64;
  constexpr int most_elements = 16777216;
  return {{.name = "max-rank",
           .group = "Cases",
           .value = "R",
           .help = "of data (default 6)",
           .into = integer(options.max_rank, 1, most_axes)},
          {.name = "max-elements",
           .group = "Cases",
           .value = "N",
           .help = "of a tensor (default 4096, and 65536 with --values full)",
           .into = integer(options.max_elements, least_elements, most_elements)},
          {.name = "errors",
           .group = "Cases",
           .help = "add as many cases that break one rule each",
           .into = set_to(options.broken, generate::Broken::added)}};
}

Flag witness_flag(GenerateFlags& flags) {
  return {.name = "witness",
          .group = "Cases",
          .help =
              "the operation's witness set instead: small cases that operations and runtimes "
              "answer differently",
          .into = turn_on(flags.is_witness_set)};
}

Flag large_flag(GenerateFlags& flags) {
  return {
      .name = "large",
      .group = "Cases",
      .help = "the operation's large set instead: data of more than 2^31 elements, as sparse files",
      .into = turn_on(flags.is_large_set)};
}

std::vector<Flag> output_flags(GenerateFlags& flags) {
  return {
      {.name = "output",
       .letter = 'o',
       .group = "Output",
       .value = "DIR",
       .help = "the directory that takes the cases",
       .into = text(flags.output),
       .never_with = "list"},
      {.name = "layout",
       .group = "Output",
       .value = "LAYOUT",
       .help = "npy: .npy files and cases.jsonl (default); onnx: node tests of ONNX, a folder "
               "each; mlir: modules of StableHLO, a file each",
       .into = one_of(flags.options.layout, choices_of<generate::Layout>(generate::layout_names))},
      {.name = "list",
       .group = "Output",
       .help = "print the names of the cases, write none",
       .into = turn_on(flags.lists)}};
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
  std::vector<Flag> cases = joined(joined(number_flags(options), kind_flags(options)),
                                   joined(value_flags(options), limit_flags(options)));
  cases = joined(std::move(cases), index_flags(options));
  cases.push_back(witness_flag(*flags));
  cases.push_back(large_flag(*flags));
  return {.flags = joined(std::move(cases), joined(output_flags(*flags), own_policy_flags(*flags))),
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
