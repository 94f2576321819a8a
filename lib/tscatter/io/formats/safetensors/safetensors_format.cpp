#include <algorithm>
#include <cstddef>

#include "tscatter/io/formats/format_rows.hpp"
#include "tscatter/io/formats/safetensors/safetensors_archive.hpp"
#include "tscatter/io/formats/safetensors/safetensors_output.hpp"

namespace tscatter {
namespace {

// The length of the header in 8 bytes, then the header, a JSON object.
bool begins_as_safetensors(std::span<const std::byte> first_bytes) {
  constexpr std::size_t length_size = 8;
  constexpr std::size_t lowest_zeros = 4;  // of a length below 2^32
  if (first_bytes.size() <= length_size || first_bytes[length_size] != std::byte{'{'}) return false;
  const auto high = first_bytes.subspan(lowest_zeros, length_size - lowest_zeros);
  return std::ranges::all_of(high, [](std::byte each) { return each == std::byte{0}; });
}

std::unique_ptr<Archive> open_archive(std::shared_ptr<const Source> file,
                                      const FormatReading& reading) {
  return std::make_unique<SafetensorsArchive>(std::move(file), reading.name);
}

std::unique_ptr<Output> create_tensor(const OutputPlace& place) {
  return std::make_unique<SafetensorsOutput>(place);
}

}  // namespace

constinit const Format safetensors_format{
    .name = "safetensors",
    .ending = ".safetensors",
    .kind = "a safetensors file",
    .ending_role = EndingRole::sufficient,
    .begins_as = begins_as_safetensors,
    .spool = spool_all,
    .open_archive = open_archive,
    .no_member = "st.f7",
    .has_metadata = true,
    .create = create_tensor,
    .write_all = write_safetensors,
    .in_place = InPlace::possible,
    .rules = safetensors_rules,
    .help =
        "tensors x.safetensors:name. As output a tensor is added to the file or replaced in it, "
        "the others and the metadata are kept. What is written is byte for byte what the "
        "reference's serialize gives. With --in-place only what is touched is written. tscatter "
        "show x.safetensors lists the tensors.",
    .operands_help = "a tensor of a checkpoint",
};

}  // namespace tscatter
