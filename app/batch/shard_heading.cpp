#include "batch/shard_heading.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "jobs/hash.hpp"
#include "text/json_line.hpp"

namespace tscatter::app {

void BatchDigest::add(std::string_view line) {
  ++lines;
  sum += hash_of(line);
}

std::string to_json_line(const ShardHeading& heading) {
  Document document;
  document.put("shard", Document{{"k", heading.shard},
                                 {"n", heading.of},
                                 {"lines", heading.batch.lines},
                                 {"digest", fmt::format("{:016x}", heading.batch.sum)},
                                 {"version", heading.version}});
  return json_line(document);
}

std::optional<ShardHeading> shard_heading_in(const std::string& line) {
  constexpr int base = 16;
  try {
    const nlohmann::json shard = nlohmann::json::parse(line).at("shard");
    ShardHeading heading{.shard = shard.at("k").get<std::int64_t>(),
                         .of = shard.at("n").get<std::int64_t>(),
                         .batch = {.lines = shard.at("lines").get<std::int64_t>()},
                         .version = shard.at("version").get<std::string>()};
    const auto digest = shard.at("digest").get<std::string>();
    std::from_chars(digest.data(), digest.data() + digest.size(), heading.batch.sum, base);
    const bool is_legal = heading.of >= 1 && heading.shard >= 1 && heading.shard <= heading.of;
    return is_legal ? std::optional(heading) : std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace tscatter::app
