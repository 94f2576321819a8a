#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tscatter/core/characters.hpp"
#include "tscatter/core/checked.hpp"
#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/sources.hpp"
#include "tscatter/io/formats/format.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"
#include "tscatter/io/formats/zip/deflate.hpp"
#include "tscatter/io/formats/zip/npz.hpp"
#include "tscatter/io/formats/zip/zip_directory.hpp"
#include "tscatter/io/formats/zip/zip_format.hpp"

namespace tscatter {

void require_npz_name(const std::string& name, const std::string& where) {
  constexpr std::size_t longest = 4096;
  // npz.z19
  if (name.empty() || name.size() > longest) {
    fail(ErrorKind::usage, "npz.z19", where,
         "the name of a member that is written must be 1 to {} bytes long, got {}", longest,
         name.size());
  }
  // npz.z19
  if (!is_utf8(name) || name.find('\0') != std::string::npos) {
    fail(ErrorKind::usage, "npz.z19", where,
         "the name of a member that is written must be UTF-8 without a zero byte, got {}", name);
  }
}

namespace {

// The name of the replaced member, or of a new one.
std::string file_name(const ZipDirectory& directory, const std::string& member) {
  if (member.ends_with(npy_ending) || directory.find(member) != nullptr) return member;
  return member + std::string(npy_ending);
}

// The bytes written to an output file, as a source.
class WrittenSource final : public Source {
 public:
  WrittenSource(const OutputFile& file, std::int64_t offset, std::int64_t size)
      : file_{file}, offset_{offset}, size_{size} {}

  std::int64_t size() const override { return size_; }
  void read(std::int64_t offset, std::span<std::byte> into) const override {
    file_.read(offset_ + offset, into);
  }

 private:
  const OutputFile& file_;
  std::int64_t offset_;
  std::int64_t size_;
};

// Writes the member's elements after its headers, and computes their checksum while they are in the
// cache.
class StoredSink final : public Sink {
 public:
  StoredSink(OutputFile& file, std::int64_t base, std::int64_t header_size, RangeCrc& crc)
      : file_{file}, base_{base}, header_size_{header_size}, crc_{crc} {}

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    crc_.add(header_size_ + offset, bytes);
    file_.write(base_ + offset, bytes);
  }
  std::int64_t page_offset() const override { return base_; }

 private:
  OutputFile& file_;
  std::int64_t base_;
  std::int64_t header_size_;
  RangeCrc& crc_;
};

// Deflates the member, header and elements, from byte `begin` of the file on.
class DeflatedSink final : public Sink {
 public:
  DeflatedSink(OutputFile& file, std::int64_t begin, RangeCrc& crc)
      : crc_{crc}, writer_{[this, &file, begin](std::span<const std::byte> deflated) {
          file.write(begin + packed_size_, deflated);
          packed_size_ += static_cast<std::int64_t>(deflated.size());
        }} {}

  void append(std::span<const std::byte> bytes) {
    crc_.add(size_, bytes);
    size_ += static_cast<std::int64_t>(bytes.size());
    writer_.write(bytes);
  }
  void write(std::int64_t, std::span<const std::byte> bytes) override { append(bytes); }
  bool is_random_access() const override { return false; }

  // Returns the number of deflated bytes.
  std::int64_t finish() {
    writer_.finish();
    return packed_size_;
  }

 private:
  RangeCrc& crc_;
  DeflateWriter writer_;
  std::int64_t size_ = 0;
  std::int64_t packed_size_ = 0;
};

}  // namespace

class NpzMemberOutput::Writing {
 public:
  Writing(const std::filesystem::path& archive, Durability durability, StopFlag stop,
          const OutputTurn& turn, Compression compression)
      : name_{archive.native()}, file_{archive, durability, system_files(), stop}, stop_{stop} {
    if (compression == Compression::deflated) member_.method = ZipMethod::deflated;
    // file.f4
    if (!file_.is_random_access()) {
      fail(ErrorKind::file, "file.f4", name_,
           "an archive that is written must be a regular file, got a pipe or device");
    }
    file_.take_turn(turn);
    old_ = open_replaced(file_, turn.name);
    if (old_ == nullptr) return;
    if (old_->size() > 0) directory_ = read_zip_directory(*old_, name_);
  }

  Sink& begin(const std::string& member, const TensorHeader& header) {
    const std::vector<std::byte> front = npy_header_bytes(header);
    member_.name = file_name(directory_, member);
    require_only_one();
    require_npy();
    place_others();
    place_member(static_cast<std::int64_t>(front.size()), header.byte_size());
    copy_others();
    if (is_deflated()) {
      deflated_.emplace(file_, bytes_begin_, crc_).append(front);
      return *deflated_;
    }
    file_.write(bytes_begin_, front);
    crc_.add(0, front);
    const auto header_size = static_cast<std::int64_t>(front.size());
    return stored_.emplace(file_, bytes_begin_ + header_size, header_size, crc_);
  }

  void commit() {
    member_.packed_size = deflated_ ? deflated_->finish() : member_.size;
    const auto crc = crc_.total(member_.size);
    member_.crc = crc ? *crc
                      : crc_of(WrittenSource(file_, bytes_begin_, member_.size),
                               {.threads = 0, .stop = stop_});
    write_text(member_.offset, zip::local_header(member_));
    records_[member_index_] = zip::directory_record(member_);
    std::string directory;
    for (const std::string& record : records_) directory += record;
    const auto size = static_cast<std::int64_t>(directory.size());
    directory += zip::end_records(directory_begin(), size, records_.size(), directory_.comment);
    write_text(directory_begin(), directory);
    file_.commit();
  }

 private:
  bool is_deflated() const { return member_.method == ZipMethod::deflated; }

  std::int64_t directory_begin() const { return bytes_begin_ + member_.packed_size; }

  // What precedes the first entry, and all entries except the replaced one, move together; the new
  // member follows them. In the directory each keeps its place.
  void place_others() {
    std::vector<std::byte> records(static_cast<std::size_t>(directory_.size));
    if (old_ != nullptr) old_->read(directory_.begin, records);
    std::vector<const ZipEntry*> order;
    order.reserve(directory_.entries.size());
    for (const ZipEntry& entry : directory_.entries) order.push_back(&entry);
    std::ranges::sort(order, {}, &ZipEntry::offset);
    const std::int64_t prefix = order.empty() ? directory_.begin : order.front()->offset;
    kept_.push_back({.begin = 0, .end = prefix});
    member_.offset = prefix;
    records_.resize(order.size());
    member_index_ = order.size();
    for (const ZipEntry* entry : order) {
      const auto index = static_cast<std::size_t>(entry - directory_.entries.data());
      if (entry->name == member_.name) {
        member_index_ = index;
        continue;
      }
      const auto record = std::span<const std::byte>(records).subspan(
          static_cast<std::size_t>(entry->record - directory_.begin),
          static_cast<std::size_t>(entry->record_size));
      records_[index] = zip::moved_record(record, member_.offset);
      kept_.push_back({.begin = entry->offset, .end = entry->end});
      member_.offset += entry->end - entry->offset;
    }
    if (member_index_ == records_.size()) records_.emplace_back();
  }

  void place_member(std::int64_t header_size, std::int64_t data_size) {
    const auto size = checked_add(header_size, data_size);
    member_.size = size.value_or(data_size);
    member_.packed_size = member_.size;
    require_size();
    bytes_begin_ = member_.offset + static_cast<std::int64_t>(zip::local_header(member_).size());
    std::size_t records_size = zip::directory_record(member_).size();
    for (const std::string& record : records_) records_size += record.size();
    // npz.z4
    if (records_size > static_cast<std::size_t>(max_zip_directory)) {
      fail(ErrorKind::format, "npz.z4", name_,
           "the directory must be at most {} bytes long, got {}", max_zip_directory, records_size);
    }
    // An upper bound for what follows the member.
    const auto least =
        size ? checked_add(*size, bytes_begin_ + 2 * max_zip_directory) : std::nullopt;
    // file.f5
    if (!least) {
      fail(ErrorKind::file, "file.f5", name_, "needs space for the member: {} bytes", data_size);
    }
    const auto tail = zip::end_records(directory_begin(), static_cast<std::int64_t>(records_size),
                                       records_.size(), directory_.comment);
    // How long deflated bytes will be is not known.
    const std::int64_t end =
        directory_begin() + static_cast<std::int64_t>(records_size + tail.size());
    file_.reserve(is_deflated() ? bytes_begin_ : end);
  }

  void require_only_one() const {
    // npz.z12
    if (std::ranges::count(directory_.entries, member_.name, &ZipEntry::name) > 1) {
      fail(ErrorKind::format, "npz.z12", name_,
           "a member that is replaced must be the only one of its name ({} keeps the last), got "
           "several {}",
           npz_written_anew, member_.name);
    }
  }

  // Without the ending of a .npy file it may be of another kind.
  void require_npy() const {
    if (member_.name.ends_with(npy_ending) || directory_.find(member_.name) == nullptr) return;
    try {
      NpzArchive(old_, {.name = name_}).tensor(member_.name);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::format) throw;
      // npz.z20
      fail(ErrorKind::usage, "npz.z20", name_,
           "a member that is replaced must be a .npy file (give the tensor another name), got {}",
           member_.name);
    }
  }

  void require_size() const {
    // npz.z17
    if (is_deflated() && member_.size > longest_deflated) {
      fail(ErrorKind::usage, "npz.z17", name_,
           "a deflated member must be at most {} bytes long, got {}", longest_deflated,
           member_.size);
    }
  }

  void copy_others() {
    if (old_ == nullptr) return;
    std::int64_t to = 0;
    for (const ByteRange kept : kept_) {
      read_pieces(*old_, kept, stop_, [&](std::int64_t, std::span<const std::byte> bytes) {
        file_.write(to, bytes);
        to += static_cast<std::int64_t>(bytes.size());
      });
    }
  }

  void write_text(std::int64_t offset, std::string_view text) {
    file_.write(offset, std::as_bytes(std::span(text)));
  }

  std::string name_;
  OutputFile file_;
  StopFlag stop_;
  std::shared_ptr<const FileSource> old_;  // nullptr: there is no archive yet
  ZipDirectory directory_;                 // of the old archive
  std::vector<ByteRange> kept_;            // bytes of the old archive
  std::vector<std::string> records_;       // of the new directory
  std::size_t member_index_ = 0;           // of the new member among them
  zip::WrittenMember member_;
  std::int64_t bytes_begin_ = 0;  // of the new member
  RangeCrc crc_;
  std::optional<StoredSink> stored_;  // one of these two
  std::optional<DeflatedSink> deflated_;
};

NpzMemberOutput::NpzMemberOutput(std::filesystem::path archive, std::string member,
                                 Durability durability, StopFlag stop)
    : archive_{std::move(archive)},
      member_{std::move(member)},
      durability_{durability},
      stop_{stop},
      turn_{.name = archive_.native(), .what = Replaced::archive, .waiting = {.stop = stop}} {
  require_npz_name(member_, archive_.native());
}

NpzMemberOutput::~NpzMemberOutput() = default;

Sink& NpzMemberOutput::begin(const TensorHeader& header, const Source&) {
  writing_ = std::make_unique<Writing>(archive_, durability_, stop_, turn_, compression_);
  return writing_->begin(member_, header);
}

void NpzMemberOutput::commit() {
  writing_->commit();
  writing_.reset();
}

namespace {

using Put = std::function<void(std::span<const std::byte>)>;

// The .npy of a tensor, in pieces.
void put_npy(const Tensor& tensor, StopFlag stop, const Put& put) {
  const Source& source = tensor.source();
  put(npy_header_bytes(tensor.header()));
  read_pieces(source, stop, [&](std::int64_t, std::span<const std::byte> bytes) { put(bytes); });
}

class NpzWriter {
 public:
  explicit NpzWriter(const OutputPlace& place) : place_{place}, file_{open_archive_file(place)} {}

  void add(const std::string& name, const Tensor& tensor) {
    tensor.source().check_content({.threads = 0, .stop = place_.stop});
    zip::WrittenMember member{.name = name + ".npy", .offset = end_};
    const bool is_deflated = place_.compression == Compression::deflated;
    if (is_deflated) member.method = ZipMethod::deflated;
    const auto header_size = static_cast<std::int64_t>(zip::local_header(member).size());
    end_ += header_size;
    RangeCrc crc;
    const auto count = [&](std::span<const std::byte> bytes) {
      crc.add(member.size, bytes);
      member.size += static_cast<std::int64_t>(bytes.size());
    };
    is_deflated ? deflate(tensor, count) : store(tensor, count);
    member.packed_size = end_ - member.offset - header_size;
    member.crc = *crc.total(member.size);
    write(member.offset, zip::local_header(member));
    directory_ += zip::directory_record(member);
    ++members_;
  }

  void commit() {
    const auto size = static_cast<std::int64_t>(directory_.size());
    write(end_, directory_ + zip::end_records(end_, size, members_, {}));
    file_->commit();
  }

 private:
  void append(std::span<const std::byte> bytes) {
    file_->write(end_, bytes);
    end_ += static_cast<std::int64_t>(bytes.size());
  }

  void store(const Tensor& tensor, const Put& count) {
    put_npy(tensor, place_.stop, [&](std::span<const std::byte> bytes) {
      count(bytes);
      append(bytes);
    });
  }

  void deflate(const Tensor& tensor, const Put& count) {
    DeflateWriter writer([this](std::span<const std::byte> deflated) { append(deflated); });
    put_npy(tensor, place_.stop, [&](std::span<const std::byte> bytes) {
      count(bytes);
      writer.write(bytes);
    });
    writer.finish();
  }

  void write(std::int64_t offset, const std::string& text) {
    file_->write(offset, std::as_bytes(std::span(text)));
  }

  const OutputPlace& place_;
  std::unique_ptr<OutputFile> file_;
  std::string directory_;
  std::uint64_t members_ = 0;
  std::int64_t end_ = 0;
};

void require_names(const std::vector<ArchiveMember>& members, const std::string& where) {
  std::set<std::string_view> names;
  for (const ArchiveMember& member : members) {
    require_npz_name(member.name, where);
    // npz.z19
    if (!names.insert(member.name).second) {
      fail(ErrorKind::usage, "npz.z19", where, "two members that are written have the name {}",
           member.name);
    }
  }
}

}  // namespace

void write_npz(const OutputPlace& place, const Archive& tensors) {
  const std::vector<ArchiveMember> members = tensors.members();
  require_names(members, place.name);
  NpzWriter writer(place);
  for (std::size_t i = 0; i < members.size(); ++i)
    writer.add(members[i].name, tensors.tensor_at(i));
  writer.commit();
}

}  // namespace tscatter
