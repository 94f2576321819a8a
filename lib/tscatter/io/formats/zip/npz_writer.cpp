#include <functional>
#include <set>
#include <utility>

#include "tscatter/core/fail.hpp"
#include "tscatter/io/files/pieces.hpp"
#include "tscatter/io/formats/format_rows.hpp"
#include "tscatter/io/formats/npy/npy_header.hpp"
#include "tscatter/io/formats/zip/crc.hpp"
#include "tscatter/io/formats/zip/deflate.hpp"
#include "tscatter/io/formats/zip/npz_output.hpp"
#include "tscatter/io/formats/zip/zip_writer.hpp"

namespace tscatter {
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
