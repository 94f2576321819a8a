#include "jobs/separate_files.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/hash.hpp"
#include "jobs/operand.hpp"
#include "tscatter/core/fail.hpp"

namespace tscatter::app {
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
