// Where a tensor that a word names is stored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "tscatter/io/formats/format.hpp"

namespace tscatter::app {

struct TensorPlace {
  std::filesystem::path file;  // absolute, with all links resolved
  std::string member;          // of an archive, without its ending; empty: the file is the tensor

  bool operator==(const TensorPlace&) const = default;
};

// What a word that is relative to `base` is called in messages: as one would type it here.
std::string shown_word(const std::filesystem::path& base, const std::string& word);

// Relative paths are relative to `base`.
TensorPlace place_of(const std::filesystem::path& base, const std::string& word);

// The place of a member of the archive `file`, which is resolved.
TensorPlace member_place(std::filesystem::path file, const Format& format, std::string_view member);

// "m.safetensors.index.json" of m.safetensors.index.json:w: the file that says which one has the
// tensor. Empty if the word names none.
std::string index_of(const std::string& word);

// Whether both are the same, even under two names.
bool is_same_place(const TensorPlace& one, const TensorPlace& other);

std::uint64_t hash_of(const TensorPlace& place);

// Identifies a member, given the identity of its archive (jobs/file_identity.hpp).
std::uint64_t identity_of_member(std::uint64_t archive, const MemberName& name);

}  // namespace tscatter::app
