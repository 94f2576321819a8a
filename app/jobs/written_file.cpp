#include "jobs/written_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/hash.hpp"
#include "jobs/operand.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/formats/format.hpp"
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

namespace {

// Whether the operand is read from the file: by its name, or as that which has its elements.
bool is_read_from(const NamedFile& operand, std::uint64_t file) {
  const std::string word = word_behind({}, operand.word);
  const auto member = member_name({}, word);
  const auto place = place_of_elements({}, word);
  return identity_of(member ? member->archive : word) == file ||
         (place && identity_of(place->archive) == file);
}

}  // namespace

void require_separate(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read) {
  std::vector<NamedFile> others = read;
  for (const NamedFile& file : written) {
    const auto identity = identity_of(file.word);
    if (!identity) continue;
    for (const NamedFile& other : others) {
      // cli.c14
      if (is_read_from(other, *identity)) {
        fail(ErrorKind::usage, "cli.c14", file.name, "must be another file than {}, got {}",
             other.name, file.word);
      }
    }
    others.push_back(file);
  }
}

namespace fs = std::filesystem;

std::string shown_word(const fs::path& base, const std::string& word) {
  return base.empty() ? word : (base / word).lexically_normal().native();
}

TensorPlace place_of(const fs::path& base, const std::string& word) {
  const std::optional<MemberName> member = member_name(base, word);
  if (!member) return {.file = resolved_file(base / word), .member = {}};
  return member_place(resolved_file(base / member->archive), *member->format, member->member);
}

TensorPlace member_place(fs::path file, const Format& format, std::string_view member) {
  // The member x of an archive may be called x.npy too.
  if (member.ends_with(format.member_ending)) member.remove_suffix(format.member_ending.size());
  return {.file = std::move(file), .member = std::string(member)};
}

std::string index_of(const std::string& word) {
  const std::optional<MemberName> member = split_member_name(word);
  return member && member->format->locate != nullptr ? member->archive : std::string();
}

bool is_same_place(const TensorPlace& one, const TensorPlace& other) {
  std::error_code error;
  if (one.member != other.member) return false;
  return one.file == other.file || fs::equivalent(one.file, other.file, error);
}

std::uint64_t hash_of(const TensorPlace& place) {
  const std::uint64_t state = hash_more(hash_start, place.file.native());
  return hash_end(hash_more(hash_more(state, std::string_view("\0", 1)), place.member));
}

std::uint64_t identity_of_member(std::uint64_t archive, const MemberName& name) {
  const TensorPlace place = member_place({}, *name.format, name.member);
  return hash_end(hash_more(hash_more(hash_start, archive), place.member));
}

namespace {

namespace fs = std::filesystem;

fs::path resolved(const fs::path& path) {
  constexpr int most_links = 40;
  const fs::path whole = fs::absolute(path.empty() ? "." : path);
  std::vector<fs::path> parts(whole.begin(), whole.end());
  std::ranges::reverse(parts);
  fs::path known;
  for (int links = 0; !parts.empty();) {
    const fs::path part = std::move(parts.back());
    parts.pop_back();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      known = known.parent_path();
      continue;
    }
    std::error_code error;
    const fs::path link = fs::read_symlink(known / part, error);
    if (error || ++links > most_links) {
      known /= part;
      continue;
    }
    const std::vector<fs::path> more(link.begin(), link.end());
    parts.insert(parts.end(), more.rbegin(), more.rend());  // a leading "/" starts afresh
  }
  return known;
}

// The files of a batch are in few directories.
const fs::path& resolved_directory(const fs::path& directory) {
  constexpr std::size_t most = 64;
  thread_local std::map<fs::path, fs::path> known;
  if (const auto found = known.find(directory); found != known.end()) return found->second;
  if (known.size() >= most) known.clear();
  return known.emplace(directory, resolved(directory)).first->second;
}

}  // namespace

fs::path resolved_file(const fs::path& path) {
  std::error_code error;
  const fs::path name = path.filename();
  const bool is_plain = !name.empty() && name != "." && name != "..";
  if (!is_plain || fs::is_symlink(fs::symlink_status(path, error))) return resolved(path);
  return resolved_directory(path.parent_path()) / name;
}

std::optional<std::uint64_t> identity_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    const bool is_passed_through = S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode);
    return is_passed_through ? std::nullopt : std::optional(identity_of(status));
  }
  const fs::path file = resolved_file(path);
  const fs::path directory = file.parent_path();
  const bool is_there = ::stat(directory.c_str(), &status) == 0;
  const std::uint64_t where = is_there ? identity_of(status) : hash_of(directory.native());
  return hash_end(hash_more(hash_more(hash_start, where), file.filename().native()));
}

std::uint64_t identity_of(const struct stat& status) {
  const std::uint64_t device = hash_more(hash_start, std::uint64_t{status.st_dev});
  return hash_end(hash_more(device, std::uint64_t{status.st_ino}));
}

}  // namespace tscatter::app
