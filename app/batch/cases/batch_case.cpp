#include "batch/cases/batch_case.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "jobs/job.hpp"
#include "jobs/job_json.hpp"
#include "jobs/job_keys.hpp"
#include "jobs/operand.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"

namespace tscatter::app {
namespace {

using nlohmann::json;

double read_bound(const json& value, const std::string& where) {
  const double bound = number_of(value).value_or(-1);
  // job.j5
  if (!std::isfinite(bound) || bound < 0) {
    fail(ErrorKind::usage, "job.j5", where, "must be a finite number >= 0, got {}",
         json_text(value));
  }
  return bound;
}

std::uint64_t read_count(const json& value, const std::string& where) {
  // job.j5
  if (!value.is_number_unsigned())
    fail(ErrorKind::usage, "job.j5", where, "must be an integer >= 0, got {}", json_text(value));
  return value.get<std::uint64_t>();
}

GivenTolerance read_tolerance(json value, const std::string& where) {
  // job.j16
  if (!value.is_object()) {
    fail(ErrorKind::usage, "job.j16", where,
         "must be an object with rtol, atol, max_ulp or "
         "equal_nan, got {}",
         json_text(value));
  }
  const GivenTolerance read = take_tolerance(value, where);
  if (value.empty()) return read;
  const std::string key = value.begin().key();
  // job.j16
  fail(ErrorKind::usage, "job.j16", where,
       "a key must be rtol, atol, max_ulp or equal_nan{}, got {}",
       nearest_hint(key, {tolerance_keys.begin(), tolerance_keys.end()}), key);
}

}  // namespace

Tolerance GivenTolerance::before(const GivenTolerance& other) const {
  return {.rtol = rtol ? rtol : other.rtol,
          .atol = atol ? atol : other.atol,
          .max_ulp = max_ulp ? max_ulp : other.max_ulp,
          .equal_nan = equal_nan.value_or(other.equal_nan.value_or(false))};
}

GivenTolerance take_tolerance(json& object, const std::string& where) {
  return {.rtol = taken(object, "rtol", where, read_bound),
          .atol = taken(object, "atol", where, read_bound),
          .max_ulp = taken(object, "max_ulp", where, read_count),
          .equal_nan = taken(object, "equal_nan", where, read_boolean)};
}

CaseDefaults read_defaults(const json& given, const std::string& where) {
  json value = tree_of(given, where);
  // job.j16
  if (!value.is_object()) {
    fail(
        ErrorKind::usage, "job.j16", where,
        R"(must be an object with tolerances by dtype, as {{"float16": {{"rtol": 0.01}}}}, got {})",
        json_text(value));
  }
  CaseDefaults defaults;
  for (auto& [key, member] : value.items()) {
    // job.j16
    if (std::ranges::count(tolerance_keys, key) > 0) {
      fail(ErrorKind::usage, "job.j16", where,
           R"(must give tolerances by dtype, as {{"float32": {{"{}": …}}}}, got {} without one)",
           key, key);
    }
    const DType dtype = parse_dtype(key, "job.j16", where);
    GivenTolerance& tolerance = defaults.tolerances.at(static_cast<std::size_t>(dtype));
    // job.j16
    if (!tolerance.is_empty()) {
      fail(ErrorKind::usage, "job.j16", where, "{} stands twice, under two names",
           info(dtype).name);
    }
    tolerance = read_tolerance(std::move(member), fmt::format("{}: {}", where, key));
  }
  return defaults;
}

}  // namespace tscatter::app
