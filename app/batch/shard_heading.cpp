#include "batch/shard_heading.hpp"

#include <limits>

#include "jobs/hash.hpp"
#include "jobs/json_fields.hpp"
#include "parts/file_parts.hpp"
#include "text/document.hpp"

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
                                 {"digest", hex_text(heading.batch.sum)},
                                 {"version", heading.version}});
  return json_line(document);
}

std::optional<ShardHeading> shard_heading_in(std::string_view line) {
  return read_fields(line, [](const nlohmann::ordered_json& object) {
    const nlohmann::ordered_json& shard = known_fields(known_fields(object, {"shard"}).at("shard"),
                                                       {"k", "n", "lines", "digest", "version"});
    ShardHeading heading{.of = integer_field(shard.at("n"), 1, most_parts),
                         .batch = {.lines = integer_field(shard.at("lines"), 0,
                                                          std::numeric_limits<std::int64_t>::max()),
                                   .sum = hex_field(shard.at("digest"))},
                         .version = shard.at("version").get<std::string>()};
    heading.shard = integer_field(shard.at("k"), 1, heading.of);
    return heading;
  });
}

}  // namespace tscatter::app
