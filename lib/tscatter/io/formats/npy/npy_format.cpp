#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tscatter/core/checked.hpp"
#include "tscatter/io/formats/format_rows.hpp"
#include "tscatter/io/formats/npy/npy_file.hpp"
#include "tscatter/io/formats/npy/npy_header.hpp"

namespace tscatter {
namespace {

// No more than the header announces: a pipe may never end.
void spool_npy(Spool& spool, const File& pipe) {
  constexpr std::int64_t longest_header = (std::int64_t{1} << 20) + 12;
  constexpr std::int64_t everything = std::numeric_limits<std::int64_t>::max();
  if (!spool.fill_from(pipe, longest_header)) return;
  const NpyHeader header = read_npy_header(spool, pipe.name());
  // The bytes that another .npy file begins with show whether one follows the data.
  const auto end = checked_add(header.data_offset + 6, header.tensor.byte_size());
  spool.fill_from(pipe, std::max(spool.size(), end.value_or(everything)));
}

void tell_of_more(const Source& file, const FormatReading& reading) {
  const NpyHeader header = read_npy_header(file, reading.name);
  if (bytes_after_npy(header, file, reading.name) == 0) return;
  reading.note(fmt::format("{}: another array follows the first, from byte {} on, and is not read",
                           reading.name, header.data_offset + header.tensor.byte_size()));
}

Tensor open_tensor(const std::shared_ptr<const Source>& file, const FormatReading& reading) {
  if (reading.note) tell_of_more(*file, reading);
  return npy_tensor(file, reading.name);
}

std::unique_ptr<Output> create_file(const OutputPlace& place) {
  if (place.descriptor) return std::make_unique<NpyFileOutput>(*place.descriptor, place.name);
  auto output = std::make_unique<NpyFileOutput>(place.path, place.durability, place.stop);
  output->take_turn(place.turn(Replaced::file));
  return output;
}

}  // namespace

constinit const Format npy_format{
    .name = "npy",
    .ending = ".npy",
    .kind = "a .npy file",
    .begins_as = begins_as_npy,
    .spool = spool_npy,
    .open = open_tensor,
    .create = create_file,
    .front = npy_header_bytes,
    .in_place = InPlace::possible,
    .rules = npy_rules,
    .help =
        "versions 1.0, 2.0 and 3.0, C and Fortran order, both byte orders, every dtype of fixed "
        "size. What is written is byte for byte what NumPy 2 writes; the output has data's byte "
        "order and memory order.",
};

}  // namespace tscatter
