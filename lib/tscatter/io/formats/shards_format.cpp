#include "tscatter/io/formats/shards_format.hpp"

#include <array>
#include <map>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/file_source.hpp"
#include "tscatter/io/formats/safetensors_archive.hpp"
#include "tscatter/io/formats/safetensors_format.hpp"
#include "tscatter/io/formats/shard_index.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;

constexpr std::array rules{
    Rule{
        "st.f9",
        "an index is JSON whose weight_map names for each tensor, once, the regular file beside it "
        "that has it: a plain name, no path"},
};

// The file of this name, a plain one, beside the index.
std::shared_ptr<const Source> open_shard(const ShardIndex& index, const fs::path& path) {
  File file = File::open_for_reading(path);
  // st.f9
  if (!file.is_regular()) {
    fail(ErrorKind::format, "st.f9", index.name(),
         "the files of the index must be regular ones, got {}", path.native());
  }
  return std::make_shared<FileSource>(std::move(file));
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

// "dir/x.safetensors" for x.safetensors beside the index dir/model.safetensors.index.json
std::string beside(const fs::path& index, const std::string& shard) {
  return (index.parent_path() / shard).native();
}

class ShardedTensors final : public Archive {
 public:
  ShardedTensors(std::shared_ptr<const Source> file, const FormatReading& reading)
      : index_{std::move(file), reading.name}, path_{reading.path} {
    index_.visit([&](const std::string& tensor, const std::string& shard) {
      members_.push_back({.name = tensor, .file_name = shard + ":" + tensor, .compression = {}});
    });
  }

  std::vector<ArchiveMember> members() const override { return members_; }
  Tensor tensor(std::string_view name) const override { return archive_of(name).tensor(name); }
  Tensor tensor_at(std::size_t index) const override { return tensor(members_[index].name); }
  std::optional<ListedTensor> listed(std::string_view name) const override {
    return archive_of(name).listed(name);
  }

 private:
  const SafetensorsArchive& archive_of(std::string_view name) const {
    const std::string shard = shard_of(index_, name);
    auto& archive = archives_[shard];
    if (archive == nullptr) {
      archive = std::make_unique<SafetensorsArchive>(
          open_shard(index_, path_.parent_path() / shard), beside(index_.name(), shard));
    }
    return *archive;
  }

  ShardIndex index_;
  fs::path path_;
  std::vector<ArchiveMember> members_;
  mutable std::map<std::string, std::unique_ptr<SafetensorsArchive>> archives_;  // by the shard
};

bool begins_as_object(std::span<const std::byte> first_bytes) {
  return !first_bytes.empty() && first_bytes[0] == std::byte{'{'};
}

std::unique_ptr<Archive> open_archive(std::shared_ptr<const Source> file,
                                      const FormatReading& reading) {
  return std::make_unique<ShardedTensors>(std::move(file), reading);
}

MemberName locate(const MemberName& name, const fs::path& base) {
  const auto file = std::make_shared<FileSource>(File::open_for_reading(base / name.archive));
  const ShardIndex index(file, name.archive);
  MemberName shard{.format = &safetensors_format,
                   .archive = beside(name.archive, shard_of(index, name.member)),
                   .member = name.member};
  open_shard(index, base / shard.archive);
  return shard;
}

}  // namespace

constinit const Format shards_format{
    .name = "shards",
    .ending = ".safetensors.index.json",
    .ending_role = EndingRole::decisive,
    .begins_as = begins_as_object,
    .spool = spool_all,
    .open_archive = open_archive,
    .no_member = "st.f7",
    .locate = locate,
    .in_place = InPlace::possible,
    .rules = [] { return std::span<const Rule>(rules); },
    .help =
        "the index of a checkpoint in several files: model.safetensors.index.json:name is the "
        "tensor of that name in the file beside it that the index names.",
};

}  // namespace tscatter
