// Where the tensor that a word of a case names is kept.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

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

// Which file a path means, under any of its names: by its inode, or where it is not there by its
// directory and name. nullopt for devices and pipes, which keep nothing.
std::optional<std::uint64_t> identity_of(const std::filesystem::path& path);
std::uint64_t identity_of(const struct stat& status);
std::uint64_t identity_of_member(std::uint64_t archive, const MemberName& name);

}  // namespace tscatter::app
