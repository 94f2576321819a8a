#include "jobs/written_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "jobs/separate_files.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/format_rows.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

// "x.h5" of "x.h5:a", a member as it would be named; the whole word if it names a file that is
// there.
std::string_view file_in(std::string_view word, const fs::path& base) {
  std::error_code error;
  if (fs::exists(base / word, error)) return word;
  for (std::size_t colon = word.find(':'); colon != std::string_view::npos;
       colon = word.find(':', colon + 1)) {
    if (kind_with_ending(ending_of(word.substr(0, colon))) != nullptr) return word.substr(0, colon);
  }
  return word;
}

// "out.npy" for "out.csv" and for "out.npy.gz"
std::string renamed(std::string_view word, const FileKind& kind) {
  std::string name(word.substr(0, word.size() - ending_of(word).size()));
  if (kind_with_ending(ending_of(name)) != &kind) name += usual_ending(kind);
  return name;
}

// `named`: the kind of file to which the ending of the name belongs.
std::string format_hint(const OptionWords& options, const FileKind& named) {
  if (options.format.empty()) return {};
  const bool is_raw = named.name == raw_format.kind;
  return fmt::format(", or add {}{}", options.format,
                     is_raw ? fmt::format(" or {}", options.format_raw) : std::string());
}

// nullptr if the file is not there, cannot be read, is empty or of a kind that is not known.
const FileKind* present_kind(const fs::path& path) {
  std::error_code error;
  if (is_passed_through(path) || !fs::is_regular_file(path, error)) return nullptr;
  try {
    std::array<std::byte, first_bytes_size> bytes{};
    const std::size_t got = File::open_for_reading(path).read_some(bytes);
    return kind_of_file(std::span<const std::byte>(bytes).first(got), path.native());
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

bool is_passed_through(const fs::path& path) {
  std::error_code error;
  return named_descriptor(path.native()) || fs::is_other(fs::status(path, error));
}

void require_ending(const WrittenFile& file) {
  if (is_passed_through(file.base / file.word)) return;
  const std::string_view name = file_in(file.word, file.base);
  const FileKind* named = kind_with_ending(ending_of(name));
  // cli.c16
  if (named != nullptr && named != &file.kind) {
    fail(ErrorKind::usage, "cli.c16", file.name,
         "must not have the ending of another kind of file (write {}{}), got {}, the name of {}",
         renamed(name, file.kind), format_hint(file.options, *named),
         shown_word(file.base, file.word), named->name);
  }
}

void require_replaceable(const WrittenFile& file, Replacing replacing) {
  if (replacing == Replacing::any_kind) return;
  const FileKind* present = present_kind(file.base / file.word);
  // cli.c17
  if (present != nullptr && present != &file.kind) {
    fail(ErrorKind::usage, "cli.c17", file.name,
         "must not replace a file of another kind (add {} to do so), got {}, {}",
         file.options.force, shown_word(file.base, file.word), present->name);
  }
  const bool is_npy = present == &kind_of(npy_format);
  const std::int64_t more = is_npy ? bytes_after_npy(file.base / file.word) : 0;
  // cli.c17
  if (more > 0) {
    fail(ErrorKind::usage, "cli.c17", file.name,
         "must not replace a file of several arrays (add {} to do so), got {}, with {} bytes after "
         "the first",
         file.options.force, shown_word(file.base, file.word), more);
  }
  require_no_blob(file, replacing);
}

bool is_cached_blob(const fs::path& file) {
  constexpr std::array kinds{"models--", "datasets--", "spaces--"};
  std::error_code error;
  const fs::path target = fs::canonical(file, error);
  if (error || target.parent_path().filename() != "blobs") return false;
  const std::string folder = target.parent_path().parent_path().filename().native();
  return std::ranges::any_of(kinds, [&](const char* kind) { return folder.starts_with(kind); });
}

void require_no_blob(const WrittenFile& file, Replacing replacing) {
  // cli.c81
  if (replacing == Replacing::same_kind && is_cached_blob(file.base / file.word)) {
    fail(ErrorKind::usage, "cli.c81", file.name,
         "must not replace a blob of a Hugging Face cache, which revisions share (write another "
         "file, or add {}), got {}",
         file.options.force, shown_word(file.base, file.word));
  }
}

void require_folder_name(const std::string& name, const std::string& word) {
  std::error_code error;
  const FileKind* named = kind_with_ending(ending_of(word));
  const bool is_file_name = named != nullptr && !fs::is_directory(word, error);
  // cli.c18
  if (word == "-" || is_file_name) {
    fail(ErrorKind::usage, "cli.c18", name, "must be the name of a folder (write {}), got {}, {}",
         word == "-" ? "./-" : word + "/", word,
         word == "-" ? "stdout" : fmt::format("the name of {}", named->name));
  }
}

}  // namespace tscatter::app
