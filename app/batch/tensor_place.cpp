#include "batch/tensor_place.hpp"

#include <sys/stat.h>

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "batch/hash.hpp"
#include "jobs/operand.hpp"

namespace tscatter::app {
namespace {

namespace fs = std::filesystem;

// A file that does not exist is where it would be created.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path known = fs::weakly_canonical(path.empty() ? fs::path(".") : path, error);
  if (error) return fs::absolute(path).lexically_normal();
  return known.is_absolute() ? known : fs::absolute(known).lexically_normal();
}

// The files of a batch are in few directories.
const fs::path& resolved_directory(const fs::path& directory) {
  constexpr std::size_t most = 64;
  thread_local std::map<fs::path, fs::path> known;
  if (const auto found = known.find(directory); found != known.end()) return found->second;
  if (known.size() >= most) known.clear();
  return known.emplace(directory, resolved(directory)).first->second;
}

fs::path resolved_file(const fs::path& path) {
  std::error_code error;
  const fs::path name = path.filename();
  const bool is_plain = !name.empty() && name != "." && name != "..";
  if (!is_plain || fs::is_symlink(fs::symlink_status(path, error))) return resolved(path);
  return resolved_directory(path.parent_path()) / name;
}

}  // namespace

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

bool is_same_place(const TensorPlace& one, const TensorPlace& other) {
  std::error_code error;
  if (one.member != other.member) return false;
  return one.file == other.file || fs::equivalent(one.file, other.file, error);
}

std::uint64_t hash_of(const TensorPlace& place) {
  const std::uint64_t state = hash_more(hash_start, place.file.native());
  return hash_end(hash_more(hash_more(state, std::string_view("\0", 1)), place.member));
}

std::vector<std::uint64_t> file_hashes(TensorPlace place) {
  place.member.clear();
  std::vector<std::uint64_t> hashes{hash_of(place)};
  struct stat status {};
  if (::stat(place.file.c_str(), &status) != 0 || status.st_nlink < 2) return hashes;
  const std::uint64_t device = hash_more(hash_start, std::uint64_t{status.st_dev});
  hashes.push_back(hash_end(hash_more(device, std::uint64_t{status.st_ino})));
  return hashes;
}

}  // namespace tscatter::app
