#include "tscatter/io/formats/shard_index.hpp"

#include <fmt/format.h>

#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/formats/file_kinds.hpp"
#include "tscatter/io/formats/json_cursor.hpp"
#include "tscatter/io/formats/safetensors_header.hpp"
#include "tscatter/io/formats/shards_format.hpp"

namespace tscatter {

void ShardIndex::visit(const Take& take) const {
  JsonCursor cursor(*file_, {.begin = 0, .end = file_->size()},
                    {.name = name_, .what = "the index", .label = "st.f9"});
  std::string key;
  std::string tensor;
  std::string shard;
  bool has_map = false;
  std::size_t tensors = 0;
  if (cursor.next() != '{') refuse_other_kind();
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

// What is not known is refused by the cursor.
void ShardIndex::refuse_other_kind() const {
  const auto other = other_kind_in(*file_, shards_format, name_);
  // st.f9
  if (other) fail(ErrorKind::format, "st.f9", name_, "the index must be JSON, got {}", *other);
}

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
  fail(ErrorKind::format, "st.f9", name_, "the index must name a tensor once, got {} twice",
       tensor);
}

void ShardIndex::require_plain(const std::string& tensor, const std::string& shard) const {
  const bool is_plain = !shard.empty() && shard != "." && shard != ".." &&
                        shard.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
  // st.f9
  if (!is_plain) {
    fail(ErrorKind::format, "st.f9", name_,
         "the file of tensor {} must be a plain name, that of a file beside the index, got {}",
         tensor, shard.empty() ? "nothing" : shard);
  }
}

}  // namespace tscatter
