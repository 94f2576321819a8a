// Which file a word names, under any of its names: reports and pictures must not overwrite what is
// read, nor each other.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/io/formats/format.hpp"

namespace tscatter::app {

struct NamedFile {
  std::string name;  // of the flag or argument: "--heatmap"
  std::string word;  // as written; ignored if it is not a file's name
};

// Throws Error (usage, cli.c14) if one of `written` is one of `read`, under any name, or another of
// `written`.
void require_separate(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read);

// Which file a path leads to, whatever it is called. Follows all links, also dangling ones. A file
// that does not exist is where it would be created.
std::filesystem::path resolved_file(const std::filesystem::path& path);

// Identifies the file that a path leads to, under any of its names: by inode or, if it does not
// exist, by directory and name. nullopt for devices and pipes, which keep nothing.
std::optional<std::uint64_t> identity_of(const std::filesystem::path& path);
std::uint64_t identity_of(const struct stat& status);

// Where a tensor that a word names is stored.
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

// Identifies a member, given the identity of its archive.
std::uint64_t identity_of_member(std::uint64_t archive, const MemberName& name);

}  // namespace tscatter::app
