#include "tscatter/io/formats/npy/npy_file.hpp"

#include <limits>
#include <utility>
#include <vector>

#include "tscatter/core/checked.hpp"
#include "tscatter/io/files/file_source.hpp"
#include "tscatter/io/formats/npy/npy_header.hpp"
#include "tscatter/io/journal/rollback.hpp"

namespace tscatter {

Tensor open_npy(const std::filesystem::path& path) {
  auto file = std::make_shared<FileSource>(open_settled(path, path.native()));
  return npy_tensor(std::move(file), path.native());
}

Tensor npy_tensor(std::shared_ptr<const Source> file, const std::string& name) {
  const NpyHeader header = read_npy_header(*file, name);
  bytes_after_npy(header, *file, name);
  const std::int64_t size = header.tensor.byte_size();
  return {header.tensor, std::make_shared<PartSource>(std::move(file), header.data_offset, size),
          name};
}

std::int64_t bytes_after_npy(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return 0;
  try {
    const FileSource file(File::open_for_reading(path));
    return bytes_after_npy(read_npy_header(file, path.native()), file, path.native());
  } catch (const Error&) {
    return 0;
  }
}

InPlaceFile npy_in_place(const std::filesystem::path& path, const InPlaceOptions& options) {
  return {path, npy_tensor, options};
}

Sink& NpyFileOutput::begin(const TensorHeader& header, const Source&) {
  if (descriptor_) {
    file_.emplace(*descriptor_, path_.native());
  } else {
    file_.emplace(path_, durability_, system_files(), stop_);
  }
  if (turn_) file_->take_turn(*turn_);
  std::vector<std::byte> front = npy_header_bytes(header);
  const auto size = checked_add(static_cast<std::int64_t>(front.size()), header.byte_size());
  file_->reserve(size.value_or(std::numeric_limits<std::int64_t>::max()));
  return sink_.emplace(*file_, std::move(front));
}

}  // namespace tscatter
