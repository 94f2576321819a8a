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

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/step_clock.hpp"

namespace tscatter {

// What NumPy adds to the name of a member.
inline constexpr std::string_view npy_ending = ".npy";

struct ZipDirectory;
struct ZipEntry;

struct NpzReading {
  std::filesystem::path spool_directory = "/tmp";  // holds the elements of a deflated member
  StopFlag stop = nullptr;       // inflating throws Cancelled when it becomes true
  Progress* progress = nullptr;  // of checking a stored member
  TellStep log = {};             // of inflating
};

enum class NpzCompression : std::uint8_t { stored, deflated, other };

struct NpzMember {
  std::string name;       // as NumPy gives it: without .npy
  std::string file_name;  // in the archive
  NpzCompression compression = NpzCompression::stored;
  std::int64_t size = 0;         // bytes, with the .npy header
  std::int64_t packed_size = 0;  // bytes that it takes in the archive
  bool is_hidden = false;        // a later member has its name, and is read by it
};

class NpzArchive {
 public:
  // Reads the archive's directory. `name` is used in messages. Throws Error (format, npz.z1 to
  // npz.z11).
  NpzArchive(std::shared_ptr<const Source> file, std::string name);
  // Throws Error as the constructor, and Error (file).
  static NpzArchive open(const std::filesystem::path& path);

  const std::string& name() const { return name_; }
  std::vector<NpzMember> members() const;  // in the directory's order

  // The last member `name` or, if there is none, `name`.npy; only the tensor's header is read.
  // Throws Error (file, npz.z13; format, npz.z7 to npz.z18 and npy.*).
  Tensor tensor(std::string_view name, const NpzReading& reading = {}) const;

  // Whether that member hides others of its name. Throws Error (file, npz.z13).
  bool hides_others(std::string_view name) const;

  // The tensor of members()[index].
  Tensor tensor_at(std::size_t index, const NpzReading& reading = {}) const;

 private:
  Tensor tensor_of(const ZipEntry& entry, const std::string& name, const NpzReading& reading) const;
  const ZipEntry& entry_of(std::string_view name) const;
  Tensor stored_tensor(const ZipEntry& entry, std::int64_t offset, const std::string& name,
                       const NpzReading& reading) const;
  Tensor deflated_tensor(const ZipEntry& entry, std::int64_t offset, const std::string& name,
                         const NpzReading& reading) const;

  std::shared_ptr<const Source> file_;
  std::string name_;
  std::shared_ptr<const ZipDirectory> directory_;
};

}  // namespace tscatter
