#include <charconv>

#include "cli/commands.hpp"
#include "commands/generate.hpp"
#include "operand.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

using generate::GenerateOptions;

constexpr int most_cases = 100000;
constexpr int most_elements = 16777216;

template <class Names>
std::vector<std::string> words_of(const Names& names) {
  return {names.begin(), names.end()};
}

// REQUIRES: `word` is one of them.
template <class Enum, class Names>
Enum chosen(const Names& names, const std::string& word) {
  return static_cast<Enum>(std::ranges::find(names, word) - names.begin());
}

void add_kinds(CommandTree& tree, CLI::App& command, const Operation& operation) {
  const std::string group = "Cases";
  GenerateWords& words = tree.words().generate;
  command
      .add_option("--dtype", words.dtypes,
                  "of data; may be given several times (default: all that the operation takes)")
      ->type_name("DTYPE")
      ->allow_extra_args(false)
      ->group(group);
  for (const AttributeInfo& attribute : operation.attributes) {
    if (attribute.type() != AttributeType::reduction) continue;
    CLI::Option* option = command
                              .add_option(fmt::format("-{},--{}", attribute.flag, attribute.name),
                                          words.reductions, "the same (default: all)")
                              ->type_name("NAME")
                              ->allow_extra_args(false)
                              ->group(group);
    tree.choose(option, tscatter::words_of(attribute));
  }
}

void add_limits(CommandTree& tree, CLI::App& command) {
  const std::string group = "Cases";
  GenerateWords& words = tree.words().generate;
  CLI::Option* duplicates =
      command.add_option("--duplicates", words.duplicates, "none, some or heavy (default: all)")
          ->type_name("KIND")
          ->group(group);
  tree.choose(duplicates, words_of(generate::duplicates_names));
  CLI::Option* values =
      command
          .add_option("--values", words.values,
                      "exact, rounding, swamp, special or full (default: all that fit the dtype)")
          ->type_name("SET")
          ->group(group);
  tree.choose(values, words_of(generate::value_set_names));
  command.add_option("--max-rank", words.max_rank, "of data (default 6)")
      ->type_name("R")
      ->group(group);
  command
      .add_option("--max-elements", words.max_elements,
                  "of a tensor (default 4096, and 65536 with --values full)")
      ->type_name("N")
      ->group(group);
  command
      .add_flag("--errors", words.adds_errors, "as many cases again, each of which breaks one rule")
      ->group(group);
}

void add_flags(CommandTree& tree, CLI::App& command, const Operation& operation) {
  GenerateWords& words = tree.words().generate;
  command.add_option("--count", words.count, "how many cases (default 100)")
      ->type_name("N")
      ->group("Cases");
  command.add_option("--seed", words.seed, "the same seed gives the same bytes (default 0)")
      ->type_name("S")
      ->group("Cases");
  add_kinds(tree, command, operation);
  add_limits(tree, command);
  command.add_option("-o,--output", tree.words().output, "the directory that takes the cases")
      ->type_name("DIR")
      ->group("Output");
  command.add_flag("--list", tree.words().lists, "print the names of the cases, write none")
      ->group("Output");
}

std::uint64_t parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, seed);
  // cli.c70
  if (result.ec != std::errc{} || result.ptr != end) {
    fail(ErrorKind::usage, "cli.c70", "--seed", "must be an integer from 0 to 2^64 - 1, got {}",
         text);
  }
  return seed;
}

GenerateOptions options_of(const GenerateWords& words, const Operation& operation) {
  GenerateOptions options{.operation = &operation};
  if (!words.seed.empty()) options.seed = parse_seed(words.seed);
  if (!words.count.empty()) options.count = whole_number(words.count, "--count", 1, most_cases);
  if (!words.max_rank.empty()) options.max_rank = whole_number(words.max_rank, "--max-rank", 1, 6);
  if (!words.max_elements.empty()) {
    options.max_elements = whole_number(words.max_elements, "--max-elements", 64, most_elements);
  }
  for (const std::string& dtype : words.dtypes) {
    options.dtypes.push_back(parse_dtype(dtype, "cli.c4", "--dtype"));
  }
  for (const std::string& reduction : words.reductions) {
    options.reductions.push_back(*reduction_from_name(reduction));
  }
  if (!words.duplicates.empty()) {
    options.duplicates = chosen<generate::Duplicates>(generate::duplicates_names, words.duplicates);
  }
  if (!words.values.empty())
    options.set = chosen<generate::ValueSet>(generate::value_set_names, words.values);
  if (words.adds_errors) options.broken = generate::Broken::added;
  return options;
}

int run_generate(const Words& words, const Operation& operation) {
  const generate::CaseGenerator generator(options_of(words.generate, operation));
  if (words.lists) {
    list_generated(generator);
    return 0;
  }
  // cli.c3
  if (words.output.empty()) {
    fail(ErrorKind::usage, "cli.c3", "generate", "--output must be given, or --list, got nothing");
  }
  write_generated(generator, words.output,
                  words.is_quiet ? ProgressLine::hidden : ProgressLine::on_terminals);
  return 0;
}

}  // namespace

void add_generate(CommandTree& tree) {
  tree.add_operation_command(
      "generate", "random cases with golden results, for testing a runtime",
      "tscatter generate ScatterNDUpdate-15 --count 200 --seed 7 -o cases/\n"
      "tscatter generate ScatterNDUpdate-15 --dtype f16 --reduction sum --values swamp -o cases/\n"
      "tscatter generate SliceScatter-15 --errors --list",
      [&tree](CLI::App& command, const Operation& operation) {
        add_flags(tree, command, operation);
        tree.set_action(command, [&] { return run_generate(tree.words(), operation); });
      });
}

}  // namespace tscatter::app
