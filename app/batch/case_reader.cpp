#include "batch/case_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "batch/hash.hpp"
#include "batch/tensor_place.hpp"
#include "jobs/job_json.hpp"
#include "jobs/nan_policy.hpp"
#include "jobs/rules.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 11> keys{"name",           "expected",  "rtol",   "atol",
                                                "max_ulp",        "equal_nan", "actual", "xfail",
                                                "expected_error", "nan",       "ftz"};
constexpr std::array<std::string_view, 4> tolerance_keys{"rtol", "atol", "max_ulp", "equal_nan"};
constexpr std::array<std::string_view, 2> legality_keys{"nan", "ftz"};

std::vector<std::string> all_labels() {
  std::vector<std::string> labels;
  for (const Rule& rule : all_rules()) labels.emplace_back(rule.label);
  return labels;
}

// Takes the batch's own keys out of a line's object.
class CaseReader {
 public:
  CaseReader(json& object, BatchCase& into) : object_{object}, case_{into} {}

  void read() {
    read_name();
    case_.expected = taken("expected", read_operand);
    case_.actual = taken("actual", read_operand);
    case_.xfail = taken("xfail", read_reason);
    case_.tolerance.rtol = taken("rtol", read_bound);
    case_.tolerance.atol = taken("atol", read_bound);
    case_.tolerance.max_ulp = taken("max_ulp", read_count);
    case_.tolerance.equal_nan = taken("equal_nan", read_boolean).value_or(false);
    case_.nan = taken("nan", read_nan_policy).value_or(NanPolicy::text);
    case_.subnormals =
        taken("ftz", read_boolean).value_or(false) ? Subnormals::flushed : Subnormals::kept;
    read_expected_error();
  }

 private:
  std::string where(std::string_view key) const { return fmt::format("{}: {}", case_.place, key); }

  // Removes the key from the object and returns read(its value); nullopt if it is missing.
  template <class Read>
  auto taken(const char* key, const Read& read)
      -> std::optional<decltype(read(std::declval<const json&>(), std::string()))> {
    const auto member = object_.find(key);
    if (member == object_.end()) return std::nullopt;
    const json value = std::move(*member);
    object_.erase(member);
    has_tolerance_ = has_tolerance_ || std::ranges::count(tolerance_keys, key) > 0;
    has_legality_ = has_legality_ || std::ranges::count(legality_keys, key) > 0;
    return read(value, where(key));
  }

  static double read_bound(const json& value, const std::string& where) {
    const double bound = number_of(value).value_or(-1);
    // job.j5
    if (!std::isfinite(bound) || bound < 0) {
      fail(ErrorKind::usage, "job.j5", where, "must be a finite number >= 0, got {}",
           json_text(value));
    }
    return bound;
  }

  static std::uint64_t read_count(const json& value, const std::string& where) {
    // job.j5
    if (!value.is_number_unsigned())
      fail(ErrorKind::usage, "job.j5", where, "must be an integer >= 0, got {}", json_text(value));
    return value.get<std::uint64_t>();
  }

  static NanPolicy read_nan_policy(const json& value, const std::string& where) {
    return parse_nan_policy(read_string(value, where), "job.j5", where);
  }

  static std::string read_reason(const json& value, const std::string& where) {
    std::string reason = read_string(value, where);
    // job.j13
    if (reason.empty()) {
      fail(ErrorKind::usage, "job.j13", where,
           "must be the reason why the case is known to fail, got none");
    }
    return reason;
  }

  void read_name() {
    const std::optional<std::string> name = taken("name", read_string);
    if (!name) return;
    // job.j6
    if (name->empty() || name->find('\0') != std::string::npos) {
      fail(ErrorKind::usage, "job.j6", where("name"),
           "must have at least one character, and no NUL, got {}", json(*name).dump());
    }
    case_.name = *name;
  }

  void read_expected_error() {
    case_.expected_error = taken("expected_error", read_string);
    if (!case_.expected_error) return;
    static const std::vector<std::string> known = all_labels();
    // job.j7
    if (std::ranges::count(known, *case_.expected_error) == 0) {
      fail(ErrorKind::usage, "job.j7", where("expected_error"),
           "must be the label of a rule (tscatter help rules){}, got {}",
           nearest_hint(*case_.expected_error, known), *case_.expected_error);
    }
    // job.j8
    if (case_.expected || case_.actual) {
      fail(ErrorKind::usage, "job.j8", where("expected_error"),
           "must be given without expected and actual, got one of them, too");
    }
  }

 public:
  void require_sense() const {
    const Job& job = case_.job;
    // job.j9
    if (has_tolerance_ && !case_.expected) {
      fail(ErrorKind::usage, "job.j9", case_.place,
           "rtol, atol, max_ulp and equal_nan must be given with expected, got none");
    }
    // job.j14
    if (has_legality_ && (case_.expected || !case_.actual)) {
      fail(ErrorKind::usage, "job.j14", case_.place,
           "nan and ftz must be given with actual, without expected, got {}",
           case_.expected ? "expected" : "no actual");
    }
    // job.j10
    if (case_.expected && job.placement == Placement::in_place) {
      fail(ErrorKind::usage, "job.j10", where("in_place"),
           "must not be true beside expected: a golden test does not change its data, got true");
    }
    require_no_streams();
    require_two_files();
    const bool is_run_for_its_output = job.output || job.placement == Placement::in_place;
    // batch.b4
    if (!case_.expected && !case_.expected_error && !case_.actual && !is_run_for_its_output) {
      fail(ErrorKind::usage, "batch.b4", case_.place,
           "a case must assert something (expected, expected_error) or have an output, got "
           "neither");
    }
  }

 private:
  void require_no_streams() const {
    const auto is_stream = [](const OperandWord& word) {
      return word.form == WordForm::path && word.text == "-";
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
           "must not be stdin or stdout, which all cases of a batch share, got -");
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
           "a case must assert something: another file than expected, got {} for both",
           case_.actual->text);
    }
  }

  json& object_;
  BatchCase& case_;
  bool has_tolerance_ = false;
  bool has_legality_ = false;
};

void read_object(BatchCase& into, const std::string& text, const BatchFile& file) {
  json object = parse_job_object(text, into.place);
  CaseReader reader(object, into);
  reader.read();
  try {
    into.job = read_job(object, into.place, keys);
    into.job.base = file.base;
  } catch (const Error& error) {
    into.job_error = error;
    return;
  }
  reader.require_sense();
}

}  // namespace

const std::span<const std::string_view> batch_keys = keys;

BatchCase read_case(const Line& line, const BatchFile& file) {
  BatchCase read{.line = line.number,
                 .place = fmt::format("{}:{}", file.name, line.number),
                 .name = fmt::format("line-{}", line.number),
                 .line_hash = hash_of(line.text)};
  read.job.base = file.base;
  try {
    // batch.b2
    if (line.is_too_long) {
      fail(ErrorKind::usage, "batch.b2", read.place,
           "a line must be at most {} bytes long, got more", longest_line);
    }
    read_object(read, line.text, file);
  } catch (const Error& error) {
    read.error = error;
  }
  return read;
}

}  // namespace tscatter::app
