#include "tscatter/io/formats/safetensors/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/file_kinds.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/safetensors/safetensors.hpp"
#include "tscatter/io/formats/safetensors/safetensors_header.hpp"
#include "tscatter/io/formats/text/json_cursor.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter {
namespace {

constexpr std::int64_t longest_index = 100'000'000;

void require_short(const Source& index, const std::string& name) {
  // st.f9
  if (index.size() > longest_index) {
    fail(ErrorKind::format, "st.f9", name, "an index must be at most {} bytes long, got {}",
         longest_index, index.size());
  }
}

// What is not known is refused by the cursor.
void refuse_other_kind(const Source& index, const std::string& name) {
  const auto other = other_kind_in(index, shards_format, name);
  // st.f9
  if (other) fail(ErrorKind::format, "st.f9", name, "the index must be JSON, got {}", *other);
}

// Goes through weight_map. `more`: of an index that is still coming.
void visit_index(const Source& index, const std::string& name, MoreText more,
                 const ShardIndex::Take& take) {
  require_short(index, name);
  JsonCursor cursor(index, {.begin = 0, .end = index.size()},
                    {.name = name, .what = "the index", .label = "st.f9"}, std::move(more));
  std::string key;
  std::string tensor;
  std::string shard;
  bool has_map = false;
  std::size_t tensors = 0;
  if (cursor.next() != '{') refuse_other_kind(index, name);
  cursor.read_object(key, longest_safetensors_name, [&] {
    if (key != "weight_map") return cursor.skip_value();
    if (std::exchange(has_map, true)) cursor.refuse("one weight_map");
    cursor.read_object(tensor, longest_safetensors_name, [&] {
      // st.f9
      if (++tensors > most_safetensors)
        cursor.refuse(fmt::format("at most {} tensors", most_safetensors));
      shard.clear();
      cursor.read_string(shard, longest_safetensors_name);
      take(tensor, shard);
    });
  });
  if (!has_map) cursor.refuse("a weight_map");
  cursor.expect_end();
}

}  // namespace

void spool_index(Spool& spool, const File& pipe) {
  const auto more = [&, rest = rest_of(spool, pipe)] {
    const bool goes_on = rest();
    require_short(spool, pipe.name());
    return goes_on;
  };
  visit_index(spool, pipe.name(), more, [](const std::string&, const std::string&) {});
}

void ShardIndex::visit(const Take& take) const { visit_index(*file_, name_, {}, take); }

std::optional<std::string> ShardIndex::shard_of(std::string_view tensor) const {
  std::optional<std::string> found;
  visit([&](const std::string& each, const std::string& shard) {
    if (each != tensor) return;
    if (found) refuse_twice(tensor);
    require_plain(each, shard);
    found = shard;
  });
  return found;
}

void ShardIndex::refuse_twice(std::string_view tensor) const {
  // st.f9
  fail(ErrorKind::format, "st.f9", name_, "the index names the tensor {} twice", tensor);
}

void ShardIndex::require_plain(const std::string& tensor, const std::string& shard) const {
  const bool is_plain = !shard.empty() && shard != "." && shard != ".." &&
                        shard.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
  // st.f9
  if (!is_plain) {
    fail(ErrorKind::format, "st.f9", name_,
         "the file of tensor {} must be a plain name, that of a file beside the index, got {}",
         tensor, shard.empty() ? "an empty name" : shard);
  }
}

namespace {

namespace fs = std::filesystem;

constexpr std::array shards_format_rule_rows{
    Rule{"st.f9",
         "an index is JSON of at most 100,000,000 bytes whose weight_map names for each tensor, "
         "once, the regular file beside it that has it: a plain name, no path; at most 2^20 "
         "tensors"},
};

// "dir/x.safetensors" for x.safetensors beside the index dir/model.safetensors.index.json
std::string beside(const fs::path& index, const std::string& shard) {
  return (index.parent_path() / shard).native();
}

// A pipe is not waited for.
void require_regular(const ShardIndex& index, const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  // st.f9
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    fail(ErrorKind::format, "st.f9", index.name(),
         "the files of the index must be regular ones, got {}", path.native());
  }
}

// The file of this name, a plain one, beside the index.
std::shared_ptr<const Source> open_shard(const ShardIndex& index, const fs::path& path) {
  require_regular(index, path);
  return std::make_shared<FileSource>(
      open_settled(path, beside(index.name(), path.filename().native())));
}

[[noreturn]] void refuse_name(const ShardIndex& index, std::string_view name) {
  std::vector<std::string> known;
  index.visit([&](const std::string& tensor, const std::string&) { known.push_back(tensor); });
  refuse_tensor_name(name, known, index.name());
}

std::string shard_of(const ShardIndex& index, std::string_view tensor) {
  if (auto shard = index.shard_of(tensor)) return *std::move(shard);
  refuse_name(index, tensor);
}

class ShardedTensors final : public Archive {
 public:
  ShardedTensors(std::shared_ptr<const Source> file, const FormatReading& reading)
      : index_{std::move(file), reading.name}, path_{reading.path} {
    index_.visit([&](const std::string& tensor, const std::string& shard) {
      const auto opened = archives_.try_emplace(shard).first;
      members_.push_back({.name = tensor, .shard = &*opened});
    });
    require_different_names();
  }

  std::vector<ArchiveMember> members() const override {
    std::vector<ArchiveMember> all;
    for (const Member& member : members_) {
      all.push_back({.name = member.name,
                     .file_name = member.shard->first + ":" + member.name,
                     .compression = {}});
    }
    return all;
  }
  Tensor tensor(std::string_view name) const override {
    const auto found = std::ranges::find(members_, name, &Member::name);
    if (found == members_.end()) refuse_name(index_, name);
    return tensor_of(*found);
  }
  Tensor tensor_at(std::size_t index) const override { return tensor_of(members_[index]); }
  std::optional<ListedTensor> listed_at(std::size_t index) const override {
    return archive_of(members_[index]).listed(members_[index].name);
  }

 private:
  using Archives = std::map<std::string, std::unique_ptr<SafetensorsArchive>>;

  struct Member {
    std::string name;
    Archives::value_type* shard;
  };

  void require_different_names() const {
    std::vector<std::string_view> names(members_.size());
    std::ranges::transform(members_, names.begin(), &Member::name);
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end()) index_.refuse_twice(*twice);
  }

  Tensor tensor_of(const Member& member) const { return archive_of(member).tensor(member.name); }

  const SafetensorsArchive& archive_of(const Member& member) const {
    auto& [shard, archive] = *member.shard;
    if (archive == nullptr) {
      index_.require_plain(member.name, shard);
      const auto file = open_shard(index_, path_.parent_path() / shard);
      archive = std::make_unique<SafetensorsArchive>(file, beside(index_.name(), shard));
    }
    return *archive;
  }

  ShardIndex index_;
  fs::path path_;
  Archives archives_;  // by the shard; nullptr: not opened yet
  std::vector<Member> members_;
};

bool begins_as_object(std::span<const std::byte> first_bytes) {
  return begins_with_one_of(first_bytes, "{");
}

std::unique_ptr<Archive> open_shards(std::shared_ptr<const Source> file,
                                     const FormatReading& reading) {
  return std::make_unique<ShardedTensors>(std::move(file), reading);
}

MemberName locate(const MemberName& name, const fs::path& base) {
  const auto file = std::make_shared<FileSource>(open_settled(base / name.archive, name.archive));
  const ShardIndex index(file, name.archive);
  MemberName shard{.format = &safetensors_format,
                   .archive = beside(name.archive, shard_of(index, name.member)),
                   .member = name.member};
  // It may be half changed: who changes it rolls back first.
  require_regular(index, base / shard.archive);
  File::open_for_reading(base / shard.archive);
  return shard;
}

std::vector<std::string> files(const std::string& name) {
  const auto file = std::make_shared<FileSource>(open_settled(name, name));
  const ShardIndex index(file, name);
  std::set<std::string> all;
  index.visit([&](const std::string& tensor, const std::string& shard) {
    index.require_plain(tensor, shard);
    all.insert(beside(name, shard));
  });
  return {all.begin(), all.end()};
}

// What stands between safetensors and json: index, and a variant before it or after it.
bool is_index_of_variant(std::span<const std::string_view> middle) {
  const auto is_index = [](std::string_view part) { return equal_ignoring_case(part, "index"); };
  return std::ranges::any_of(middle, is_index) &&
         std::ranges::none_of(middle, &std::string_view::empty);
}

}  // namespace

std::string_view shards_ending_of(std::string_view file_name) {
  constexpr std::size_t most = 4;
  std::vector<std::string_view> parts;  // json, index, fp16, safetensors
  std::size_t end = file_name.size();
  while (parts.size() < most &&
         (parts.empty() || !equal_ignoring_case(parts.back(), "safetensors"))) {
    const std::size_t dot = file_name.substr(0, end).rfind('.');
    if (dot == std::string_view::npos) return {};
    parts.push_back(file_name.substr(dot + 1, end - dot - 1));
    end = dot;
  }
  const bool is_ending = parts.size() > 2 && equal_ignoring_case(parts.front(), "json") &&
                         equal_ignoring_case(parts.back(), "safetensors") &&
                         is_index_of_variant(std::span(parts).subspan(1, parts.size() - 2));
  const std::string_view ending = file_name.substr(end);
  return is_ending && ending.find('/') == std::string_view::npos ? ending : std::string_view();
}

constinit const Format shards_format{
    .name = "shards",
    .ending = ".safetensors.index.json",
    .ending_role = EndingRole::decisive,
    .names = [](std::string_view name) { return !shards_ending_of(name).empty(); },
    .begins_as = begins_as_object,
    .spool = spool_index,
    .open_archive = open_shards,
    .no_member = "st.f7",
    .locate = locate,
    .files = files,
    .in_place = InPlace::possible,
    .rules = [] { return std::span<const Rule>(shards_format_rule_rows); },
    .help =
        "the index of a checkpoint in several files: model.safetensors.index.json:name is the "
        "tensor of that name in the file beside it that the index names.",
    .operands_help = "a tensor of a checkpoint in several files",
};

}  // namespace tscatter
