// Which names a written file may take, and which files it may replace: only files of its own kind.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tscatter/io/formats/file_kinds.hpp"

namespace tscatter::app {

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

}  // namespace tscatter::app
