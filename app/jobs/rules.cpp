#include "jobs/rules.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "tscatter/compare/tolerance.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/explain/explain.hpp"
#include "tscatter/generate/generator.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/formats/conversion.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/text/literal.hpp"
#include "tscatter/io/journal/undo_journal.hpp"
#include "tscatter/mlir/dense.hpp"
#include "tscatter/ops/names/namespaces.hpp"
#include "tscatter/ops/operation.hpp"
#include "tscatter/verify/verify.hpp"
#include "tscatter/views/basic_index.hpp"
#include "tscatter/views/computed_mask.hpp"

namespace tscatter::app {
namespace {

constexpr std::array cli_rules{
    Rule{"cli.c1", "the first word is a command or an operation"},
    Rule{"cli.c2", "the command has the flag"},
    Rule{"cli.c3", "every required operand and argument is given"},
    Rule{"cli.c4", "a flag with a value is given once, with an allowed value"},
    Rule{"cli.c5", "the command takes the argument"},
    Rule{"cli.c6", "at most one operand is read from stdin"},
    Rule{"cli.c7", "--dtype does not contradict the dtype that data itself has"},
    Rule{"cli.c8", "the label given to --rule exists"},
    Rule{"cli.c9", "the topic or operation that is asked for exists"},
    Rule{"cli.c10",
         "an output is -, x.npz:name, x.safetensors:name, a name that ends in .json or .pb, or "
         "another name, which gets .npy; not an archive without a member, nor a part of a file of "
         "raw bytes, nor an initializer of a model"},
    Rule{"cli.c11",
         "--in-place has a .npy or .pb file, raw bytes, x.onnx:name or x.safetensors:name as data, "
         "and no --output beside it"},
    Rule{"cli.c12", "with --in-place no other operand is the data file"},
    Rule{"cli.c13",
         "the variable TSCATTER_KERNELS is automatic, portable or avx2, and the processor has that "
         "path"},
    Rule{"cli.c14",
         "a report, a picture or a kept output has a file of its own, which the run neither reads "
         "nor writes otherwise"},
    Rule{"cli.c15", "--format needs an output that is - or a file by itself"},
    Rule{"cli.c16",
         "an output has no ending of another kind of file, unless --format says so; a picture's "
         "ending is .svg, or there is none"},
    Rule{"cli.c17",
         "a file of another kind, or of several arrays, is not replaced without --force"},
    Rule{"cli.c18",
         "a new folder is not named -, nor like a file, unless a / follows: cases.jsonl/"},
    Rule{"cli.c20",
         "--rtol and --atol take a finite number >= 0, --max-ulp an integer >= 0, --worst one from "
         "0 "
         "to 10000"},
    Rule{"cli.c21", "--compress needs an output that is an archive's member"},
    Rule{"cli.c30",
         "with --in-place data is a file by itself, a safetensors tensor or an initializer of a "
         "model, not a member of a .npz archive"},
    Rule{"cli.c31", "an operand that is an archive is named with a member: x.npz:name"},
    Rule{"cli.c40", "--shard is K/N with 1 <= K <= N"},
    Rule{"cli.c41", "--filter and --tag leave at least one case of a batch"},
    Rule{"cli.c42", "--update-golden needs --force where CI is set (to neither 0 nor false)"},
    Rule{"cli.c43", "the variables TEST_TOTAL_SHARDS and TEST_SHARD_INDEX name a shard"},
    Rule{"cli.c44", "--last-failed, --resume and --state need a batch that is a file"},
    Rule{"cli.c45", "--dry-run of batch needs --update-golden"},
    Rule{"cli.c49",
         "the variable SOURCE_DATE_EPOCH is a number of seconds since 1970, up to the year 9999"},
    Rule{"cli.c50", "verify needs --actual, the result to verify"},
    Rule{"cli.c51", "convert --to is not combined with --dtype V1 or V2: records have no values"},
    Rule{"cli.c60", "--at takes integers, like 1,2,3"},
    Rule{"cli.c61", "--case is the name of a case of CASES"},
    Rule{"cli.c62",
         "verify --case needs a case with actual, compare --case one with expected, verify and "
         "explain one with an operation"},
    Rule{"cli.c70", "--seed is an integer from 0 to 2^64 - 1"},
    Rule{"cli.c71", "--witness is not combined with flags that choose random cases"},
    Rule{"cli.c72",
         "--large is not combined with --witness, --layout onnx or mlir, or flags that choose "
         "random "
         "cases"},
    Rule{"cli.c73", "--large is of an operation that changes zeros and takes sparse files"},
    Rule{"cli.c80", "--no-journal needs --in-place"},
    Rule{"cli.c81",
         "a blob of a Hugging Face cache is neither changed in place nor replaced without --force"},
    Rule{"cli.c82",
         "--dtype, --missing, --to and --heatmap are for tensors, not for whole archives or "
         "folders; --list, --details, --junit and --html of compare are for folders"},
    Rule{"cli.c83", "--digest needs a run that writes a whole file"},
    Rule{"cli.c84", "batch merge takes no flags that choose or run cases"},
    Rule{"cli.c94", "tscatter-mpi, which computes all parts, takes neither --part nor --json"},
    Rule{"cli.c95", "the output of tscatter-mpi is on a file system that all ranks share"},
    Rule{"cli.c103", "convert --round and --cast need --to, and saturate a float8 dtype"},
    Rule{"cli.c104",
         "raw bytes as an object have raw, dtype and shape, and may have offset, byte_order and "
         "order, each once"},
    Rule{"cli.c130",
         "in an index a number follows <, <=, >, >=, == and !=, and a mask follows ~; an item has "
         "one "
         "condition, without parentheses"},
    Rule{"cli.c131", "an index follows the tensor of set, add, sub, mul, min, max and get"},
    Rule{"cli.c120",
         "a flag, or a job's key, that would have no effect is refused: what is for files needs a "
         "file, what is for a report the report"},
    Rule{"cli.c132",
         "an operand has one index at most: of integers, slices, ... and None where it is read, "
         "none "
         "where it is changed in place, or written as a golden"},
};

constexpr std::array part_rules{
    Rule{"part.p1", "a part is K/P, with K from 1 to P; a unit is a multiple of 4096 bytes"},
    Rule{"part.p2",
         "a part belongs to the job whose parts are in the folder: operation, operands, parts and "
         "unit"},
    Rule{"part.p3", "finish finds all parts done"},
    Rule{"part.p4", "a part has the checksums that it was written with, and their data its size"},
    Rule{"part.p6",
         "a job that is computed by parts reads files or values, no stdin and no deflated member, "
         "and writes a new .npy file"},
    Rule{"part.p7", "the folder of the parts is writable, on a file system with hard links"},
    Rule{"part.p10",
         "the folder of the parts is a folder, no link, and the user's own where all may write"},
};

constexpr std::array cast_rules{
    Rule{"cast.k1",
         "updates that are cast are of a dtype that casts to data's by the job's --cast"},
};

constexpr std::array job_rules{
    Rule{"job.j1",
         "a job is a JSON object, without a key twice, with at most 256 keys in an object and 256 "
         "levels; a list or an object in it that is no tensor has at most 65536 bytes"},
    Rule{"job.j2",
         "its keys are op, the operation's operands, attributes and policies, and those that "
         "tscatter help jobs lists for every job"},
    Rule{"job.j3",
         "it has the key op, the name of an operation; a case of a batch without op has actual and "
         "expected"},
    Rule{
        "job.j4",
        "a tensor value is a path, a number, true or false, a nested list, or an object with data"},
    Rule{"job.j5", "every other value has its key's type and is allowed there"},
    Rule{"job.j6", "a case's name has at least one character, and no NUL"},
    Rule{"job.j7", "expected_error is the label of a rule"},
    Rule{"job.j8", "expected_error stands without expected and actual"},
    Rule{"job.j9", "rtol, atol, max_ulp and equal_nan need expected"},
    Rule{"job.j10", "a job with expected does not change its data in place"},
    Rule{"job.j11", "a case of a batch neither reads stdin nor writes to stdout"},
    Rule{"job.j12", "a path has no NUL character, and at most 65536 bytes"},
    Rule{"job.j13", "xfail and skip give a reason"},
    Rule{"job.j14", "nan, ftz, nan_bits, zeros and blocks need actual, and no expected"},
    Rule{"job.j15", "defaults have a line of their own, once in a file, before its cases"},
    Rule{"job.j16", "defaults are tolerances (rtol, atol, max_ulp, equal_nan) by dtype"},
    Rule{"job.j17", "tags are words: without blanks, and not empty"},
    Rule{"job.j18",
         "dims is a text of dimension numbers, each once, and has no lists of them beside it"},
};

constexpr std::array batch_rules{
    Rule{"batch.b1", "a batch has at least one case, a comparison of folders one file"},
    Rule{"batch.b2", "a line of a batch is at most 64 MiB long"},
    Rule{"batch.b3", "a name is unique in a batch"},
    Rule{"batch.b4", "a case asserts something, or is run for its output"},
    Rule{"batch.b5", "actual without expected is legal for some order of the updates"},
    Rule{"batch.b6", "a golden exists and can be read"},
    Rule{"batch.b7", "what a job computes, or actual, equals expected, within the tolerance"},
    Rule{"batch.b8", "a job with expected_error is refused by that rule"},
    Rule{"batch.b9", "a case with xfail fails"},
    Rule{"batch.b10", "--update-golden writes a golden for one case only"},
    Rule{"batch.b11", "every golden is one that a case refers to"},
    Rule{"batch.b12", "what a case writes is read by no case, and written by no other"},
    Rule{"batch.b13", "a batch does not change while it is run"},
    Rule{"batch.b14", "a change in place can be recorded, so that --resume does not make it again"},
    Rule{
        "batch.b15",
        "a folder of cases has a file cases.jsonl, node tests of ONNX or modules of MLIR, in it or "
        "below it"},
    Rule{"batch.b16", "a model that is run as a node test has a data set beside it"},
    Rule{"batch.b17", "a merge has a complete report of each shard"},
    Rule{"batch.b18", "each report that is merged is of a shard of this batch"},
    Rule{"batch.b19", "a merge has no more than one complete report of each shard"},
    Rule{"batch.b20", "a merge has each case of the batch"},
    Rule{"batch.b21",
         "a merge with --unreferenced fail has shards that looked for goldens without a case"},
};

constexpr std::array array_rules{
    Rule{"array.a1", "a tensor in memory has a dtype of fixed size that NumPy or ml_dtypes names"},
    Rule{"array.a2", "its elements lie together, in C or Fortran order"},
    Rule{"array.a3", "the memory of a result has data's dtype, shape, order and byte order"},
    Rule{"array.a4", "the memory of a result is data's own, or overlaps no operand"},
    Rule{"array.a5", "the memory of a result is writable"},
    Rule{"array.a6", "a tensor is in the memory of the CPU, and has an address"},
    Rule{"array.a7", "each tensor in memory is one that the call takes, and is given once"},
};

constexpr std::array program_rules{
    Rule{"memory.m1", "a run needs 64 MiB and 32 bytes per index entry; --memory sets a limit"},
    Rule{"internal.i1", "an internal error is a bug in tscatter: please report it"},
};

template <class Rules>
void append(std::vector<Rule>& all, const Rules& some) {
  all.insert(all.end(), some.begin(), some.end());
}

}  // namespace

std::vector<Rule> all_rules() {
  std::vector<Rule> all;
  for (const Operation* operation : operations()) append(all, operation->rules);
  append(all, operation_rules);
  append(all, names::getitem.rules);
  append(all, tensor_rules);
  append(all, compare_rules);
  append(all, verify_rules);
  append(all, explain_rules);
  append(all, generate::generate_rules);
  for (const Format* format : formats()) append(all, format->rules());
  append(all, literal_rules);
  append(all, mlir::mlir_rules);
  append(all, view_rules);
  append(all, computed_mask_rules);
  append(all, conversion_rules);
  append(all, file_rules);
  append(all, undo_rules);
  append(all, cli_rules);
  append(all, part_rules);
  append(all, cast_rules);
  append(all, job_rules);
  append(all, batch_rules);
  append(all, array_rules);
  append(all, program_rules);
  return all;
}

std::vector<Rule> rules_below(std::string_view prefix) {
  std::vector<Rule> rules = all_rules();
  const std::string front = std::string(prefix) + '.';
  std::erase_if(rules, [&](const Rule& each) { return !each.label.starts_with(front); });
  return rules;
}

std::vector<std::string> label_prefixes() {
  std::vector<std::string> prefixes;
  for (const Rule& each : all_rules()) {
    const std::string_view prefix = each.label.substr(0, each.label.find('.'));
    if (std::ranges::count(prefixes, prefix) == 0) prefixes.emplace_back(prefix);
  }
  return prefixes;
}

Rule rule_labelled(std::string_view label) {
  const std::vector<Rule> rules = all_rules();
  const auto rule = std::ranges::find(rules, label, &Rule::label);
  if (rule != rules.end()) return *rule;
  std::vector<std::string> known;
  known.reserve(rules.size());
  for (const Rule& each : rules) known.emplace_back(each.label);
  // cli.c8
  fail(ErrorKind::usage, "cli.c8", "--rule", "must be the label of a rule{}, got {}",
       nearest_hint(label, known, "see tscatter help rules"), label);
}

bool is_label(std::string_view text) {
  static const std::vector<Rule> all = all_rules();
  return std::ranges::find(all, text, &Rule::label) != all.end();
}

}  // namespace tscatter::app
