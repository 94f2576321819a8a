#include <fmt/format.h>

#include <utility>

#include "tscatter/core/unreachable.hpp"
#include "tscatter/io/formats/format_rows.hpp"
#include "tscatter/io/formats/zip/npz_archive.hpp"
#include "tscatter/io/formats/zip/npz_output.hpp"
#include "tscatter/io/formats/zip/zip_directory.hpp"

namespace tscatter {
namespace {

std::string_view compression_name(NpzCompression compression) {
  switch (compression) {
    case NpzCompression::stored: return "stored";
    case NpzCompression::deflated: return "deflated";
    case NpzCompression::other: return "other";
  }
  unreachable();
}

class NpzMembers final : public Archive {
 public:
  NpzMembers(std::shared_ptr<const Source> file, const FormatReading& reading)
      : archive_{std::move(file), reading.name},
        note_{reading.note},
        reading_{.spool_directory = reading.spool_directory,
                 .stop = reading.stop,
                 .progress = reading.progress,
                 .log = reading.log} {}

  std::vector<ArchiveMember> members() const override {
    std::vector<ArchiveMember> all;
    for (NpzMember& member : archive_.members()) {
      all.push_back({.name = std::move(member.name),
                     .file_name = std::move(member.file_name),
                     .compression = compression_name(member.compression),
                     .size = member.size,
                     .packed_size = member.packed_size,
                     .is_hidden = member.is_hidden});
    }
    return all;
  }
  Tensor tensor(std::string_view name) const override {
    if (note_ && archive_.hides_others(name))
      note_(fmt::format("{}:{}: the last of several members of this name is read", archive_.name(),
                        name));
    return archive_.tensor(name, reading_);
  }
  Tensor tensor_at(std::size_t index) const override { return archive_.tensor_at(index, reading_); }

 private:
  NpzArchive archive_;
  TellStep note_;
  NpzReading reading_;
};

std::unique_ptr<Archive> open_archive(std::shared_ptr<const Source> file,
                                      const FormatReading& reading) {
  return std::make_unique<NpzMembers>(std::move(file), reading);
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
