#include "parts/parts_job.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

#include "parts/digest.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
namespace {

using nlohmann::ordered_json;

std::uint64_t hex_in(const std::string& text) {
  constexpr int base = 16;
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

// What read() makes of the object; nullopt where it is not of that form.
template <class Read>
auto read_object(const std::string& text, const Read& read)
    -> std::optional<decltype(read(ordered_json()))> {
  try {
    return read(ordered_json::parse(text));
  } catch (const ordered_json::exception&) {
    return std::nullopt;
  }
}

[[noreturn]] void refuse(const std::string& where, const std::string& name,
                         const std::string& present, const std::string& wanted) {
  // part.p2
  fail(ErrorKind::file, "part.p2", where,
       "a part must belong to the job whose parts are there, with {} {}, got {}", name, present,
       wanted);
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
  return read_object(text, [](const ordered_json& object) {
    PartsJob job{.run = hex_in(object.at("run").get<std::string>()),
                 .parts = object.at("parts").get<std::int64_t>(),
                 .unit = object.at("unit").get<std::int64_t>(),
                 .file_bytes = object.at("bytes").get<std::int64_t>(),
                 .facts = {}};
    for (const auto& [name, value] : object.at("job").items())
      job.facts.emplace_back(name, value.get<std::string>());
    return job;
  });
}

std::optional<PartMarker> part_marker_in(const std::string& text) {
  return read_object(text, [](const ordered_json& object) {
    PartMarker marker{.run = hex_in(object.at("run").get<std::string>()),
                      .part = object.at("part").get<std::int64_t>(),
                      .bytes = {.begin = object.at("begin").get<std::int64_t>(),
                                .end = object.at("end").get<std::int64_t>()},
                      .sums = {}};
    for (const ordered_json& sum : object.at("sums"))
      marker.sums.push_back(hex_in(sum.get<std::string>()));
    return marker;
  });
}

void require_same_job(const PartsJob& wanted, const PartsJob& present, const std::string& where) {
  const auto require = [&](const std::string& name, std::int64_t there, std::int64_t here) {
    if (there != here) refuse(where, name, std::to_string(there), std::to_string(here));
  };
  require("parts", present.parts, wanted.parts);
  require("unit", present.unit, wanted.unit);
  for (std::size_t i = 0; i < std::max(present.facts.size(), wanted.facts.size()); ++i) {
    const std::pair<std::string, std::string> none;
    const auto& [name, there] = i < present.facts.size() ? present.facts[i] : none;
    const auto& [own_name, here] = i < wanted.facts.size() ? wanted.facts[i] : none;
    if (name != own_name) refuse(where, name.empty() ? "nothing" : name, there, own_name);
    if (there != here) refuse(where, name, there, here);
  }
  require("bytes", present.file_bytes, wanted.file_bytes);
}

}  // namespace tscatter::app
