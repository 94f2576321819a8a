#include "commands/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/version.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "format_words.hpp"
#include "result.hpp"
#include "rules.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/kernels/path.hpp"
#include "tscatter/ops/operation.hpp"

namespace tscatter::app {
namespace {

struct Topic {
  std::string_view name;
  std::string_view text;
  std::string (*lines)() = nullptr;  // behind the text
  std::string_view rest = {};
};

constexpr std::array topics{
    Topic{"exit-codes", R"(exit codes

  0         success; no difference
  1         compare found a difference, or a case of a batch failed
  2         the command line, an inline value, or a job's own keys are wrong
  3         a file, or an archive's member, cannot be read or written
  4         a file is not what it claims to be
  5         a rule of the operation is broken
  70        a bug in tscatter
  130, 143  died by SIGINT, SIGTERM, after cleaning up: what a shell shows
)"},
    Topic{"operands", "operands: what may be written where a tensor is wanted\n\n",
          file_operands_help,
          R"(  -                               stdin, .npy or JSON, at most one operand
  [[1, 2], [3, 4]], 7, -1.5, true inline JSON
  {"dtype": "float32", "shape": [2, 2], "data": [1, 2, 3, 4]}
                                  inline JSON with a dtype; data nested or flat
  2x2xf32=1,2,3,4                 typed literal; one value fills the shape (1000x8xf32=0)
  0,1                             for --start, --stop, --step, --axes: short for [0,1]

What begins with [ or { is inline JSON, and what parses as a literal is one: a file named 7 is written ./7.
Values without a dtype take data's dtype (updates), int64 (indices, axis, slices), that of --dtype (data) or that of
the other side (compare).
dtypes: bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, complex64, complex128, or short
(i8, u64, f16, bf16, c64). NaN and infinities in JSON: "NaN", "Infinity", "-Infinity"; complex values: [re, im].
)"},
    Topic{"formats", "formats\n\n", formats_help},
    Topic{"environment", R"(environment

  TMPDIR    where what comes through a pipe, or from long JSON, is kept while it is worked on (default /tmp)
  TSCATTER_KERNELS
            automatic (default), portable or avx2: which loops compute; the result is the same
  XDG_STATE_HOME, HOME
            where batch keeps what its last run came to (default ~/.local/state)
  CI        set, and neither 0 nor false: batch refuses --update-golden without --force
  TEST_TOTAL_SHARDS, TEST_SHARD_INDEX, TEST_SHARD_STATUS_FILE, XML_OUTPUT_FILE
            as Bazel sets them: the shard of a batch, and where its JUnit report goes
  NO_COLOR  no colour in the log and in the lines of a batch
  TERM      dumb: no colour either
)"},
};

std::string rules_text() {
  std::string text = "rules: what the labels at the end of messages stand for\n\n";
  for (const Rule& rule : all_rules()) text += fmt::format("  {:<24}  {}\n", rule.label, rule.text);
  return text;
}

std::string indented(const std::string& lines) {
  std::string text;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    text += fmt::format("  {}\n", lines.substr(begin, end - begin));
    begin = end + 1;
  }
  return text;
}

std::string option_lines(const CLI::App& app) {
  std::string text;
  std::vector<std::string> groups;
  for (const CLI::Option* option : app.get_options()) {
    const std::string& group = option->get_group();
    if (!group.empty() && std::ranges::count(groups, group) == 0) groups.push_back(group);
  }
  std::stable_partition(groups.begin(), groups.end(), [](const std::string& group) {
    return group != "Help" && group != "Messages";
  });
  for (const std::string& group : groups) {
    text += fmt::format("\n{}\n", group);
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() != group) continue;
      const std::string name =
          option->get_positional() ? option->get_name(true) : option->get_name(false, true);
      const bool has_value = !option->get_positional() && option->get_items_expected_max() > 0;
      const std::string left =
          has_value ? fmt::format("{} {}", name, option->get_type_name()) : name;
      text += fmt::format("  {:<22}  {}\n", left, option->get_description());
    }
  }
  return text;
}

std::string command_lines(const CLI::App& app) {
  std::string text;
  for (const std::string_view group : {"Operations", "Commands"}) {
    const auto commands =
        app.get_subcommands([&](const CLI::App* command) { return command->get_group() == group; });
    if (commands.empty()) continue;
    text += fmt::format("\n{}\n", group);
    for (const CLI::App* command : commands) {
      text += fmt::format("  {:<20}  {}\n", command->get_name(), command->get_description());
    }
  }
  return text;
}

std::vector<std::string_view> operation_names() {
  std::vector<std::string_view> names;
  for (const Operation* operation : operations()) names.push_back(operation->name);
  return names;
}

std::string usage_line(const CLI::App& app) {
  if (app.get_parent() == nullptr) return "usage: tscatter COMMAND [flags]\n";
  const bool is_nested = app.get_parent()->get_parent() != nullptr;
  const bool wants_operation = app.get_require_subcommand_max() == 1;
  std::string text = fmt::format("usage: tscatter {}{}{} [flags]",
                                 is_nested ? app.get_parent()->get_name() + " " : "",
                                 app.get_name(), wants_operation ? " OPERATION" : "");
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    text += " " + option->get_name(true);
  }
  text += "\n";
  if (wants_operation) {
    text += fmt::format(
        "OPERATION is one of {}\nThe flags below are those of {}; tscatter {} OPERATION --help has "
        "each one's.\n",
        fmt::join(operation_names(), ", "), operation_for_help().name, app.get_name());
  }
  return text;
}

constexpr std::string_view root_examples =
    "tscatter ScatterNDUpdate-15 -d data.npy -i indices.npy -u updates.npy -r sum -o out.npy\n"
    "tscatter ScatterUpdate-3 -d 3x5xf32=0 -i '[0, 2]' -u 3x2xf32=1 -a 1";

std::string text_of(const Topic& topic) {
  return fmt::format("{}{}{}", topic.text, topic.lines == nullptr ? "" : topic.lines(), topic.rest);
}

}  // namespace

const Operation& operation_for_help() { return *find_operation("ScatterNDUpdate"); }

std::string HelpFormatter::make_help(const CLI::App* app, std::string /*name*/,
                                     CLI::AppFormatMode mode) const {
  const bool is_root = app->get_parent() == nullptr;
  std::string text = app->get_description() + "\n";
  if (mode == CLI::AppFormatMode::All) {
    const std::string examples = is_root ? std::string(root_examples) : app->get_footer();
    text += fmt::format("\nExamples\n{}", indented(examples));
  }
  text += fmt::format("\n{}{}{}", usage_line(*app), command_lines(*app), option_lines(*app));
  if (mode == CLI::AppFormatMode::All && is_root) {
    text += fmt::format("\nTopics (tscatter help TOPIC)\n  {}\n", fmt::join(help_topics(), ", "));
  }
  return text;
}

void print_introduction() {
  print(
      fmt::format("tscatter applies scatter operations to tensor files, exactly, in order and in "
                  "bounded memory.\n\n{}\n"
                  "tscatter --help says more, tscatter ops lists the operations.\n",
                  indented(std::string(root_examples))));
}

void print_version() {
  print(fmt::format(
      "tscatter {} ({})\ncompiler   {}\nlibraries  CLI11 {}, fmt {}.{}.{}, nlohmann_json {}.{}.{}, "
      "spdlog {}.{}.{}\n"
      "kernels    {}\n",
      TSCATTER_VERSION, TSCATTER_BUILD_TYPE, __VERSION__, CLI11_VERSION, FMT_VERSION / 10000,
      FMT_VERSION / 100 % 100, FMT_VERSION % 100, NLOHMANN_JSON_VERSION_MAJOR,
      NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH, SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR,
      SPDLOG_VER_PATCH, kernel_path_name()));
}

std::vector<std::string_view> help_topics() {
  std::vector<std::string_view> names;
  names.reserve(topics.size() + 1);
  for (const Topic& topic : topics) names.push_back(topic.name);
  names.emplace_back("rules");
  return names;
}

void print_topic(const std::string& topic, const std::vector<std::string>& commands) {
  const auto matches = [&](const Topic& each) { return folded(each.name) == folded(topic); };
  if (folded(topic) == "rules") return print(rules_text());
  if (const auto found = std::ranges::find_if(topics, matches); found != topics.end())
    return print(text_of(*found));
  std::vector<std::string> known(commands);
  for (const std::string_view name : help_topics()) known.emplace_back(name);
  // cli.c9
  fail(ErrorKind::usage, "cli.c9", "help", "must be a command or a topic{}, got {}",
       nearest_hint(topic, known), topic);
}

}  // namespace tscatter::app
