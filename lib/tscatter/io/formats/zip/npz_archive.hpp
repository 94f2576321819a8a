// NpzArchive: the members of a .npz archive as tensors. A stored member is read directly; a
// deflated one is inflated once, when its elements are first needed. Format and rules:
// docs/formats.md, npz.*
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tscatter/core/tensor.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter {

// What NumPy adds to the name of a member.
inline constexpr std::string_view npy_ending = ".npy";

struct ZipDirectory;
struct ZipEntry;

class NpzArchive final : public Archive {
 public:
  // Reads the archive's directory. `reading`: of its tensors, too. Throws Error (format, npz.z1 to
  // npz.z11).
  NpzArchive(std::shared_ptr<const Source> file, FormatReading reading);
  // Throws Error as the constructor, and Error (file).
  static NpzArchive open(const std::filesystem::path& path, StopFlag stop = nullptr);

  std::vector<ArchiveMember> members() const override;  // in the directory's order

  // The last member `name` or, if there is none, `name`.npy; only the tensor's header is read.
  // Throws Error (file, npz.z13; format, npz.z7 to npz.z18 and npy.*).
  Tensor tensor(std::string_view name) const override;
  // Whether that member hides others of its name. Throws Error (file, npz.z13).
  bool hides_others(std::string_view name) const;

  Tensor tensor_at(std::size_t index) const override;

 private:
  Tensor tensor_of(const ZipEntry& entry, std::string_view called) const;
  const ZipEntry& entry_of(std::string_view name) const;
  Tensor stored_tensor(const ZipEntry& entry, std::int64_t offset, const std::string& name) const;
  Tensor deflated_tensor(const ZipEntry& entry, std::int64_t offset, const std::string& name) const;

  std::shared_ptr<const Source> file_;
  FormatReading reading_;
  std::shared_ptr<const ZipDirectory> directory_;
};

}  // namespace tscatter
