#include <utility>

#include "tscatter/io/formats/format_rows.hpp"
#include "tscatter/io/formats/zip/npz_archive.hpp"
#include "tscatter/io/formats/zip/npz_output.hpp"
#include "tscatter/io/formats/zip/zip_directory.hpp"

namespace tscatter {
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
