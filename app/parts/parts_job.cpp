#include <algorithm>

#include "jobs/json_fields.hpp"
#include "parts/parts_folder.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t most_bytes = std::int64_t{1} << 62U;  // of a file: whole units can be added

std::int64_t unit_field(const ordered_json& value) {
  const std::int64_t unit = integer_field(value, least_unit, most_unit);
  if (unit % least_unit != 0) throw WrongField();
  return unit;
}

std::string fact_of(const PartsJob& job, const std::string& name) {
  const auto fact = std::ranges::find(job.facts, name, [](const auto& each) { return each.first; });
  return fact == job.facts.end() ? "missing" : fact->second;
}

[[noreturn]] void refuse_other_job(const std::string& where, const std::string& name,
                                   const std::string& present, const std::string& wanted) {
  // part.p2
  fail(ErrorKind::file, "part.p2", where,
       "the parts that are there belong to a job with {} {}, got {}", name, present, wanted);
}

}  // namespace

std::string to_json(const PartsJob& job) {
  ordered_json facts = ordered_json::object();
  for (const auto& [name, value] : job.facts) facts[name] = value;
  return ordered_json{{"run", hex_text(job.run)},
                      {"parts", job.parts},
                      {"unit", job.unit},
                      {"bytes", job.file_bytes},
                      {"job", facts}}
             .dump() +
         "\n";
}

std::string to_json(const PartMarker& marker) {
  ordered_json sums = ordered_json::array();
  for (const std::uint64_t sum : marker.sums) sums.push_back(hex_text(sum));
  return ordered_json{{"run", hex_text(marker.run)},
                      {"part", marker.part},
                      {"begin", marker.bytes.begin},
                      {"end", marker.bytes.end},
                      {"sums", sums}}
             .dump() +
         "\n";
}

std::optional<PartsJob> parts_job_in(const std::string& text) {
  return read_fields(text, [](const ordered_json& object) {
    known_fields(object, {"run", "parts", "unit", "bytes", "job"});
    PartsJob job{.run = hex_field(object.at("run")),
                 .parts = integer_field(object.at("parts"), 1, most_parts),
                 .unit = unit_field(object.at("unit")),
                 .file_bytes = integer_field(object.at("bytes"), 0, most_bytes),
                 .facts = {}};
    for (const auto& [name, value] : object.at("job").items())
      job.facts.emplace_back(name, value.get<std::string>());
    return job;
  });
}

std::optional<PartMarker> part_marker_in(const std::string& text) {
  return read_fields(text, [](const ordered_json& object) {
    known_fields(object, {"run", "part", "begin", "end", "sums"});
    PartMarker marker{.run = hex_field(object.at("run")),
                      .part = integer_field(object.at("part"), 1, most_parts),
                      .bytes = {.begin = integer_field(object.at("begin"), 0, most_bytes),
                                .end = integer_field(object.at("end"), 0, most_bytes)},
                      .sums = {}};
    for (const ordered_json& sum : object.at("sums")) marker.sums.push_back(hex_field(sum));
    return marker;
  });
}

bool is_marker_of(const PartMarker& marker, const PartsJob& job, std::int64_t part) {
  if (marker.run != job.run || marker.part != part || part > job.parts) return false;
  const std::int64_t units = (marker.bytes.size() + job.unit - 1) / job.unit;
  return marker.bytes == job.bytes_of(part) && std::ssize(marker.sums) == units;
}

void require_same_job(const PartsJob& wanted, const PartsJob& present, const std::string& where) {
  const auto require = [&](const std::string& name, std::int64_t there, std::int64_t here) {
    if (there != here) refuse_other_job(where, name, std::to_string(there), std::to_string(here));
  };
  require("parts", present.parts, wanted.parts);
  require("unit", present.unit, wanted.unit);
  for (const auto& [name, there] : present.facts) {
    const std::string here = fact_of(wanted, name);
    if (there != here) refuse_other_job(where, name, there, here);
  }
  for (const auto& [name, here] : wanted.facts) {
    const std::string there = fact_of(present, name);
    if (there != here) refuse_other_job(where, name, there, here);
  }
  require("bytes", present.file_bytes, wanted.file_bytes);
}

}  // namespace tscatter::app
