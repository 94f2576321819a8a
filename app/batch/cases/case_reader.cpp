#include "batch/cases/case_reader.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "batch/cases/case_files.hpp"
#include "jobs/hash.hpp"
#include "jobs/job_json.hpp"
#include "jobs/job_keys.hpp"
#include "jobs/job_policies.hpp"
#include "jobs/rules.hpp"
#include "jobs/written_file.hpp"
#include "text/quoting.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 17> keys{
    "name",     "expected", "rtol",   "atol",           "max_ulp", "equal_nan",
    "actual",   "xfail",    "skip",   "expected_error", "nan",     "ftz",
    "nan_bits", "zeros",    "blocks", "tags",           "comment"};
constexpr std::array<std::string_view, 2> keys_of_tensors{"expected", "actual"};

std::vector<std::string> all_labels() {
  std::vector<std::string> labels;
  for (const Rule& rule : all_rules()) labels.emplace_back(rule.label);
  return labels;
}

// Whether it can be a tag, which is given to --tag and listed beside others.
bool is_word(std::string_view text) {
  const auto is_apart = [](unsigned char byte) { return byte <= ' ' || byte == 0x7f; };
  return !text.empty() && std::ranges::none_of(text, is_apart);
}

template <auto parse>
auto read_word(const json& value, const std::string& where) {
  return parse(read_string(value, where), "job.j5", where);
}

// `of_what`: what the case is for that reason.
auto reason_reader(std::string_view of_what) {
  return [of_what](const json& value, const std::string& where) {
    std::string reason = read_string(value, where);
    // job.j13
    if (reason.empty()) {
      fail(ErrorKind::usage, "job.j13", where,
           "must be the reason why the case is {}, got an empty one", of_what);
    }
    return reason;
  };
}

std::vector<std::string> read_tags(const json& given, const std::string& where) {
  const json value = tree_of(given, where);
  const auto is_tag = [](const json& tag) {
    return tag.is_string() && is_word(tag.get_ref<const std::string&>());
  };
  // job.j17
  if (!value.is_array() || !std::ranges::all_of(value, is_tag)) {
    fail(ErrorKind::usage, "job.j17", where, R"(must be a list of words, as ["slow"], got {})",
         json_text(value));
  }
  return value.get<std::vector<std::string>>();
}

// Takes the batch's own keys out of a line's object.
class KeyReader {
 public:
  KeyReader(json& object, BatchCase& into) : object_{object}, case_{into} {}

  void read() {
    const auto take = [&](std::string_view key, const auto& read) {
      return taken(object_, key, case_.place, read);
    };
    read_name();
    case_.expected = take("expected", read_operand);
    case_.actual = take("actual", read_operand);
    case_.xfail = take("xfail", reason_reader("known to fail"));
    case_.skip = take("skip", reason_reader("not run"));
    case_.tags = take("tags", read_tags).value_or(std::vector<std::string>());
    take("comment", read_string);
    case_.tolerance = take_tolerance(object_, case_.place);
    const std::size_t others = object_.size();
    case_.nan = take("nan", read_word<parse_nan_policy>).value_or(NanPolicy::text);
    if (take("ftz", read_boolean).value_or(false)) case_.subnormals = Subnormals::flushed;
    case_.nan_bits = take("nan_bits", read_word<parse_other_bits>).value_or(OtherBits::kept);
    case_.zeros = take("zeros", read_word<parse_other_bits>).value_or(OtherBits::kept);
    case_.blocks = take("blocks", read_word<parse_blocks>);
    has_legality_ = object_.size() < others;
    read_expected_error();
  }

 private:
  std::string where(std::string_view key) const { return fmt::format("{}: {}", case_.place, key); }

  void read_name() {
    const std::optional<std::string> name = taken(object_, "name", case_.place, read_string);
    if (!name) return;
    // job.j6
    if (name->empty() || name->find('\0') != std::string::npos) {
      fail(ErrorKind::usage, "job.j6", where("name"),
           "must have at least one character, and no NUL, got {}", json(*name).dump());
    }
    case_.name = *name;
    case_.is_unnamed = false;
  }

  void read_expected_error() {
    case_.expected_error = taken(object_, "expected_error", case_.place, read_string);
    if (!case_.expected_error) return;
    // job.j7
    if (!is_label(*case_.expected_error)) {
      fail(ErrorKind::usage, "job.j7", where("expected_error"),
           "must be the label of a rule (tscatter help rules){}, got {}",
           nearest_hint(*case_.expected_error, all_labels()), *case_.expected_error);
    }
    // job.j8
    if (case_.expected || case_.actual) {
      fail(ErrorKind::usage, "job.j8", where("expected_error"),
           "must stand alone: leave out expected and actual");
    }
  }

 public:
  // What has a meaning beside something that is missing.
  void require_company() const {
    // job.j9
    if (!case_.tolerance.is_empty() && !case_.expected) {
      fail(ErrorKind::usage, "job.j9", case_.place,
           "rtol, atol, max_ulp and equal_nan need expected");
    }
    // job.j14
    if (has_legality_ && (case_.expected || !case_.actual)) {
      fail(ErrorKind::usage, "job.j14", case_.place, "nan, ftz, nan_bits, zeros and blocks {}",
           case_.expected ? "must be left out beside expected" : "need actual");
    }
  }

  void require_sense() const {
    const Job& job = case_.job;
    require_company();
    // job.j10
    if (case_.expected && job.placement == Placement::in_place) {
      fail(ErrorKind::usage, "job.j10", where("in_place"),
           "must not be true beside expected: a golden test does not change its data");
    }
    require_no_streams();
    require_two_files();
    const bool is_run_for_its_output = job.output || job.placement == Placement::in_place;
    if (!is_run_for_its_output) require_no_output_keys();
    // batch.b4
    if (!case_.expected && !case_.expected_error && !case_.actual && !is_run_for_its_output) {
      fail(ErrorKind::usage, "batch.b4", case_.place,
           "the case asserts nothing: add expected, expected_error, actual or an output");
    }
  }

 private:
  // What says how an output is written has no effect without one.
  void require_no_output_keys() const {
    const Job& job = case_.job;
    const bool is_formed = job.format != nullptr || job.compression == Compression::deflated;
    const bool is_kept =
        job.durability == Durability::power_cut || job.replacing == Replacing::any_kind;
    // cli.c120
    if (is_formed || is_kept) {
      fail(ErrorKind::usage, "cli.c120", case_.place,
           "format, compress, sync and force need an output");
    }
  }

  void require_no_streams() const {
    const auto is_stream = [](const OperandWord& word) {
      return word.form == WordForm::path && is_stdin(word);
    };
    std::string key;
    for (const auto& [name, word] : case_.job.operands) {
      if (is_stream(word)) key = name;
    }
    if (case_.expected && is_stream(*case_.expected)) key = "expected";
    if (case_.actual && is_stream(*case_.actual)) key = "actual";
    if (case_.job.output == "-") key = "output";
    // job.j11
    if (!key.empty()) {
      fail(ErrorKind::usage, "job.j11", where(key),
           "must not be -: all cases of a batch share stdin and stdout");
    }
  }

  bool is_kept_at(const std::optional<OperandWord>& word, const TensorPlace& place) const {
    return word && word->form == WordForm::path &&
           is_same_place(place_of(case_.job.base, word->text), place);
  }

  void require_two_files() const {
    if (!case_.actual || case_.actual->form != WordForm::path) return;
    // batch.b4
    if (is_kept_at(case_.expected, place_of(case_.job.base, case_.actual->text))) {
      fail(ErrorKind::usage, "batch.b4", where("actual"),
           "must be another file than expected, got {} for both",
           shown_word(case_.job.base, case_.actual->text));
    }
  }

  json& object_;
  BatchCase& case_;
  bool has_legality_ = false;
};

// "[" and "[{": a file that is one list.
bool begins_list_of_cases(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = line.find_first_not_of(blanks);
  if (first == std::string_view::npos || line[first] != '[') return false;
  const std::size_t next = line.find_first_not_of(blanks, first + 1);
  return next == std::string_view::npos || line[next] == '{';
}

json parsed(const Line& line, const std::string& place) {
  // batch.b2
  if (line.is_too_long) {
    fail(ErrorKind::usage, "batch.b2", place, "a line must be at most {} bytes long, got more",
         longest_line);
  }
  // job.j1
  if (begins_list_of_cases(line.text)) {
    fail(ErrorKind::usage, "job.j1", place,
         "a line must be one case, a JSON object (one case a line, without a list around them), "
         "got a list");
  }
  // job.j1
  if (line.text == "{" || line.text == "{\r") {
    fail(ErrorKind::usage, "job.j1", place,
         "a line must be one case, a JSON object in one line (jq -c . writes it so), got the "
         "beginning of one");
  }
  return parse_job_object(line.text, place);
}

bool has_table_beside(const BatchCase& each) {
  return (each.expected && names_table(*each.expected)) ||
         (each.actual && names_table(*each.actual));
}

// Whether actual is compared with expected, and nothing else is said.
bool has_no_job(const json& object, const BatchCase& each) {
  if (object.contains("op") || each.expected_error) return false;
  const bool has_both = each.actual && each.expected;
  // job.j3
  if (has_both && !object.empty()) {
    fail(ErrorKind::usage, "job.j3", each.place,
         "a case without op has only keys of batches{}, got {}",
         nearest_hint(object.begin().key(), {keys.begin(), keys.end()}), object.begin().key());
  }
  if (!object.empty() || (!each.actual && !each.expected)) return false;
  // job.j3
  if (!has_both) {
    fail(ErrorKind::usage, "job.j3", each.place,
         "a case must have op, or both actual and expected, which are then compared, got {} alone",
         each.actual ? "actual" : "expected");
  }
  return true;
}

// Constants of MLIR stand in the lines that are made of a module, and in no others.
void read_constant(OperandWord& word, const std::string& where) {
  if (word.form == WordForm::json) word.tensor = tensor_of_module(word.text, where);
}

void read_constants(BatchCase& each) {
  if (each.file->source != CaseSource::module || each.skip) return;
  const auto where = [&](std::string_view key) { return fmt::format("{}: {}", each.place, key); };
  for (auto& [name, word] : each.job.operands)
    read_constant(word, where(each.job.operation->called(name)));
  if (each.expected) read_constant(*each.expected, where("expected"));
}

void read_keys(BatchCase& into, json& object) {
  KeyReader reader(object, into);
  reader.read();
  if (has_no_job(object, into)) return reader.require_sense();
  try {
    into.job = read_job(object, into.place, keys);
    into.job.base = into.file->base;
    into.job.has_table_beside = has_table_beside(into);
    read_constants(into);
  } catch (const Error& error) {
    into.job_error = error;
    return;
  }
  reader.require_sense();
}

// Runs the step. What it throws is the case's error.
template <class Step>
void note_error(BatchCase& each, const Step& step) {
  try {
    step();
  } catch (const Error& error) {
    each.error = error;
  }
}

}  // namespace

const std::span<const std::string_view> batch_keys = keys;
const std::span<const std::string_view> tensor_keys = keys_of_tensors;

std::string name_of_line(std::int64_t line) { return fmt::format("line-{}", line); }

std::string name_without_one(const BatchFile& file, std::int64_t line) {
  const std::string name = name_of_line(line);
  return file.is_one_of_several ? fmt::format("{}:{}", file.name, name) : name;
}

JobOfBatch parse_job_of_batch(const std::string& text, const std::string& name) {
  json object = parse_job_object(text, name);
  BatchCase asserted{.place = name, .name = {}};
  KeyReader reader(object, asserted);
  reader.read();
  reader.require_company();
  const bool is_asserted = asserted.expected || asserted.expected_error || asserted.actual ||
                           asserted.xfail || asserted.skip;
  Job job = read_job(object, name, keys);
  job.has_table_beside = has_table_beside(asserted);
  return {.job = std::move(job), .is_asserted = is_asserted};
}

CaseReader& CaseReader::enter(const Line& line) {
  if (line.file == file_) return *this;
  file_ = line.file;
  has_cases_ = false;
  defaults_.reset();
  return *this;
}

// The paths are those from the working directory.
BatchCase paired_case(const Line& line) {
  const PairedCases& all = *line.file->pairs;
  const FilePair& pair = pair_of(*line.file, line.number);
  return {.file = line.file,
          .line = line.number,
          .place = pair.actual,
          .name = as_text(pair.name),
          .expected = OperandWord{.text = pair.expected, .form = WordForm::path},
          .actual = OperandWord{.text = pair.actual, .form = WordForm::path},
          .tolerance = all.tolerance,
          .defaults = all.defaults,
          .is_unnamed = false};
}

std::optional<BatchCase> CaseReader::read(const Line& line) {
  if (line.file->source == CaseSource::pairs) return paired_case(line);
  enter(line);
  BatchCase each{.file = line.file,
                 .line = line.number,
                 .place = fmt::format("{}:{}", line.file->name, line.number),
                 .name = name_without_one(*line.file, line.number),
                 .defaults = defaults_,
                 .line_hash = hash_of(line.text)};
  if (defaults_) each.line_hash = hash_end(hash_more(defaults_->hash, each.line_hash));
  each.job.base = line.file->base;
  json object;
  note_error(each, [&] { object = parsed(line, each.place); });
  if (object.contains(defaults_key)) {
    set_defaults(object, line, each.place);
    return std::nullopt;
  }
  has_cases_ = true;
  if (!each.error) note_error(each, [&] { read_keys(each, object); });
  return each;
}

void CaseReader::set_defaults(json& object, const Line& line, const std::string& place) {
  // job.j15
  if (has_cases_ || defaults_) {
    fail(ErrorKind::usage, "job.j15", place,
         "defaults must stand once, before the cases of their file, and these stand {}",
         has_cases_ ? "after a case" : "again");
  }
  // job.j15
  if (object.size() > 1) {
    const auto first = object.begin();
    const std::string other = first.key() == defaults_key ? std::next(first).key() : first.key();
    fail(ErrorKind::usage, "job.j15", place,
         "defaults must have a line of their own, got the key {} beside them", other);
  }
  CaseDefaults defaults =
      read_defaults(object[defaults_key], fmt::format("{}: {}", place, defaults_key));
  defaults.line = line.text;
  defaults.hash = hash_of(line.text);
  defaults_ = std::make_shared<const CaseDefaults>(std::move(defaults));
}

}  // namespace tscatter::app
