// Keys that stand twice, also where other keys have their hash.
#include "tscatter/io/formats/text/seen_keys.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"

namespace tscatter {
namespace {

// Of keys whose hash is that of their first letter.
std::optional<std::string> repeated(const std::vector<std::string>& keys) {
  std::vector<SeenKey> seen;
  for (const std::string& key : keys) {
    seen.push_back({.hash = static_cast<std::uint64_t>(key.front()),
                    .at = static_cast<std::uint32_t>(seen.size())});
  }
  return repeated_key(seen, [&](std::uint32_t at) { return keys.at(at); });
}

}  // namespace

TEST_CASE("st.f3: a key that stands twice is found between keys of its hash", "[io]") {
  CHECK(!repeated({}));
  CHECK(!repeated({"a", "b"}));
  CHECK(!repeated({"a1", "a2", "a3", "b1"}));
  std::vector<std::string> keys{"a1", "a1", "a2", "a3", "b1"};
  int orders = 0;
  do {
    CHECK(repeated(keys) == "a1");
    ++orders;
  } while (std::ranges::next_permutation(keys).found);
  CHECK(orders == 60);
}

}  // namespace tscatter
