// Where the tensor that a word of a case names is kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/io/formats/format.hpp"

namespace tscatter::app {

struct TensorPlace {
  std::filesystem::path file;  // absolute, behind all links
  std::string member;          // of an archive, without its ending; empty: the file is the tensor

  bool operator==(const TensorPlace&) const = default;
};

// Relative paths are relative to `base`.
TensorPlace place_of(const std::filesystem::path& base, const std::string& word);

// Of a member of the archive `file`, which is resolved.
TensorPlace member_place(std::filesystem::path file, const Format& format, std::string_view member);

// Whether both are one: the same file under two names too.
bool is_same_place(const TensorPlace& one, const TensorPlace& other);

std::uint64_t hash_of(const TensorPlace& place);

// Of the file that the place is or is in: one hash of its name, and one of its inode where it has
// other names too.
std::vector<std::uint64_t> file_hashes(TensorPlace place);

}  // namespace tscatter::app
