#include "jobs/tensor_place.hpp"

#include <string_view>
#include <utility>

#include "jobs/hash.hpp"
#include "jobs/operand.hpp"
#include "jobs/separate_files.hpp"

namespace tscatter::app {

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

}  // namespace tscatter::app
