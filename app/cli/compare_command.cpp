#include "cli/commands.hpp"
#include "commands/compare.hpp"
#include "separate_files.hpp"

namespace tscatter::app {
namespace {

void add_tolerance(Words& words, CLI::App& command) {
  const std::string group = "Tolerance (without one: exact, bit for bit)";
  command.add_option("--rtol", words.rtol, "allow |actual - expected| <= atol + rtol * |expected|")
      ->type_name("R")
      ->group(group);
  command.add_option("--atol", words.atol, "see --rtol; each is 0 where only the other is given")
      ->type_name("A")
      ->group(group);
  command.add_option("--max-ulp", words.max_ulp, "allow U representable values between the two")
      ->type_name("U")
      ->group(group);
  command.add_flag("--equal-nan", words.is_equal_nan, "any NaN equals any NaN")->group(group);
}

void add_census(Words& words, CLI::App& command) {
  command.add_option("--worst", words.worst, "list the N worst elements (default 5)")
      ->type_name("N")
      ->group("Output");
  command.add_option("--heatmap", words.heatmap, "write a picture of the differences, a PNG, too")
      ->type_name("PATH")
      ->group("Output");
  command.add_flag("--json", words.wants_json, "the census as one JSON object")->group("Output");
}

Tolerance tolerance(const Words& words) {
  Tolerance tolerance{.equal_nan = words.is_equal_nan};
  if (!words.rtol.empty()) tolerance.rtol = parse_bound(words.rtol, "--rtol");
  if (!words.atol.empty()) tolerance.atol = parse_bound(words.atol, "--atol");
  if (!words.max_ulp.empty()) tolerance.max_ulp = parse_ulp(words.max_ulp, "--max-ulp");
  return tolerance;
}

int compare_operands(const CommandTree& tree, const CLI::App& command, const Words& words) {
  const std::string actual = tree.argument(command, 0);
  const std::string expected = tree.argument(command, 1);
  CompareOptions options{.tolerance = tolerance(words), .threads = words.thread_count()};
  if (!words.worst.empty()) options.worst = parse_worst(words.worst, "--worst");
  const CompareFlags flags{.dtype = given(words.dtype),
                           .heatmap = given(words.heatmap),
                           .form = words.wants_json ? CensusForm::json : CensusForm::words};
  if (flags.heatmap) {
    require_separate({{"--heatmap", *flags.heatmap}}, {{"ACTUAL", actual}, {"EXPECTED", expected}});
  }
  constexpr int difference_found = 1;
  return compare_tensors(actual, expected, options, flags) ? 0 : difference_found;
}

}  // namespace

void add_compare(CommandTree& tree) {
  CLI::App& command =
      tree.add_command("compare", "the differences between two tensors",
                       "tscatter compare out.npy golden.npy\n"
                       "tscatter compare out.npy golden.npy --rtol 1e-3 --atol 1e-6\n"
                       "tscatter compare out.npy '[1, 2, 3]' --max-ulp 2 --equal-nan\n"
                       "tscatter compare out.npy golden.npy --json --heatmap differences.png");
  Words& words = tree.words();
  tree.add_argument(command, "ACTUAL", "a file, -, inline JSON or a typed literal");
  tree.add_argument(command, "EXPECTED", "the same; what ACTUAL should be");
  tree.add_dtype(command);
  add_tolerance(words, command);
  add_census(words, command);
  tree.add_threads(command);
  tree.set_action(command, [&] { return compare_operands(tree, command, words); });
}

}  // namespace tscatter::app
