#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "cli/command.hpp"
#include "cli/help_text.hpp"
#include "jobs/format_words.hpp"
#include "jobs/index_items.hpp"
#include "jobs/job_keys.hpp"
#include "jobs/rules.hpp"
#include "text/document.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/ops/policies.hpp"

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
  6         the file was changed or written, but this could not be reported, or a signal came too late: do not repeat the run
  70        a bug in tscatter
  129, 130, 143
            killed by SIGHUP, SIGINT, SIGTERM with everything as it was before: what a shell shows
)";
}

std::string operands() {
  std::vector<OperandForm> forms = file_operand_forms();
  forms.insert(forms.end(),
               {{"-", "stdin, .npy or JSON (csv:- a table); for one operand at most"},
                {"[[1, 2], [3, 4]], 7, -1.5, true", "inline JSON"},
                {R"({"dtype": "f16", "data": [1, 2]})",
                 R"(inline JSON with a dtype; with "shape": [2, 1], data may be flat)"},
                {"2x2xf32=1,2,3,4", "a typed literal; one value fills the shape (1000x8xf32=0)"},
                {"5,6, 1.5,2e3", "short for [5,6] and [1.5,2e3]"},
                {"5,", "short for [5]; for --start, --stop, --step and --axes, so is 5"},
                {"x.npy[5], x.npz:name[:, ::2]",
                 "a view, by NumPy's basic index: integers, slices, ... and None; quoted in a "
                 "shell"}});
  TextTable table;
  for (const OperandForm& each : forms) table.add({"  " + each.form, each.help});
  return "operands: how to write a tensor\n\n" + table.text() + R"(
What begins with [ or { is inline JSON, and what parses as a literal is one: a file named 7 is written ./7.
Values without a dtype, in JSON and in tables, take data's dtype (updates), int64 (indices, axis, slices), that of --dtype (data) or that of the other side (compare).
dtypes: bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, complex64, complex128, or short (i8, u64, f16, bf16, c64). i8 is int8: NumPy's i8, of 8 bytes, is i64 here. NaN and infinities in JSON: "NaN", "Infinity", "-Infinity", with or without the quotes; complex values: [re, im].
)";
}

std::string formats() { return "formats\n\n" + formats_help(); }

std::string environment() {
  return R"(environment

  TMPDIR    where temporary copies of pipes and of long JSON are kept (default /tmp)
  TSCATTER_KERNELS
            automatic (default), portable or avx2: which loops compute; the result is the same
  XDG_STATE_HOME, HOME
            where batch keeps the results of its last run (default ~/.local/state)
  CI        set, and neither 0 nor false: batch refuses --update-golden without --force
  TEST_TOTAL_SHARDS, TEST_SHARD_INDEX, TEST_SHARD_STATUS_FILE, XML_OUTPUT_FILE
            as Bazel sets them: the shard of a batch, and where its JUnit report goes
  GITHUB_ACTIONS
            true: no name that is printed is taken for a workflow command; batch annotates failed cases, and appends a summary to the file GITHUB_STEP_SUMMARY; paths are relative to GITHUB_WORKSPACE
  SOURCE_DATE_EPOCH
            seconds since 1970: the date of an HTML report, instead of today's
  NO_COLOR  no colour in the log and in the lines of a batch
  TERM      dumb: no colour either, and no progress line
)";
}

std::string messages() {
  Messages shown;
  return "messages: what every command prints on stderr besides errors\n\n" +
         flag_lines(message_flags(shown)) +
         "\n-v says how operands are read, what was decided and where the time went, -vv each "
         "step. The log and the lines of a batch are coloured where they go to a terminal; "
         "NO_COLOR "
         "and TERM=dumb are respected. On a terminal, a run that takes over a second shows a "
         "progress line on stderr: bytes, share and time left, or cases. With -q, batch prints "
         "only "
         "failures and the summary.\n";
}

// "oob, negative and unique"
std::string listed(const auto& rows, const auto& name) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.*name);
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::string jobs() {
  return R"(jobs: an operation as a JSON object

  {"op": "ScatterNDUpdate-15", "data": "data.npy", "indices": [[0], [2]],
   "updates": [5, 6], "reduction": "sum", "output": "out.npy"}

  tscatter run job.json      run it; - is stdin
  tscatter run --schema      print the JSON Schema of a job
  tscatter batch cases.jsonl
                             run many, one a line

Its keys are op and the names of the operation's operands and attributes; those of its policies: )" +
         listed(policy_table(), &PolicyInfo::key) + "; and " + listed(job_keys(), &JobKey::name) +
         R"(. A tensor is a path in quotes, or the value itself: a number, nested lists, or an object with dtype, shape and data. Without output the result is printed. Paths are relative to the job's file; with - to the working directory.

In a batch a line also says what is expected:
  name             the case's name; left out: line-N
  expected         a tensor, the golden; rtol, atol, max_ulp, equal_nan are its tolerances
  expected_error   the label of the rule that must refuse the job
  actual           a result of something else: compared with expected, or verified
  nan, ftz, nan_bits, zeros, blocks
                   how such a result is verified, as with --nan, --ftz, --nan-bits, --zeros, --blocks
  xfail            why the case is known to fail
  skip             why the case is not run
  tags             a list of words, for --tag
  comment          a text that is ignored

A line without op is no job: it compares actual with expected, tensors or archives. A line that begins with # is a comment. {"defaults": {"float16": {"rtol": 1e-2}}}, before the cases of a file, gives them tolerances by dtype. docs/batch.md says more of each key, docs/ops.md what the policies mean.
)";
}

std::string journal() {
  return R"(journal: how a file survives a change in place

With --in-place only what is touched is written, into the data file itself. Before the first byte changes, the old bytes of all that will be touched are kept beside it, in x.npy.tscatter-undo. When the change is complete, the journal is removed.

  the run fails     the file is rolled back at once
  it is killed      the file is half changed, and refused as an operand (undo.u5)
  next --in-place   rolls back first, and says so
  tscatter recover FILE
                    rolls back, and does nothing else; nothing to do is success
  -n                says what would be done

  --sync            also survives a power cut
  --no-journal      keeps no journal: a kill leaves some elements changed and some not
  --wait SECONDS    waits that long while another process changes the file

The journal belongs to this very file: not to a copy, nor to another file under the same name (undo.u3), nor to one that was changed more than 5 seconds later (undo.u8; recover --force). docs/journal.md has the format and what is not promised.
)";
}

std::string index() {
  TextTable words;
  for (const IndexVerb& each : index_verbs())
    words.add({fmt::format("  {}", each.word), std::string(each.summary)});
  words.add({"  get", "read data at an index"});
  return "index: NumPy's indexing on files\n\n" + words.text() + R"(
  tscatter set 'a.npy[ids.npy]' rows.npy --in-place
  tscatter add 'a.npy[i.npy, :, 3]' 1 -o b.npy
  tscatter get 'a.npy[mask.npy]'

The items between the brackets are separated by commas, as in NumPy:
  5, -1            one position; the axis is dropped
  1:9:2, :, ::-1   a slice, cut where the axis ends
  ...              all axes that have no item
  None, newaxis    a new axis of length 1
  ids.npy, [3, 0]  positions: any operand of an integer dtype; several are broadcast
  mask.npy         where it is true: any operand of dtype bool
  ~mask.npy        where it is false
  x.npy < 7        where the comparison holds: <, <=, >, >=, ==, !=; or isnan(x.npy), isinf, isfinite
  < 7, isnan       the same, about data itself

a.npy[3, 0] is one element, a.npy[[3, 0]] two rows. A file that has the whole word as its name is that file. Quote the word in a shell. Values are broadcast to data[index], and cast as --cast says (same-kind by default).

set, add, ... stand for operations (numpy.setitem, numpy.add.at). verify and explain take a word with DATA[INDEX] and VALUES, generate, ops and jobs the word alone. docs/indexing.md has each line of NumPy beside ours.
)";
}

std::string numpy() {
  return R"(numpy: what to write instead

  a[ids] = rows        set 'a.npy[ids.npy]' rows.npy
  a[:, ids] = columns  set 'a.npy[:, ids.npy]' columns.npy
  a[i, j] = values     set 'a.npy[i.npy, j.npy]' values.npy
  a[mask] = 0          set 'a.npy[mask.npy]' 0
  a[a < 0] = 0         set 'a.npy[< 0]' 0
  a[1:9:2] = rows      set 'a.npy[1:9:2]' rows.npy
  np.add.at(a, ids, rows)
                       add 'a.npy[ids.npy]' rows.npy; subtract, multiply, minimum, maximum: sub, mul, min, max
  a[ids]               get 'a.npy[ids.npy]'
  np.put_along_axis(a, i, v, 1)
                       numpy.put_along_axis -d a.npy -i i.npy -u v.npy --axis 1
  np.put(a, i, v, 'wrap')
                       numpy.put -d a.npy -i i.npy -u v.npy --mode wrap
  np.copyto(a, b, where=mask)
                       numpy.copyto -d a.npy -u b.npy --where mask.npy; place and putmask: numpy.place, numpy.putmask
  np.array_equal(a, b)
                       compare a.npy b.npy
                       (bit by bit; with --atol 0, -0.0 equals 0.0)
  np.allclose(a, b, r, t)
                       compare a.npy b.npy --rtol r --atol t
  a.astype(np.int64)   convert a.npy b.npy --to int64: exactly, or refused
                       (--round nearest, --cast unsafe)

Each goes after tscatter; -o out.npy says where the result goes, --in-place changes a.npy. See help index.

If an id comes twice, the last update wins; NumPy does not promise that for a[ids] = rows. These words broadcast as NumPy does, and cast values to data's dtype first (--cast same-kind); operations of other names do neither unless asked.

dtypes are named as in NumPy (float32), or by bits: f32, i64. NumPy's i8, of 8 bytes, is i64 here. A .npy is written as np.save writes it, byte for byte; a member of a .npz is x.npz:name. bfloat16 has no name in a .npy: --dtype bfloat16. Strings, dates and records are moved, never computed, and nothing is unpickled.
)";
}

std::string rules() { return rules_text(all_rules()); }

constexpr std::array topics{
    Topic{"index", index},       Topic{"exit-codes", exit_codes},
    Topic{"operands", operands}, Topic{"formats", formats},
    Topic{"jobs", jobs},         Topic{"journal", journal},
    Topic{"numpy", numpy},       Topic{"environment", environment},
    Topic{"messages", messages}, Topic{"rules", rules},
};

}  // namespace

std::string rules_text(std::span<const Rule> rules) {
  TextTable table;
  for (const Rule& rule : rules)
    table.add({fmt::format("  {}", rule.label), std::string(rule.text)});
  return "rules: what the labels at the end of messages mean\n\n" + table.text();
}

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
