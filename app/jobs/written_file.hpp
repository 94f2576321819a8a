// The names of files that are written: which they may take, which files they may replace, and which
// file a word names.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/io/formats/file_kinds.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter::app {

// ---- Which names a written file may take, and which files it may replace: only files of its own
// kind.

enum class Replacing : bool { same_kind, any_kind };  // any_kind: --force

// How messages write the options that allow what is refused.
struct OptionWords {
  std::string_view force = "--force";
  std::string_view format = "--format npy";  // empty: there is no such option
  std::string_view format_name = "--format";
  std::string_view format_raw = "--format raw";
  std::string_view in_place = "--in-place";  // empty: there is no such option
  std::string_view compress_name = "--compress";
  std::string_view force_name = "--force";
  std::string_view sync_name = "--sync";
  std::string_view output = "-o x.npy or -o -";
};
inline constexpr OptionWords words_of_keys{.force = R"("force": true)",
                                           .format = R"("format": "npy")",
                                           .format_name = "format",
                                           .format_raw = R"("format": "raw")",
                                           .in_place = R"("in_place": true)",
                                           .compress_name = "compress",
                                           .force_name = "force",
                                           .sync_name = "sync",
                                           .output = R"("output": "x.npy")"};

struct WrittenFile {
  std::string name;  // of the flag, key or argument, for messages
  std::string word;  // as the user wrote it
  const FileKind& kind;
  std::filesystem::path base = {};  // a relative word is relative to it
  OptionWords options = {};
};

// Whether it is a device, a pipe or an open descriptor: these take anything, under any name.
bool is_passed_through(const std::filesystem::path& path);

// Throws Error (usage, cli.c16) if the word's ending belongs to another kind of file.
void require_ending(const WrittenFile& file);

// Throws Error (usage) if a file of another kind (cli.c17) or a blob of a cache would be replaced.
// An empty file, and one whose kind is not known, may be.
void require_replaceable(const WrittenFile& file, Replacing replacing);

// models--x--y/blobs/0123 of a Hugging Face cache: many revisions share it, and its name is made
// from its content.
bool is_cached_blob(const std::filesystem::path& file);

// Throws Error (usage, cli.c81) if one would be replaced.
void require_no_blob(const WrittenFile& file, Replacing replacing);

// Throws Error (usage, cli.c18) if the word is rather a file's name: "cases.jsonl", or - for
// stdout.
void require_folder_name(const std::string& name, const std::string& word);

// ---- Which file a word names, under any of its names: reports and pictures must not overwrite
// what is read, nor each other.

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
