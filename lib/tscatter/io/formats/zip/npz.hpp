// .npz archives: their members as tensors, and results that are added.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tscatter/core/progress.hpp"
#include "tscatter/core/tensor.hpp"
#include "tscatter/io/files/output_file.hpp"
#include "tscatter/io/formats/format.hpp"

namespace tscatter {

// ---- NpzArchive: the members of a .npz archive as tensors. A stored member is read directly; a
// deflated one is inflated once, when its elements are first needed. Format and rules:
// docs/formats.md, npz.*

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

// ---- NpzMemberOutput: adds a result to a .npz archive, or replaces the member of that name. The
// other members are copied unchanged, and the archive is replaced once it is complete.

// Throws Error (usage, npz.z19): no member that is written has this name. `where`: the archive.
void require_npz_name(const std::string& name, const std::string& where);

class NpzMemberOutput final : public Output {
 public:
  // A new member is called `member` in the archive, with .npy at its end. Nothing is opened before
  // begin(). Copying the other members throws Cancelled when *stop becomes true. Throws Error
  // (usage, npz.z19).
  NpzMemberOutput(std::filesystem::path archive, std::string member,
                  Durability durability = Durability::kill, StopFlag stop = nullptr);
  ~NpzMemberOutput() override;

  // How begin() waits for its turn. REQUIRES: what is replaced is an archive.
  void take_turn(OutputTurn turn) { turn_ = std::move(turn); }

  // A deflated member is written front to back.
  void compress(Compression compression) { compression_ = compression; }

  // Copies the other members. Until the output is committed or gone, other processes that add
  // members to archives in the same directory wait. Throws Error (file, also undo.u5; format,
  // npz.z1 to npz.z12, for an existing archive that cannot be read; npz.z17).
  Sink& begin(const TensorHeader& header, const Source& data) override;
  void commit() override;

 private:
  class Writing;

  std::filesystem::path archive_;
  std::string member_;
  Durability durability_;
  StopFlag stop_;
  OutputTurn turn_;
  Compression compression_ = Compression::stored;
  std::unique_ptr<Writing> writing_;
};

}  // namespace tscatter
