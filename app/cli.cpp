#include "cli.hpp"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "commands/apply.hpp"
#include "commands/batch.hpp"
#include "commands/compare.hpp"
#include "commands/convert.hpp"
#include "commands/help.hpp"
#include "commands/ops.hpp"
#include "commands/run.hpp"
#include "commands/show.hpp"
#include "log.hpp"
#include "separate_files.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/ops/registry.hpp"
#include "word_check.hpp"

namespace tscatter::app {
namespace {

using Choices = std::vector<std::string>;

constexpr const char* in_help = "a file, x.npz:name, -, inline JSON or a typed literal";

// Everything that flags and arguments are read into. One command is run, so they share.
struct Words {
  std::map<std::string, std::string> operands;    // by the operand's name
  std::map<std::string, std::string> attributes;  // by the attribute's name
  std::string output;
  std::string format;
  std::string dtype;
  std::string threads;
  std::string color = "auto";
  std::string rule;
  std::string rtol;
  std::string atol;
  std::string max_ulp;
  std::string worst;
  std::string heatmap;
  std::string filter;
  std::string shard;
  std::string failed_dir;
  std::string junit;
  std::string html;
  std::string unreferenced;
  std::vector<std::string> arguments;
  int verbosity = 0;
  bool is_quiet = false;
  bool is_sync = false;
  bool is_in_place = false;
  bool is_dry_run = false;
  bool is_equal_nan = false;
  bool is_forced = false;
  bool fails_fast = false;
  bool lists = false;
  bool only_last_failed = false;
  bool resumes = false;
  bool updates_golden = false;
  bool wants_json = false;
  bool wants_header = false;
  bool wants_schema = false;
  bool wants_version = false;
};

// The tree of commands. What each command runs stands beside its flags.
class CommandTree {
 public:
  CommandTree() {
    root_.name("tscatter");
    root_.formatter(std::make_shared<HelpFormatter>());
    root_.set_help_flag("-h", "short help")->group("Help");
    root_.set_help_all_flag("--help", "help, with examples")->group("Help");
    root_.add_flag("--version", words_.wants_version, "version, compiler and libraries")
        ->group("Help");
    root_.fallthrough(false);
    add_common(root_);
    for (const Operation* operation : operations()) add_operation(*operation);
    add_run();
    add_batch();
    add_compare();
    add_show();
    add_convert();
    add_ops();
    add_help();
  }

  CLI::App& root() { return root_; }
  Words& words() { return words_; }

  std::vector<std::string> command_names() const {
    std::vector<std::string> names;
    for (const CLI::App* command : root_.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(command->get_name());
    }
    return names;
  }

  // The command that `word` means; nullptr when there is none.
  CLI::App* find(const std::string& word) {
    if (const Operation* operation = find_operation(word))
      return root_.get_subcommand(std::string(operation->name));
    for (const std::string& name : command_names()) {
      if (folded(name) == folded(word)) return root_.get_subcommand(name);
    }
    return nullptr;
  }

  CommandWords words_of(const CLI::App& command) {
    return {.app = command, .positionals = positionals_[&command], .choices = choices_};
  }

  // Returns the exit code.
  int run(const CLI::App* command) {
    actions_.at(command)();
    return exit_code_;
  }

 private:
  CLI::App* add_command(const std::string& name, const std::string& help,
                        const std::string& group) {
    CLI::App* command = root_.add_subcommand(name, help)->group(group);
    command->set_help_flag("-h", "short help")->group("Help");
    command->set_help_all_flag("--help", "help, with examples")->group("Help");
    add_common(*command);
    return command;
  }

  void add_common(CLI::App& command) {
    command.add_flag("-v,--verbose", words_.verbosity, "say on stderr what is done")
        ->group("Messages");
    command.add_flag("-q,--quiet", words_.is_quiet, "no progress line and no log")
        ->group("Messages");
    choose(command.add_option("--color", words_.color, "never, auto or always")->group("Messages"),
           {"never", "auto", "always"});
  }

  void choose(CLI::Option* option, Choices choices) {
    choices_.emplace(option, std::move(choices));
  }

  void add_operand(CLI::App& command, const OperandInfo& operand) {
    const std::string names = operand.flag == 0
                                  ? fmt::format("--{}", operand.name)
                                  : fmt::format("-{},--{}", operand.flag, operand.name);
    const std::string optional = operand.presence == Presence::optional ? " (optional)" : "";
    command
        .add_option(names, words_.operands[std::string(operand.name)],
                    std::string(operand.help) + optional)
        ->type_name(operand.role == OperandRole::list ? "LIST" : "TENSOR")
        ->group("Operands");
  }

  void add_attribute(CLI::App& command, const AttributeInfo& attribute) {
    const std::string names = attribute.flag == 0
                                  ? fmt::format("--{}", attribute.name)
                                  : fmt::format("-{},--{}", attribute.flag, attribute.name);
    const std::string help =
        fmt::format("{}: {} (default {})", attribute.help, fmt::join(attribute.choices, ", "),
                    attribute.default_value);
    CLI::Option* option =
        command.add_option(names, words_.attributes[std::string(attribute.name)], help)
            ->type_name("NAME")
            ->group("Operands");
    choose(option, Choices(attribute.choices.begin(), attribute.choices.end()));
  }

  void add_output(CLI::App& command) {
    choose(command
               .add_option("--format", words_.format,
                           "what -o - writes: npy (unless stdout is a terminal) or json")
               ->type_name("FORMAT")
               ->group("Output"),
           {"npy", "json"});
    command.add_flag("--sync", words_.is_sync, "survive a power cut, not only a kill")
        ->group("Output");
  }

  void add_dtype(CLI::App& command) {
    command
        .add_option(
            "--dtype", words_.dtype,
            "dtype of values that name none, and how to read 1- and 2-byte records (bfloat16)")
        ->type_name("DTYPE")
        ->group("Operands");
  }

  void add_threads(CLI::App& command) {
    command.add_option("-j,--threads", words_.threads, "workers (default, and 0: all cores)")
        ->type_name("N")
        ->group("Run");
  }

  void add_run_flags(CLI::App& command) {
    add_threads(command);
    command
        .add_flag("-n,--dry-run", words_.is_dry_run,
                  "check every rule, say what would be done, write nothing")
        ->group("Run");
    command
        .add_flag(
            "--json", words_.wants_json,
            "a report of the run as one JSON object on stdout (on stderr where stdout has the "
            "tensor)")
        ->group("Run");
  }

  void add_operation(const Operation& operation) {
    CLI::App* command =
        add_command(std::string(operation.name), std::string(operation.summary), "Operations");
    command->footer(std::string(fmt::format("{}", fmt::join(operation.examples, "\n"))));
    for (const OperandInfo& operand : operation.operands) add_operand(*command, operand);
    for (const AttributeInfo& attribute : operation.attributes) add_attribute(*command, attribute);
    add_dtype(*command);
    command
        ->add_option("-o,--output", words_.output,
                     "x.npy, x.npz:name, x.json or -; left out: printed")
        ->type_name("PATH")
        ->group("Output");
    command
        ->add_flag("--in-place", words_.is_in_place,
                   "change the data file itself, writing only what is touched")
        ->group("Output");
    add_output(*command);
    add_run_flags(*command);
    actions_[command] = [this, &operation, command] { apply_operation(operation, *command); };
  }

  void add_run() {
    CLI::App* command =
        add_command("run", "apply an operation that a JSON file describes", "Commands");
    command->footer("tscatter run job.json\ntscatter run --schema > job.schema.json");
    add_argument(*command, "JOB", "a JSON file, or - for stdin");
    command->add_flag("--schema", words_.wants_schema, "print the JSON Schema of a job")
        ->group("Output");
    choose(command
               ->add_option("--format", words_.format,
                            "what an output of - is: npy (unless stdout is a terminal) or json")
               ->type_name("FORMAT")
               ->group("Output"),
           {"npy", "json"});
    add_run_flags(*command);
    actions_[command] = [this, command] { run_job(*command); };
  }

  void add_batch() {
    CLI::App* command = add_command("batch", "many jobs, with golden comparison", "Commands");
    command->footer(
        "tscatter batch cases.jsonl\n"
        "tscatter batch cases.jsonl --junit report.xml --html report.html --unreferenced fail\n"
        "tscatter batch cases.jsonl --filter 'slice_*' --fail-fast\n"
        "tscatter batch cases.jsonl --last-failed\n"
        "tscatter batch cases.jsonl --update-golden");
    add_argument(*command, "CASES", "a file of JSON Lines, one case a line, or - for stdin");
    add_selection(*command);
    add_goldens(*command);
    add_reports(*command);
    add_threads(*command);
    command->add_flag("--fail-fast", words_.fails_fast, "begin no case after the first failure")
        ->group("Run");
    actions_[command] = [this, command] { exit_code_ = run_cases(batch_flags(*command)); };
  }

  void add_selection(CLI::App& command) {
    const std::string group = "Selection";
    command
        .add_option("--filter", words_.filter, "only cases whose name matches (*, ?, [a-z], \\*)")
        ->type_name("GLOB")
        ->group(group);
    command.add_option("--shard", words_.shard, "only the Kth of N parts, by a hash of the name")
        ->type_name("K/N")
        ->group(group);
    command
        .add_flag("--last-failed", words_.only_last_failed,
                  "only what failed or did not run the last time, and what is new")
        ->group(group);
    command
        .add_flag("--resume", words_.resumes,
                  "pass over what an earlier run finished and nothing has changed")
        ->group(group);
    command.add_flag("--list", words_.lists, "print the names of the cases, run none")
        ->group(group);
  }

  void add_goldens(CLI::App& command) {
    const std::string group = "Golden files";
    command
        .add_flag("--update-golden", words_.updates_golden,
                  "write each expected file that differs anew")
        ->group(group);
    command.add_flag("--force", words_.is_forced, "let --update-golden do so where CI is set, too")
        ->group(group);
    command
        .add_option("--failed-dir", words_.failed_dir, "keep the output of each failed case there")
        ->type_name("DIR")
        ->group(group);
    choose(command
               .add_option("--unreferenced", words_.unreferenced,
                           "goldens that no case refers to: ignore, warn (default) or fail")
               ->type_name("ACTION")
               ->group(group),
           {"ignore", "warn", "fail"});
  }

  void add_reports(CLI::App& command) {
    const std::string group = "Reports";
    command.add_option("--junit", words_.junit, "a report for Jenkins, GitLab and others")
        ->type_name("PATH")
        ->group(group);
    command.add_option("--html", words_.html, "a report for people, in one file")
        ->type_name("PATH")
        ->group(group);
    command
        .add_flag("--json", words_.wants_json, "an object for each case on stdout, and one for all")
        ->group(group);
  }

  static int run_cases(const BatchFlags& flags) {
    std::vector<NamedFile> reports;
    if (flags.junit) reports.push_back({"--junit", *flags.junit});
    if (flags.html) reports.push_back({"--html", *flags.html});
    require_separate(reports, {{"CASES", flags.path}});
    return run_batch(flags);
  }

  BatchFlags batch_flags(const CLI::App& command) const {
    return {.path = argument(command, 0),
            .threads = threads(),
            .fails_fast = words_.fails_fast,
            .filter = given(words_.filter),
            .lists = words_.lists,
            .shard = given(words_.shard),
            .only_last_failed = words_.only_last_failed,
            .resumes = words_.resumes,
            .updates_golden = words_.updates_golden,
            .is_forced = words_.is_forced,
            .failed_dir = words_.failed_dir,
            .junit = given(words_.junit),
            .html = given(words_.html),
            .wants_json = words_.wants_json,
            .is_quiet = words_.is_quiet,
            .color = words_.color,
            .unreferenced = unreferenced()};
  }

  Unreferenced unreferenced() const {
    if (words_.unreferenced == "ignore") return Unreferenced::ignore;
    return words_.unreferenced == "fail" ? Unreferenced::fail : Unreferenced::warn;
  }

  void add_compare() {
    CLI::App* command = add_command("compare", "the differences between two tensors", "Commands");
    command->footer(
        "tscatter compare out.npy golden.npy\n"
        "tscatter compare out.npy golden.npy --rtol 1e-3 --atol 1e-6\n"
        "tscatter compare out.npy '[1, 2, 3]' --max-ulp 2 --equal-nan\n"
        "tscatter compare out.npy golden.npy --json --heatmap differences.png");
    add_argument(*command, "ACTUAL", "a file, -, inline JSON or a typed literal");
    add_argument(*command, "EXPECTED", "the same; what ACTUAL should be");
    add_dtype(*command);
    add_tolerance(*command);
    add_census(*command);
    add_threads(*command);
    actions_[command] = [this, command] { compare_operands(*command); };
  }

  void add_tolerance(CLI::App& command) {
    const std::string group = "Tolerance (without one: exact, bit for bit)";
    command
        .add_option("--rtol", words_.rtol, "allow |actual - expected| <= atol + rtol * |expected|")
        ->type_name("R")
        ->group(group);
    command
        .add_option("--atol", words_.atol, "see --rtol; each is 0 where only the other is given")
        ->type_name("A")
        ->group(group);
    command.add_option("--max-ulp", words_.max_ulp, "allow U representable values between the two")
        ->type_name("U")
        ->group(group);
    command.add_flag("--equal-nan", words_.is_equal_nan, "any NaN equals any NaN")->group(group);
  }

  void add_census(CLI::App& command) {
    command.add_option("--worst", words_.worst, "list the N worst elements (default 5)")
        ->type_name("N")
        ->group("Output");
    command
        .add_option("--heatmap", words_.heatmap, "write a picture of the differences, a PNG, too")
        ->type_name("PATH")
        ->group("Output");
    command.add_flag("--json", words_.wants_json, "the census as one JSON object")->group("Output");
  }

  void compare_operands(const CLI::App& command) {
    const std::string actual = argument(command, 0);
    const std::string expected = argument(command, 1);
    CompareOptions options{.tolerance = tolerance(), .threads = threads()};
    if (!words_.worst.empty()) options.worst = parse_worst(words_.worst, "--worst");
    const CompareFlags flags{.dtype = given(words_.dtype),
                             .heatmap = given(words_.heatmap),
                             .form = words_.wants_json ? CensusForm::json : CensusForm::words};
    if (flags.heatmap) {
      require_separate({{"--heatmap", *flags.heatmap}},
                       {{"ACTUAL", actual}, {"EXPECTED", expected}});
    }
    if (!compare_tensors(actual, expected, options, flags)) exit_code_ = difference_found;
  }

  Tolerance tolerance() const {
    Tolerance tolerance{.equal_nan = words_.is_equal_nan};
    if (!words_.rtol.empty()) tolerance.rtol = parse_bound(words_.rtol, "--rtol");
    if (!words_.atol.empty()) tolerance.atol = parse_bound(words_.atol, "--atol");
    if (!words_.max_ulp.empty()) tolerance.max_ulp = parse_ulp(words_.max_ulp, "--max-ulp");
    return tolerance;
  }

  void add_show() {
    CLI::App* command = add_command(
        "show", "header, statistics and preview of a tensor; members of an archive", "Commands");
    command->footer(
        "tscatter show weights.npy\ntscatter show model.npz\ntscatter show model.npz:bias\n"
        "tscatter show --header huge.npy\ntscatter show 2x3xf16=0");
    add_argument(*command, "TENSOR", in_help);
    add_dtype(*command);
    command->add_flag("--header", words_.wants_header, "the header only: no element is read")
        ->group("Output");
    command->add_flag("--json", words_.wants_json, "header and statistics as one JSON object")
        ->group("Output");
    add_threads(*command);
    actions_[command] = [this, command] {
      show(argument(*command, 0), {.dtype = given(words_.dtype),
                                   .form = words_.wants_json ? ShowForm::json : ShowForm::words,
                                   .part = words_.wants_header ? ShowPart::header : ShowPart::all,
                                   .threads = threads()});
    };
  }

  void add_convert() {
    CLI::App* command = add_command(
        "convert", "between .npy, .npz members and JSON, lossless or refused", "Commands");
    command->footer(
        "tscatter convert weights.npy weights.json\ntscatter convert weights.npy "
        "model.npz:weights\n"
        "tscatter convert '[[1, 2], [3, 4]]' m.npy --dtype float16\n"
        "tscatter convert bf16.npy bf16.json --dtype bfloat16");
    add_argument(*command, "IN", in_help);
    add_argument(*command, "OUT", "x.npy, x.npz:name, x.json or -");
    add_dtype(*command);
    add_output(*command);
    actions_[command] = [this, command] {
      OutputWanted wanted = output_wanted();
      const std::string in = argument(*command, 0);
      wanted.word = argument(*command, 1);
      convert(in, wanted, given(words_.dtype));
    };
  }

  void add_ops() {
    CLI::App* command =
        add_command("ops", "the operations, their inputs, rules and examples", "Commands");
    command->footer(
        "tscatter ops\ntscatter ops ScatterNDUpdate-15\ntscatter ops --rule "
        "scatter_nd_update_15.c4");
    add_argument(*command, "NAME", "an operation (optional)");
    command->add_option("--rule", words_.rule, "print the rule of this label")
        ->type_name("LABEL")
        ->group("Output");
    actions_[command] = [this] {
      if (!words_.rule.empty()) return print_rule(words_.rule);
      if (words_.arguments.empty()) return list_operations();
      describe_operation(words_.arguments[0]);
    };
  }

  void add_help() {
    CLI::App* command = add_command("help", "help on a command or a topic", "Commands");
    command->footer("tscatter help operands\ntscatter help ScatterUpdate-3");
    add_argument(*command, "TOPIC",
                 fmt::format("a command, or {}", fmt::join(help_topics(), ", ")));
    actions_[command] = [this] {
      if (words_.arguments.empty()) {
        return print(HelpFormatter().make_help(&root_, "", CLI::AppFormatMode::All));
      }
      if (const CLI::App* named = find(words_.arguments[0]))
        return print(named->help("tscatter", CLI::AppFormatMode::All));
      print_topic(words_.arguments[0], command_names());
    };
  }

  // One positional argument more; all are read into words_.arguments.
  void add_argument(CLI::App& command, const std::string& name, const std::string& help) {
    positionals_[&command].push_back(name);
    command.add_option(name, positional_texts_.emplace_back(), help)->group("Arguments");
  }

  std::string argument(const CLI::App& command, std::size_t index) const {
    if (index < words_.arguments.size()) return words_.arguments[index];
    // cli.c3
    fail(ErrorKind::usage, "cli.c3", command.get_name(), "{} must be given, got nothing",
         positionals_.at(&command)[index]);
  }

  static std::optional<std::string> given(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  }

  int threads() const {
    constexpr int most = 1024;
    if (words_.threads.empty()) return 0;
    int value = -1;
    const char* end = words_.threads.data() + words_.threads.size();
    const auto result = std::from_chars(words_.threads.data(), end, value);
    // cli.c4
    if (result.ec != std::errc{} || result.ptr != end || value < 0 || value > most) {
      fail(ErrorKind::usage, "cli.c4", "--threads", "must be an integer from 0 to {}, got {}", most,
           words_.threads);
    }
    return value;
  }

  OutputWanted output_wanted() const {
    return {.word = std::nullopt,
            .name = "OUT",
            .format = format(),
            .durability = words_.is_sync ? Durability::power_cut : Durability::kill};
  }

  StdoutFormat format() const {
    if (words_.format.empty()) return StdoutFormat::automatic;
    return words_.format == "json" ? StdoutFormat::json : StdoutFormat::npy;
  }

  ApplyFlags apply_flags() const {
    return {.format = format(), .is_dry_run = words_.is_dry_run, .wants_report = words_.wants_json};
  }

  void apply_operation(const Operation& operation, const CLI::App& command) {
    Job job;
    job.operation = &operation;
    job.name_prefix = "--";
    std::vector<std::string> missing;
    for (const OperandInfo& operand : operation.operands) {
      const std::string name(operand.name);
      if (command.get_option("--" + name)->count() > 0) {
        job.operands.emplace(name, OperandWord{.text = words_.operands[name]});
      } else if (operand.presence == Presence::required) {
        missing.push_back("--" + name);
      }
    }
    // cli.c3
    if (!missing.empty()) {
      fail(ErrorKind::usage, "cli.c3", operation.name, "{} must be given, got nothing",
           fmt::join(missing, ", "));
    }
    for (const AttributeInfo& attribute : operation.attributes) {
      const std::string name(attribute.name);
      if (command.get_option("--" + name)->count() > 0)
        job.attributes.emplace(name, words_.attributes[name]);
    }
    if (command.get_option("--output")->count() > 0) job.output = words_.output;
    job.dtype = given(words_.dtype);
    job.threads = threads();
    job.placement = words_.is_in_place ? Placement::in_place : Placement::copy;
    job.durability = words_.is_sync ? Durability::power_cut : Durability::kill;
    apply_job(job, apply_flags());
  }

  void run_job(const CLI::App& command) {
    if (words_.wants_schema) return print_job_schema();
    run_job_file(argument(command, 0), {.threads = threads()}, apply_flags());
  }

  static constexpr int difference_found = 1;

  Words words_;
  int exit_code_ = 0;
  CLI::App root_{
      "tscatter applies scatter operations to tensor files, exactly, in order and in bounded "
      "memory"};
  std::map<const CLI::App*, std::function<void()>> actions_;
  std::map<const CLI::App*, std::vector<std::string>> positionals_;
  std::map<const CLI::Option*, Choices> choices_;
  std::deque<std::string> positional_texts_;
};

// The index of the command's word: the first that is no flag of the program itself.
std::size_t command_index(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--color") {
      ++i;
    } else if (arguments[i].empty() || arguments[i][0] != '-') {
      return i;
    }
  }
  return arguments.size();
}

CLI::App& require_command(CommandTree& tree, const std::string& word) {
  if (CLI::App* command = tree.find(word)) return *command;
  // cli.c1
  fail(ErrorKind::usage, "cli.c1", "command line",
       "the first word must be a command or an operation{}, got {}",
       nearest_hint(word, tree.command_names()), word);
}

void parse(CLI::App& root, std::vector<std::string> words) {
  std::ranges::reverse(words);
  try {
    root.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    // cli.c4
    fail(ErrorKind::usage, "cli.c4", "command line", "the flags must be as --help says, got {}",
         error.what());
  }
}

// -h and --help, and which was asked for.
std::optional<CLI::AppFormatMode> wanted_help(std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") return std::nullopt;
    if (word == "--help") return CLI::AppFormatMode::All;
    if (word == "-h") return CLI::AppFormatMode::Normal;
  }
  return std::nullopt;
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_introduction();
    return 0;
  }
  CommandTree tree;
  const std::size_t at = command_index(arguments);
  const std::span words(arguments);
  CLI::App* command = at < arguments.size() ? &require_command(tree, arguments[at]) : nullptr;
  CLI::App& named = command != nullptr ? *command : tree.root();
  if (const auto mode = wanted_help(words)) {
    print(named.help(command != nullptr ? "tscatter" : "", *mode));
    return 0;
  }
  if (std::ranges::count(words.first(at), "--version") > 0) {
    print_version();
    return 0;
  }

  check_words(tree.words_of(tree.root()), words.first(at));
  // cli.c3
  if (command == nullptr)
    fail(ErrorKind::usage, "cli.c3", "command line", "a command must be given, got none");
  tree.words().arguments = check_words(tree.words_of(named), words.subspan(at + 1));

  std::vector<std::string> canonical(arguments);
  canonical[at] = named.get_name();
  parse(tree.root(), std::move(canonical));
  set_up_log(tree.words().is_quiet ? 0 : tree.words().verbosity, tree.words().color);
  return tree.run(command);
}

}  // namespace tscatter::app
