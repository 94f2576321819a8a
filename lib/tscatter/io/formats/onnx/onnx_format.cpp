#include <algorithm>
#include <array>
#include <set>

#include "tscatter/io/formats/format_rows.hpp"
#include "tscatter/io/formats/onnx/onnx_archive.hpp"

namespace tscatter {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<Archive> open_model(std::shared_ptr<const Source> file,
                                    const FormatReading& reading) {
  return std::make_unique<OnnxArchive>(std::move(file), reading);
}

MemberName locate_initializer(const MemberName& name, const fs::path& base) {
  return located_beside(name, base, [&](const auto& file, const FormatReading& reading) {
    return OnnxArchive(file, reading).place(name.member);
  });
}

// The model, and the files of its external data. What cannot be opened has none.
std::vector<std::string> files_of_model(const std::string& model) {
  std::set<std::string> all{model};
  const MemberName name{.format = &onnx_format, .archive = model, .member = {}};
  located_beside(name, {}, [&](const auto& file, const FormatReading& reading) {
    const OnnxArchive archive(file, reading);
    for (std::size_t i = 0; i < archive.size(); ++i) {
      if (const auto location = archive.location_at(i))
        all.insert((fs::path(model).parent_path() / *location).native());
    }
    return std::optional<MemberName>();
  });
  return {all.begin(), all.end()};
}

}  // namespace

bool begins_as_onnx(std::span<const std::byte> first_bytes) {
  constexpr std::array next{std::byte{0x12}, std::byte{0x1a}, std::byte{0x22}, std::byte{0x3a},
                            std::byte{0x42}};
  constexpr auto highest_version = std::byte{31};
  return first_bytes.size() >= 3 && first_bytes[0] == std::byte{0x08} &&
         first_bytes[1] <= highest_version && std::ranges::find(next, first_bytes[2]) != next.end();
}

constinit const Format onnx_format{
    .name = "onnx",
    .ending = ".onnx",
    .kind = "an ONNX model",
    .ending_role = EndingRole::decisive,
    .begins_as = begins_as_onnx,
    .may_be_other = true,
    .spool = spool_protobuf,
    .open_archive = open_model,
    .no_member = "pb.f12",
    .locate = locate_initializer,
    .files = files_of_model,
    .in_place = InPlace::possible,
    .rules = onnx_rules,
    .help =
        "a model of ONNX: x.onnx:name is an initializer of its graph, also one with external data. "
        "With --in-place only what is touched is written; the model itself is not written anew. "
        "tscatter show x.onnx lists the initializers.",
    .operands_help = "an initializer of a model",
};

}  // namespace tscatter
