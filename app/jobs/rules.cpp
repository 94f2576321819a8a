#include "jobs/rules.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "tscatter/compare/census.hpp"
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
#include "tscatter/views/converted_elements.hpp"

namespace tscatter::app {
namespace {

// Those of the library are beside its code.
constexpr auto program_rules = std::to_array<Rule>({
    {"cli.c1", "the first word is a command or an operation"},
    {"cli.c2", "the command has the flag"},
    {"cli.c3", "every required operand and argument is given"},
    {"cli.c4", "a flag with a value is given once, with an allowed value"},
    {"cli.c5", "the command takes the argument"},
    {"cli.c6", "at most one operand is read from stdin"},
    {"cli.c7", "--dtype does not contradict the dtype that data itself has"},
    {"cli.c8", "the label given to --rule exists"},
    {"cli.c9", "the topic or operation that is asked for exists"},
    {"cli.c10",
     "an output is -, x.npz:name, x.safetensors:name, a name that ends in .json or .pb, or another "
     "name, which gets .npy; not an archive without a member, nor a part of a file of raw bytes, "
     "nor an initializer of a model"},
    {"cli.c11",
     "--in-place has a .npy or .pb file, raw bytes, x.onnx:name or x.safetensors:name as data, and "
     "no --output beside it"},
    {"cli.c12", "with --in-place no other operand is the data file"},
    {"cli.c13",
     "the variable TSCATTER_KERNELS is automatic, portable or avx2, and the processor has that "
     "path"},
    {"cli.c14",
     "a report, a picture or a kept output has a file of its own, which the run neither reads nor "
     "writes otherwise"},
    {"cli.c15", "--format needs an output that is - or a file by itself"},
    {"cli.c16",
     "an output has no ending of another kind of file, unless --format says so; a picture's ending "
     "is .svg, or there is none"},
    {"cli.c17", "a file of another kind, or of several arrays, is not replaced without --force"},
    {"cli.c18", "a new folder is not named -, nor like a file, unless a / follows: cases.jsonl/"},
    {"cli.c20",
     "--rtol and --atol take a finite number >= 0, --max-ulp an integer >= 0, --worst one from 0 "
     "to 10000"},
    {"cli.c21", "--compress needs an output that is an archive's member"},
    {"cli.c30",
     "with --in-place data is a file by itself, a safetensors tensor or an initializer of a model, "
     "not a member of a .npz archive"},
    {"cli.c31", "an operand that is an archive is named with a member: x.npz:name"},
    {"cli.c40", "--shard is K/N with 1 <= K <= N"},
    {"cli.c41", "--filter and --tag leave at least one case of a batch"},
    {"cli.c42", "--update-golden needs --force where CI is set (to neither 0 nor false)"},
    {"cli.c43", "the variables TEST_TOTAL_SHARDS and TEST_SHARD_INDEX name a shard"},
    {"cli.c44", "--last-failed, --resume and --state need a batch that is a file"},
    {"cli.c45", "--dry-run of batch needs --update-golden"},
    {"cli.c49",
     "the variable SOURCE_DATE_EPOCH is a number of seconds since 1970, up to the year 9999"},
    {"cli.c50", "verify needs --actual, the result to verify"},
    {"cli.c51", "convert --to is not combined with --dtype V1 or V2: records have no values"},
    {"cli.c60", "--at takes integers, like 1,2,3"},
    {"cli.c61", "--case is the name of a case of CASES"},
    {"cli.c62",
     "verify --case needs a case with actual, compare --case one with expected, verify and explain "
     "one with an operation"},
    {"cli.c70", "--seed is an integer from 0 to 2^64 - 1"},
    {"cli.c71", "--witness is not combined with flags that choose random cases"},
    {"cli.c72",
     "--large is not combined with --witness, --layout onnx or mlir, or flags that choose random "
     "cases"},
    {"cli.c73", "--large is of an operation that changes zeros and takes sparse files"},
    {"cli.c80", "--no-journal needs --in-place"},
    {"cli.c81",
     "a blob of a Hugging Face cache is neither changed in place nor replaced without --force"},
    {"cli.c82",
     "--dtype, --missing, --to and --heatmap are for tensors, not for whole archives or folders; "
     "--list, --details, --junit and --html of compare are for folders"},
    {"cli.c83", "--digest needs a run that writes a whole file"},
    {"cli.c84", "batch merge takes no flags that choose or run cases"},
    {"cli.c94", "tscatter-mpi, which computes all parts, takes neither --part nor --json"},
    {"cli.c95", "the output of tscatter-mpi is on a file system that all ranks share"},
    {"cli.c103", "convert --round and --cast need --to, and saturate a float8 dtype"},
    {"cli.c104",
     "raw bytes as an object have raw, dtype and shape, and may have offset, byte_order and order, "
     "each once"},
    {"cli.c130",
     "in an index a number follows <, <=, >, >=, == and !=, and a mask follows ~; an item has one "
     "condition, without parentheses"},
    {"cli.c131", "an index follows the tensor of set, add, sub, mul, min, max and get"},
    {"cli.c120",
     "a flag, or a job's key, that would have no effect is refused: what is for files needs a "
     "file, what is for a report the report"},
    {"cli.c132",
     "an operand has one index at most: of integers, slices, ... and None where it is read, none "
     "where it is changed in place, or written as a golden"},
    {"part.p1", "a part is K/P, with K from 1 to P; a unit is a multiple of 4096 bytes"},
    {"part.p2",
     "a part belongs to the job whose parts are in the folder: operation, operands, parts and "
     "unit"},
    {"part.p3", "finish finds all parts done"},
    {"part.p4", "a part has the checksums that it was written with, and their data its size"},
    {"part.p6",
     "a job that is computed by parts reads files or values, no stdin and no deflated member, and "
     "writes a new .npy file"},
    {"part.p7", "the folder of the parts is writable, on a file system with hard links"},
    {"part.p10",
     "the folder of the parts is a folder, no link, and the user's own where all may write"},
    {"cast.k1", "updates that are cast are of a dtype that casts to data's by the job's --cast"},
    {"job.j1",
     "a job is a JSON object, without a key twice, with at most 256 keys in an object and 256 "
     "levels; a list or an object in it that is no tensor has at most 65536 bytes"},
    {"job.j2",
     "its keys are op, the operation's operands, attributes and policies, and those that tscatter "
     "help jobs lists for every job"},
    {"job.j3",
     "it has the key op, the name of an operation; a case of a batch without op has actual and "
     "expected"},
    {"job.j4",
     "a tensor value is a path, a number, true or false, a nested list, or an object with data"},
    {"job.j5", "every other value has its key's type and is allowed there"},
    {"job.j6", "a case's name has at least one character, and no NUL"},
    {"job.j7", "expected_error is the label of a rule"},
    {"job.j8", "expected_error stands without expected and actual"},
    {"job.j9", "rtol, atol, max_ulp and equal_nan need expected"},
    {"job.j10", "a job with expected does not change its data in place"},
    {"job.j11", "a case of a batch neither reads stdin nor writes to stdout"},
    {"job.j12", "a path has no NUL character, and at most 65536 bytes"},
    {"job.j13", "xfail and skip give a reason"},
    {"job.j14", "nan, ftz, nan_bits, zeros and blocks need actual, and no expected"},
    {"job.j15", "defaults have a line of their own, once in a file, before its cases"},
    {"job.j16", "defaults are tolerances (rtol, atol, max_ulp, equal_nan) by dtype"},
    {"job.j17", "tags are words: without blanks, and not empty"},
    {"job.j18",
     "dims is a text of dimension numbers, each once, and has no lists of them beside it"},
    {"batch.b1", "a batch has at least one case, a comparison of folders one file"},
    {"batch.b2", "a line of a batch is at most 64 MiB long"},
    {"batch.b3", "a name is unique in a batch"},
    {"batch.b4", "a case asserts something, or is run for its output"},
    {"batch.b5", "actual without expected is legal for some order of the updates"},
    {"batch.b6", "a golden exists and can be read"},
    {"batch.b7", "what a job computes, or actual, equals expected, within the tolerance"},
    {"batch.b8", "a job with expected_error is refused by that rule"},
    {"batch.b9", "a case with xfail fails"},
    {"batch.b10", "--update-golden writes a golden for one case only"},
    {"batch.b11", "every golden is one that a case refers to"},
    {"batch.b12", "what a case writes is read by no case, and written by no other"},
    {"batch.b13", "a batch does not change while it is run"},
    {"batch.b14", "a change in place can be recorded, so that --resume does not make it again"},
    {"batch.b15",
     "a folder of cases has a file cases.jsonl, node tests of ONNX or modules of MLIR, in it or "
     "below it"},
    {"batch.b16", "a model that is run as a node test has a data set beside it"},
    {"batch.b17", "a merge has a complete report of each shard"},
    {"batch.b18", "each report that is merged is of a shard of this batch"},
    {"batch.b19", "a merge has no more than one complete report of each shard"},
    {"batch.b20", "a merge has each case of the batch"},
    {"batch.b21",
     "a merge with --unreferenced fail has shards that looked for goldens without a case"},
    {"array.a1", "a tensor in memory has a dtype of fixed size that NumPy or ml_dtypes names"},
    {"array.a2", "its elements lie together, in C or Fortran order"},
    {"array.a3", "the memory of a result has data's dtype, shape, order and byte order"},
    {"array.a4", "the memory of a result is data's own, or overlaps no operand"},
    {"array.a5", "the memory of a result is writable"},
    {"array.a6", "a tensor is in the memory of the CPU, and has an address"},
    {"array.a7", "each tensor in memory is one that the call takes, and is given once"},
    {"memory.m1", "a run needs 64 MiB and 32 bytes per index entry; --memory sets a limit"},
    {"internal.i1", "an internal error is a bug in tscatter: please report it"},
});

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
  append(all, program_rules);
  return all;
}

std::vector<Rule> rules_below(std::string_view prefix) {
  std::vector<Rule> rules = all_rules();
  const std::string front = std::string(prefix) + '.';
  std::erase_if(rules, [&](const Rule& each) {
    return each.label != prefix && !each.label.starts_with(front);
  });
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
