#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "tscatter/core/bytes.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/core/nearest.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/files/spool.hpp"
#include "tscatter/io/formats/file_kinds.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"
#include "tscatter/io/formats/zip/deflate.hpp"
#include "tscatter/io/formats/zip/npz.hpp"
#include "tscatter/io/formats/zip/zip_directory.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter {
namespace {

std::string without_npy(const std::string& name) {
  return name.ends_with(npy_ending) ? name.substr(0, name.size() - npy_ending.size()) : name;
}

// The header of a member, which is one array.
NpyHeader member_header(const Source& member, const std::string& name) {
  std::array<std::byte, 6> front{};
  const auto size = static_cast<std::size_t>(std::min<std::int64_t>(member.size(), front.size()));
  member.read(0, std::span(front).first(size));
  // npz.z18
  if (!begins_as_npy(std::span<const std::byte>(front).first(size))) {
    fail(ErrorKind::format, "npz.z18", name,
         "a member that is read must be a .npy, which begins with \\x93NUMPY, got {}",
         size == 0 ? "an empty one"
                   : other_kind_in(member, npy_format, name).value_or("other bytes"));
  }
  NpyHeader header = read_npy_header(member, name);
  require_npy_size(header, member.size(), name);
  return header;
}

// A stored member's bytes, read from the archive.
class StoredSource final : public Source {
 public:
  StoredSource(PartSource part, std::uint32_t crc, std::string name, Progress* progress)
      : part_{std::move(part)}, crc_{crc}, name_{std::move(name)}, progress_{progress} {}

  std::int64_t size() const override { return part_.size(); }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    part_.read(offset, into);
  }
  std::optional<std::span<const std::byte>> view() const override { return part_.view(); }
  void check_view() const override { part_.check_view(); }
  std::optional<Extent> extent() const override { return part_.extent(); }

  void check_content(const Parallelism& parallelism) const override {
    const std::uint32_t crc = crc_of(
        part_, {.threads = parallelism.threads, .stop = parallelism.stop, .progress = progress_});
    // npz.z14
    if (crc != crc_) {
      fail(ErrorKind::format, "npz.z14", name_,
           "the bytes must have the checksum {:08x} that the directory says, got {:08x}", crc_,
           crc);
    }
  }

 private:
  PartSource part_;
  std::uint32_t crc_;
  std::string name_;
  Progress* progress_;
};

// The front of a deflated member, inflated no further than it is read.
class FrontSource final : public Source {
 public:
  explicit FrontSource(InflateReader& reader) : reader_{reader}, size_{reader.left()} {}

  std::int64_t size() const override { return size_; }
  // REQUIRES: called from one thread.
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    const auto begin = static_cast<std::size_t>(offset);
    const std::size_t known = front_.size();
    if (begin + into.size() > known) {
      front_.resize(begin + into.size());
      reader_.read(std::span(front_).subspan(known));
    }
    read_memory(front_, static_cast<std::int64_t>(begin), into);
  }

 private:
  InflateReader& reader_;
  std::int64_t size_;
  mutable std::vector<std::byte> front_;
};

// The elements of a deflated member, inflated when they are first read.
class InflatedSource final : public Source {
 public:
  InflatedSource(std::shared_ptr<const Source> file, const DeflatedMember& member,
                 std::int64_t data_offset, std::string name, FormatReading reading)
      : file_{std::move(file)},
        member_{member},
        data_offset_{data_offset},
        name_{std::move(name)},
        reading_{std::move(reading)} {}

  std::int64_t size() const override { return member_.size - data_offset_; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    inflated().read(offset, into);
  }
  std::optional<std::span<const std::byte>> view() const override { return inflated().view(); }
  void check_content(const Parallelism& /*parallelism*/) const override { inflated(); }

 private:
  const Spool& inflated() const {
    // No std::call_once: an exception must not pass through the C library, whose unwinder may
    // differ from the program's.
    const std::scoped_lock lock(mutex_);
    if (spool_ == nullptr) spool_ = inflate();
    return *spool_;
  }

  std::unique_ptr<const Spool> inflate() const {
    constexpr std::int64_t piece = std::int64_t{256} * 1024;
    const StepClock clock;
    auto spool = std::make_unique<Spool>(reading_.spool_directory, name_);
    InflateReader reader(*file_, member_, name_);
    std::vector<std::byte> buffer(static_cast<std::size_t>(std::max(piece, data_offset_)));
    reader.read(std::span(buffer).first(static_cast<std::size_t>(data_offset_)));
    const InnerPhase phase(reading_.progress, reader.left());
    while (reader.left() > 0) {
      check_stop(reading_.stop);
      const auto bytes =
          std::span(buffer).first(static_cast<std::size_t>(std::min(piece, reader.left())));
      reader.read(bytes);
      spool->append(bytes);
      phase.add(static_cast<std::int64_t>(bytes.size()));
    }
    reader.finish();
    clock.tell(reading_.log, fmt::format("{}: {} bytes inflated", name_, spool->size()));
    return spool;
  }

  std::shared_ptr<const Source> file_;
  DeflatedMember member_;
  std::int64_t data_offset_;
  std::string name_;
  FormatReading reading_;
  mutable std::mutex mutex_;                    // of spool_
  mutable std::unique_ptr<const Spool> spool_;  // nullptr: not inflated yet
};

std::string_view compression_of(ZipMethod method) {
  if (method == ZipMethod::stored) return "stored";
  return method == ZipMethod::deflated ? "deflated" : "other";
}

}  // namespace

NpzArchive::NpzArchive(std::shared_ptr<const Source> file, FormatReading reading)
    : file_{std::move(file)},
      reading_{std::move(reading)},
      directory_{std::make_shared<const ZipDirectory>(read_zip_directory(*file_, reading_.name))} {}

NpzArchive NpzArchive::open(const std::filesystem::path& path, StopFlag stop) {
  return {std::make_shared<FileSource>(open_settled(path, path.native())),
          {.name = path.native(), .stop = stop}};
}

std::vector<ArchiveMember> NpzArchive::members() const {
  std::vector<ArchiveMember> members;
  members.reserve(directory_->entries.size());
  std::unordered_map<std::string_view, const ZipEntry*> last;
  for (const ZipEntry& entry : directory_->entries) last[entry.name] = &entry;
  for (const ZipEntry& entry : directory_->entries) {
    members.push_back({.name = without_npy(entry.name),
                       .file_name = entry.name,
                       .compression = compression_of(entry.method),
                       .size = entry.size,
                       .packed_size = entry.packed_size,
                       .is_hidden = last[entry.name] != &entry});
  }
  return members;
}

const ZipEntry& NpzArchive::entry_of(std::string_view name) const {
  if (const ZipEntry* entry = directory_->find(name)) return *entry;
  if (const ZipEntry* entry = directory_->find(std::string(name).append(npy_ending))) return *entry;
  constexpr std::size_t most_listed = 8;
  std::vector<std::string> known;
  for (const ZipEntry& entry : directory_->entries) known.push_back(without_npy(entry.name));
  const std::string* nearest = nearest_name(name, known);
  const std::string hint =
      nearest == nullptr ? std::string() : fmt::format(" (nearest: {})", *nearest);
  // npz.z13
  if (known.empty() || known.size() > most_listed) {
    fail(ErrorKind::file, "npz.z13", reading_.name,
         "a member must be one of the {} that there are{}, got {}", known.size(), hint, name);
  }
  // npz.z13
  fail(ErrorKind::file, "npz.z13", reading_.name, "a member must be one of {}{}, got {}",
       fmt::join(known, ", "), hint, name);
}

Tensor NpzArchive::tensor(std::string_view name) const {
  if (reading_.note && hides_others(name)) {
    reading_.note(fmt::format("{}:{}: the last of several members of this name is read",
                              reading_.name, name));
  }
  return tensor_of(entry_of(name), name);
}

bool NpzArchive::hides_others(std::string_view name) const {
  return std::ranges::count(directory_->entries, entry_of(name).name, &ZipEntry::name) > 1;
}

Tensor NpzArchive::tensor_at(std::size_t index) const {
  const ZipEntry& entry = directory_->entries[index];
  return tensor_of(entry, entry.name);
}

// `called`: in messages.
Tensor NpzArchive::tensor_of(const ZipEntry& entry, std::string_view called) const {
  const std::string name = fmt::format("{}:{}", reading_.name, called);
  const std::int64_t offset = packed_offset(*file_, entry, name);
  if (entry.method == ZipMethod::stored) return stored_tensor(entry, offset, name);
  return deflated_tensor(entry, offset, name);
}

Tensor NpzArchive::stored_tensor(const ZipEntry& entry, std::int64_t offset,
                                 const std::string& name) const {
  // npz.z15
  if (entry.packed_size != entry.size) {
    fail(ErrorKind::format, "npz.z15", name,
         "a stored member must take the {} bytes that the directory says, got {}", entry.size,
         entry.packed_size);
  }
  auto member = std::make_shared<StoredSource>(PartSource(file_, offset, entry.size), entry.crc,
                                               name, reading_.progress);
  const NpyHeader header = member_header(*member, name);
  const std::int64_t size = header.tensor.byte_size();
  return {header.tensor, std::make_shared<PartSource>(std::move(member), header.data_offset, size),
          name};
}

Tensor NpzArchive::deflated_tensor(const ZipEntry& entry, std::int64_t offset,
                                   const std::string& name) const {
  const DeflatedMember member{
      .offset = offset, .packed_size = entry.packed_size, .size = entry.size, .crc = entry.crc};
  InflateReader reader(*file_, member, name);
  const NpyHeader header = member_header(FrontSource(reader), name);
  return {header.tensor,
          std::make_shared<InflatedSource>(file_, member, header.data_offset, name, reading_),
          name};
}

namespace {

std::unique_ptr<Archive> open_archive(std::shared_ptr<const Source> file,
                                      const FormatReading& reading) {
  return std::make_unique<NpzArchive>(std::move(file), reading);
}

std::unique_ptr<Output> create_member(const OutputPlace& place) {
  auto output =
      std::make_unique<NpzMemberOutput>(place.path, place.member, place.durability, place.stop);
  output->compress(place.compression);
  output->take_turn(place.turn(Replaced::archive));
  return output;
}

}  // namespace

constinit const Format npz_format{
    .name = "npz",
    .ending = ".npz",
    .kind = "a .npz archive",
    .ending_role = EndingRole::required,
    .begins_as = begins_as_zip,
    .spool = spool_all,
    .open_archive = open_archive,
    .member_ending = ".npy",
    .no_member = "npz.z13",
    .create = create_member,
    .write_all = write_npz,
    .can_deflate = true,
    .rules = npz_rules,
    .help =
        "members x.npz:name, stored or deflated. As output a member is added to the archive or "
        "replaced in it, stored, or deflated with --compress; the others are kept as they are. "
        "tscatter show x.npz lists the members.",
};

}  // namespace tscatter
