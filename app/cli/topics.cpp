#include "cli/topics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/help_text.hpp"
#include "cli/program_flags.hpp"
#include "jobs/format_words.hpp"
#include "jobs/rules.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {
namespace {

struct Topic {
  std::string_view name;
  std::string (*text)();
};

std::string exit_codes() {
  return R"(exit codes

  0         success; no difference
  1         compare, verify or batch found a difference
  2         the command line, an inline value, or a job's own keys are wrong
  3         a file, or an archive's member, cannot be read or written
  4         a file is not what it claims to be
  5         a rule of the operation is broken
  6         the file was changed or written, but this could not be reported: do not repeat the run
  70        a bug in tscatter
  129, 130, 143
            died by SIGHUP, SIGINT, SIGTERM, after cleaning up: what a shell shows
)";
}

std::string operands() {
  return "operands: how to write a tensor\n\n" + file_operands_help() +
         R"(  -                               stdin, .npy or JSON, at most one operand
  [[1, 2], [3, 4]], 7, -1.5, true
                                  inline JSON
  {"dtype": "float32", "shape": [2, 2], "data": [1, 2, 3, 4]}
                                  inline JSON with a dtype; data nested or flat
  2x2xf32=1,2,3,4                 typed literal; one value fills the shape (1000x8xf32=0)
  5,6                             short for [5,6]; for --start, --stop, --step, --axes also 0 for [0]

What begins with [ or { is inline JSON, and what parses as a literal is one: a file named 7 is written ./7.
Values without a dtype take data's dtype (updates), int64 (indices, axis, slices), that of --dtype (data) or that of the other side (compare).
dtypes: bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, complex64, complex128, or short (i8, u64, f16, bf16, c64). i8 is int8: NumPy's i8, of 8 bytes, is i64 here. NaN and infinities in JSON: "NaN", "Infinity", "-Infinity"; complex values: [re, im].
)";
}

std::string formats() { return "formats\n\n" + formats_help(); }

std::string environment() {
  return R"(environment

  TMPDIR    for temporary copies of input from pipes and of long JSON (default /tmp)
  TSCATTER_KERNELS
            automatic (default), portable or avx2: which loops compute; the result is the same
  XDG_STATE_HOME, HOME
            where batch keeps the results of its last run (default ~/.local/state)
  CI        set, and neither 0 nor false: batch refuses --update-golden without --force
  TEST_TOTAL_SHARDS, TEST_SHARD_INDEX, TEST_SHARD_STATUS_FILE, XML_OUTPUT_FILE
            as Bazel sets them: the shard of a batch, and where its JUnit report goes
  NO_COLOR  no colour in the log and in the lines of a batch
  TERM      dumb: no colour either
)";
}

std::string messages() {
  Messages shown;
  return "messages: what every command prints on stderr besides errors\n\n" +
         flag_lines(message_flags(shown)) +
         "\n-v says how operands are read, what was decided and where the time went, -vv each "
         "step. "
         "The log and the lines of a batch are coloured where they go to a terminal; NO_COLOR and "
         "TERM=dumb are respected. On a terminal, batch and generate show a progress line on "
         "stderr when they last over a second.\n";
}

std::string rules() {
  std::string text = "rules: what the labels at the end of messages stand for\n\n";
  for (const Rule& rule : all_rules()) text += fmt::format("  {:<24}  {}\n", rule.label, rule.text);
  return text;
}

constexpr std::array topics{
    Topic{"exit-codes", exit_codes},   Topic{"operands", operands}, Topic{"formats", formats},
    Topic{"environment", environment}, Topic{"messages", messages}, Topic{"rules", rules},
};

}  // namespace

std::vector<std::string_view> topic_names() {
  std::vector<std::string_view> names(topics.size());
  std::ranges::transform(topics, names.begin(), &Topic::name);
  return names;
}

std::optional<std::string> topic_text(std::string_view name) {
  const auto is_meant = [&](const Topic& topic) { return folded(topic.name) == folded(name); };
  const auto topic = std::ranges::find_if(topics, is_meant);
  if (topic == topics.end()) return std::nullopt;
  return topic->text();
}

}  // namespace tscatter::app
