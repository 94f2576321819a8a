#include "tscatter/io/formats/safetensors/shard_index.hpp"

#include <fmt/format.h>

#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/file_kinds.hpp"
#include "tscatter/io/formats/format_rows.hpp"
#include "tscatter/io/formats/safetensors/safetensors_header.hpp"
#include "tscatter/io/formats/text/json_cursor.hpp"

namespace tscatter {

namespace {

constexpr std::int64_t longest_index = 100'000'000;

void require_short(const Source& index, const std::string& name) {
  // st.f9
  if (index.size() > longest_index) {
    fail(ErrorKind::format, "st.f9", name, "an index must be at most {} bytes long, got {}",
         longest_index, index.size());
  }
}

// What is not known is refused by the cursor.
void refuse_other_kind(const Source& index, const std::string& name) {
  const auto other = other_kind_in(index, shards_format, name);
  // st.f9
  if (other) fail(ErrorKind::format, "st.f9", name, "the index must be JSON, got {}", *other);
}

// Goes through weight_map. `more`: of an index that is still coming.
void visit_index(const Source& index, const std::string& name, MoreText more,
                 const ShardIndex::Take& take) {
  require_short(index, name);
  JsonCursor cursor(index, {.begin = 0, .end = index.size()},
                    {.name = name, .what = "the index", .label = "st.f9"}, std::move(more));
  std::string key;
  std::string tensor;
  std::string shard;
  bool has_map = false;
  std::size_t tensors = 0;
  if (cursor.next() != '{') refuse_other_kind(index, name);
  cursor.read_object(key, longest_safetensors_name, [&] {
    if (key != "weight_map") return cursor.skip_value();
    if (std::exchange(has_map, true)) cursor.refuse("one weight_map");
    cursor.read_object(tensor, longest_safetensors_name, [&] {
      // st.f9
      if (++tensors > most_safetensors)
        cursor.refuse(fmt::format("at most {} tensors", most_safetensors));
      shard.clear();
      cursor.read_string(shard, longest_safetensors_name);
      take(tensor, shard);
    });
  });
  if (!has_map) cursor.refuse("a weight_map");
  cursor.expect_end();
}

}  // namespace

void spool_index(Spool& spool, const File& pipe) {
  const auto more = [&, rest = rest_of(spool, pipe)] {
    const bool goes_on = rest();
    require_short(spool, pipe.name());
    return goes_on;
  };
  visit_index(spool, pipe.name(), more, [](const std::string&, const std::string&) {});
}

void ShardIndex::visit(const Take& take) const { visit_index(*file_, name_, {}, take); }

std::optional<std::string> ShardIndex::shard_of(std::string_view tensor) const {
  std::optional<std::string> found;
  visit([&](const std::string& each, const std::string& shard) {
    if (each != tensor) return;
    if (found) refuse_twice(tensor);
    require_plain(each, shard);
    found = shard;
  });
  return found;
}

void ShardIndex::refuse_twice(std::string_view tensor) const {
  // st.f9
  fail(ErrorKind::format, "st.f9", name_, "the index names the tensor {} twice", tensor);
}

void ShardIndex::require_plain(const std::string& tensor, const std::string& shard) const {
  const bool is_plain = !shard.empty() && shard != "." && shard != ".." &&
                        shard.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
  // st.f9
  if (!is_plain) {
    fail(ErrorKind::format, "st.f9", name_,
         "the file of tensor {} must be a plain name, that of a file beside the index, got {}",
         tensor, shard.empty() ? "an empty name" : shard);
  }
}

}  // namespace tscatter
